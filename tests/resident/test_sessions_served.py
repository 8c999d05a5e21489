"""Sessions beside a resident: the same receipts, idle ones ended, and what was observed committed."""

import json
import time

import pytest
from resident.conftest import until

AGENT = {"MEM_ACTOR": "agent:claude"}


def session_file(house):
    (file,) = (house.root / ".mem" / "sessions").glob("*.json")
    return json.loads(file.read_text())


def outcomes(house):
    lines = [
        json.loads(line)
        for path in house.root.glob("events/**/*.jsonl")
        for line in path.read_text().splitlines()
    ]
    return [one["data"]["outcome"] for one in lines if one["kind"] == "outcome"]


@pytest.fixture
def settled(house):
    """A store whose resident saves at once, and in which a session is idle after a second."""
    (house.root / "mem.toml").write_text("[watch]\nsave = true\nquiet_s = 0.1\n[session]\nidle_s = 1\n")
    house.store.commit()
    house.start()
    return house


def test_a_resident_notes_what_a_session_was_shown_and_answers_the_same(watched):
    assert watched.mem("activate", "--task", "Mend the gate", env=AGENT).code == 0
    before = len(session_file(watched)["receipts"])
    question = ("recall", "--json", "--as-of", "2026-12-01", "refund window")
    answered = watched.standing()["answered"]
    first = watched.mem(*question, env=AGENT)
    assert watched.standing()["answered"] == answered + 1
    assert first.out == watched.alone(*question, env=AGENT).out
    receipt = json.loads(first.out)["receipt"]
    assert [one["id"] for one in session_file(watched)["receipts"]][before:] == [receipt]
    assert json.loads(watched.mem(*question).out)["receipt"] is None


def test_a_remembered_claim_belongs_to_the_session_whoever_keeps_it(watched):
    assert watched.mem("activate", "--task", "Mend the gate", env=AGENT).code == 0
    session = session_file(watched)["id"]
    assert watched.mem("remember", "The gate has three hinges.", env=AGENT).code == 0
    assert watched.git("log", "-1", "--format=%(trailers:key=Mem-Session,valueonly)").strip() == session
    assert watched.mem("remember", "Elsewhere.", "--scope", "project:other", env=AGENT).code == 5


def test_an_idle_session_is_ended_by_the_resident(settled):
    assert settled.mem("activate", "--task", "Mend the gate", env=AGENT).code == 0
    assert outcomes(settled) == []
    time.sleep(2.1)
    settled.store.write("gate0000aaaa", "The gate is painted green.")  # which makes it look
    until(lambda: outcomes(settled) == ["idle"], "the end of the session")
    until(lambda: not list((settled.root / ".mem" / "sessions").glob("*.json")), "its closing")


def test_what_was_observed_is_committed_with_what_was_edited(settled):
    assert settled.mem("observe", "-", stdin="The gate has three hinges.").out == "1\n"
    settled.store.write("gate0000aaaa", "The gate is painted green.")
    until(lambda: settled.git("status", "--porcelain") == "", "the save")
    assert "system:watch" in settled.git("log", "-1", "--format=%(trailers:key=Mem-Actor,valueonly)")
