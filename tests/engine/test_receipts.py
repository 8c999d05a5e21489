"""A11. Receipts: written, verified, asked again to the byte, compared with today, and never believed blindly."""

import json
import os

import pytest
from trial import AGENT, DAY, MINUTE

from memcli.memory import receipt


@pytest.fixture
def shop(trial):
    """A few memories, and their ids by what they are about."""
    trial.ids = {
        "window": trial.remember("The refund window is 30 days.", "--concept", "refund window")["id"],
        "mail": trial.remember("Refund emails are made from the template mail/refund.txt.")["id"],
        "weekend": trial.remember("Never send a refund on a weekend.", "--type", "warning")["id"],
        "printer": trial.remember("The office printer wants A5 paper.")["id"],
    }
    return trial


def given(trial, query="refund window", *options, **how):
    """Ask with a receipt; its id."""
    return trial.recall(query, "--receipt", *options, **how)["receipt"]


def file_of(trial, id_):
    return trial.root / ".mem" / "receipts" / f"{id_}.json"


def body(trial, id_):
    return json.loads(file_of(trial, id_).read_text())


def replayed(trial, id_, *options, code=0, **how):
    return trial.told("receipt", "replay", id_, *options, code=code, **how)


def verified(trial, id_, code=0, **how):
    return trial.told("receipt", "verify", id_, code=code, **how)


def became(trial, id_, **how):
    told = trial.told("receipt", "diff", id_, **how)
    return {one["id"]: one["became"] for one in told["selected"]}


def doctor(trial, id_, *, resealed=False, **changes):
    """A receipt with some keys changed; with `resealed` under the id that then is right."""
    said = body(trial, id_) | changes
    name = receipt.id_of(said) if resealed else id_
    if resealed:
        said["id"] = name
    file_of(trial, name).write_bytes(receipt.canonical(said) + b"\n")
    return name


def test_a_recall_writes_no_receipt_unless_it_is_asked_to(shop):
    assert shop.recall("refund window")["receipt"] is None
    assert not (shop.root / ".mem" / "receipts").exists()
    id_ = given(shop)
    assert id_.startswith("r_")
    assert file_of(shop, id_).exists()


def test_its_id_is_the_hash_of_its_body_and_no_number_in_it_has_a_fraction(shop):
    id_ = given(shop)
    said = body(shop, id_)
    assert receipt.id_of(said) == said["id"] == id_
    assert file_of(shop, id_).read_bytes() == receipt.canonical(said) + b"\n"

    def fractions(value):
        if isinstance(value, dict):
            return any(map(fractions, value.values()))
        return any(map(fractions, value)) if isinstance(value, list) else isinstance(value, float)

    assert not fractions(said)


def test_no_claim_stands_in_it(shop):
    raw = file_of(shop, given(shop, "how long may customers send things back")).read_text()
    assert "30 days" not in raw
    assert "template" not in raw


def test_it_names_the_commit_the_tree_and_the_blob_of_what_was_shown(shop):
    said = body(shop, given(shop))
    assert said["commit"] == shop.head()
    assert said["tree"] == shop.git("rev-parse", "HEAD^{tree}")
    for one in said["selected"]:
        path = shop.path(one["id"]).relative_to(shop.root)
        assert one["blob"] == shop.git("rev-parse", f"HEAD:{path}")
    assert [one["rank"] for one in said["selected"]] == list(range(1, len(said["selected"]) + 1))
    assert shop.ids["window"] in {one["id"] for one in said["selected"]}


def test_the_same_question_of_the_same_moment_has_the_same_receipt(shop):
    moment = shop.moment + DAY
    first, second = (given(shop, now=moment) for _ in range(2))
    assert first == second
    assert given(shop, now=moment + 1) != first


def test_replayed_at_once_it_is_equal_to_the_byte(shop):
    id_ = given(shop)
    told = replayed(shop, id_)
    assert (told["equal"], told["refused"], told["changed"]) == (True, None, [])
    assert told["bytes"] == body(shop, id_)["output"]["bytes"] > 100


@pytest.mark.parametrize(
    "options",
    [
        ("-k", "1"),
        ("--budget", "12"),
        ("--budget", "1"),
        ("--floor", "0"),
        ("--floor", "0.95"),
        ("--mode", "history"),
        ("--mode", "wide"),
        ("--as-of", "2026-11-30"),
        ("--as-of", "2020-01-01"),
        ("--type", "warning"),
        ("--tag", "nothing-has-it"),
        ("--evidence", "full"),
        ("--evidence", "none"),
        ("--events", "none"),
        ("--prompt",),
        ("--known-at", "HEAD~1"),
        ("--known-at", "2020-01-01"),
        ("--known-at", "2026-11-30", "--as-of", "2026-11-30"),
    ],
)
def test_it_replays_with_what_was_asked_for_also_when_the_store_moved_on(shop, options):
    json_too = () if "--prompt" in options else ("--json",)
    ran = shop.ran("recall", "refund", "--receipt", *options, *json_too)
    assert ran.code in (0, 1), ran.err
    id_ = json.loads(ran.out)["receipt"] if json_too else ran.err.split("Receipt ")[1].split()[0]
    assert replayed(shop, id_)["equal"]
    shop.remember("Refunds above 500 euros need a second signature.")
    shop.remember("It is 14 days since today.", "--concept", "refund window", "--supersede-concept")
    again = replayed(shop, id_)
    assert again["equal"], again
    assert verified(shop, id_)["outcome"] == "genuine"


def test_a_custom_budget_is_replayed_and_not_the_store_s_own(shop):
    small = body(shop, given(shop, "refund", "-k", "1"))
    large = body(shop, given(shop, "refund"))
    assert (small["k"], large["k"]) == (1, 8)
    assert len(small["selected"]) == 1 < len(large["selected"])


def test_settings_that_changed_since_do_not_change_the_replay(shop):
    (shop.root / "mem.toml").write_text("[recall]\nfloor = 0.2\n")
    shop.commit_by_hand()
    id_ = given(shop, "refund")
    (shop.root / "mem.toml").write_text("[recall]\nfloor = 0.9\n")
    shop.commit_by_hand()
    assert replayed(shop, id_)["equal"]
    (shop.root / "mem.toml").write_text("[recall]\nfloor = 0.7\n")
    other = given(shop, "refund")
    (shop.root / "mem.toml").write_text("")
    told = replayed(shop, other, code=6)
    assert told["refused"] == "settings"


def test_over_uncommitted_files_it_lists_them_and_is_refused_by_name(shop):
    shop.write("zzzz1111aaaa", "The refund desk opens at nine.")
    id_ = given(shop)
    assert body(shop, id_)["uncommitted"] == ["schemas/project/t/zzzz1111aaaa.md"]
    told = replayed(shop, id_, code=5)
    assert (told["refused"], told["details"]) == ("uncommitted", ["schemas/project/t/zzzz1111aaaa.md"])
    ran = shop.ran("receipt", "replay", id_)
    assert (ran.code, ran.out) == (5, "")
    assert "was not committed" in ran.err
    assert verified(shop, id_, code=5)["outcome"] == "unproven"


def test_uncommitted_files_of_another_scope_are_neither_listed_nor_in_the_way(shop):
    shop.write("zzzz1111aaaa", "The refund desk opens at nine.", folder="project/other")
    id_ = given(shop)
    assert body(shop, id_)["uncommitted"] == []
    assert replayed(shop, id_)["equal"]


def test_what_was_said_and_not_committed_is_listed_too(shop):
    shop.did("observe", "-", stdin="Refunds go through the desk on the left.\n")
    id_ = given(shop)
    assert [path.partition("/")[0] for path in body(shop, id_)["uncommitted"]] == ["events"]
    assert replayed(shop, id_, code=5)["refused"] == "uncommitted"
    assert replayed(shop, given(shop, "refund window", "--events", "none"))["equal"]


def test_what_was_said_is_proven_once_a_commit_holds_it(shop):
    shop.did("observe", "-", stdin="user: Refunds go through the desk on the left.\n")
    first = given(shop, "where do refunds go", "--floor", "0")
    shop.did("observe", "-", stdin="user: The desk of refunds was moved to the right, where they go now.\n")
    second = given(shop, "where do refunds go", "--floor", "0")
    assert {one["kind"] for one in body(shop, first)["selected"]} == {"schema", "event"}
    assert replayed(shop, first, code=5)["refused"] == "uncommitted"
    shop.did("consolidate")
    shop.remember("Refunds never go anywhere on Sundays.")
    for id_ in (first, second):
        told = replayed(shop, id_)
        assert (told["equal"], told["refused"]) == (True, None)
        assert shop.touched(told["since"], below="events") != []
        assert verified(shop, id_)["outcome"] == "genuine"
    assert "What was not committed then is since " in shop.did("receipt", "replay", first)
    assert len(body(shop, second)["selected"]) == len(body(shop, first)["selected"]) + 1


def test_what_was_edited_is_proven_once_it_is_saved_as_it_was(shop):
    shop.write("zzzz1111aaaa", "The refund desk opens at nine.")
    id_ = given(shop)
    assert replayed(shop, id_, code=5)["refused"] == "uncommitted"
    shop.did("save")
    shop.remember("The lift is slow.")
    assert replayed(shop, id_)["equal"]


@pytest.mark.parametrize("how", ["another edit", "a line gone"])
def test_what_became_another_before_it_was_committed_stays_unproven(shop, how):
    if how == "another edit":
        path = shop.write("zzzz1111aaaa", "The refund desk opens at nine.")
    else:
        shop.did("observe", "-", stdin="user: The refund desk opens at nine.\n")
        path = next(one for one in shop.root.glob("events/**/*.jsonl") if "at nine" in one.read_text("utf-8"))
    id_ = given(shop, "refund desk", "--floor", "0")
    path.write_text(path.read_text().replace("at nine", "at ten"))
    shop.did("save")
    told = replayed(shop, id_, code=5)
    assert (told["equal"], told["refused"]) == (False, "uncommitted")
    assert verified(shop, id_, code=5)["outcome"] == "unproven"


@pytest.mark.parametrize("action", [("replay",), ("replay", "--at", "HEAD"), ("diff",)])
def test_a_receipt_that_was_touched_is_asked_nothing(shop, action):
    id_ = given(shop)
    doctor(shop, id_, query="what does the printer want")
    verb, *options = action
    ran = shop.ran("receipt", verb, id_, *options)
    assert (ran.code, ran.out) == (4, "")
    assert ran.err.startswith(f"{id_} does not say what it was given as.\nHint: ")
    assert "does not say what it was given as" in shop.ran("receipt", "show", id_).err
    assert shop.ran("receipt", "show", given(shop)).err == ""


def test_a_touched_one_among_several_is_named(shop):
    whole, touched = given(shop), given(shop)
    doctor(shop, touched, k=3)
    ran = shop.ran("receipt", "replay", whole, touched)
    assert ran.code == 4
    assert f"{touched}  altered  " in ran.out
    assert "Equal: " in ran.out
    told = replayed(shop, touched, code=4)
    assert (told["equal"], told["refused"]) == (False, "altered")


def test_a_rewritten_history_is_refused_with_its_own_exit_code(shop):
    id_ = given(shop)
    shop.git("commit", "-q", "--amend", "--allow-empty", "-m", "another past")
    told = replayed(shop, id_, code=7)
    assert told["refused"] == "history"


def test_a_commit_that_only_the_reflog_knows_is_gone(shop):
    id_ = given(shop)
    shop.git("commit", "-q", "--amend", "--allow-empty", "-m", "another past")
    shop.git("update-ref", "refs/mem/seen/main", "HEAD", check=False)
    shop.git("update-ref", "refs/mem/seen/master", "HEAD", check=False)
    assert replayed(shop, id_, code=7)["refused"] == "history"


def test_another_encoder_or_other_rules_are_refused_by_name(shop):
    id_ = given(shop)
    engine = body(shop, id_)["engine"]
    other = doctor(shop, id_, resealed=True, engine=engine | {"encoder": "another-0123456789abcdef"})
    assert replayed(shop, other, code=6)["refused"] == "encoder"
    newer = doctor(shop, id_, resealed=True, engine=engine | {"logic": engine["logic"] + 1})
    assert replayed(shop, newer, code=6)["refused"] == "engine"
    words = doctor(shop, id_, resealed=True, engine=engine | {"encoder": None})
    assert replayed(shop, words, code=6)["refused"] == "encoder"


def test_what_is_forgotten_since_is_refused_by_name_and_never_shown(shop):
    id_ = given(shop)
    shop.forget(shop.ids["window"])
    told = replayed(shop, id_, code=5)
    assert told["refused"] == "forgotten"
    for words in (("replay", id_), ("diff", id_), ("show", id_), ("verify", id_), ("list",)):
        ran = shop.ran("receipt", *words)
        assert "30 days" not in ran.out + ran.err, words
        ran = shop.ran("receipt", *words, "--json")
        assert "30 days" not in ran.out + ran.err, words
    shop.unforget(shop.ids["window"])
    assert replayed(shop, id_)["equal"]


def test_a_neighbour_that_is_forgotten_since_is_named_as_the_reason_where_it_changes_the_bytes(shop):
    id_ = given(shop, "refund window", "-k", "1")
    shop.forget(shop.ids["mail"])
    told = replayed(shop, id_, code=5)
    assert told["refused"] == "forgotten"


def test_a_question_in_the_words_of_what_is_forgotten_is_not_shown_again(shop):
    id_ = given(shop, "The refund window is 30 days.")
    assert "30 days" in shop.did("receipt", "list")
    shop.forget(shop.ids["window"])
    for words in (("list",), ("show", id_)):
        for look in ((), ("--json",)):
            assert "30 days" not in shop.did("receipt", *words, *look)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("query", "refund policy"),
        ("as_of", "2026-12-31T00:00:00Z"),
        ("mode", "history"),
        ("k", 2),
        ("tokens", 1),
        ("outcome", "absent"),
        ("selected", []),
        ("settings", "sha256:00"),
        ("tree", "0" * 40),
        ("scope", "global"),
        ("floor", "0.9"),
    ],
)
def test_one_changed_key_is_detected_by_the_id_alone(shop, key, value):
    id_ = doctor(shop, given(shop), **{key: value})
    scope = ("--scope", "global") if key == "scope" else ()
    told = shop.told("receipt", "verify", id_, *scope, code=4)
    assert told["outcome"] == "altered"
    assert "id" in {one["key"] for one in told["changed"]}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"as_of": "2026-12-31T00:00:00Z"}, "output"),
        ({"output": {"bytes": 412, "sha256": "0" * 64}}, "output"),
        ({"tree": "0" * 40}, "tree"),
        ({"tokens": 3}, "tokens"),
        ({"outcome": "absent"}, "outcome"),
        ({"selected": []}, "selected"),
        ({"withheld": {}}, "withheld"),
    ],
)
def test_a_receipt_that_was_altered_and_given_a_fitting_id_is_detected_field_by_field(shop, changes, named):
    id_ = doctor(shop, given(shop), resealed=True, **changes)
    told = verified(shop, id_, code=4)
    assert told["outcome"] == "altered"
    assert named in {one["key"] for one in told["changed"]}
    assert replayed(shop, id_, code=4)["equal"] is False


def test_a_superseded_memory_that_was_slipped_in_is_detected(shop):
    old = shop.ids["window"]
    shop.remember("It is 14 days.", "--concept", "refund window", "--supersede-concept")
    id_ = given(shop)
    said = body(shop, id_)
    path = shop.path(old).relative_to(shop.root).as_posix()
    slipped = {**said["selected"][0], "id": old, "blob": shop.git("rev-parse", f"HEAD:{path}")}
    altered = doctor(shop, id_, resealed=True, selected=[slipped, *said["selected"][1:]])
    assert verified(shop, altered, code=4)["changed"][0]["key"] == "selected"


def test_what_cannot_be_a_question_is_altered_and_no_bug(shop):
    id_ = given(shop)
    for changes in (
        {"mode": "sideways"},
        {"as_of": "soon"},
        {"floor": "low"},
        {"scope": "a b"},
        {"frame": ["x"]},
    ):
        name = doctor(shop, id_, resealed=True, **changes)
        ran = shop.ran("receipt", "verify", name, "--scope", "*")
        assert ran.code == 4, (changes, ran.err)
        ran = shop.ran("receipt", "replay", name, "--scope", "*")
        assert ran.code == 4, (changes, ran.err)


def test_a_file_that_is_no_receipt_is_said_to_be_none(shop):
    id_ = given(shop)
    for raw in (b"", b"{}", b"[]", b"\xff", b'{"format": "mem.receipt/1"}', b'{"k": 1.5}', b"[" * 100_000):
        file_of(shop, id_).write_bytes(raw)
        for action in ("show", "verify", "replay", "diff"):
            assert shop.ran("receipt", action, id_).code == 4, (raw[:20], action)
        assert shop.ran("receipt", "list").code == 1


def test_diff_tells_the_fate_of_each_and_who_did_it(shop):
    ids = shop.ids
    far = shop.moment + 40 * DAY
    soon = shop.remember("The refund desk is open until the tenth.", "--valid-to", "2026-12-10")["id"]
    edited = shop.remember("Refund requests are filed in the blue folder.")["id"]
    gone = shop.remember("Refund forms lie beside the door.")["id"]
    id_ = given(shop, "refund", "--floor", "0", "-k", "20")
    shown = {one["id"] for one in body(shop, id_)["selected"]}
    assert shown >= {ids["window"], ids["mail"], ids["weekend"], soon, edited, gone}
    assert set(became(shop, id_).values()) == {"stable"}

    new = shop.remember("It is 14 days.", "--concept", "refund window", "--supersede-concept", env=AGENT)[
        "id"
    ]
    last = shop.remember("It is 7 days.", "--concept", "refund window", "--supersede-concept")["id"]
    shop.forget(ids["mail"])
    path = shop.path(edited)
    path.write_text(path.read_text().replace("blue", "green"))
    shop.did("save")
    shop.git("rm", "-q", str(shop.path(gone).relative_to(shop.root)))
    shop.git("commit", "-qm", "tidied")
    told = shop.told("receipt", "diff", id_, now=far)
    fates = {one["id"]: one for one in told["selected"]}
    found = {
        key: fates[id_]["became"]
        for key, id_ in {**ids, "soon": soon, "edited": edited, "gone": gone}.items()
        if id_ in fates
    }
    assert found["window"] == "superseded"
    assert fates[ids["window"]]["by"] == last
    assert fates[ids["window"]]["actor"] == "agent:claude"
    assert (
        fates[ids["window"]]["commit"]
        == shop.git("log", "--format=%H", "--grep", f"Mem-Id: {new}", "--reverse").split()[0]
    )
    assert (found["mail"], fates[ids["mail"]]["text"], fates[ids["mail"]]["op"]) == (
        "forgotten",
        None,
        "forget",
    )
    assert found["weekend"] == "stable"
    assert (found["soon"], fates[soon]["commit"]) == ("expired", None)
    assert (found["edited"], fates[edited]["keys"], fates[edited]["actor"]) == (
        "edited",
        ["claim"],
        "human:ana",
    )
    assert found["gone"] == "gone"
    assert last in {one["id"] for one in told["new"]}
    assert told["same"] is False


def test_replay_at_head_asks_the_same_question_as_the_store_stands(shop):
    id_ = given(shop)
    assert replayed(shop, id_, "--at", "HEAD")["equal"]
    shop.remember("The office plants are watered on Mondays.", "--scope", "project:other")
    assert replayed(shop, id_, "--at", "HEAD")["equal"]
    then = shop.head()
    new = shop.remember("It is 14 days.", "--concept", "refund window", "--supersede-concept")["id"]
    told = replayed(shop, id_, "--at", "HEAD", code=1)
    assert (told["after"], told["before"]) == ([new], [shop.ids["window"]])
    assert replayed(shop, id_, "--at", then)["equal"]
    refused = shop.ran("receipt", "replay", id_, "--at", "yesterday")
    assert (refused.code, refused.err.startswith("--at: 'yesterday'")) == (2, True)


def test_in_a_session_every_answer_has_a_receipt_that_feedback_takes(shop):
    told = shop.told("activate", "--task", "Fix the refund email", env=AGENT)
    first = told["receipt"]
    assert body(shop, first)["of"] == "activate"
    assert body(shop, first)["session"] == told["session"]
    assert replayed(shop, first, env=AGENT)["equal"]
    second = shop.recall("refund window", env=AGENT)["receipt"]
    assert body(shop, second)["session"] == told["session"]
    shop.did("feedback", second[:7], "--used", shop.ids["window"], env=AGENT)
    shop.did("feedback", "--coverage", "partial", env=AGENT)
    shop.did("commit", "--outcome", "done", env=AGENT)
    for id_ in (first, second):
        assert replayed(shop, id_, env=AGENT)["equal"]
        assert verified(shop, id_)["outcome"] == "genuine"


def test_another_scope_s_receipts_are_nobody_s_to_see_but_a_person_s_on_purpose(shop):
    shop.remember("The vault opens at noon.", "--scope", "project:vault")
    id_ = given(shop, "when does the vault open", "--scope", "project:vault")
    own = given(shop)
    assert [one["id"] for one in shop.told("receipt", "list")["receipts"]] == [own]
    for action in ("show", "verify", "replay", "diff"):
        ran = shop.ran("receipt", action, id_)
        assert ran.code == 3
        assert "vault" not in ran.err.replace(id_, "")
    every = shop.told("receipt", "list", "--scope", "*")["receipts"]
    assert {one["id"] for one in every} == {own, id_}
    assert shop.ran("receipt", "list", "--scope", "*", env=AGENT).code == 5
    assert replayed(shop, id_, "--scope", "project:vault")["equal"]


def test_a_credential_in_a_question_is_not_kept(shop):
    secret = "AKIA" + "IOSFODNN7EXAMPLF"
    id_ = given(shop, f"what is {secret} for")
    assert secret not in file_of(shop, id_).read_text()
    assert body(shop, id_)["masked"] is True
    assert replayed(shop, id_, code=5)["refused"] == "masked"


def test_receipts_are_committed_with_the_store_where_it_says_so(shop):
    (shop.root / "mem.toml").write_text('[receipts]\nkeep = "git"\n')
    shop.commit_by_hand()
    before = shop.head()
    id_ = given(shop)
    assert shop.touched(below="receipts") == [f"receipts/{id_}.json"]
    assert body(shop, id_)["commit"] == before
    assert shop.git("status", "--porcelain") == ""
    shop.forgets_the_index()
    assert replayed(shop, id_)["equal"]
    session = shop.told("activate", "--task", "Fix the refund email", env=AGENT)
    assert shop.git("status", "--porcelain") == ""
    shop.did("feedback", "--coverage", "partial", env=AGENT)
    shop.did("commit", "--outcome", "done", env=AGENT)
    assert (shop.root / "receipts" / f"{session['receipt']}.json").exists()
    assert shop.git("status", "--porcelain") == ""
    shop.did("audit")
    other = shop.clone(shop.root.parent / "elsewhere")
    assert replayed(other, id_)["equal"]
    assert other.told("receipt", "list")["receipts"][0]["shared"] is True


def test_old_receipts_are_let_go_of_and_no_more_than_so_many_are_kept(shop):
    from memcli.store import receipts
    from memcli.store.place import Place

    place = Place(shop.root)
    ids = [given(shop) for _ in range(6)]
    for age, id_ in enumerate(reversed(ids)):
        moment = shop.moment - age * DAY
        os.utime(file_of(shop, id_), (moment, moment))
    assert receipts.prune(place, 5, 0) == 1
    assert not file_of(shop, ids[0]).exists()
    assert receipts.prune(place, 5, (shop.moment - 2 * DAY - MINUTE) * 10**9) == 2
    assert [one.id for one in receipts.kept(place)] == [*reversed(ids[3:])]


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("thank you!", "gated"),
        ("refund window", "found"),
        ("qwertz uiop asdf", None),  # whatever the search makes of it
    ],
)
def test_an_answer_that_the_gate_kept_or_let_through_is_replayed(shop, text, outcome):
    id_ = given(shop, text, "--gate", "auto")
    assert outcome is None or body(shop, id_)["outcome"] == outcome
    assert body(shop, id_)["gate"]["retrieve"] is (body(shop, id_)["outcome"] == "found")
    assert replayed(shop, id_)["equal"]
    shop.remember("Refunds above 500 euros need a second signature.")
    assert replayed(shop, id_)["equal"]


def test_committing_a_receipt_is_no_act_that_undo_takes_back(shop):
    (shop.root / "mem.toml").write_text('[receipts]\nkeep = "git"\n')
    shop.commit_by_hand()
    last = shop.remember("Refund forms lie beside the door.")["id"]
    id_ = given(shop)
    assert shop.told("log", "--op", "receipt")["entries"]
    shop.did("undo")
    assert last not in shop.statuses()
    assert (shop.root / "receipts" / f"{id_}.json").exists()


def test_status_counts_receipts_and_doctor_names_one_that_was_touched(shop):
    assert shop.told("status")["receipts"] == 0
    whole, touched = given(shop), given(shop)
    assert shop.told("status")["receipts"] == 2
    found = {one["name"]: one for one in shop.told("doctor")["findings"]}
    assert found["receipts"]["level"] == "ok"
    doctor(shop, touched, k=3)
    found = {one["name"]: one for one in shop.told("doctor")["findings"]}
    assert found["receipts"]["level"] == "warn"
    assert touched in found["receipts"]["what"]
    assert whole not in found["receipts"]["what"]


def test_a_turn_that_was_the_last_one_then_is_ranked_without_what_was_said_after_it(shop):
    talk = [f"The {one} of the refund desk was counted again." for one in ("stamp", "ledger", "key", "chair")]
    for line in talk[:2]:
        shop.did("observe", "-", stdin=f"user: {line}\n")
    shop.did("consolidate")
    id_ = given(shop, "who counted the ledger of the refund desk", "--floor", "0", "-k", "20")
    assert body(shop, id_)["uncommitted"] == []
    assert "event" in {one["kind"] for one in body(shop, id_)["selected"]}
    for line in talk[2:]:
        shop.did("observe", "-", stdin=f"user: {line}\n")
    shop.did("consolidate")
    again = replayed(shop, id_)
    assert again["equal"], again


def test_a_claim_forgotten_later_that_says_what_an_older_one_said_is_the_named_reason(shop):
    id_ = given(shop, "what does the printer want")
    again = shop.remember("The printer in the office wants paper of size A5.", "--scope", "global")
    if again["decision"] == "created":
        shop.forget(again["id"])
        told = shop.ran("receipt", "replay", id_, "--json")
        said = json.loads(told.out)
        assert said["equal"] or said["refused"] == "forgotten"


def test_the_index_makes_no_difference_to_a_receipt(shop):
    moment = shop.moment + DAY
    first = given(shop, "refund", "--floor", "0", now=moment)
    shop.forgets_the_index()
    assert given(shop, "refund", "--floor", "0", now=moment) == first


def test_a_received_receipt_draws_on_no_terminal_and_leads_to_no_file(shop, tmp_path):
    id_ = given(shop)
    engine = body(shop, id_)["engine"]
    folder = shop.root / "receipts"
    folder.mkdir()
    red = "\x1b[31mred\x1b]0;x\x07"
    for changes in (
        {"query": f"refund {red}"},
        {"engine": engine | {"encoder": red}},
        {"outcome": red},
        {"uncommitted": [red]},
        {"tokens": 1, "session": red},
    ):
        name = doctor(shop, id_, resealed=True, **changes)
        file_of(shop, name).rename(folder / f"{name}.json")
        for action in ("show", "verify", "replay", "diff", "list"):
            words = ("receipt", action, *(() if action == "list" else (name,)))
            for look in ((), ("--json",), ("--color", "always")):
                ran = shop.ran(*words, *look)
                assert ran.code in (0, 1, 4, 5, 6), (changes, words, ran.err)
                assert "\x1b[31mred" not in ran.out + ran.err
                assert "\x07" not in ran.out + ran.err
    for commit in ("../../../etc/passwd", "HEAD", "--help", "", "0" * 39):
        name = doctor(shop, id_, resealed=True, commit=commit)
        assert shop.ran("receipt", "verify", name).code == 4, commit
    secret = tmp_path / "secret.json"
    secret.write_text("{}")
    link = folder / f"r_{'0' * 20}.json"
    link.symlink_to(secret)
    assert shop.ran("receipt", "show", f"r_{'0' * 20}").code == 3


def test_several_are_replayed_at_once_and_each_answers_for_itself(shop):
    first = given(shop)
    shop.write("zzzz1111aaaa", "The refund desk opens at nine.")
    second = given(shop)
    ran = shop.ran("receipt", "replay", first, second)
    assert ran.code == 5
    assert "Equal: " in ran.out
    assert f"{second}  uncommitted" in ran.out


def test_retracted_stale_and_reopened_memories_are_named_so(shop):
    ids = shop.ids
    id_ = given(shop, "refund", "--floor", "0")
    shop.did("retract", ids["weekend"], "--reason", "never decided", "--yes")
    assert became(shop, id_)[ids["weekend"]] == "retracted"
    shop.did("unretract", ids["weekend"], "--yes")
    assert became(shop, id_)[ids["weekend"]] == "stable"
    told = shop.told("activate", "--task", "Fix the refund email", env=AGENT)
    words = ("--stale", ids["window"], "--reason", "outdated", "--coverage", "partial")
    shop.did("feedback", told["receipt"], *words, env=AGENT)
    assert became(shop, id_)[ids["window"]] == "stale"
    shop.did("reopen", ids["window"], "--yes")
    assert became(shop, id_)[ids["window"]] in ("stable", "edited")


def test_what_became_of_it_says_no_text_of_another_scope_nor_of_a_turn_that_is_hidden_since(shop):
    shop.did("observe", "-", stdin="The porcupine sleeps in vault nine.\n")
    away = shop.remember("The porcupine has a refund window.")["id"]
    said = given(shop, "porcupine vault", "--events", "only")
    assert "porcupine" in shop.did("receipt", "diff", said)
    twin = shop.remember("The porcupine sleeps in vault nine.")["id"]
    id_ = given(shop, "porcupine refund window", "--events", "none")
    shop.did("move", away, "project:elsewhere")
    shop.forget(twin)
    for how in ({}, {"env": AGENT}):
        told = shop.did("receipt", "diff", id_, **how)
        assert "porcupine" not in told + shop.did("receipt", "diff", said, **how)
        assert "30 days" in told
        assert became(shop, id_, **how)[away] == "edited"
