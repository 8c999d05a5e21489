"""What was taken out long ago costs a new claim little: it is looked up at once, and not one by one."""

import pytest

from memcli.index.lance import Table
from memcli.journal.process import Git
from memcli.memory.schema import Status


@pytest.fixture
def asked(monkeypatch):
    """How often the index was searched and git was started."""
    counts = {"searches": 0, "runs": 0}

    def counting(of, name, what):
        real = getattr(of, name)

        def counted(self, *words, **options):
            counts[what] += 1
            return real(self, *words, **options)

        monkeypatch.setattr(of, name, counted)

    counting(Table, "search", "searches")
    counting(Git, "_run", "runs")
    return counts


def grown(trial, many):
    """A store in which so many claims were superseded and so many retracted."""
    texts = [f"Gate {n} opens at {n + 3} o'clock." for n in range(2 * many)]
    ids = [one["id"] for one in trial.batch(texts)]
    for n, id_ in enumerate(ids[:many]):
        trial.did("supersede", id_, "--with", f"Gate {n} opens at {n + 40} o'clock.")
    for id_ in ids[many:]:
        trial.did("retract", id_, "--reason", "never so", "--yes")
    return ids


def cost(trial, asked, text):
    before = dict(asked)
    trial.remember(text)
    return {what: many - before[what] for what, many in asked.items()}


def test_a_new_claim_costs_no_search_and_no_run_of_git_for_each_that_was_taken_out(empty, tmp_path, asked):
    few, many = (empty.copy(tmp_path / str(size)) for size in (2, 9))
    grown(few, 2)
    grown(many, 9)
    for one in (few, many):
        one.remember("The first after a while brings the index in line.")
    assert cost(many, asked, "The lighthouse is white.") == cost(few, asked, "The lighthouse is white.")


@pytest.mark.parametrize("status", [Status.SUPERSEDED, Status.RETRACTED])
def test_what_was_taken_out_is_still_known_with_its_moment(trial, status):
    """Older evidence does not bring it back, newer does: the moments that are looked up at once are its own."""
    ids = grown(trial, 3)
    id_ = ids[1] if status is Status.SUPERSEDED else ids[4]
    said = trial.told("show", id_)["text"]
    old = trial.ran("remember", "--json", "--occurred-at", "2001-01-01", "--", said)
    assert '"decision": "created"' not in old.out
    assert id_ in old.out + old.err
