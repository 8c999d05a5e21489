"""The guard on every path: what was forgotten stays out, whatever brings it; what is new comes in."""

import json
from pathlib import Path

import pytest
from trial import AGENT, PERSON

CLAIM = "The refund window is 30 days."
UPDATE = "The refund window is 14 days."
BESIDE = "Deploys to production happen on Tuesdays only."
TRIPLES = json.loads((Path(__file__).parents[2] / "fixtures/gold/guard.json").read_text("utf-8"))["second"]
WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}  # the full-width forms of ASCII
FILLER = "Meeting notes: we spoke about the roadmap, the budget and the new office. "
VARIANTS = {
    "the same text": CLAIM,
    "other case": "THE REFUND WINDOW IS 30 DAYS",
    "other punctuation": "«The refund-window: is 30 days!!»",
    "other spaces": "  The   refund\twindow is\n30 days .  ",
    "wide letters": CLAIM.translate(WIDE),
    "a title over it": "# Refunds\n\nThe refund window is 30 days.",
    "5,000 characters that contain it": FILLER * 33 + CLAIM + " " + FILLER * 33,
    "a sentence of several": "Support was moved to Porto. The refund window is 30 days. Tea is free.",
    "a number in words": "The refund window is thirty days.",
}


@pytest.fixture(scope="module")
def forgotten(empty, tmp_path_factory):
    """A store in which CLAIM was forgotten, with what stands beside it."""
    made = empty.copy(tmp_path_factory.mktemp("forgotten"))
    made.batch([CLAIM, BESIDE])
    (id_,) = made.found("refund window")
    made.forget(id_, "--reason", "wrong customer")
    return made


@pytest.fixture
def shop(forgotten, tmp_path):
    """A copy of it."""
    return forgotten.copy(tmp_path / "shop")


@pytest.fixture
def lost(forgotten):
    """The id of what was forgotten."""
    return next(id_ for id_, status in forgotten.statuses().items() if status == "forgotten")


def stays_out(shop, lost=None):
    """Whether the claim is out of every answer, while its neighbour is in."""
    for mode in ("wide", "history"):
        for query in ("how long can customers send things back", CLAIM):
            answer = shop.recall(query, "--mode", mode, "--floor", "0")
            said = [item["text"].lower() for item in answer["items"]]
            assert not [text for text in said if "30 days" in text or "thirty" in text], (mode, query)
        assert shop.recall(BESIDE, "--mode", mode)["items"][0]["text"] == BESIDE
    if lost:
        assert shop.status(lost) == "forgotten"
    return True


def says(store, words, query="refund window"):
    """The ids of what the answer holds that says `words`, whatever else stands beside it."""
    items = store.recall(query, "--floor", "0")["items"]
    return [item["id"] for item in items if words in item["text"]]


@pytest.mark.case("P-LIFE-01")
@pytest.mark.parametrize("who", [AGENT, PERSON], ids=["agent", "person"])
def test_the_claim_itself_in_any_dress_is_skipped_and_the_skip_logged(shop, lost, who):
    head, files = shop.head(), sorted(shop.root.glob("schemas/**/*.md"))
    for name, text in VARIANTS.items():
        before = len(shop.skips())
        told = shop.remember(text, code=5, env=who)
        assert (told["decision"], told["path"], told["commit"]) == (
            "skipped",
            str(shop.path(lost).relative_to(shop.root)),
            None,
        ), name
        (line,) = shop.skips()[before:]
        assert line["of"] == lost
        assert set(line) == {"at", "skip", "score", "of", "because", "actor"}
        assert "refund" not in json.dumps(line)
    assert (shop.head(), sorted(shop.root.glob("schemas/**/*.md"))) == (head, files)
    assert shop.git("status", "--porcelain") == ""
    assert stays_out(shop, lost)


@pytest.mark.case("P-LIFE-01")
def test_ten_times_ten_repetitions_leave_no_duplicate(shop, lost):
    for _ in range(3):
        told = shop.batch([*VARIANTS.values(), UPDATE], env=AGENT)
        assert {one["decision"] for one in told[:-1]} == {"skipped"}
    assert told[-1]["decision"] == "reinforced"
    assert shop.found("refund window 14 days")[0] == told[-1]["id"]
    assert stays_out(shop, lost)


def test_what_is_another_fact_passes(shop):
    for text in (
        UPDATE,
        "The refund form has 30 fields and takes ten minutes.",
        "Invoices are due on the 5th.",
    ):
        told = shop.remember(text, env=AGENT)
        assert told["decision"] == "created", text
        assert told["id"] in shop.found(text)


def test_fridays_do_not_swallow_never_on_fridays(trial):
    id_ = trial.remember("We deploy on Fridays.")["id"]
    trial.forget(id_)
    assert trial.remember("we deploy on fridays", code=5)["decision"] == "skipped"
    assert trial.remember("We never deploy on Fridays.")["decision"] == "created"


def test_a_person_is_told_what_was_removed_when_and_why_and_may_override(shop, lost):
    ran = shop.ran("remember", CLAIM, env=PERSON)
    assert ran.code == 5
    assert lost in ran.err
    assert "2026-" in ran.err
    assert "wrong customer" in ran.err
    assert f"--override {lost}" in ran.err


def test_an_agent_cannot_override(shop, lost):
    assert shop.ran("remember", CLAIM, "--override", lost, "--yes", env=AGENT).code in (2, 5)
    assert stays_out(shop, lost)


def test_what_rests_only_on_its_events_is_skipped_in_any_words(shop, lost):
    told = shop.told("show", lost)
    (event,) = told["evidence"]
    event = event["event"] if isinstance(event, dict) else event
    shop.write("lineage0aaaa", "Buyers enjoy generous terms.", f"evidence:\n  - event: {event}\n")
    shop.write("unrelated0aa", "Lunch is at noon.", "evidence:\n  - event: 01zzzzzzzzzzzzzzzzzzzzzzzz\n")
    for _ in range(2):
        assert "lineage0aaaa" not in shop.found("buyers enjoy generous terms", "--floor", "0")
        assert "unrelated0aa" in shop.found("lunch at noon")
        shop.forgets_the_index()


@pytest.mark.parametrize("how", ["index deleted", "clone", "file deleted", "file deleted by git", "squash",
                                 "squash after deletion", "shallow clone", "history exported"])  # fmt: skip
def test_it_stays_out_after(shop, lost, tmp_path, how):
    path = shop.path(lost)
    if how == "index deleted":
        shop.forgets_the_index()
    elif how == "clone":
        shop = shop.clone(tmp_path / "clone")
    elif how == "shallow clone":
        shop.git("clone", "-q", "--depth", "1", f"file://{shop.root}", str(tmp_path / "t"))
        shop.root = tmp_path / "t"
    elif how == "file deleted":
        path.unlink()
        shop.did("save")
        shop = shop.clone(tmp_path / "clone")
    elif how == "file deleted by git":
        shop.git("rm", "-q", str(path))
        shop.git("commit", "-qm", "tidy up")
        shop = shop.clone(tmp_path / "clone")
    elif how == "history exported":
        shop.git("checkout-index", "-a", f"--prefix={tmp_path}/t/")
        shop.root = tmp_path / "t"
        shop.git("init", "-q", "-b", "main")
        shop.commit_by_hand()
    else:
        if how == "squash after deletion":
            path.unlink()
            shop.did("save")
        squashed = shop.git("commit-tree", "HEAD^{tree}", "-m", "everything in one")
        shop.git("reset", "-q", "--hard", squashed)
        shop = shop.clone(tmp_path / "clone")
    assert stays_out(shop)
    for text in (CLAIM, VARIANTS["other case"], VARIANTS["5,000 characters that contain it"]):
        assert shop.remember(text, code=5, env=AGENT)["decision"] == "skipped"
    assert shop.remember(UPDATE)["decision"] == "created"
    assert shop.found("refund window 14 days")
    assert stays_out(shop)


def test_a_tombstone_is_committed_by_the_next_save(shop, lost):
    shop.git("rm", "-q", str(shop.path(lost)))
    shop.git("commit", "-qm", "tidy up")
    assert stays_out(shop)
    shop.did("save")
    assert shop.git("status", "--porcelain") == ""
    assert lost in shop.git("show", "HEAD:tombstones.jsonl")
    shop.forgets_the_index()
    assert stays_out(shop)
    assert shop.git("show", "HEAD:tombstones.jsonl").count(lost) == 1


def test_a_deleted_live_file_is_an_edit_and_may_be_said_again(shop):
    id_ = shop.remember("Tea is free on Mondays.")["id"]
    shop.path(id_).unlink()
    assert id_ not in shop.found("tea free mondays")
    shop.did("save")
    assert shop.remember("Tea is free on Mondays.")["decision"] == "created"


@pytest.mark.case("P-LIFE-02")
@pytest.mark.parametrize("saved", [True, False])
def test_a_copy_written_by_hand_is_withheld_until_a_person_lets_it_pass(shop, lost, saved):
    shop.write("copy0000aaaa", "The refund window is 30 days!")
    shop.write("other000aaaa", UPDATE)
    if saved:
        shop.commit_by_hand()
    for _ in range(2):
        assert stays_out(shop, lost)
        assert shop.found("refund window 14 days")[0] == "other000aaaa"
        shop.forgets_the_index()
    ran = shop.ran("save")
    assert ran.code == 5
    assert "copy0000aaaa" in ran.err
    assert stays_out(shop, lost)
    shop.did("save", "--yes")
    assert "copy0000aaaa" in shop.found("refund window")
    assert lost in shop.path("copy0000aaaa").read_text()
    shop.forgets_the_index()
    assert "copy0000aaaa" in shop.found("refund window")
    assert shop.git("status", "--porcelain") == ""


def test_check_and_status_name_what_is_withheld(shop, lost):
    shop.write("copy0000aaaa", "The refund window is 30 days!")
    shop.commit_by_hand()
    ran = shop.ran("check")
    assert ("copy0000aaaa" in ran.out, lost in ran.out) == (True, True)


@pytest.mark.case("P-LIFE-02")
@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("strategy", ["ours", "theirs", ""])
def test_merging_a_branch_where_it_lives_does_not_bring_it_back(trial, edited, strategy):
    id_, beside = (one["id"] for one in trial.batch([CLAIM, BESIDE]))
    trial.git("branch", "other")
    trial.forget(id_)
    trial.git("checkout", "-q", "other")
    path = trial.path(id_)
    if edited:
        path.write_text(
            path.read_text().replace("status: active", "status: active # sure") + "\nNo exceptions.\n"
        )
    fresh = trial.write("fresh000aaaa", "The warehouse is in Gdansk.")
    trial.commit_by_hand()
    assert says(trial, "30 days") == [id_]
    trial.git("checkout", "-q", "main")
    assert says(trial, "30 days") == []
    trial.git("merge", "-q", "-m", "merge", *(["-X", strategy] if strategy else []), "other", check=False)
    for _ in range(2):
        assert says(trial, "30 days") == []
        assert trial.found("where is the warehouse")[0] == "fresh000aaaa"
        assert fresh.exists()
        assert trial.found("deploys to production")[0] == beside
        trial.forgets_the_index()


@pytest.mark.case("P-LIFE-02")
@pytest.mark.parametrize("order", ["copy then forget", "forget then copy", "fast forward"])
def test_merging_a_branch_with_a_live_copy_withholds_the_copy(trial, order):
    id_, _ = (one["id"] for one in trial.batch([CLAIM, BESIDE]))
    trial.git("checkout", "-q", "-b", "other")
    trial.write("copy0000aaaa", "the refund window is 30 days")
    trial.write("fresh000aaaa", "The warehouse is in Gdansk.")
    trial.commit_by_hand()
    assert "copy0000aaaa" in trial.found("refund window")
    trial.git("checkout", "-q", "main")
    if order == "fast forward":
        trial.git("checkout", "-q", "other")
        trial.forget(id_)
        assert says(trial, "30 days") == ["copy0000aaaa"]  # it was live beside it: a person saw both
        trial.forgets_the_index()
        assert says(trial, "30 days") == ["copy0000aaaa"]
        return
    trial.forget(id_)
    if order == "copy then forget":  # the copy's branch takes the forget in
        trial.git("checkout", "-q", "other")
        assert "copy0000aaaa" in trial.found("refund window")
        trial.git("merge", "-q", "-m", "merge", "main")
    else:
        assert says(trial, "30 days") == []
        trial.git("merge", "-q", "-m", "merge", "other")
    for _ in range(2):
        assert says(trial, "30 days") == []
        assert trial.found("where is the warehouse")[0] == "fresh000aaaa"
        trial.forgets_the_index()
    trial.unforget(id_)
    for _ in range(2):
        assert set(trial.found("refund window")) & {id_, "copy0000aaaa"}
        assert trial.found("refund window", "-k", "1", "--floor", "0")
        trial.forgets_the_index()


def test_a_copy_comes_back_with_what_it_was_withheld_for(shop, lost):
    shop.write("copy0000aaaa", "Refund window: 30 days.", "concept: returns\n")
    shop.commit_by_hand()
    assert shop.recall("copy0000aaaa")["items"] == []
    shop.unforget(lost)
    for _ in range(2):
        assert [item["id"] for item in shop.recall("copy0000aaaa")["items"]] == ["copy0000aaaa"]
        shop.forgets_the_index()


def test_a_tombstone_that_a_merge_brings_withholds_a_live_copy(trial, tmp_path):
    id_, _ = (one["id"] for one in trial.batch([CLAIM, BESIDE]))
    other = trial.clone(tmp_path / "clone")
    other.forget(id_)
    other.path(id_).unlink()
    other.did("save")
    trial.write("copy0000aaaa", "the refund window is 30 days")
    trial.commit_by_hand()
    assert "copy0000aaaa" in trial.found("refund window")
    trial.git("pull", "-q", "--no-rebase", "--no-edit", str(other.root), "main")
    for _ in range(2):
        assert says(trial, "30 days") == []
        assert trial.found("deploys to production")
        trial.forgets_the_index()


@pytest.mark.parametrize("how", ["command", "hand and save", "hand", "hand and git"])
def test_what_lived_beside_it_when_it_was_forgotten_goes_on_living(trial, how):
    trial.write("first000aaaa", CLAIM)
    trial.write("second00aaaa", "the refund window is 30 days")
    trial.commit_by_hand()
    assert len(trial.found("refund window")) == 1  # they say the same: one of them is shown
    if how == "command":
        trial.forget("first000aaaa")
    else:
        path = trial.path("first000aaaa")
        path.write_text(
            path.read_text().replace("id: first000aaaa\n", "id: first000aaaa\nstatus: forgotten\n")
        )
        assert says(trial, "30 days") == ["second00aaaa"]
        if how == "hand and save":
            trial.did("save")
        elif how == "hand and git":
            trial.commit_by_hand()
    for _ in range(2):
        assert says(trial, "30 days") == ["second00aaaa"]
        trial.forgets_the_index()
    if how != "hand":
        path = trial.path("second00aaaa")
        (path.parent / "deep").mkdir()
        path.rename(path.parent / "deep" / "renamed.md")
        for _ in range(2):
            assert says(trial, "30 days") == ["second00aaaa"]
            trial.forgets_the_index()


def test_an_override_passes_for_good(shop, lost, tmp_path):
    told = shop.remember(CLAIM, "--override", lost, "--yes") if _takes_yes(shop) else _by_hand(shop, lost)
    id_ = told["id"]
    for store in (shop, shop.clone(tmp_path / "clone")):
        for _ in range(2):
            assert says(store, "30 days") == [id_]
            store.forgets_the_index()
    shop.git("checkout", "-q", "-b", "other", "HEAD~1")
    shop.remember("Tea is free on Mondays.")
    shop.git("merge", "-q", "-m", "merge", "main")
    assert says(shop, "30 days") == [id_]
    assert shop.status(lost) == "forgotten"
    assert shop.remember(CLAIM)["decision"] == "reinforced"


def _takes_yes(shop):
    return "--yes" in shop.did("remember", "--help")


def _by_hand(shop, lost):
    shop.write("again000aaaa", CLAIM, f"overrides: [{lost}]\n")
    shop.did("save")
    return {"id": "again000aaaa"}


@pytest.mark.case("P-LIFE-01")
def test_forty_paraphrases_are_caught_as_published_and_forty_updates_pass(empty, tmp_path_factory):
    trial = empty.copy(tmp_path_factory.mktemp("paraphrases"))
    told = trial.batch([claim for claim, _, _ in TRIPLES])
    assert {one["decision"] for one in told} == {"created"}
    trial.forget(*(one["id"] for one in told))
    again = trial.batch([claim for claim, _, _ in TRIPLES], env=AGENT)
    assert {one["decision"] for one in again} == {"skipped"}
    paraphrased = [one["decision"] for one in trial.batch([said for _, said, _ in TRIPLES], env=AGENT)]
    updated = [one["decision"] for one in trial.batch([update for _, _, update in TRIPLES], env=AGENT)]
    print(paraphrased, updated)
    assert paraphrased.count("created") <= 40
    active = {id_ for id_, status in trial.statuses().items() if status == "active"}
    assert len(active) == paraphrased.count("created") + updated.count("created")


@pytest.mark.parametrize("by_git", [True, False])
def test_what_a_hand_forgot_stays_out_when_its_file_is_deleted(shop, by_git):
    id_ = shop.remember("The depot code is 4711.")["id"]
    path = shop.path(id_)
    path.write_text(path.read_text().replace("status: active", "status: forgotten"))
    if by_git:
        shop.commit_by_hand()
    else:
        shop.did("save")
    assert shop.found("depot code") == [] or id_ not in shop.found("depot code", "--floor", "0")
    path.unlink()
    if by_git:
        shop.commit_by_hand()
    assert id_ not in shop.found("depot code", "--floor", "0")
    shop.did("save")
    assert id_ in (shop.root / "tombstones.jsonl").read_text()
    shop.forgets_the_index()
    assert shop.remember("the depot code is 4711", code=5, env=AGENT)["decision"] == "skipped"
    assert shop.remember("The depot code is 4712.", env=AGENT)["decision"] == "created"


@pytest.mark.parametrize("squashed", [True, False])
def test_an_old_copy_of_a_buried_file_is_withheld_under_its_own_id(shop, lost, tmp_path, squashed):
    path = shop.path(lost)
    old = path.read_bytes().replace(b"status: forgotten", b"status: active")
    path.unlink()
    shop.did("save")
    if squashed:
        everything = shop.git("commit-tree", "HEAD^{tree}", "-m", "everything in one")
        shop.git("reset", "-q", "--hard", everything)
    path.write_bytes(old)
    for _ in range(2):
        assert stays_out(shop)
        shop.commit_by_hand() if shop.git("status", "--porcelain") else shop.forgets_the_index()
    assert shop.ran("save").code == 5
    shop.did("save", "--yes")
    for _ in range(2):
        assert lost in shop.found("refund window")
        shop.forgets_the_index()


def test_of_a_file_that_is_broken_or_in_conflict_a_tombstone_keeps_the_claim_out(shop, lost):
    path = shop.path(lost)
    raw = path.read_bytes()
    for broken in (b"---\nid: [" + raw, b"<<<<<<< ours\n" + raw + b"=======\n" + raw + b">>>>>>> theirs\n"):
        path.write_bytes(broken)
        assert stays_out(shop)
        shop.forgets_the_index()
        assert stays_out(shop)
    path.write_bytes(raw)
    assert stays_out(shop, lost)
    assert len((shop.root / "tombstones.jsonl").read_text().splitlines()) == 1
    shop.did("save")
    assert shop.git("status", "--porcelain") == ""
    shop.unforget(lost)
    assert lost in shop.found("refund window")


def test_what_a_person_brought_back_from_its_grave_may_be_said_again(shop, lost):
    path = shop.path(lost)
    raw = path.read_bytes()
    path.unlink()
    shop.did("save")
    path.write_bytes(raw)
    shop.did("save")
    shop.unforget(lost)
    shop.write("copy0000aaaa", "Refund window: 30 days.", folder="user")
    for _ in range(2):
        assert lost in shop.found("refund window")
        assert "copy0000aaaa" in shop.found("copy0000aaaa")
        shop.forgets_the_index()


@pytest.mark.parametrize(
    "act",
    [
        ("supersede", "{current}", "--with", CLAIM),
        ("remember", CLAIM, "--concept", "refund window", "--supersede-concept"),
        ("retract", "{current}", "--reason", "never so", "--correction", CLAIM, "--yes"),
    ],
    ids=lambda act: act[0],
)
def test_who_replaces_the_current_member_brings_back_no_forgotten_one_of_its_line(trial, act):
    """With control: one that nobody took out comes back."""
    words = ("--concept", "refund window", "--supersede-concept")
    first, current = (trial.remember(text, *words)["id"] for text in (CLAIM, UPDATE))
    trial.forget(first)
    named = [word.format(current=current) for word in act]
    assert trial.ran(*named).code == 5
    assert trial.status(current) == "active"
    assert trial.found("how long is the refund window") == [current]
    trial.unforget(first)
    trial.did(*named)
    assert CLAIM in [item["text"] for item in trial.recall("how long is the refund window")["items"]]


def test_a_file_that_itself_says_what_it_is_let_past_counts_once_a_person_saved_it(shop, lost):
    """Control: git's commit is a person's word, too, and an edit of what was let past needs none."""
    path = shop.write("handmade", CLAIM, f"overrides: [{lost}]\n")
    for _ in range(2):
        assert "handmade" not in shop.found("refund window")
        assert shop.ran("save", env=AGENT).code == 5
        shop.forgets_the_index()
    shop.did("save", "--yes")
    assert shop.found("refund window")[0] == "handmade"
    path.write_text(path.read_text("utf-8") + "\nThe board said so.\n", "utf-8")
    assert shop.found("refund window")[0] == "handmade"
    shop.did("save", env=AGENT)
    shop.write("another0", CLAIM, f"overrides: [{lost}]\n")
    shop.commit_by_hand()
    assert "another0" in shop.found("refund window")
