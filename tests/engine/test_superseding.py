"""Supersede: two files in one commit, the old one back for every moment before the switch."""

import json
import subprocess
import sys

import pytest
from trial import AGENT, BEGINNING, MINUTE

from memcli.engine import writer as writing
from memcli.memory.times import show
from memcli.store import atomic

WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}  # the full-width forms of ASCII
OLD = "The refund window is 30 days."
NEW = "The refund window is 14 days."
BESIDE = "Deploys to production happen on Tuesdays only."
CONCEPT = ("--concept", "refund window")
INSTEAD = (*CONCEPT, "--supersede-concept")


def trailers(store, key):
    """The values of one trailer of the newest commit."""
    return store.git("log", "-1", f"--format=%(trailers:key={key},valueonly)").split()


def test_by_concept_two_schema_files_in_one_commit_close_the_window_and_link_both_ways(trial):
    trial.remember(BESIDE)
    old = trial.remember(OLD, *CONCEPT)
    commits, began = trial.commits(), trial.moment + MINUTE
    new = trial.remember(NEW, *INSTEAD, env=AGENT)
    assert (new["decision"], new["superseded"]) == ("superseded", [old["id"]])
    assert trial.commits() == commits + 1
    assert trial.touched() == sorted([old["path"], new["path"]])
    assert trailers(trial, "Mem-Op") == ["supersede"]
    assert trailers(trial, "Mem-Actor") == ["agent:claude"]
    assert trailers(trial, "Mem-Id") == [old["id"], new["id"]]
    assert trailers(trial, "Mem-Prior-Status") == ["active", "none"]
    assert trailers(trial, "Mem-Status") == ["superseded", "active"]
    before, after = trial.told("show", old["id"]), trial.told("show", new["id"])
    assert (before["status"], before["superseded_by"], before["validity"]["to"]) == (
        "superseded",
        new["id"],
        show(began),
    )
    assert (after["status"], after["supersedes"], after["validity"]["from"]) == (
        "active",
        [old["id"]],
        show(began),
    )
    assert trial.git("status", "--porcelain") == ""


def test_undated_it_is_gone_from_now_and_back_for_a_second_before(trial):
    trial.remember(BESIDE)
    old = trial.remember(OLD, *CONCEPT)["id"]
    new = trial.remember(NEW, *INSTEAD)["id"]
    switch = trial.moment
    for _ in range(2):
        for moment, there, gone in ((switch, new, old), (switch - 1, old, new), (switch - 10**7, old, new)):
            found = trial.found("refund window", "--as-of", show(moment))
            assert there in found
            assert gone not in found
        assert old not in trial.found("refund window", now=switch)
        assert {old, new} <= set(trial.found("refund window", "--mode", "history"))
        trial.forgets_the_index()


@pytest.mark.parametrize(
    "said", ["REFUND window", "refund   window", "  Refund\tWindow ", "refund window".translate(WIDE)]
)
def test_case_width_and_spaces_of_a_concept_do_not_matter(trial, said):
    old = trial.remember(OLD, *CONCEPT)["id"]
    assert trial.remember(NEW, "--concept", said, "--supersede-concept")["superseded"] == [old]


@pytest.mark.parametrize(
    "said", ["refund windows", "refundwindow", "refund-window", "window refund", "réfund window"]
)
def test_another_concept_is_not_matched_and_the_answer_says_so(trial, said):
    old = trial.remember(OLD, *CONCEPT)["id"]
    ran = trial.ran("remember", "--concept", said, "--supersede-concept", NEW)
    assert ran.code == 0
    assert "nothing was superseded" in ran.err
    assert trial.status(old) == "active"
    assert len(trial.statuses()) == 2


def test_of_two_the_newest_is_superseded(trial):
    first = trial.remember(OLD, *CONCEPT)["id"]
    second = trial.remember("The refund window is 21 days.", *CONCEPT)["id"]
    assert trial.remember(NEW, *INSTEAD)["superseded"] == [second]
    assert (trial.status(first), trial.status(second)) == ("active", "superseded")


def test_only_one_with_the_required_tags_is_superseded(trial):
    plain = trial.remember(OLD, *CONCEPT)["id"]
    tagged = trial.remember("The refund window is 21 days.", *CONCEPT, "--tag", "b2b")["id"]
    trial.remember("The refund window is 22 days.", *CONCEPT)
    assert trial.remember(NEW, *INSTEAD, "--tag", "b2b")["superseded"] == [tagged]
    assert trial.status(plain) == "active"


INELIGIBLE = {
    "superseded": "status: superseded\nvalidity:\n  to: 2026-01-01\n",
    "retracted": "status: retracted\n",
    "staged": "status: staged\n",
    "forgotten": "status: forgotten\n",
    "archived": "status: archived\narchive_reason: low_salience\n",
    "needs_review": "status: needs_review\nreview:\n  reason: proposal\n",
    "stale": "status: stale\nstale_reason: outdated\nvalidity:\n  to: 2026-01-01\n",
    "other scope": "scope: project:other\n",
    "no concept": "",
}


@pytest.mark.parametrize(
    ("name", "sibling"), [*((name, True) for name in INELIGIBLE), ("superseded", False), ("forgotten", False)]
)
def test_what_is_not_active_here_is_not_matched_beside_one_that_is(trial, name, sibling):
    if sibling:
        trial.write("sibling0aaaa", OLD, "concept: refund window\n")
        trial.commit_by_hand()
    concept = "" if name == "no concept" else "concept: refund window\n"
    folder = "project/other" if name == "other scope" else "project/t"
    path = trial.write(
        "other000aaaa", "The refund window is 21 days.", INELIGIBLE[name] + concept, folder=folder
    )
    trial.commit_by_hand()
    raw = path.read_bytes()
    told = trial.remember(NEW, *INSTEAD)
    assert told["superseded"] == (["sibling0aaaa"] if sibling else [])
    assert path.read_bytes() == raw
    assert trial.found("refund window")[0] == told["id"]


def test_a_dated_switch_is_written_to_both_sides_and_only_shortens(trial):
    old = trial.remember(OLD, "--valid-from", "2026-01-01", "--valid-to", "2026-12-31")["id"]
    new = trial.told("supersede", old, "--with", NEW, "--from", "2026-07-01")
    assert new["until"] == "2026-07-01T00:00:00Z"
    assert trial.told("show", old)["validity"] == {
        "from": "2026-01-01T00:00:00Z",
        "to": "2026-07-01T00:00:00Z",
    }
    assert trial.told("show", new["new"])["validity"]["from"] == "2026-07-01T00:00:00Z"
    other = trial.remember("Coffee costs 2 euros.", "--valid-to", "2026-03-01")["id"]
    trial.told("supersede", other, "--with", "Coffee costs 3 euros.", "--from", "2026-05-01")
    assert trial.told("show", other)["validity"]["to"] == "2026-03-01T00:00:00Z"
    assert trial.found("coffee costs", "--as-of", "2026-04-01", "--floor", "0.5") == []


@pytest.mark.parametrize("switch", ["2026-01-01", "2025-12-31", "2025-01-01T00:00:00Z"])
def test_a_switch_at_or_before_the_beginning_is_refused(trial, switch):
    old = trial.remember(OLD, "--valid-from", "2026-01-01", *CONCEPT)["id"]
    head = trial.head()
    assert trial.ran("supersede", old, "--with", NEW, "--from", switch).code == 5
    assert trial.ran("remember", *INSTEAD, "--valid-from", switch, NEW).code == 5
    assert (trial.head(), len(trial.statuses())) == (head, 1)
    assert trial.ran("supersede", old, "--with", NEW, "--from", "2026-01-02").code == 0


@pytest.fixture
def three(trial):
    """Three active memories A, B, C, and one that stands beside them."""
    texts = (
        "The port of the gateway is 80.",
        "The port of the gateway is 8080.",
        "The port of the gateway is 8443.",
    )
    trial.remember(BESIDE)
    return trial, [trial.remember(text)["id"] for text in texts]


@pytest.mark.case("P-LIFE-04")
def test_recall_gives_the_end_of_a_chain_and_as_of_the_member_valid_then(three):
    trial, (a, b, c) = three
    first, second = BEGINNING - 10**6, BEGINNING - 10**5
    trial.told("supersede", a, b, "--from", show(first))
    trial.told("supersede", b, c, "--from", show(second))
    for _ in range(2):
        for moment, there in (
            (first - 1, a),
            (first, b),
            (second - 1, b),
            (second, c),
            (BEGINNING + 10**6, c),
        ):
            found = set(trial.found("port of the gateway", "--as-of", show(moment)))
            assert found & {a, b, c} == {there}
        assert trial.status(a) == trial.status(b) == "superseded"
        trial.forgets_the_index()


@pytest.mark.case("P-LIFE-04")
def test_circles_and_what_cannot_be_superseded_are_refused(three):
    trial, (a, b, c) = three
    trial.told("supersede", a, b)
    head = trial.head()
    refused = [(a, a), (b, a), (a, c), (b, b)]
    assert [trial.ran("supersede", old, new).code for old, new in refused] == [5] * 4
    assert trial.ran("supersede", b, "nobody00aaaa").code == 3
    assert trial.ran("supersede", "nobody00aaaa", b).code == 3
    assert trial.ran("supersede", b, c, "--with", NEW).code == 2
    assert trial.ran("supersede", b).code == 2
    assert trial.head() == head
    trial.told("supersede", b, c)
    assert trial.ran("supersede", c, a).code == 5
    assert trial.found("port of the gateway")[0] == c


@pytest.mark.case("P-LIFE-04")
def test_a_longer_circle_is_refused(three):
    trial, (a, b, c) = three
    trial.told("supersede", a, b)
    trial.told("supersede", b, c)
    for path in (trial.path(a), trial.path(b)):
        path.write_text(path.read_text().replace("status: superseded", "status: active"))
    trial.did("save", "--yes")
    head = trial.head()
    assert trial.ran("supersede", c, a).code == 5
    assert trial.head() == head


@pytest.mark.case("P-LIFE-04")
def test_what_is_forgotten_neither_replaces_nor_is_replaced(three):
    trial, (a, b, c) = three
    trial.forget(c)
    head = trial.head()
    assert trial.ran("supersede", a, c).code == 5
    assert trial.ran("supersede", c, a).code == 5
    assert trial.head() == head
    trial.told("supersede", a, b)
    assert trial.found("port of the gateway")[0] == b


@pytest.mark.case("P-LIFE-04")
def test_a_member_of_a_chain_that_is_forgotten_leaves_the_others(three):
    trial, (a, b, c) = three
    middle = BEGINNING - 10**6
    trial.told("supersede", a, b, "--from", show(middle))
    trial.told("supersede", b, c, "--from", show(middle + 10**5))
    trial.forget(b)
    for _ in range(2):
        assert set(trial.found("port of the gateway", "--as-of", show(middle + 1))) & {a, b, c} == set()
        assert set(trial.found("port of the gateway", "--as-of", show(middle - 1))) & {a, b, c} == {a}
        assert set(trial.found("port of the gateway")) & {a, b, c} == {c}
        trial.forgets_the_index()


class Killed(BaseException):
    """What a kill looks like from inside: nothing after it runs."""


POINTS = ("before the first file", "between the files", "before the commit", "after the commit")


@pytest.mark.parametrize(
    ("point", "reader"), [*((point, True) for point in POINTS), ("between the files", False)]
)
def test_killed_in_the_middle_it_is_whole_or_absent_for_whoever_comes_next(trial, monkeypatch, point, reader):
    trial.remember(BESIDE)
    old = trial.remember(OLD, *CONCEPT)["id"]
    head, raw = trial.head(), trial.path(old).read_bytes()
    with monkeypatch.context() as patch:
        _kill(patch, point)
        with pytest.raises(Killed):
            trial.ran("supersede", old, "--with", NEW)
    landed = point == "after the commit"
    assert (trial.head() == head) is not landed
    if not reader:
        trial.remember("Tea is free on Mondays.")
    answer = trial.recall("refund window")
    texts = [item["text"] for item in answer["items"]]
    assert (NEW if landed else OLD) in texts
    assert (OLD if landed else NEW) not in texts
    if not landed:
        assert trial.path(old).read_bytes() == raw
    trial.did("remember", "Milk is in the fridge.")
    assert trial.git("status", "--porcelain") == ""
    assert trial.ran("check").code == 0


def _kill(patch, point):
    patch.setattr(writing, "recover", lambda _opened: None)
    if point == "before the commit":
        patch.setattr(writing.commits, "commit", _killed)
    elif point == "after the commit":
        patch.setattr(writing.intent, "end", _killed)
    else:
        patch.setattr(atomic, "replace" if point == "before the first file" else "create", _killed)


def _killed(*_arguments, **_named):
    raise Killed


MANY = 15
DRIVER = """
import sys
from memcli import __main__ as process
for n in range(int(sys.argv[2])):
    code = process.main(["remember", "--json", "--concept", f"counter {n}", "--supersede-concept",
                         f"Counter {n} stands at {sys.argv[1]} apples."])
    print("code", code, flush=True)
"""


@pytest.mark.case("P-LIFE-04")
def test_three_processes_that_supersede_each_other_lose_nothing(trial):
    environment = {**trial.process.environment, "MEM_ACTOR": "human:ana"}
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", DRIVER, name, str(MANY)],
            cwd=trial.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("three", "four", "seven")
    ]
    answered = [worker.communicate(timeout=180) for worker in workers]
    lines = [line for out, _ in answered for line in out.splitlines()]
    told = [json.loads(line) for line in lines if line.startswith("{")]
    assert not [err for _, err in answered if "error" in err]
    assert lines.count("code 0") == 3 * MANY
    ids = [one["id"] for one in told]
    assert len(set(ids)) == 3 * MANY
    statuses = trial.statuses()
    assert sorted(statuses[id_] for id_ in ids) == ["active"] * MANY + ["superseded"] * 2 * MANY
    superseded = [old for one in told for old in one["superseded"]]
    assert len(superseded) == len(set(superseded)) == 2 * MANY
    committed = trial.git("log", "--format=%(trailers:key=Mem-Id,valueonly)").split()
    assert set(ids) <= set(committed)
    assert trial.git("status", "--porcelain") == ""
    assert trial.ran("index", "verify").code == 0
