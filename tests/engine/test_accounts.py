"""What is reported of a memory: when it counts, what the ladder makes of it, and where it stands then."""

import itertools
import json
from zlib import crc32

import pytest

from memcli import surroundings
from memcli.engine.opened import open_store
from memcli.engine.use import accounts, laddering
from memcli.engine.writer import Operation, writing
from memcli.journal.message import Message
from memcli.memory import account, scope
from memcli.store import events
from memcli.store.event import Event, Kind, new_id
from memcli.store.place import Place

MACHINE = "m" * 12
COUNTED = itertools.count()
ASK = "when is the orchard pruned"
MADE_UP = [
    b"[]",
    b'{"answers": 3, "accounts": []}',
    *(
        b'{"answers": [[1, ["x"], []], [1]], "accounts": {"prune000": %s}}' % one
        for one in (b"3", b'{"used": [["x"]]}', b'{"used": 1}', b'{"answers": [0]}', b'{"answers": [1, 7]}')
    ),
]


def opened(store):
    """The store as a command opens it now."""
    home = surroundings.home_of(store.environment)
    stands = surroundings.Surroundings(
        store.environment, store.root, store.moment, 80, (False,) * 3, False, home,
        surroundings.own_of(store.environment, home),
    )  # fmt: skip
    return open_store(stands)


def event(store, kind, where="project:t", session="s1", **data):
    """One event that nobody has written yet."""
    store.moment += 60
    id_ = new_id(store.moment * 1000 + next(COUNTED), b"0123456789")
    return Event(id_, store.moment, scope.parse(where), "agent:claude", kind, "1", session=session, data=data)


def feedback(store, where="project:t", session="s1", *, exposed=(), **said):
    """A feedback: said are lists of ids; what is spoken of was shown."""
    spoken = [id_ for name in ("used", "irrelevant") for id_ in said.get(name, ())]
    said.setdefault("receipt", f"r_{next(COUNTED)}")
    shown = list(dict.fromkeys([*exposed, *spoken, *(one["id"] for one in said.get("stale", ()))]))
    return event(store, Kind.FEEDBACK, where, session, exposed=shown, **said)


def wrote(store, *told):
    """Append events; returns the last."""
    for one in told:
        events.append(Place(store.root), one, MACHINE)
    return told[-1]


def passed(store, *told):
    """Append events, and the line of a consolidation that passes them; committed."""
    if told:
        wrote(store, *told)
    for session in {one.session for one in told}:
        through = max(one.id for one in told if one.session == session)
        wrote(store, event(store, Kind.CONSOLIDATED, session=session, through=through, logic="1"))
    store.commit_by_hand()


def swept(store):
    """Carry out what the ladder says; the moves as (id, from, to)."""
    stands = opened(store)
    with writing(stands, "test") as made:
        moves = laddering.ladder_sweep(stands, accounts.load(stands), store.moment)
        if moves:
            message = Message("consolidate", moves=tuple(one.stated for one in moves))
            made.carry_out(Operation(message, tuple(one.file for one in moves)))
    return [(one.id, one.prior.word, one.stage.word) for one in moves]


@pytest.fixture
def orchard(trial):
    """One memory about an orchard, and one about something else."""
    trial.write("prune000", "The orchard is pruned in March.")
    trial.write("water000", "The orchard is watered in May.")
    trial.commit_by_hand()
    return trial


def used(store, where, session):
    return feedback(store, where, session, used=["prune000"])


def test_a_report_counts_once_a_consolidation_has_passed_it_and_not_before(orchard):
    said = wrote(orchard, used(orchard, "project:t", "s1"))
    orchard.commit_by_hand()
    assert accounts.load(opened(orchard)) == {}
    passed(orchard, event(orchard, Kind.TURN, session="s2"))  # another session's file
    assert accounts.load(opened(orchard)) == {}
    wrote(orchard, event(orchard, Kind.CONSOLIDATED, session="s1", through=said.id))
    orchard.commit_by_hand()
    assert set(accounts.load(opened(orchard))) == {"prune000"}


def test_the_events_that_a_consolidation_is_about_to_pass_count_for_it(orchard):
    said = wrote(orchard, used(orchard, "project:t", "s1"))
    stands = opened(orchard)
    assert accounts.load(stands) == {}
    coming = accounts.load(stands, [said])
    passed(orchard, said)
    assert accounts.load(opened(orchard)) == coming != {}


def test_accounts_do_not_depend_on_what_was_kept_of_them(orchard):
    for n in range(6):
        where = ("project:t", "project:farm")[n % 2]
        shown = ["water000"]
        passed(orchard, feedback(orchard, where, f"s{n}", used=["prune000"], exposed=shown))
        incremental = accounts.load(opened(orchard))
        orchard.forgets_the_index()
        assert accounts.load(opened(orchard)) == incremental
    clone = orchard.clone(orchard.root.parent / "clone")
    assert accounts.load(opened(clone)) == incremental
    assert len(incremental["prune000"].used) == 6
    assert account.bonds(incremental["water000"], orchard.moment)


def test_what_was_kept_is_not_believed_where_it_is_torn_or_of_another_commit(orchard):
    passed(orchard, used(orchard, "project:t", "s1"))
    expected = accounts.load(opened(orchard))
    for name in ("accounts.json", "reports.json", "accounts-head"):
        file = orchard.root / ".mem" / name
        for raw in (
            b"",
            b"{",
            b"[]",
            b'{"format": 1}',
            b'{"format": 1, "files": 3, "head": 1, "accounts": []}',
        ):
            file.write_bytes(raw)
            assert accounts.load(opened(orchard)) == expected
    passed(orchard, used(orchard, "project:t", "s2"))
    assert len(accounts.load(opened(orchard))["prune000"].used) == 2
    orchard.git("reset", "-q", "--hard", "HEAD~1")
    assert accounts.load(opened(orchard)) == expected


def test_a_file_of_accounts_that_somebody_made_up_breaks_no_answer(orchard):
    passed(orchard, used(orchard, "project:t", "s1"))
    for made_up in (
        b'{"prune000": 3}',
        b'{"prune000": {"used": [["x"]]}}',
        b'{"prune000": {"used": 1}}',
        b"[]",
    ):
        (orchard.root / ".mem" / "accounts.json").write_bytes(made_up)
        (orchard.root / ".mem" / "accounts-head").write_text(f"{orchard.head()} 1 {crc32(made_up)}")
        assert "prune000" in orchard.found(ASK)


def test_only_what_was_shown_can_be_spoken_of_and_a_shadow_says_nothing(orchard):
    passed(
        orchard,
        event(orchard, Kind.FEEDBACK, receipt="r_1", exposed=["water000"], used=["prune000"]),
        feedback(orchard, used=["water000"], shadow=True),
        event(orchard, Kind.FEEDBACK, exposed="water000", used={"a": 1}, irrelevant=[3, None], stale=["x"]),
    )
    assert accounts.load(opened(orchard)) == {}
    passed(
        orchard, feedback(orchard, irrelevant=["water000"], stale=[{"id": "prune000", "reason": "outdated"}])
    )
    told = accounts.load(opened(orchard))
    assert len(told["water000"].irrelevant) == len(told["prune000"].stale) == 1


def test_a_correction_takes_the_place_of_what_it_refines(orchard):
    first = used(orchard, "project:t", "s1")
    passed(orchard, first)
    assert len(accounts.load(opened(orchard))["prune000"].used) == 1
    passed(orchard, feedback(orchard, irrelevant=["prune000"], refines=first.id))
    told = accounts.load(opened(orchard))["prune000"]
    assert (len(told.used), len(told.irrelevant)) == (0, 1)


@pytest.mark.case("P-LIFE-05")
def test_a_memory_that_two_sessions_used_is_seen_from_its_kin_and_a_second_sweep_changes_nothing(orchard):
    farm = ("--scope", "project:farm")
    passed(orchard, used(orchard, "project:t", "s1"))
    assert swept(orchard) == []
    assert orchard.found(ASK, *farm) == []
    passed(orchard, used(orchard, "project:t", "s2"))
    assert swept(orchard) == [("prune000", "scoped", "portable")]
    assert swept(orchard) == []
    assert orchard.found(ASK, *farm) == ["prune000"]
    assert orchard.found(ASK, "--scope", "team:ops") == []
    orchard.forgets_the_index()
    assert orchard.found(ASK, *farm) == ["prune000"]


def test_a_move_is_in_the_journal_with_its_counts_and_undone_by_what_speaks_against_it(orchard):
    passed(orchard, used(orchard, "project:t", "s1"), used(orchard, "project:t", "s2"))
    swept(orchard)
    told = orchard.git("log", "-1", "--format=%B")
    assert "Mem-Stage: prune000 scoped portable used in 2 sessions of its own scope" in told
    (newest, *_) = orchard.told("log", "prune000")["entries"]
    assert [(move["id"], move["from"], move["to"]) for move in newest["moves"]] == [
        ("prune000", "scoped", "portable")
    ]
    assert all("moves" not in entry for entry in orchard.told("log", "water000")["entries"])
    for n in range(3):
        passed(orchard, feedback(orchard, "project:farm", f"x{n}", irrelevant=["prune000"]))
    assert swept(orchard) == [("prune000", "portable", "scoped")]
    assert "stage" not in orchard.path("prune000").read_text()
    assert swept(orchard) == []


@pytest.mark.parametrize("stage", ["contextual", "global"])
def test_a_stage_that_somebody_wrote_into_the_file_is_theirs(orchard, stage):
    orchard.write("prune000", "The orchard is pruned in March.", f"stage: {stage}\n")
    passed(orchard, used(orchard, "project:t", "s1"), used(orchard, "project:t", "s2"))
    assert swept(orchard) == []
    assert orchard.told("show", "prune000", "--why")["why"]["because"] == "somebody set it by hand"


def test_a_stage_that_somebody_lowered_by_hand_is_not_raised_again(orchard):
    passed(orchard, used(orchard, "project:t", "s1"), used(orchard, "project:t", "s2"))
    assert swept(orchard) == [("prune000", "scoped", "portable")]
    orchard.write("prune000", "The orchard is pruned in March.")
    orchard.commit_by_hand()
    assert swept(orchard) == []


def test_two_clones_that_moved_a_memory_apart_leave_it_to_be_moved_again(orchard, tmp_path):
    own = [used(orchard, "project:t", session) for session in ("s1", "s2")]
    passed(orchard, *own)
    other = orchard.clone(tmp_path / "clone")
    other.moment = orchard.moment
    swept(orchard)
    kin = [used(other, where, "k" + where[-1]) for where in ("project:farm", "project:mill")]
    passed(other, *kin)
    assert swept(other) == [("prune000", "scoped", "contextual")]
    orchard.git("pull", "-q", "--no-rebase", "--no-edit", str(other.root), check=False)
    merged = orchard.path("prune000").read_text()
    assert "<<<<" in merged
    lines = [line for line in merged.splitlines() if line[:4] not in ("<<<<", "====", ">>>>")]
    orchard.path("prune000").write_text("\n".join(line for line in lines if "contextual" not in line) + "\n")
    orchard.commit_by_hand("merge")
    orchard.moment = other.moment
    assert len(accounts.load(opened(orchard))["prune000"].used) == 4
    assert swept(orchard) == [("prune000", "portable", "contextual")]


def test_a_file_that_is_being_edited_is_not_moved(orchard):
    passed(orchard, used(orchard, "project:t", "s1"), used(orchard, "project:t", "s2"))
    path = orchard.write("prune000", "The orchard is pruned in March, by hand.")
    before = path.read_bytes()
    assert swept(orchard) == []
    assert path.read_bytes() == before
    orchard.did("save")
    assert swept(orchard) == [("prune000", "scoped", "portable")]


@pytest.mark.parametrize("status", ["forgotten", "retracted", "archived", "staged", "needs_review"])
def test_what_is_not_believed_does_not_climb(orchard, status):
    orchard.write("prune000", "The orchard is pruned in March.", f"status: {status}\n")
    orchard.write("water000", "The orchard is watered in May.")
    for session in ("s1", "s2"):
        passed(orchard, feedback(orchard, session=session, used=["prune000", "water000"]))
    assert swept(orchard) == [("water000", "scoped", "portable")]


def test_a_pinned_stage_stays_whatever_is_reported(orchard):
    orchard.did("stage", "pin", "prune000", "global", "--yes", "--reason", "everybody asks")
    head = orchard.path("prune000").read_text()
    assert "stage: global\nstage_pinned: true\n" in head
    passed(orchard, used(orchard, "project:t", "s1"), used(orchard, "project:t", "s2"))
    assert swept(orchard) == []
    assert orchard.found(ASK, "--scope", "team:ops") == ["prune000"]
    why = orchard.told("show", "prune000", "--why")["why"]
    assert (why["stage"], why["earned"], why["because"]) == ("global", "portable", "a person pinned it")
    assert [(move["from"], move["to"], move["why"]) for move in why["moves"]] == [
        ("scoped", "global", "pinned")
    ]
    orchard.did("undo", "--yes")
    assert orchard.found(ASK, "--scope", "team:ops") == []
    assert swept(orchard) == [("prune000", "scoped", "portable")]


def test_pinning_is_a_person_s_act_and_takes_one_id_and_one_stage(orchard):
    before = orchard.head()
    refused = orchard.ran("stage", "pin", "prune000", "global", "--yes", env={"MEM_ACTOR": "agent:claude"})
    assert refused.code == 5
    for words in (
        ("prune000",),
        ("prune000", "far"),
        ("global", "prune000"),
        ("prune000", "water000", "global"),
    ):
        assert orchard.ran("stage", "pin", *words, "--yes").code == 2
    assert orchard.ran("stage", "pin", "nobody00", "global", "--yes").code == 3
    orchard.forget("water000")
    assert orchard.ran("stage", "pin", "water000", "global", "--yes").code == 5
    assert orchard.git("rev-parse", "HEAD~1") == before
    assert orchard.did("stage", "pin", "prune000", "portable", "--yes") == "prune000\tpin\tscoped\tportable\n"
    assert orchard.told("stage", "pin", "prune000", "portable", "--yes")["commit"] is None


def test_show_why_prints_the_evidence_for_the_stage(orchard):
    passed(orchard, used(orchard, "project:t", "s1"), used(orchard, "project:t", "s2"))
    swept(orchard)
    passed(
        orchard,
        used(orchard, "project:farm", "s3"),
        feedback(orchard, "team:x", "s4", irrelevant=["prune000"]),
    )
    why = orchard.told("show", "prune000", "--why")["why"]
    assert why["because"] == "it was earned by use"
    numbers = {
        name: why[name] for name in ("own_sessions", "kin_scopes", "scopes", "kinds", "misses", "stale")
    }
    assert numbers == {"own_sessions": 2, "kin_scopes": 1, "scopes": 2, "kinds": 1, "misses": 1, "stale": 0}
    row = orchard.did("show", "prune000", "--why")
    assert row == "prune000\tportable\tportable\tit was earned by use\t2\t1\t2\t1\t1\t0\n"
    assert orchard.did("show", "water000", "--why").startswith(
        "water000\tscoped\tscoped\tnothing was earned yet\t0"
    )
    assert "project:farm" not in json.dumps(why)


def test_use_reorders_what_passed_the_floor_and_changes_no_match(orchard):
    def told():
        answer = orchard.recall("orchard", "--floor", "0")
        return {item["id"]: (item["score"], item["match"]) for item in answer["items"]}, [
            item["id"] for item in answer["items"]
        ]

    before, order = told()
    last = order[-1]
    passed(orchard, *(feedback(orchard, session=f"s{n}", used=[last]) for n in range(4)))
    liked, _ = told()
    assert liked[last][0] > before[last][0]
    first = order[0]
    passed(orchard, *(feedback(orchard, session=f"t{n}", irrelevant=[first]) for n in range(3)))
    after, order = told()
    assert order == [last, first]
    assert after[first][0] == pytest.approx(before[first][0] * 0.2, abs=2e-4)
    assert {id_: one[1] for id_, one in after.items()} == {id_: one[1] for id_, one in before.items()}
    assert orchard.told("show", first, "--why")["why"]["labile"] is True


def test_where_nothing_was_reported_nothing_is_kept_and_no_byte_changes(orchard):
    asked = ("recall", ASK, "--json", "--as-of", "2026-11-01")
    before = orchard.ran(*asked).raw
    passed(orchard, event(orchard, Kind.TURN), event(orchard, Kind.OUTCOME, exposed=[]))
    assert json.loads(orchard.ran(*asked).raw)["items"] == json.loads(before)["items"]
    assert not (orchard.root / ".mem" / "accounts.json").exists()


def test_an_answer_about_an_earlier_day_goes_by_what_was_reported_until_then(orchard):
    day = ("--as-of", "2026-11-01T00:00:00Z", "--floor", "0")
    before = orchard.recall("orchard", *day)["items"]
    passed(orchard, *(feedback(orchard, session=f"t{n}", irrelevant=[before[0]["id"]]) for n in range(3)))
    assert orchard.recall("orchard", *day)["items"] == before
    assert orchard.found("orchard", "--floor", "0") == [before[1]["id"], before[0]["id"]]
