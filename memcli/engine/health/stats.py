"""Stats: what the memories of a scope look like taken together, and whether they are looked after."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from memcli.engine import reconcile
from memcli.engine.health import contents, held_back
from memcli.engine.health.contents import Row
from memcli.engine.opened import Opened
from memcli.engine.reviewing import queue, staging, twice
from memcli.engine.task import belonging
from memcli.engine.use import accounts
from memcli.memory import account, regret
from memcli.memory.constants import DEFAULTS
from memcli.memory.regret import Regret
from memcli.memory.schema import GONE, Status
from memcli.memory.scope import Scope
from memcli.store import events

if TYPE_CHECKING:
    from memcli.journal.history import Entry

WEEK_S: Final = 7 * 86_400
WEEKS: Final = 12  # asserted: a quarter of a year
SOON_S: Final = 3 * 86_400  # asserted: a weekend's warning before a staged memory is given up


@dataclass(frozen=True, slots=True)
class Number:
    """One constant in force; `default` is what it is where the settings say nothing."""

    key: str
    value: float
    default: float
    provenance: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Stats:
    """The figures of one scope and those that it sees (`*`: of the store), as of `as_of`.

    `twice` are pairs of believed memories that say the same, None where there are too many to
    compare; `waiting` counts the queue by reason; `soon` are staged ones about to be given up;
    `used` are those that some feedback called so, `labile` those it found beside the point;
    `weeks` how many memories were made in each of the last weeks, the latest last. `scopes`
    is filled for every scope alone.
    """

    scope: str
    as_of: int
    memories: int
    by_status: Mapping[str, int]
    by_type: Mapping[str, int]
    scopes: Mapping[str, int]
    reasons: Mapping[str, int]
    waiting: Mapping[str, int]
    twice: tuple[tuple[str, str], ...] | None
    staged: int
    soon: int
    used: int
    labile: int
    discard: Regret
    abstain: Regret
    gate: Regret
    weeks: tuple[int, ...]
    events: Mapping[str, int]
    index_files: int = 0
    index_bytes: int = 0
    notices: tuple[str, ...] = field(default=())


def constants(opened: Opened) -> tuple[Number, ...]:
    """Every number that decides something, as it is in force here."""
    usual = {one.key: one.value for one in DEFAULTS}
    return tuple(
        Number(one.key, one.value, usual[one.key], one.provenance, one.meaning)
        for one in opened.settings.constants
    )


def run(opened: Opened, scope: str | None = None) -> Stats:
    """The figures, asked from `scope` (None: this command's, `*`: every). Changes nothing but the index.

    Raises Refused for an agent whose session works in another scope.
    """
    view = reconcile.freshen(opened)
    scopes = belonging.scopes_read(opened, scope)
    rows = contents.rows(opened, view, scopes)
    waits = queue.waiting(opened, view, scope)
    until = [
        one.until for one in staging.staged(opened, view) if scopes is None or one.schema.scope in scopes
    ]
    entries = contents.entries(opened)
    ours = {row.id for row in rows}
    spoken_of = [one for id_, one in accounts.load(opened).items() if id_ in ours]
    held = held_back.of_sessions(opened, scopes, ours)
    index_files, index_bytes = view.index.size() if view.index else (0, 0)
    return Stats(
        scope=scope or str(opened.scope),
        as_of=opened.now,
        memories=len(rows),
        by_status=_counted(row.status for row in rows),
        by_type=_counted(row.type for row in rows if row.status == Status.ACTIVE),
        scopes=_counted(row.scope for row in rows) if scopes is None else {},
        reasons=_reasons(rows),
        waiting=_counted(one.why.value for one in waits),
        twice=twice.pairs(
            opened, view, [(row.path, row.scope) for row in rows if row.status == Status.ACTIVE]
        ),
        staged=len(until),
        soon=sum(1 for one in until if one is not None and one <= opened.now + SOON_S),
        used=sum(1 for one in spoken_of if one.used),
        labile=sum(account.labile(one, opened.now, opened.settings.constants) for one in spoken_of),
        abstain=held.abstain.regret,
        gate=held.gate.regret,
        discard=regret.discarded([regret.Step(one.op, one.changes) for one in entries], ours).regret,
        weeks=_weeks(entries, ours, opened.now),
        events=_events(opened, scopes),
        index_files=index_files,
        index_bytes=index_bytes,
        notices=view.notices,
    )


def _counted(words: Iterable[str]) -> dict[str, int]:
    """How often each word comes, the most frequent first."""
    return dict(sorted(Counter(words).items(), key=lambda one: (-one[1], one[0])))


def _reasons(rows: Sequence[Row]) -> dict[str, int]:
    """Why stale and archived memories are so, like `stale outdated`."""
    from memcli.index import rest

    stale = [f"stale {row.stale_reason}" for row in rows if row.status == Status.STALE and row.stale_reason]
    gone = [rest.unpack(row.rest).get("archive_reason") for row in rows if row.status == Status.ARCHIVED]
    return _counted([*stale, *(f"archived {reason.value}" for reason in gone if reason)])


def _weeks(entries: "Sequence[Entry]", ids: set[str], now: int) -> tuple[int, ...]:
    """How many of `ids` were made in each of the last weeks, the latest last."""
    made = [0] * WEEKS
    for entry in entries:
        back = max(now - entry.at, 0) // WEEK_S
        if back < WEEKS:
            made[WEEKS - 1 - back] += sum(
                1 for change in entry.changes if change.prior == GONE and change.id in ids
            )
    return tuple(made)


def _events(opened: Opened, scopes: tuple[Scope, ...] | None) -> dict[str, int]:
    """How many events there are of each kind."""
    found = [one for path in events.files(opened.place) for one in events.read(opened.place, path).events]
    return _counted(one.kind.value for one in found if scopes is None or one.scope in scopes)
