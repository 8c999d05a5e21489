"""Two times at the command line: recall --known-at, mem believed, and what both refuse."""

import json
import shutil

import pytest
from trial import Trial

from memcli.memory import times
from memcli.memory.visibility import Mode

DAY = 86_400


def recorded(trial, moment):
    """Commit what is there, by plain git at a moment of its own."""
    stamp = {f"GIT_{who}_DATE": f"{times.parse(moment)} +0000" for who in ("COMMITTER", "AUTHOR")}
    trial.environment |= stamp
    trial.commit_by_hand()
    for name in stamp:
        del trial.environment[name]


@pytest.fixture
def corrected(trial):
    """A fact valid January to March, recorded on 5 January, on 10 April corrected to end in February."""
    for end, moment in (("2027-04-01", "2027-01-05T10:00:00Z"), ("2027-03-01", "2027-04-10T10:00:00Z")):
        head = f"validity:\n  from: 2027-01-01\n  to: {end}\n"
        trial.write("depot000aaaa", "The depot opens at seven.", head)
        recorded(trial, moment)
    trial.moment = times.parse("2027-05-01T00:00:00Z")
    return "depot000aaaa"


def test_what_was_true_when_and_what_was_known_when_are_two_questions(trial, corrected):
    """A7: as-of {15 Feb, 15 Mar} x known-at {20 Mar, now}: yes yes / yes no."""

    def knows(as_of, *known):
        return corrected in trial.found("when does the depot open", "--as-of", as_of, *known)

    then = ("--known-at", "2027-03-20")
    assert [knows("2027-02-15", *then), knows("2027-02-15")] == [True, True]
    assert [knows("2027-03-15", *then), knows("2027-03-15")] == [True, False]


def test_only_known_at_given_asks_about_the_world_at_that_moment(trial, corrected):
    answer = trial.recall("when does the depot open", "--known-at", "2027-03-20")
    assert answer["as_of"] == answer["known_at"]["at"] == "2027-03-20T23:59:59Z"
    assert [item["id"] for item in answer["items"]] == [corrected]
    assert trial.found("when does the depot open", "--known-at", "2027-04-10") == []


def test_before_the_first_commit_is_an_answer_and_not_an_error(trial):
    trial.remember("The kiln is fired on Mondays.")
    for verb in (["recall", "kiln", "--known-at"], ["believed", "kiln", "--on"], ["believed", "--on"]):
        ran = trial.ran(*verb, "1999-01-01")
        assert (ran.code, ran.out) == (1, "")
        assert "History begins on " in ran.err
        assert "nothing was known before" in ran.err
    answer = trial.recall("kiln", "--known-at", "1999-01-01")
    assert (answer["outcome"], answer["items"], answer["known_at"]["commit"]) == ("absent", [], None)


@pytest.mark.case("P-TIME-03")
@pytest.mark.parametrize(
    "text", ["", "yesterday", "9999-99-99", "2026-7-1", "HEAD@{yesterday}", "--output=x", "0"]
)
def test_what_is_no_point_of_the_record_is_refused_with_the_option_that_it_came_with(trial, text):
    trial.remember("The kiln is fired on Mondays.")
    for option, verb in (("--known-at", "recall"), ("--on", "believed")):
        ran = trial.ran(verb, "kiln", f"{option}={text}")
        assert (ran.code, ran.out) == (2, "")
        assert option in ran.err
        assert "Hint: " in ran.err


@pytest.mark.case("P-TIME-04")
def test_ahead_of_now_is_what_is_known_now(trial):
    id_ = trial.remember("The kiln is fired on Mondays.")["id"]
    assert trial.found("kiln", "--known-at", "2099-01-01") == [id_]


def test_a_rewritten_history_answers_no_question_about_then(trial):
    """A7: also where this is the first command after it was rewritten."""
    trial.remember("The kiln is fired on Mondays.")
    trial.remember("The otters live by the weir.")
    trial.found("kiln")
    trial.git("reset", "-q", "--hard", "HEAD~1")
    trial.commit_by_hand("another past") if trial.git("status", "--short") else None
    for verb in (["recall", "kiln", "--known-at", "HEAD"], ["believed", "--on", "2099-01-01"]):
        ran = trial.ran(*verb)
        assert (ran.code, ran.out) == (7, ""), ran.err
        assert "rewritten" in ran.err
    assert trial.ran("recall", "kiln").code == 0


def test_at_head_the_answer_is_that_of_now(trial):
    trial.remember("The kiln is fired on Mondays.", "--tag", "clay")
    trial.remember("The otters live by the weir.")
    trial.forget(trial.remember("The granite comes from Baveno.")["id"])
    moment = times.show(trial.moment)
    for options in ((), ("--mode", "history"), ("--floor", "0"), ("--tag", "clay"), ("--budget", "30")):
        plain = trial.recall("kiln or otters", "--as-of", moment, *options)
        known = trial.recall("kiln or otters", "--as-of", moment, "--known-at", "HEAD", *options)
        assert known.pop("known_at")["commit"] == plain.pop("known_at")["commit"] == trial.head()
        assert known | {"hint": None} == plain | {"hint": None}  # which names the other time


def test_what_is_forgotten_now_is_shown_at_no_time_in_no_mode_on_no_look(trial):
    """A1, A2: the claim beside it is."""
    kept = trial.remember("The kiln is fired on Mondays.")["id"]
    gone = trial.remember("The kiln of the convent smokes.")["id"]
    before = trial.head()
    assert set(trial.found("kiln", "--known-at", before)) == {kept, gone}
    trial.forget(gone)
    for mode in Mode:
        for look in (("--json",), ("--prompt",), (), ("--events", "only"), ("--evidence", "full", "--json")):
            ran = trial.ran(
                "recall", "kiln", "--known-at", before, "--mode", mode.value, "--floor", "0", *look
            )
            assert gone not in ran.out
            assert "convent" not in ran.out + ran.err
            if "only" not in look:
                assert "Mondays" in ran.out
    assert gone not in trial.did("believed", "--on", before)
    trial.unforget(gone)
    assert set(trial.found("kiln", "--known-at", before)) == {kept, gone}


def test_a_scope_sees_its_own_past_and_no_others(trial):
    """A6."""
    ours = trial.remember("The kiln is fired on Mondays.")["id"]
    theirs = trial.remember("The kiln of their canary sings.", "--scope", "project:b")["id"]
    head = trial.head()
    for argv in (["recall", "kiln", "--known-at", head, "--floor", "0"], ["believed", "--on", head],
                 ["believed", "--on", head, "kiln"]):  # fmt: skip
        for look in ((), ("--json",)):
            ran = trial.ran(*argv, *look)
            assert ours in ran.out
            assert theirs not in ran.out + ran.err
            assert "canary" not in ran.out + ran.err
            other = trial.ran(*argv, *look, "--scope", "project:b")
            assert theirs in other.out
            assert ours not in other.out
    agent = trial.ran("believed", "--on", head, "--scope", "*", env={"MEM_ACTOR": "agent:claude"})
    assert agent.code == 5


def test_a_turn_is_heard_from_when_it_was_said_and_not_before(trial):
    """A8 with known-at: dead-only is judged at that commit."""
    trial.remember("The larches are cut in autumn.")
    before = trial.head()
    trial.did("observe", "-", stdin="The mooring fee went up to 3.5 crowns.")
    trial.did("save", "--yes")
    after = trial.head()

    def heard(commit):
        answer = trial.recall("mooring fee", "--known-at", commit, "--events", "only")
        return [item["text"] for item in answer["items"]]

    assert heard(before) == []
    assert heard(after) == ["The mooring fee went up to 3.5 crowns."]


def test_a_turn_is_heard_while_what_rests_on_it_counted_and_not_once_that_was_corrected(trial):
    """A8: 3.5 was right then and is out now; the turn beside it, on which nothing rests, always may be heard."""
    said = ("The mooring fee went up to 3.5 crowns.", "The mooring fee went down to 2.9 crowns.")
    events = [_observed(trial, text) for text in said]
    trial.remember("The mooring fee is 3.5 crowns.", "--concept", "fee", "--evidence", events[0])
    then = trial.head()
    trial.remember("The fee is 2.9.", "--concept", "fee", "--supersede-concept", "--evidence", events[1])

    def heard(*known, mode="default"):
        answer = trial.recall("mooring fee", *known, "--events", "only", "--floor", "0", "--mode", mode)
        return {item["text"] for item in answer["items"]}

    assert heard("--known-at", then) == set(said)
    assert heard("--known-at", "HEAD") == heard() == {said[1]}
    assert said[0] not in trial.did("recall", "mooring fee", "--known-at", "HEAD", "--prompt", "--floor", "0")


def _observed(trial, text):
    """Take in one turn; the id of its event."""
    trial.did("observe", "-", stdin=text)
    trial.did("save", "--yes")
    lines = [
        json.loads(line)
        for path in trial.root.glob("events/**/*.jsonl")
        for line in path.read_text().splitlines()
    ]
    return next(one["id"] for one in lines if one.get("text") == text)


def test_a_turn_whose_line_was_taken_out_is_not_read_back_from_history(trial):
    trial.remember("The larches are cut in autumn.")
    _observed(trial, "The mooring fee went up to 3.5 crowns.")
    kept = "The mooring fee is paid at the weir."
    _observed(trial, kept)
    then = trial.head()
    for path in trial.root.glob("events/**/*.jsonl"):
        path.write_text(
            "".join(line for line in path.read_text().splitlines(keepends=True) if "3.5" not in line)
        )
    trial.commit_by_hand("a line taken out")
    answer = trial.recall("mooring fee", "--known-at", then, "--events", "only", "--floor", "0")
    assert [item["text"] for item in answer["items"]] == [kept]


def test_a_clone_without_its_past_says_that_it_is_cut(trial, tmp_path):
    trial.remember("The kiln is fired on Mondays.")
    last = trial.remember("The kiln has two doors.")["id"]
    trial.git("clone", "-q", "--depth", "1", f"file://{trial.root}", str(tmp_path / "c" / "t"))
    clone = Trial(tmp_path / "c" / "t", trial.environment, trial.moment)
    ran = clone.ran("recall", "kiln", "--known-at", "1999-01-01")
    assert (ran.code, ran.out) == (7, "")
    assert "shallow" in ran.err
    assert last in clone.found("kiln", "--known-at", "HEAD")


def test_paths_are_those_that_stand_now(trial):
    moved = trial.remember("The kiln is fired on Mondays.")["id"]
    gone = trial.remember("The kiln has two doors.")["id"]
    then = trial.head()
    path = trial.path(moved)
    elsewhere = path.rename(path.with_name("kiln.md"))
    trial.path(gone).unlink()
    trial.commit_by_hand("moved and deleted")
    ran = trial.ran("recall", "kiln", "--known-at", then, "-l")
    assert ran.out.splitlines() == [str(elsewhere)]
    assert gone in ran.err


def test_a_date_of_the_store_s_zone_means_its_own_end_of_day(trial):
    (trial.root / "mem.toml").write_text('timezone = "America/New_York"\n')
    trial.remember("The kiln is fired on Mondays.")
    day = times.show_day(trial.moment)
    answer = trial.recall("kiln", "--known-at", day, now=trial.moment + 3 * DAY)
    assert answer["known_at"]["at"].endswith("T04:59:59Z")


def test_believed_lists_all_that_counted_then_as_text_and_as_an_object(trial):
    old = trial.remember("The refund window is 30 days.", "--concept", "refund window")["id"]
    then = trial.head()
    new = trial.remember(
        "The refund window is 14 days.", "--concept", "refund window", "--supersede-concept"
    )["id"]
    trial.remember("The otters may live by the weir.", "--type", "open_question")
    assert trial.did("believed", "--on", then) == f"{old}\tThe refund window is 30 days.\n"
    assert new in trial.did("believed", "--on", "HEAD")
    told = trial.told("believed", "--on", then)
    assert told["format"] == "mem.believed/1"
    assert [(one["id"], one["status"]) for one in told["items"]] == [(old, "active")]
    assert trial.told("believed", "--on", then, "refund")["items"][0]["id"] == old
    assert trial.ran("believed", "--on", then, "--type", "warning").code == 1
    assert trial.ran("believed").code == 2


def test_the_command_that_shows_what_was_held_back_asks_about_the_same_time(trial):
    trial.remember("The kiln is fired on Mondays.")
    then = trial.head()
    answer = trial.recall("kiln", "--known-at", then, "--floor", "1")
    assert answer["outcome"] == "withheld"
    assert f"--known-at {then}" in answer["hint"]


def test_a_damaged_or_deleted_index_of_revisions_costs_time_and_no_answer(trial):
    trial.remember("The kiln is fired on Mondays.")
    then = trial.head()
    trial.remember("The kiln has two doors.")
    whole = trial.recall("kiln", "--known-at", then)
    assert whole["items"]
    for damage in (_shortened, shutil.rmtree, _emptied):
        damage(trial.root / ".mem/revisions")
        assert trial.recall("kiln", "--known-at", then) == whole
        assert trial.recall("kiln", "--known-at", then) == whole
    for name in ("lineage", "revisions-known"):
        (trial.root / ".mem" / name).write_bytes(b"\xff{nonsense 12")
        assert trial.recall("kiln", "--known-at", then) == whole


def _shortened(folder):
    for file in folder.glob("**/*.lance"):
        if file.is_file():
            file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _emptied(folder):
    for file in folder.glob("**/*"):
        if file.is_file():
            file.write_bytes(b"")


def test_another_branch_is_answered_from_its_own_tree(trial):
    trial.remember("The kiln is fired on Mondays.")
    trial.git("checkout", "-q", "-b", "side")
    theirs = trial.remember("The kiln has two doors.")["id"]
    trial.git("checkout", "-q", "main")
    ours = trial.remember("The kiln stands in the yard.")["id"]
    found = trial.found("kiln", "--known-at", "side", "--floor", "0")
    assert theirs in found
    assert ours not in found
    trial.git("merge", "-q", "-m", "joined", "side")
    assert {theirs, ours} <= set(trial.found("kiln", "--known-at", "HEAD", "--floor", "0"))
    assert theirs not in trial.found("kiln", "--known-at", "HEAD^1", "--floor", "0")


def test_use_counts_as_it_was_told_by_then(trial):
    """What was found useful later moves nothing in an answer about before."""
    one = trial.remember("The kiln is fired on Mondays in winter.")["id"]
    trial.remember("The kiln is fired on Mondays in summer too.")
    then = trial.head()
    before = trial.recall("kiln fired", "--known-at", then)
    session = trial.told("activate", "--task", "fire the kiln")["session"]
    trial.recall("kiln fired", "--session", session)
    trial.did("feedback", "--used", one, "--coverage", "partial", "--session", session)
    trial.did("commit", "--outcome", "done", "--session", session)
    trial.did("consolidate")
    assert trial.recall("kiln fired", "--known-at", then) == before


def test_a_blank_question_to_the_record_is_no_question_for_all(trial):
    trial.remember("The kiln is hot.")
    ran = trial.ran("believed", "--on", "HEAD", " ")
    assert (ran.code, ran.out) == (2, "")
    assert "the query is blank" in ran.err
