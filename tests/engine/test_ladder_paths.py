"""What travels from scope to scope, by both paths, and what never does."""

import itertools
import random

import pytest

from memcli.engine import reconcile
from memcli.engine.view import View
from memcli.memory.schema import Stage

DAY = "2026-11-01"
CLAIM = "The orchard is pruned in March."
ASK = "when is the orchard pruned"
FARM, TEAM = "project/farm", "team/ops"
WIDE = ("--floor", "0", "-k", "50", "--budget", "9000")


@pytest.fixture
def by_files(monkeypatch):
    """From then on every question is answered from the files alone."""

    def switch():
        monkeypatch.setattr(
            reconcile, "freshen", lambda stands: View(None, {}, reconcile._confirmed_now(stands))
        )

    return switch


def ids(store, query, *options):
    return store.found(query, "--as-of", DAY, *options)


def ten_thousandths(number):
    return round(number * 10_000)


@pytest.mark.case("P-LIFE-05")
@pytest.mark.parametrize(
    ("stage", "folder", "share"),
    [("portable", FARM, 1.0), ("contextual", FARM, 0.7), ("contextual", TEAM, 0.7)],
)
def test_a_memory_comes_in_at_the_floor_and_not_a_hair_below_by_both_paths(
    trial, by_files, stage, folder, share
):
    trial.write("other000", CLAIM, f"stage: {stage}\n", folder=folder)
    trial.commit_by_hand()
    (trial.root / "mem.toml").write_text("[ladder]\ncontextual = 1\n")
    alone = ten_thousandths(trial.recall(ASK, *WIDE)["items"][0]["match"])
    (trial.root / "mem.toml").write_text("")
    (item,) = trial.recall(ASK, *WIDE)["items"]
    match = ten_thousandths(item["match"])
    assert match == int(alone * share + 1e-6)

    def found(floor):
        (trial.root / "mem.toml").write_text(f"[ladder]\nfloor = {floor / 10_000}\n")
        return ids(trial, ASK, *WIDE)

    outcomes = [found(match), found(match + 1)]
    by_files()
    assert [found(match), found(match + 1)] == outcomes == [["other000"], []]


@pytest.mark.case("P-LIFE-05")
def test_a_portable_memory_stays_among_scopes_of_its_kind(trial):
    trial.write("ours0000", CLAIM, "stage: portable\n", folder=FARM)
    trial.write("theirs00", "The orchard is pruned by the ops team.", "stage: portable\n", folder=TEAM)
    trial.commit_by_hand()
    assert ids(trial, ASK) == ["ours0000"]
    assert ids(trial, ASK, "--scope", "team:dev") == ["theirs00"]
    assert ids(trial, ASK, "--scope", "user") == ids(trial, ASK, "--scope", "global") == []
    assert ids(trial, ASK, "--scope", "project:farm") == ["ours0000"]


@pytest.mark.case("P-LIFE-05")
def test_only_what_its_scope_believes_travels_and_removed_or_waiting_claims_never_do(trial, by_files):
    heads = {
        "active00": "",
        "gone0000": "status: forgotten\n",
        "wrong000": "status: retracted\n",
        "waits000": "status: needs_review\nreview:\n  reason: proposal\n",
        "staged00": "status: staged\n",
        "put00000": "status: archived\narchive_reason: rejected\n",
        "old00000": "status: superseded\nvalidity:\n  to: 2026-06-01\n",
        "bad00000": "status: stale\nstale_reason: contradicted\n",
        "later000": "validity:\n  from: 2027-01-01\n",
    }
    for nth, (id_, head) in enumerate(heads.items()):
        trial.write(
            id_, f"The orchard of farm {nth} is pruned in March.", f"stage: global\n{head}", folder=FARM
        )
    trial.commit_by_hand()

    def came():
        return {mode: set(ids(trial, ASK, *WIDE, "--mode", mode)) for mode in ("default", "wide", "history")}

    by_index = came()
    assert by_index["default"] == by_index["wide"] == {"active00"}
    assert by_index["history"] == {"active00", "old00000", "later000"}
    assert set(trial.found(ASK, "--as-of", "2026-05-01", *WIDE)) == {"active00", "old00000"}
    told = trial.recall(ASK, "--as-of", DAY, *WIDE)["withheld"]
    assert told["by"]["status"] == told["by"]["validity"] == 0
    by_files()
    assert came() == by_index


@pytest.mark.case("P-LIFE-05")
def test_what_is_not_let_in_changes_no_byte_of_an_answer_and_what_is_let_in_does(trial):
    for nth, subject in enumerate(("refund", "deploy", "orchard", "invoice", "kestrel")):
        trial.write(f"own{nth:05d}", f"The {subject} waits for a second approval of Ana.")
    trial.commit_by_hand()
    asked = [(query, *options) for query in ("who approves the refund", "kestrel approval", ASK)
             for options in ((), WIDE, ("--mode", "history"))]  # fmt: skip

    def answered():
        told = [trial.ran("recall", "--json", "--as-of", DAY, *one[1:], "--", one[0]).raw for one in asked]
        return [one.replace(trial.head().encode(), b"HEAD") for one in told]

    alone = answered()
    for nth in range(40):  # of the same words, but none fits well enough
        claim = f"Approval {nth} of the second orchard refund."
        trial.write(f"far{nth:05d}", claim, "stage: portable\n", folder=FARM)
        trial.write(f"kin{nth:05d}", f"Ana approves kestrel {nth}.", "stage: portable\n", folder=TEAM)
    trial.commit_by_hand()
    (trial.root / "mem.toml").write_text("[ladder]\nfloor = 1\n")
    assert answered() == alone
    (trial.root / "mem.toml").write_text("[ladder]\nfloor = 0.2\n")
    let_in = answered()
    assert let_in != alone
    assert b"far0" in b"".join(let_in)
    assert b"kin0" not in b"".join(let_in)


SUBJECTS = ("refund", "deploy", "invoice", "orchard", "kestrel")
VERBS = ("needs", "never needs", "waits for", "belongs to")
OBJECTS = ("the billing team", "a second approval", "30 days", "Ana", "the Porto office")
HEADS = (
    *[""] * 6,
    "status: superseded\nvalidity:\n  to: 2026-12-01\n",
    "status: needs_review\nreview:\n  reason: proposal\n",
    "status: retracted\n",
    "status: forgotten\n",
    "validity:\n  from: 2026-03-01\n  to: 2026-12-01\n",
)
FOLDERS = ("project/t", "project/t", FARM, "project/mill", TEAM, "user", "global")
OPTIONS = ((), WIDE, (*WIDE, "--mode", "history"), ("--scope", "team:ops", *WIDE), ("--scope", "user", *WIDE))


@pytest.mark.case("P-LIFE-05")
@pytest.mark.parametrize("seed", [3, 4])
def test_index_and_files_let_the_same_in_whatever_the_stages(trial, by_files, seed):
    roll = random.Random(seed)
    homes = {}
    for n in range(48):
        id_, folder, stage = f"s{n:04d}", roll.choice(FOLDERS), roll.choice(list(Stage))
        homes[id_] = folder, stage
        claim = f"The {roll.choice(SUBJECTS)} {roll.choice(VERBS)} {roll.choice(OBJECTS)}."
        trial.write(id_, claim, f"stage: {stage.word}\n{roll.choice(HEADS)}", folder=folder)
    trial.commit_by_hand()
    asked = [(query, options) for query, options in itertools.product(
        ("refund needs approval", "who waits for Ana", "deploy to the Porto office"), OPTIONS)]  # fmt: skip

    def answers():
        return [trial.recall(query, "--as-of", DAY, *options) for query, options in asked]

    by_index = answers()
    travelled = set()
    for answer in by_index:
        viewer = answer["scope"]
        for item in answer["items"]:
            if item["scope"] not in {viewer, "user", "global"}:
                folder, stage = homes[item["id"]]
                travelled.add(stage)
                assert stage is not Stage.SCOPED
                assert stage is not Stage.PORTABLE or item["scope"].split(":")[0] == viewer.split(":")[0]
                assert item["match"] >= 0.4 or stage is Stage.GLOBAL
                assert item["status"] in {"active", "superseded"}
    assert travelled == {Stage.PORTABLE, Stage.CONTEXTUAL, Stage.GLOBAL}
    by_files()
    assert answers() == by_index


def test_a_prompt_says_of_what_scope_a_memory_is_that_was_let_in(trial):
    trial.write("other000", CLAIM, "stage: portable\n", folder=FARM)
    trial.write("ours0000", "The orchard is watered in May.")
    trial.write("all00000", "The orchard is fenced in June.", folder="global")
    trial.commit_by_hand()
    told = trial.did("recall", "--prompt", "the orchard is pruned, watered, fenced", "--floor", "0.1")
    assert "[other000 fact, let in from project:farm] The orchard is pruned" in told
    assert "[ours0000 fact] The" in told
    assert "[all00000 fact] The" in told


@pytest.mark.case("P-LIFE-05")
def test_a_memory_that_loses_its_stage_is_seen_elsewhere_no_more(trial):
    trial.write("other000", CLAIM, "stage: portable\n", folder=FARM)
    trial.commit_by_hand()
    assert ids(trial, ASK) == ["other000"]
    trial.write("other000", CLAIM, folder=FARM)
    assert ids(trial, ASK) == []
    assert ids(trial, ASK, "--scope", "project:farm") == ["other000"]


def test_what_a_scope_took_out_does_not_travel_back_into_it(trial):
    trial.remember(CLAIM)
    (own,) = trial.found(ASK)
    trial.forget(own)
    trial.write("other000", CLAIM, "stage: global\n", folder=FARM)
    trial.write("other001", "The orchard is watered in May.", "stage: global\n", folder=FARM)
    trial.commit_by_hand()
    assert ids(trial, "orchard") == ["other001"]
    assert set(ids(trial, "orchard", "--scope", "project:mill")) == {"other000", "other001"}
    trial.forgets_the_index()
    assert ids(trial, "orchard") == ["other001"]


def test_a_claim_that_travels_already_is_kept_out_of_the_scope_that_takes_its_echo_out(trial):
    trial.write("other000", CLAIM, folder=FARM)  # seen from its own scope alone, until it is portable
    trial.commit_by_hand()
    trial.remember(CLAIM)
    (own,) = trial.found(ASK)
    trial.forget(own)
    trial.write("other000", CLAIM, "stage: portable\n", folder=FARM)
    trial.did("save")
    assert ids(trial, ASK) == []
    assert ids(trial, ASK, "--scope", "project:mill") == ["other000"]


def test_a_question_about_every_scope_is_not_answered_twice(trial):
    trial.write("other000", CLAIM, "stage: global\n", folder=FARM)
    assert ids(trial, ASK, "--scope", "*") == ["other000"]


SCOPES = [f"{kind}:s{n:02d}" for n, kind in enumerate(["project", "team"] * 25)]
READING = (
    ("recall", "old tower nest", *WIDE, "--mode", "wide"),
    ("recall", "old tower nest", "--prompt", "--mode", "history"),
    ("recall", "old tower nest", "--json", "--evidence", "full", *WIDE),
    ("recall", "old tower nest", "--floor", "1"),
    ("recall", "old tower nest", "--budget", "1"),
    ("list",),
    ("list", "--json", "--status", "superseded"),
    ("log", "--json"),
    ("status", "--json"),
    ("stage", "list", "--json"),
    ("review", "list", "--json"),
    ("stats", "--json"),
    ("skills", "list", "--json"),
    ("recall", "old tower nest", "--json", "--events", "only", "--floor", "0"),
    ("activate", "--task", "see where it nests in the old tower", "--json"),
)


@pytest.fixture(scope="module")
def aviary(empty, tmp_path_factory):
    """Fifty scopes: each with a bird of its own that stays, and one bird that may fly, if well enough named."""
    made = empty.copy(tmp_path_factory.mktemp("aviary"))
    for nth, scope in enumerate(SCOPES):
        folder, name = scope.replace(":", "/"), scope[-3:]
        made.write(f"stays{nth:03d}", f"The zk{name}kestrel nests in the old tower.", folder=folder)
        made.write(f"flies{nth:03d}", f"The zk{name}falcon lives at sea.", "stage: portable\n", folder=folder)
        for status in ("retracted", "forgotten", "staged"):
            head = f"stage: global\nstatus: {status}\n"
            made.write(
                f"{status[:5]}{nth:03d}", f"The zk{name}kestrel nests no more: {status}.", head, folder=folder
            )
    made.commit_by_hand()
    made.ran("recall", "tower")
    return made


@pytest.mark.case("P-LIFE-05")
@pytest.mark.parametrize("nth", range(0, 50, 7))
def test_nothing_but_what_may_travel_is_seen_from_another_of_fifty_scopes(aviary, nth):
    scope = SCOPES[nth]
    for argv in READING:
        ran = aviary.ran(*argv, "--scope", scope)
        for other in SCOPES:
            assert other == scope or f"zk{other[-3:]}kestrel" not in ran.out + ran.err, (argv, other)
    kin, stranger = SCOPES[(nth + 2) % 50], SCOPES[(nth + 1) % 50]
    assert (
        aviary.found(f"where does the zk{kin[-3:]}falcon live", "--scope", scope)[0]
        == f"flies{(nth + 2) % 50:03d}"
    )
    asked = aviary.found(f"where does the zk{stranger[-3:]}falcon live", "--scope", scope, *WIDE)
    assert f"flies{(nth + 1) % 50:03d}" not in asked
    assert f"stays{nth:03d}" in aviary.found("where does it nest, the old tower", "--scope", scope)
