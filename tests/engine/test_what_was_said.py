"""What was said is found beside what is believed, and not where what rested on it was taken back (A8)."""

import json
import shutil

import pytest
from trial import BEGINNING, Trial

from memcli.memory import times
from memcli.memory.scope import parse
from memcli.store import events
from memcli.store.event import Event, Kind, new_id
from memcli.store.place import Place

TALK = (
    ("Ana", "When do we ship the parcels to Peru?"),
    ("Bo", "On Mondays, always."),
    ("Ana", "The coffee machine is broken again."),
    ("Bo", "I ordered a new grinder from Porto."),
    ("Ana", "The rabbit sleeps in the archive."),
)
ONLY = ("--events", "only")


def turn(nth, subject, text, scope="project:t", session="talk"):
    """A turn as observe would leave it."""
    id_ = new_id((BEGINNING + nth) * 1000, bytes(10), nth)
    told = {"role": "user", "subject": subject}
    return Event(
        id_, BEGINNING + nth, parse(scope), "human:ana", Kind.TURN, "1", text, session=session, data=told
    )


def say(trial, *turns):
    """Append turns as they are; the path of each."""
    place = Place(trial.root)
    return [events.append(place, one, events.machine(place)) for one in turns]


def heard(trial, query, *options, **how):
    """The texts of the turns in an answer, in order."""
    items = trial.recall(query, *options, **how)["items"]
    return [one["text"] for one in items if one["kind"] == "event"]


@pytest.fixture
def trial(tmp_path):
    made = Trial.made(tmp_path)
    say(made, *(turn(nth, *told) for nth, told in enumerate(TALK)))
    return made


def test_a_turn_is_found_and_marked_as_what_was_said(trial):
    answer = trial.recall("grinder", *ONLY)
    first = answer["items"][0]
    assert (answer["outcome"], first["kind"], first["session"]) == ("found", "event", "talk")
    assert (first["subject"], first["text"]) == ("Bo", "I ordered a new grinder from Porto.")
    assert first["path"].startswith("events/")


def test_an_answer_is_found_by_the_question_before_it(trial):
    assert heard(trial, "when are parcels shipped to Peru", *ONLY)[:2] == [TALK[0][1], TALK[1][1]]


def test_turns_come_after_memories_and_only_where_they_are_wanted(trial):
    kept = trial.remember("Grinders are bought in Lisbon.")["id"]
    kinds = [one["kind"] for one in trial.recall("grinder")["items"]]
    assert kinds[0] == "schema"
    assert "event" in kinds
    assert trial.found("grinder", "--events", "none") == [kept]
    assert kept not in trial.found("grinder", *ONLY)


def test_a_turn_that_a_shown_memory_rests_on_is_not_said_twice(trial):
    grinder = turn(3, *TALK[3])
    trial.remember("Bo bought the grinder in Porto.", "--evidence", grinder.id)
    assert TALK[3][1] not in heard(trial, "grinder")
    assert TALK[3][1] in heard(trial, "grinder", *ONLY)


def test_filters_for_memories_leave_turns_out(trial):
    assert heard(trial, "grinder", "--type", "fact") == []
    assert heard(trial, "grinder")


def test_filters_for_memories_and_a_search_of_turns_alone_exclude_each_other(trial):
    ran = trial.ran("recall", "grinder", *ONLY, "--type", "fact")
    assert (ran.code, ran.out) == (2, "")
    assert "--events only" in ran.err


def test_ids_and_paths_name_memories_alone(trial):
    kept = trial.remember("Grinders are bought in Lisbon.")["id"]
    assert trial.did("recall", "grinder", "--ids").split() == [kept]
    assert "events/" not in trial.did("recall", "grinder", "-l")
    assert "event\tI ordered a new grinder" in trial.did("recall", "grinder", "--format", r"{type}\t{text}")


def test_the_bundle_for_a_prompt_says_who_said_it_and_when(trial):
    lines = trial.did("recall", "grinder", *ONLY, "--prompt").splitlines()
    assert lines[1].endswith("said 2026-11-30 by Bo] I ordered a new grinder from Porto.")


def test_another_scope_hears_nothing(trial):
    assert trial.recall("grinder", "--scope", "project:other")["outcome"] == "absent"
    say(trial, turn(9, "Cy", "The grinder of the others is red.", scope="project:other", session="theirs"))
    assert heard(trial, "grinder", "--scope", "project:other") == ["The grinder of the others is red."]
    assert "The grinder of the others is red." not in heard(trial, "grinder", *ONLY, "--floor", "0")


def test_what_was_said_later_was_not_said_yet(trial):
    before = heard(trial, "grinder", *ONLY, "--floor", "0", "--as-of", times.show(BEGINNING + 2))
    assert TALK[2][1] in before
    assert TALK[3][1] not in before
    assert TALK[3][1] in heard(trial, "grinder", *ONLY)


def test_what_is_appended_is_heard_next(trial):
    assert heard(trial, "umbrella", *ONLY) == []
    say(trial, turn(7, "Bo", "The umbrella is in the car."))
    assert heard(trial, "umbrella", *ONLY)[0] == "The umbrella is in the car."


def test_a_file_that_went_is_heard_no_more_and_heard_again_when_it_is_back(trial):
    path = trial.root / next(events.files(Place(trial.root)))
    assert heard(trial, "grinder", *ONLY)
    raw = path.read_bytes()
    path.unlink()
    assert heard(trial, "grinder", *ONLY) == []
    path.write_bytes(raw)
    assert TALK[3][1] in heard(trial, "grinder", *ONLY)


def test_a_file_with_another_past_is_read_anew(trial):
    path = trial.root / next(events.files(Place(trial.root)))
    assert heard(trial, "grinder", *ONLY)
    lines = path.read_bytes().splitlines(keepends=True)
    more = turn(8, "Bo", "The umbrella is in the car.")
    say(trial, more)
    added = path.read_bytes().splitlines(keepends=True)[-1]
    path.write_bytes(b"".join([added, *lines]))  # as a merge by union may leave it
    assert heard(trial, "umbrella", *ONLY)[0] == more.text
    assert TALK[3][1] in heard(trial, "grinder", *ONLY)


def test_one_by_one_and_all_at_once_give_the_same_bytes(tmp_path):
    queries = ("grinder", "parcels to Peru", "where does the rabbit sleep", "Bo")
    answers = []
    for name, step in (("whole", len(TALK)), ("single", 1), ("pairs", 2)):
        made = Trial.made(tmp_path / name)
        turns = [turn(nth, *told) for nth, told in enumerate(TALK)]
        for start in range(0, len(turns), step):
            say(made, *turns[start : start + step])
            made.recall("anything", *ONLY)
        asked = [made.recall(query, *ONLY, "--floor", "0", "--as-of", "2026-12-01") for query in queries]
        shutil.rmtree(made.root / ".mem")
        again = [made.recall(query, *ONLY, "--floor", "0", "--as-of", "2026-12-01") for query in queries]
        assert json.dumps(asked) == json.dumps(again)
        answers.append([one["items"] for one in asked])
    assert answers[0] == answers[1] == answers[2]


def backed(trial, text, nth):
    """A turn that a memory may rest on."""
    said = turn(nth, "Ana", text, session="facts")
    say(trial, said)
    return said


OLD, NEW = "Release 3.5 is what customers run.", "Release 2.9 is what customers run."


@pytest.fixture
def corrected(tmp_path):
    """Two turns that differ in a number; the claim of the first is superseded by that of the second."""
    trial = Trial.made(tmp_path)
    first, second = backed(trial, OLD, 1), backed(trial, NEW, 2)
    concept = ("--concept", "release")
    old = trial.remember(OLD, "--evidence", first.id, *concept)["id"]
    trial.remember(NEW, "--evidence", second.id, *concept, "--supersede-concept")
    return trial, old


@pytest.mark.parametrize("options", [(), ONLY, ("--evidence", "full"), ("--mode", "wide")])
def test_the_turn_behind_a_corrected_claim_is_shown_nowhere(corrected, options):
    trial, _ = corrected
    told = json.dumps(trial.recall("which release do customers run", *options)["items"])
    assert "2.9" in told
    assert "3.5" not in told


def test_nor_in_a_bundle_nor_after_a_rebuild(corrected):
    trial, _ = corrected
    shutil.rmtree(trial.root / ".mem")
    told = trial.did("recall", "which release do customers run", "--prompt")
    assert "2.9" in told
    assert "3.5" not in told


def test_nor_in_what_a_task_begins_with(corrected):
    trial, _ = corrected
    told = trial.did("activate", "--task", "say which release do customers run", "--json")
    assert "2.9" in told
    assert "3.5" not in told


def test_an_index_made_anew_hears_the_same(trial):
    before = trial.recall("grinder", *ONLY, "--as-of", "2026-12-01")["items"]
    trial.did("index", "rebuild")
    assert trial.recall("grinder", *ONLY, "--as-of", "2026-12-01")["items"] == before


def test_as_of_a_moment_at_which_it_held_it_is_shown(tmp_path):
    trial = Trial.made(tmp_path)
    first = backed(trial, OLD, 1)
    trial.remember(OLD, "--evidence", first.id, "--valid-to", "2026-12-05")
    assert heard(trial, "release", *ONLY) == [OLD]
    assert heard(trial, "release", *ONLY, "--as-of", "2026-12-06") == []


def test_a_turn_that_something_else_still_rests_on_is_kept(corrected):
    trial, _ = corrected
    first = turn(1, "Ana", OLD, session="facts")
    trial.remember("Ana spoke about releases once.", "--evidence", first.id)
    assert OLD in heard(trial, "release", *ONLY)


def test_what_nothing_rests_on_is_kept(corrected):
    trial, _ = corrected
    say(trial, turn(3, "Bo", "The release party is on the roof.", session="facts"))
    assert "The release party is on the roof." in heard(trial, "release party", *ONLY)


def test_the_death_of_another_scopes_claim_hides_nothing(tmp_path):
    trial = Trial.made(tmp_path)
    first = backed(trial, OLD, 1)
    other = ("--scope", "project:other", "--concept", "release", "--evidence", first.id)
    trial.remember(OLD, *other)
    trial.remember(NEW, *other, "--supersede-concept")
    assert heard(trial, "release", *ONLY) == [OLD]


@pytest.mark.parametrize("text", [OLD, "RELEASE 3.5 is what customers run!!", f"By the way. {OLD} Right?"])
def test_a_turn_that_repeats_a_forgotten_claim_is_hidden_until_that_is_back(tmp_path, text):
    trial = Trial.made(tmp_path)
    say(trial, turn(1, "Bo", text), turn(2, "Bo", "The roof is green."))
    kept = trial.remember(OLD)["id"]
    assert text in heard(trial, "release", *ONLY)
    trial.forget(kept)
    assert heard(trial, "release of the green roof", *ONLY, "--floor", "0") == ["The roof is green."]
    shutil.rmtree(trial.root / ".mem")
    assert heard(trial, "release of the green roof", *ONLY, "--floor", "0") == ["The roof is green."]
    trial.unforget(kept)
    assert text in heard(trial, "release", *ONLY)


def test_a_turn_said_after_the_forgetting_is_hidden_too(tmp_path):
    trial = Trial.made(tmp_path)
    kept = trial.remember(OLD)["id"]
    trial.forget(kept)
    say(trial, turn(1, "Bo", OLD), turn(2, "Bo", "Release 2.9 comes in May."))
    assert heard(trial, "release", *ONLY) == ["Release 2.9 comes in May."]


def test_a_damaged_index_of_turns_is_made_anew(trial):
    assert heard(trial, "grinder", *ONLY)
    for file in (trial.root / ".mem" / "turns").rglob("data/*.lance"):
        file.write_bytes(b"garbage")
    assert heard(trial, "grinder", *ONLY)[0] == TALK[3][1]


@pytest.mark.parametrize("files", ['{"x": 3}', '{"x": [0, "", 0, "", null, "many"]}'])
def test_what_was_taken_in_may_be_garbage(trial, files):
    assert heard(trial, "grinder", *ONLY)
    (trial.root / ".mem" / "turns-known").write_text(f'{{"format": 1, "files": {files}, "guarded": []}}')
    assert heard(trial, "grinder", *ONLY)[0] == TALK[3][1]


GRINDERS = tuple(
    f"The grinder in the {room} is {state}."
    for room, state in zip(
        ("kitchen", "office", "cellar", "shop", "garage", "attic", "yard", "hall", "lab"),
        ("old", "loud", "rusty", "small", "broken", "green", "heavy", "lent out", "new"),
        strict=True,
    )
)


def test_memories_that_answer_less_do_not_crowd_out_what_was_said(trial):
    trial.batch(GRINDERS)
    crowd = trial.recall("the grinder from Porto that was ordered", "--events", "none")["items"]
    assert len(crowd) == 8, "control: memories alone would fill the answer"
    items = trial.recall("the grinder from Porto that was ordered")["items"]
    assert "I ordered a new grinder from Porto." in [one["text"] for one in items]
    kinds = [one["kind"] for one in items]
    assert kinds == sorted(kinds, reverse=True), "memories are shown first, whatever answers better"
    scores = [one["score"] for one in items if one["kind"] == "schema"]
    assert scores == sorted(scores, reverse=True)


def test_a_memory_takes_the_place_of_the_turn_that_it_rests_on(trial):
    trial.batch(GRINDERS)
    event = next(one["id"] for one in trial.recall("grinder Porto", *ONLY)["items"] if "Porto" in one["text"])
    kept = trial.remember("Bo bought something for the kitchen.", "--evidence", event)["id"]
    items = trial.recall("the grinder from Porto that was ordered", "--floor", "0.05")["items"]
    assert kept in [one["id"] for one in items]
    assert event not in [one["id"] for one in items]
