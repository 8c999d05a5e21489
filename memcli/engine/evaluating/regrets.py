"""Regrets: how often what mem put aside, held back or gated was wanted after all."""

from dataclasses import dataclass, field

from memcli.engine import reconcile
from memcli.engine.health import contents
from memcli.engine.opened import Opened
from memcli.memory import regret
from memcli.memory.regret import Regret


@dataclass(frozen=True, slots=True)
class Regrets:
    """The regrets of one scope and those it sees (`*`: of the store)."""

    scope: str
    discard: Regret
    notices: tuple[str, ...] = field(default=())


def run(opened: Opened, scope: str | None = None) -> Regrets:
    """The regrets, counted from `scope` (None: this command's, `*`: every). Changes nothing."""
    view = reconcile.freshen(opened)
    scopes = None if scope == "*" else opened.parse_scope(scope).seen
    ids = {row.id for row in contents.rows(opened, view, scopes)}
    steps = [regret.Step(one.op, one.changes) for one in contents.entries(opened)]
    return Regrets(scope or str(opened.scope), regret.discarded(steps, ids), view.notices)
