"""A resident consolidates in a quiet moment: only what is due, only where it may, and nobody waits for it."""

import json

import pytest
from resident.conftest import until
from talk import exchanges

from memcli.resident.digester import Digester


def observed(house, many):
    """Observe closed exchanges in a session."""
    roles = ("user", "assistant")
    turns = [{"role": roles[nth % 2], "text": text} for nth, text in enumerate(exchanges(many))]
    lines = "\n".join(json.dumps(one) for one in turns)
    ran = house.alone("observe", "--session", "s1", "-", stdin=lines)
    assert ran.code == 0, ran


def commits(house):
    return house.git("log", "--format=%s").splitlines()


def settle(house, more="[consolidate]\nauto = true\n"):
    (house.root / "mem.toml").write_text(f"[watch]\nquiet_s = 0.2\n{more}")


def test_a_resident_digests_what_is_due_and_answers_meanwhile(house):
    settle(house)
    observed(house, 6)
    house.start()
    until(lambda: any(one.startswith("mem consolidate") for one in commits(house)), "a consolidation", 60)
    assert house.found("refund") == ["refund00aaaa"]
    assert house.git("status", "--porcelain", "events", "schemas") == ""
    assert house.standing()["trouble"] is None


@pytest.mark.parametrize(("many", "more"), [(5, "[consolidate]\nauto = true\n"), (6, "")])
def test_it_leaves_what_is_not_due_and_what_it_may_not_touch(house, many, more, monkeypatch):
    """Control: the test above. The waiting is made certain by asking the digester itself."""
    from memcli import surroundings
    from memcli.engine.kept import Kept
    from memcli.engine.opened import open_store
    from memcli.resident import digester, witness

    settle(house, more)
    observed(house, many)
    before, started = commits(house), []
    monkeypatch.setattr(digester.starting, "spawn", lambda *words: started.append(words))

    def opening():
        return open_store(surroundings.read(), named=str(house.root))

    import threading

    kept = Kept(house.place, witness.witness(house.root, "schemas", events=False))
    quiet = Digester(opening, kept, threading.Lock(), print)
    quiet._run()
    assert (started, commits(house)) == ([], before)
