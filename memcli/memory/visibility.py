"""Who may see what, when: one rule for every surface.

`verdict` decides about one row in memory; the index turns the same `Viewer` into a
filter that runs before any top-k, and a contract test holds the two equal over every
status, mode and window. Forgotten and foreign rows are INVISIBLE: never counted, named
or hinted at. What other scopes let travel is asked for apart (`Viewer.abroad`), so that it
moves nothing in the answer of a scope that lets it in nowhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from memcli.memory.ladder import may_reach
from memcli.memory.schema import Stage, StaleReason, Status, Validity
from memcli.memory.scope import Scope


class Mode(StrEnum):
    """Which statuses a question admits."""

    DEFAULT = "default"
    WIDE = "wide"
    HISTORY = "history"


class Verdict(StrEnum):
    """Shown, or why not; INVISIBLE is never reported."""

    ADMITTED = "admitted"
    STATUS = "status"
    VALIDITY = "validity"
    TYPE = "type"
    TAG = "tag"
    INVISIBLE = "invisible"


# FORMAT section 2: which statuses each mode admits whatever the moment ...
ADMITTED: Final[Mapping[Mode, frozenset[Status]]] = MappingProxyType(
    {
        Mode.DEFAULT: frozenset({Status.ACTIVE}),
        Mode.WIDE: frozenset({Status.ACTIVE, Status.NEEDS_REVIEW, Status.STAGED}),
        Mode.HISTORY: frozenset(
            {Status.ACTIVE, Status.NEEDS_REVIEW, Status.SUPERSEDED, Status.STALE, Status.RETRACTED},
        ),
    },
)
# ... and those that no mode of recall admits at any time.
UNSEEN: Final = frozenset({Status.FORGOTTEN, Status.ARCHIVED})


def was_right(status: Status, stale_reason: StaleReason | None) -> bool:
    """Whether a row that no longer counts still answers for a moment inside its window, once that ended."""
    return status is Status.SUPERSEDED or (status is Status.STALE and stale_reason is StaleReason.OUTDATED)


@dataclass(frozen=True, slots=True)
class Row:
    """What visibility looks at, of a schema or of its row in the index.

    `status` is the effective one: what the journal confirms, not what an old editor
    buffer says. `hidden_in` names scopes where the guard withholds the row.
    """

    scope: Scope
    status: Status
    stale_reason: StaleReason | None
    validity: Validity
    type: str
    tags: tuple[str, ...] = ()
    hidden_in: tuple[str, ...] = ()
    stage: Stage = Stage.SCOPED


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who asks, from where, about which moment; `scopes` None is every scope.

    `abroad` asks for what may travel to `scopes[0]` from scopes that are not among them: the
    ladder still has to let each in by how well it matches.
    """

    scopes: tuple[Scope, ...] | None
    as_of: int
    mode: Mode = Mode.DEFAULT
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    abroad: bool = False


def viewer_from(scope: Scope | None, as_of: int, mode: Mode = Mode.DEFAULT) -> Viewer:
    """The viewer standing in `scope` (None: a person who asked for every scope)."""
    return Viewer(None if scope is None else scope.seen, as_of, mode)


def verdict(viewer: Viewer, row: Row) -> Verdict:
    """Whether `viewer` gets `row`, or the first reason why not; what does not travel has no reason."""
    if viewer.abroad:
        lets = _travels(viewer, row) and _asked_for(viewer, row) is Verdict.ADMITTED
        return Verdict.ADMITTED if lets else Verdict.INVISIBLE
    if not _in_reach(viewer, row) or row.status in UNSEEN:
        return Verdict.INVISIBLE
    return _asked_for(viewer, row)


def _asked_for(viewer: Viewer, row: Row) -> Verdict:
    if viewer.types and row.type not in viewer.types:
        return Verdict.TYPE
    if viewer.tags and not set(viewer.tags) <= set(row.tags):
        return Verdict.TAG
    return _standing(viewer, row)


def _in_reach(viewer: Viewer, row: Row) -> bool:
    if viewer.scopes is None:
        return not row.hidden_in
    return row.scope in viewer.scopes and str(viewer.scopes[0]) not in row.hidden_in


def _travels(viewer: Viewer, row: Row) -> bool:
    """Whether a row of another scope may be let in: only what that one believes, or did."""
    if not viewer.scopes or row.scope in viewer.scopes or str(viewer.scopes[0]) in row.hidden_in:
        return False
    once = was_right(row.status, row.stale_reason) and row.validity.end is not None
    return (once or row.status is Status.ACTIVE) and may_reach(row.stage, row.scope, viewer.scopes[0])


def _standing(viewer: Viewer, row: Row) -> Verdict:
    holds = row.validity.holds_at(viewer.as_of)
    if row.status in ADMITTED[viewer.mode]:
        return Verdict.ADMITTED if holds or viewer.mode is Mode.HISTORY else Verdict.VALIDITY
    if was_right(row.status, row.stale_reason):
        ended = row.validity.end is not None  # a hand, or an old editor buffer, may leave the end out
        return Verdict.ADMITTED if holds and ended else Verdict.VALIDITY
    return Verdict.STATUS
