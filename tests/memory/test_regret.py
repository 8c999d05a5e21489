"""How often what was put aside was wanted after all, read off the journal."""

from dataclasses import dataclass

import pytest

from memcli.memory.regret import Regret, Step, discarded


@dataclass(frozen=True)
class Change:
    id: str
    prior: str
    status: str


def step(op, prior, status, id_="aaaa"):
    return Step(op, (Change(id_, prior, status),))


STAGED = step("consolidate", "none", "staged")
EXPIRED = step("consolidate", "staged", "archived")


@pytest.mark.parametrize(
    ("steps", "regret"),
    [
        ([], (0, 0)),
        ([STAGED], (0, 1)),
        ([STAGED, EXPIRED], (0, 1)),
        ([STAGED, step("remember", "staged", "active")], (1, 1)),
        ([STAGED, step("consolidate", "staged", "active")], (0, 1)),
        ([STAGED, step("accept", "staged", "active")], (0, 1)),
        ([STAGED, EXPIRED, step("remember", "archived", "active")], (1, 1)),
        ([STAGED, EXPIRED, step("consolidate", "archived", "active")], (1, 1)),
        ([STAGED, EXPIRED, step("reopen", "archived", "active")], (1, 1)),
        ([STAGED, EXPIRED, step("undo", "archived", "active")], (0, 1)),
        ([step("consolidate", "none", "archived"), step("remember", "archived", "active")], (1, 1)),
        ([step("reject", "needs_review", "archived"), step("reopen", "archived", "active")], (0, 0)),
        ([step("remember", "none", "active")], (0, 0)),
    ],
)
def test_only_what_mem_put_aside_and_somebody_wanted_is_regretted(steps, regret):
    assert discarded(list(reversed(steps)), {"aaaa"}).regret == Regret(*regret)


def test_each_memory_counts_once_and_others_do_not():
    again = [STAGED, EXPIRED, step("remember", "archived", "active"), STAGED, EXPIRED]
    other = step("consolidate", "none", "staged", "bbbb")
    assert discarded(list(reversed([*again, other])), {"aaaa"}).regret == Regret(1, 1)
    assert discarded(list(reversed([*again, other])), {"aaaa", "bbbb"}).regret == Regret(1, 2)
