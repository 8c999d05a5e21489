"""Status: what a question admits, generated over every status, mode and moment.

Each memory stands beside an active neighbour of almost the same words, which must come in
the same answer, so that an empty answer never passes for a withheld one.
"""

from itertools import product

import pytest
from trial import AGENT

from memcli.memory.schema import ArchiveReason, StaleReason, Status

BEFORE, INSIDE, AFTER = "2025-06-01", "2026-03-01", "2026-09-01"  # of the window that each memory has
WINDOW = "validity:\n  from: 2026-01-01\n  to: 2026-07-01\n"
WHOLE = "validity:\n"
CAUSES = {
    Status.STALE: [f"stale_reason: {one.value}\n" for one in StaleReason],
    Status.ARCHIVED: [f"archive_reason: {one.value}\n" for one in ArchiveReason],
    Status.NEEDS_REVIEW: ["review:\n  reason: proposal\n"],
}
MODES = ("default", "wide", "history")

# FORMAT section 2, written out again by hand: in which modes each status is recalled at any moment at
# which it is true, and whether it is in default and wide for a moment inside its window although it ended.
RECALLED = {
    "active": {"default", "wide", "history"},
    "needs_review": {"wide", "history"},
    "staged": {"wide"},
    "superseded": {"history"},
    "stale outdated": {"history"},
    "stale contradicted": {"history"},
    "stale unsupported": {"history"},
    "stale withdrawn": {"history"},
    "retracted": {"history"},
}
WAS_RIGHT = {"superseded", "stale outdated"}
WORDS = (
    "alder",
    "birch",
    "cedar",
    "dogwood",
    "elm",
    "fir",
    "ginkgo",
    "hazel",
    "ironwood",
    "juniper",
    "kapok",
    "larch",
    "maple",
    "nutmeg",
    "oak",
    "poplar",
    "quince",
    "rowan",
    "spruce",
    "teak",
    "upas",
    "viburnum",
    "willow",
    "yew",
    "zelkova",
)


def _kinds():
    for status in Status:
        for cause in CAUSES.get(status, [""]):
            reason = cause.split()[-1] if status in (Status.STALE, Status.ARCHIVED) else ""
            yield f"{status.value} {reason}".strip(), f"status: {status.value}\n{cause}"


KINDS = dict(_kinds())
TREE = dict(zip(KINDS, WORDS, strict=False))


@pytest.fixture(scope="module")
def grove(empty, tmp_path_factory):
    """Of every status one memory with a window and one without, each beside an active neighbour."""
    made = empty.copy(tmp_path_factory.mktemp("grove"))
    for kind, head in KINDS.items():
        tree = TREE[kind]
        made.write(
            f"{tree}-window", f"The {tree} by the gate has a wooden bench.", head + WINDOW + _about(kind)
        )
        made.write(
            f"{tree}-whole", f"The {tree} by the pond has a wooden bench.", head + WHOLE + _about(kind)
        )
        made.write(f"{tree}-beside", f"The {tree} by the road has a wooden bench.")
    made.commit_by_hand()
    return made


def _about(kind):
    return f"concept: {TREE[kind]} {kind}\ntags: [bench]\n"


def expected(kind, mode, moment):
    """Whether (the memory with a window, the one without) must come."""
    if kind not in RECALLED:
        return False, False
    holds = moment == INSIDE
    if mode in RECALLED[kind]:
        return mode == "history" or holds, True
    return kind in WAS_RIGHT and holds, False  # a window that nobody closed says nothing of when it was right


@pytest.mark.parametrize(("mode", "moment"), [*product(MODES, (BEFORE, INSIDE, AFTER))])
def test_every_status_comes_exactly_when_it_is_admitted(grove, mode, moment):
    for kind in KINDS:
        tree = TREE[kind]
        found = grove.found(f"{tree} wooden bench", "--mode", mode, "--as-of", moment, "--floor", "0")
        came = (f"{tree}-window" in found, f"{tree}-whole" in found)
        assert came == expected(kind, mode, moment), (kind, found)
        assert f"{tree}-beside" in found


def test_the_table_admits_every_status_but_archived_and_forgotten_somewhere():
    assert set(KINDS) - set(RECALLED) == {
        *(f"archived {reason}" for reason in ArchiveReason),
        "forgotten",
    }


SURFACES = {
    "json": ("--json", "--evidence", "full"),
    "prompt": ("--prompt",),
    "paths": ("-l",),
    "nul": ("-0",),
    "ids": ("--ids",),
    "lines": (),
    "template": ("--format", "{id} {path} {concept} {tags} {text}"),
}


@pytest.mark.parametrize(
    ("mode", "moment", "surface", "scope"),
    [
        *product(MODES, (INSIDE, AFTER), ("json",), [()]),
        *product(MODES, (INSIDE,), ("json",), [("--scope", "*")]),
        *product(("history",), (INSIDE,), SURFACES, [()]),
    ],
)
def test_what_is_forgotten_comes_on_no_request(grove, mode, moment, surface, scope):
    tree = TREE["forgotten"]
    queries = {
        "words": f"{tree} wooden bench",
        "meaning": "which tree is there something to sit on",
        "id": f"{tree}-whole",
        "concept": f"{tree} forgotten",
    }
    for way, query in queries.items():
        asked = ("--mode", mode, "--as-of", moment, "--floor", "0", "-k", "99", "--budget", "9999", *scope)
        ran = grove.ran("recall", *asked, *SURFACES[surface], "--", query)
        for secret in (
            f"{tree}-window",
            f"{tree}-whole",
            f"The {tree} by the pond",
            f"The {tree} by the gate",
        ):
            assert secret not in ran.out.replace(f'"query": "{query}"', ""), way
            assert secret not in ran.err
        assert way == "id" or f"{tree}-beside" in ran.out or surface == "prompt", (way, ran.out)
        assert way == "id" or ran.code == 0


@pytest.fixture(scope="module")
def without(grove, tmp_path_factory):
    """The same store, had what is forgotten or archived never been."""
    made = grove.copy(tmp_path_factory.mktemp("without"))
    for kind in KINDS:
        if kind not in RECALLED:
            for path in (made.root / "schemas/project/t").glob(f"{TREE[kind]}-w*.md"):
                path.unlink()
    made.commit_by_hand()
    made.forgets_the_index()
    return made


@pytest.mark.parametrize(
    "how", [(), ("--type", "task", "--tag", "bench"), ("--budget", "1"), ("--floor", "1")]
)
@pytest.mark.parametrize("mode", ["wide", "history"])
def test_an_answer_is_what_it_would_be_had_the_forgotten_never_been(grove, without, mode, how):
    for kind in ("forgotten", "archived rejected"):
        asked = (f"{TREE[kind]} wooden bench by the pond", "--mode", mode, "--as-of", AFTER, *how)
        here, there = grove.recall(*asked), without.recall(*asked)
        assert {**here, "known_at": None} == {**there, "known_at": None}
        assert here["items"] or here["withheld"]["count"]


def test_a_person_may_list_what_was_forgotten_and_an_agent_may_not(grove):
    tree = TREE["forgotten"]
    listed = grove.did("list", "--status", "forgotten", "--ids").split()
    assert sorted(listed) == [f"{tree}-whole", f"{tree}-window"]
    assert f"{tree}-whole" not in grove.did("list", "--ids").split()
    ran = grove.ran("list", "--status", "forgotten", env=AGENT)
    assert (ran.code, ran.out) == (5, "")
    assert f"{tree}-whole" not in grove.did("list", "--ids", env=AGENT).split()


def test_a_status_counts_the_same_by_command_by_hand_and_after_a_rebuild(trial):
    by_command, by_hand, beside = (
        one["id"] for one in trial.batch(["Oak is hard wood.", "Elm is tough wood.", "Balsa is soft wood."])
    )
    trial.forget(by_command)
    path = trial.path(by_hand)
    path.write_text(path.read_text().replace("status: active", "status: forgotten"))
    assert trial.found("wood hard tough soft", "--floor", "0") == [beside]
    trial.did("save")
    trial.forgets_the_index()
    assert trial.found("wood hard tough soft", "--floor", "0") == [beside]
