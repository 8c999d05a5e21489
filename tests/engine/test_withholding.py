"""Nothing there and held back are not the same: every filter reports, and the printed command shows it."""

import json
import shlex
import subprocess
import sys
from itertools import combinations

import pytest
from trial import AGENT

REFUND = "The refund window is 30 days."
DAY = "2026-11-01"


@pytest.fixture(scope="module")
def shelf(empty, tmp_path_factory):
    """One memory for each way to be held back, each of its own subject."""
    made = empty.copy(tmp_path_factory.mktemp("shelf"))
    made.write("active00aaaa", REFUND, "tags: [billing]\n")
    made.write("ended000aaaa", "The kestrel project ended in spring.", "validity:\n  to: 2026-04-01\n")
    made.write("begins00aaaa", "The plover project begins in summer.", "validity:\n  from: 2027-06-01\n")
    made.write(
        "waits000aaaa",
        "The heron budget waits for approval.",
        "status: needs_review\nreview:\n  reason: proposal\n",
    )
    made.write("staged00aaaa", "The osprey team likes short meetings.", "status: staged\n")
    made.write(
        "staged00bbbb", "The bittern trial used two rooms.", "status: staged\nvalidity:\n  to: 2026-03-01\n"
    )
    made.write(
        "stale000aaaa", "The curlew server runs Debian.", "status: stale\nstale_reason: contradicted\n"
    )
    made.write(
        "super000aaaa", "The dunlin office is in Porto.", "status: superseded\nvalidity:\n  to: 2026-01-01\n"
    )
    made.write("retra000aaaa", "The godwit contract was signed twice.", "status: retracted\n")
    made.write(
        "archi000aaaa", "The knot volcano spews lava.", "status: archived\narchive_reason: duplicate\n"
    )
    made.write("forgo000aaaa", "The smew password is written down.", "status: forgotten\n")
    made.write("other000aaaa", "The teal archive is in Gdansk.", folder="project/other")
    made.write(
        "both0000aaaa",
        "The wigeon depot moved to Ghent.",
        "type: task\nstatus: superseded\nvalidity:\n  to: 2026-01-01\n",
    )
    made.commit_by_hand()
    return made


def asked(store, query, *options):
    """The answer, and the exit code."""
    ran = store.ran("recall", query, "--json", "--as-of", DAY, *options)
    return json.loads(ran.out), ran.code


def pasted(store, hint):
    """The answer to the printed command, run as it stands there."""
    program, *argv = shlex.split(hint)
    assert program == "mem"
    return store.recall(argv.pop(1), *argv[1:])


def test_an_empty_store_is_absent_and_counts_nothing(trial):
    answer, code = asked(trial, "refund window")
    assert (answer["outcome"], code) == ("absent", 1)
    assert answer["withheld"]["count"] == 0
    assert answer["hint"] is None
    assert trial.ran("recall", "refund window").err == "Nothing in project:t matches.\n"


def test_real_matches_under_an_extreme_floor_are_withheld_and_the_command_returns_them(shelf):
    answer, code = asked(shelf, "refund window", "--floor", "1")
    held = answer["withheld"]
    assert (answer["outcome"], code, held["threshold"]) == ("withheld", 1, 1.0)
    assert held["count"] == held["by"]["floor"] >= 1
    assert 0 < held["top_score"] < 1
    assert pasted(shelf, answer["hint"])["items"][0]["id"] == "active00aaaa"
    said = shelf.ran("recall", "refund window", "--floor", "1", "--as-of", DAY).err
    assert answer["hint"] in said
    assert f"best {held['top_score']:.2f}, floor 1.00" in said


def test_a_budget_of_one_is_over_budget_and_the_command_returns_it(shelf):
    answer, code = asked(shelf, "refund window", "--budget", "1")
    assert (answer["outcome"], code, answer["items"], answer["tokens"]) == ("over_budget", 1, [], 0)
    assert answer["withheld"]["by"]["budget"] >= 1
    assert pasted(shelf, answer["hint"])["items"][0]["id"] == "active00aaaa"


@pytest.mark.parametrize(
    ("query", "options", "reason", "id_"),
    [
        ("kestrel project ended", (), "validity", "ended000aaaa"),
        ("plover project begins", (), "validity", "begins00aaaa"),
        ("dunlin office", (), "validity", "super000aaaa"),
        ("heron budget approval", (), "status", "waits000aaaa"),
        ("osprey team meetings", (), "status", "staged00aaaa"),
        ("curlew server debian", (), "status", "stale000aaaa"),
        ("godwit contract signed", (), "status", "retra000aaaa"),
        ("refund window", ("--type", "task"), "type", "active00aaaa"),
        ("refund window", ("--type", "task", "--type", "lesson"), "type", "active00aaaa"),
        ("refund window", ("--tag", "nothing"), "tag", "active00aaaa"),
        ("refund window", ("--tag", "billing", "--tag", "nothing"), "tag", "active00aaaa"),
        ("kestrel project ended", ("--mode", "wide"), "validity", "ended000aaaa"),
        ("curlew server debian", ("--mode", "wide"), "status", "stale000aaaa"),
        ("osprey team meetings", ("--mode", "history"), "status", "staged00aaaa"),
        ("wigeon depot ghent", ("--type", "fact"), "type", "both0000aaaa"),
        ("heron budget approval", ("--tag", "billing"), "tag", "waits000aaaa"),
        ("dunlin office", ("--type", "task", "--tag", "billing"), "type", "super000aaaa"),
        ("curlew server debian", ("--floor", "0.9"), "status", "stale000aaaa"),
        ("bittern trial rooms", (), "status", "staged00bbbb"),
    ],
)
def test_every_filter_reports_and_the_command_returns_what_it_held_back(shelf, query, options, reason, id_):
    answer, code = asked(shelf, query, *options)
    assert (answer["outcome"], code) == ("withheld", 1), answer
    assert answer["withheld"]["by"][reason] >= 1
    assert answer["withheld"]["count"] == sum(answer["withheld"]["by"].values())
    again = pasted(shelf, answer["hint"])
    assert id_ in [item["id"] for item in again["items"]], answer["hint"]


@pytest.mark.parametrize("options", [(), ("--mode", "history")])
@pytest.mark.parametrize("query", ["knot volcano lava", "smew password", "teal archive", "zanzibar canary"])
def test_what_no_mode_admits_and_other_scopes_are_absent_and_never_counted(shelf, query, options):
    for more in ((), ("--type", "task"), ("--tag", "x"), ("--floor", "1"), ("--budget", "1")):
        answer, code = asked(shelf, query, *options, *more)
        assert (answer["outcome"], code, answer["withheld"]["count"]) == ("absent", 1, 0), more
        assert answer["withheld"]["top_score"] is None


def test_what_is_held_back_beside_an_answer_is_counted_too(shelf):
    answer, code = asked(shelf, "refund window, kestrel project, curlew server")
    assert (answer["outcome"], code) == ("found", 0)
    assert answer["withheld"]["by"]["validity"] >= 1
    assert answer["withheld"]["by"]["status"] >= 1
    assert answer["hint"] is None


def test_the_floor_admits_exactly_what_reaches_it(shelf):
    answer, _ = asked(shelf, "refund window", "--floor", "0")
    for item in answer["items"]:
        for floor, there in ((item["match"], True), (round(item["match"] + 0.0001, 4), False)):
            found, _ = asked(shelf, "refund window", "--floor", str(floor))
            assert (item["id"] in [one["id"] for one in found["items"]]) is there


@pytest.mark.parametrize(
    "options",
    [
        o
        for n in range(3)
        for o in combinations((("--type", "fact"), ("--tag", "billing"), ("--mode", "wide")), n)
    ],
)
def test_a_filter_that_fits_holds_nothing_back(shelf, options):
    answer, code = asked(shelf, "refund window", *(word for pair in options for word in pair))
    assert (code, answer["items"][0]["id"]) == (0, "active00aaaa")


def test_the_printed_command_keeps_everything_else_of_the_question(shelf):
    answer, _ = asked(
        shelf, "refund window", "--tag", "nothing", "--type", "fact", "--scope", "project:t", "--floor", "0.2"
    )
    words = shlex.split(answer["hint"])
    assert words[:3] == ["mem", "recall", "refund window"]
    for kept in (
        ["--type", "fact"],
        ["--scope", "project:t"],
        ["--floor", "0.2"],
        ["--as-of", f"{DAY}T00:00:00Z"],
    ):
        at = words.index(kept[0])
        assert words[at : at + 2] == kept
    assert "--tag" not in words


@pytest.mark.parametrize(
    "query",
    [
        "--floor refund window",
        "it's $(rm -rf ~) `x` refund window",
        'refund "window" \\',
        "refund; window | cat",
    ],
)
def test_the_printed_command_can_be_pasted_whatever_the_question_was(shelf, query):
    ran = shelf.ran("recall", "--json", "--as-of", DAY, "--floor", "1", "--", query)
    hint = json.loads(ran.out)["hint"]
    assert hint
    printed = """-c 'import sys; print("\\0".join(sys.argv[1:]))' "$@" """
    shell = f"mem() {{ {shlex.quote(sys.executable)} {printed}; }}; {hint}"
    argv = (
        subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True)
        .stdout.rstrip("\n")
        .split("\0")
    )
    assert argv[-1] == query or argv[1] == query
    again = shelf.ran(*argv)
    assert (again.code, "active00aaaa" in again.out) == (0, True)


@pytest.mark.case("P-CLI-07")
def test_exit_codes_from_a_shell(shelf):
    mem = shelf.process
    codes = {
        ("recall", "refund window"): 0,
        ("recall", "zanzibar canary"): 1,
        ("recall", "refund window", "--floor", "1"): 1,
        ("recall", "refund window", "--budget", "1"): 1,
        ("recall", "zanzibar canary", "--ok-if-empty"): 0,
        ("recall",): 2,
    }
    assert {argv: mem(*argv).code for argv in codes} == codes


def test_an_agent_is_told_the_same_counts(shelf):
    mine, _ = asked(shelf, "kestrel project ended")
    theirs = json.loads(shelf.ran("recall", "kestrel project ended", "--json", "--as-of", DAY, env=AGENT).out)
    assert mine == theirs
