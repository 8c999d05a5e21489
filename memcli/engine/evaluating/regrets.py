"""Regrets: how often what mem put aside, held back or gated was wanted after all.

Nothing is fed back by itself: what would have held is proposed, and a person may say so in mem.toml.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from memcli.engine import reconcile
from memcli.engine.health import contents, held_back
from memcli.engine.health.held_back import OfSessions
from memcli.engine.opened import Opened
from memcli.engine.task import belonging
from memcli.memory import regret
from memcli.memory.regret import Aside, Held, Proposal, Regret
from memcli.memory.schema import Status


@dataclass(frozen=True, slots=True)
class Regrets:
    """The regrets of one scope and those it sees (`*`: of the store), and what they propose.

    `met` of what was discarded were asked about by some session while they were put aside.
    """

    scope: str
    discard: Regret
    met: int
    abstain: Held
    gate: Held
    proposals: tuple[Proposal, ...] = ()
    notices: tuple[str, ...] = field(default=())


def run(opened: Opened, scope: str | None = None) -> Regrets:
    """The regrets, counted from `scope` (None: this command's, `*`: every). Changes nothing.

    Raises Refused for an agent whose session works in another scope.
    """
    view = reconcile.freshen(opened)
    scopes = belonging.scopes_read(opened, scope)
    ids = {row.id for row in contents.rows(opened, view, scopes)}
    steps = [regret.Step(one.op, one.changes) for one in contents.entries(opened)]
    held = held_back.of_sessions(opened, scopes, ids)
    aside = regret.discarded(steps, ids)
    return Regrets(
        scope=scope or str(opened.scope),
        discard=aside.regret,
        met=aside.met(held.shadows),
        abstain=held.abstain,
        gate=held.gate,
        proposals=tuple(_proposed(opened, aside, held)),
        notices=view.notices,
    )


def _proposed(opened: Opened, aside: Aside, held: OfSessions) -> Iterator[Proposal]:
    """The settings that would have let through what was wanted."""
    rules, weights = opened.settings.constants, held_back.saliences(opened) if aside.wanted else {}
    yield from regret.proposals("salience.active", rules.salience_active, aside.held(Status.STAGED, weights))
    yield from regret.proposals(
        "salience.staged", rules.salience_staged, aside.held(Status.ARCHIVED, weights)
    )
    yield from regret.proposals("recall.floor", rules.floor, held.abstain)
    yield from regret.proposals("gate.evidence", rules.gate_evidence, held.gate)
