"""Regrets: how often what mem put aside, held back or gated was wanted after all.

Nothing is fed back by itself: what would have held is proposed, and a person may say so in mem.toml.
"""

from dataclasses import dataclass, field
from typing import Final

from memcli.engine import reconcile
from memcli.engine.health import contents, held_back
from memcli.engine.opened import Opened
from memcli.memory import regret
from memcli.memory.regret import Held, Proposal, Regret

EVERY: Final = "*"


@dataclass(frozen=True, slots=True)
class Regrets:
    """The regrets of one scope and those it sees (`*`: of the store), and what they propose."""

    scope: str
    discard: Regret
    abstain: Held
    gate: Held
    proposals: tuple[Proposal, ...] = ()
    notices: tuple[str, ...] = field(default=())


def run(opened: Opened, scope: str | None = None) -> Regrets:
    """The regrets, counted from `scope` (None: this command's, `*`: every). Changes nothing."""
    view = reconcile.freshen(opened)
    scopes = None if scope == EVERY else opened.parse_scope(scope).seen
    ids = {row.id for row in contents.rows(opened, view, scopes)}
    steps = [regret.Step(one.op, one.changes) for one in contents.entries(opened)]
    held = held_back.of_sessions(opened, scopes, ids)
    rules = opened.settings.constants
    return Regrets(
        scope=scope or str(opened.scope),
        discard=regret.discarded(steps, ids),
        abstain=held.abstain,
        gate=held.gate,
        proposals=(
            *regret.proposals("recall.floor", rules.floor, held.abstain),
            *regret.proposals("gate.evidence", rules.gate_evidence, held.gate),
        ),
        notices=view.notices,
    )
