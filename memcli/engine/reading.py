"""Show and list: memories as their files state them, without index or model."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memcli.engine import clashes, counting, filing, resolve, standing
from memcli.engine.opened import Opened
from memcli.engine.resolve import Found
from memcli.engine.retracting import doubting
from memcli.engine.standing import Confirmed
from memcli.engine.task import belonging
from memcli.errors import Refused
from memcli.memory import confidence
from memcli.memory.confidence import NONE, Doubt
from memcli.memory.schema import Schema, Status, fold_concept
from memcli.memory.scope import Scope
from memcli.store import atomic, scan
from memcli.surroundings import Kind

# What a list leaves out unless its status is asked for: what no longer counts.
_SILENT = frozenset({Status.FORGOTTEN, Status.ARCHIVED, Status.RETRACTED, Status.SUPERSEDED, Status.STALE})


@dataclass(frozen=True, slots=True)
class Shown:
    """One memory whole: `effective` is the status that counts, `raw` the file's bytes.

    `confidence` is what retractions left of its own, `conflict` the ids of what clashes with it.
    """

    schema: Schema
    path: str
    effective: str
    raw: bytes
    confidence: float
    conflict: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListRequest:
    """Which memories; `scope` None is this command's with those it sees, `*` every scope.

    `statuses` empty is those that count.
    """

    scope: str | None
    statuses: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    concept: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of a list."""

    id: str
    path: str
    status: str
    type: str
    scope: str
    claim: str
    valid_from: int | None = None
    valid_to: int | None = None
    stage: str = ""
    concept: str = ""
    tags: tuple[str, ...] = ()


def show(opened: Opened, ids: tuple[str, ...]) -> tuple[Shown, ...]:
    """The memories that `ids` name, in that order. Raises NoSuchMemory, BadFile.

    Raises Refused where an agent asks for what was forgotten.
    """
    confirmed = standing.current(opened)
    seen = scan.scan(opened.place)
    found = resolve.all_of(opened, ids, confirmed, seen)
    for one in found:
        resolve.refuse_unreadable(opened, one)
    doubts = doubting.of_journal(opened, confirmed)
    believed = [one.schema for one in found if _counts(one, confirmed)]
    rivals = clashes.of(opened, seen, believed, confirmed)
    return tuple(_shown(opened, one, doubts, rivals.get(one.schema.id, ())) for one in found)


def _counts(found: Found, confirmed: Confirmed) -> bool:
    return found.effective is Status.ACTIVE and found.path not in confirmed.withheld


def _shown(opened: Opened, found: Found, doubts: Mapping[str, Doubt], rivals: tuple[str, ...]) -> Shown:
    raw = atomic.read(opened.place, found.path)
    notices = []
    if found.effective is not found.schema.status:
        notices.append(
            f"The file says {found.schema.status.value}, the journal {found.effective.value}: that counts "
            "until `mem save` confirms the change."
        )
    filed = filing.understand(opened, found.path, raw)
    notices += [str(notice) for notice in filed.notices]
    lost = doubts.get(found.schema.id, NONE).penalty
    left = confidence.left(found.schema.confidence, lost, opened.settings.constants)
    return Shown(found.schema, found.path, found.effective.value, raw, left, rivals, tuple(notices))


def list_(opened: Opened, request: ListRequest) -> Iterator[Listed]:
    """Memories by path, as they are read; removed ones only when asked for by status.

    Raises Refused for an agent that lists every scope, another than its session's, or what was forgotten.
    """
    scopes = _scopes(opened, request)
    if opened.actor.kind is not Kind.HUMAN and Status.FORGOTTEN.value in request.statuses:
        raise Refused("Listing what was forgotten is a person's choice.", "Leave --status forgotten out.")
    return _listed(opened, request, scopes)


def _scopes(opened: Opened, request: ListRequest) -> tuple[Scope, ...] | None:
    if request.scope == "*":
        if opened.actor.kind is not Kind.HUMAN:
            raise Refused("Listing every scope is a person's choice.", "Name one scope: --scope project:shop")
        return None
    return belonging.scopes_read(opened, request.scope)


def _listed(opened: Opened, request: ListRequest, scopes: tuple[Scope, ...] | None) -> Iterator[Listed]:
    confirmed = standing.current(opened)
    for filed in filing.every(opened):
        if filed.schema is None:
            continue
        schema = filed.schema
        status = counting.effective(schema.id, schema.status, confirmed)
        if filed.path in confirmed.withheld and status not in _SILENT:
            status = Status.FORGOTTEN  # it says again what was removed
        if _wanted(request, scopes, schema, status):
            yield Listed(
                schema.id,
                filed.path,
                status.value,
                schema.type.value,
                str(schema.scope),
                schema.claim,
                schema.validity.start,
                schema.validity.end,
                schema.stage.word,
                schema.concept,
                schema.tags,
            )


def _wanted(request: ListRequest, scopes: tuple[Scope, ...] | None, schema: Schema, status: Status) -> bool:
    if scopes is not None and schema.scope not in scopes:
        return False
    if request.statuses and "*" not in request.statuses and status.value not in request.statuses:
        return False
    if not request.statuses and status in _SILENT:
        return False
    if request.types and schema.type.value not in request.types:
        return False
    if not set(request.tags) <= set(schema.tags):
        return False
    return not request.concept or fold_concept(schema.concept) == fold_concept(request.concept)
