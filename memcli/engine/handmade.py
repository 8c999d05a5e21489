"""Edits made by hand, read off the difference between HEAD and the files.

A person edits in an editor and git knows nothing of acts; so the act is worked out: a
status that went to forgotten is a forget, a new file is an add, anything else an edit.
What must not happen by itself is marked: a removed status that comes back, a claim that
says again what was removed, a secret.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from memcli.engine import arrivals, burial, filing, origins, procedures, standing
from memcli.engine.filing import Filed
from memcli.engine.opened import Opened
from memcli.engine.standing import Confirmed
from memcli.engine.task import said_lines
from memcli.engine.writer import Operation, Writer
from memcli.errors import Refused
from memcli.journal import tree
from memcli.journal.message import Change, Message
from memcli.memory.numerals import counted
from memcli.memory.schema import GONE, Schema, Stage, Status
from memcli.memory.scope import WHOLE, Scope
from memcli.store import format, scan, secrets, tombstones
from memcli.store.known import Known
from memcli.store.tombstones import Tombstone
from memcli.surroundings import Kind

BURY: Final = "bury"
CAPTURE: Final = "capture"  # files of procedures, written by hand
OBSERVE: Final = "observe"  # lines of events that nobody has committed yet
_OPS: Final = {
    Status.FORGOTTEN: "forget",
    Status.RETRACTED: "retract",
    Status.SUPERSEDED: "supersede",
    Status.ARCHIVED: "archive",
}
_BACK: Final = {Status.FORGOTTEN: "unforget", Status.RETRACTED: "unretract", Status.SUPERSEDED: "reopen"}
_A_PERSONS: Final = frozenset({Status.FORGOTTEN, Status.RETRACTED})
_WAITS: Final = frozenset({Status.STAGED, Status.NEEDS_REVIEW})
_STATUS_LINE: Final = re.compile(rb"^[\"']?status[\"']?[ \t]*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HandEdit:
    """One changed file: `op` is edit, add, move, delete, bury, forget, ... as the difference says.

    `needs_person` names why a person must confirm it (a status that comes back, a claim that
    says again what was removed), else empty; `refused` why it stays uncommitted (a secret,
    set aside), else empty; `overrides` are the removed ids that confirming lets it pass.
    `origin` is the path where a file that was moved stood before; `former` says what became
    of the id that the file had before and no file has any more.
    """

    path: str
    id: str
    op: str
    prior_status: str
    status: str
    claim: str
    needs_person: str = ""
    refused: str = ""
    overrides: tuple[str, ...] = ()
    origin: str = ""
    former: Change | None = None

    @property
    def act(self) -> bool:
        """Whether it changes a status, and so is a journal entry of its own."""
        return self.op not in ("edit", "add", "move", "delete", BURY, CAPTURE, OBSERVE)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that it changes."""
        return (self.path, self.origin) if self.origin else (self.path,)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What the journal says of it."""
        differs = bool(self.id) and self.prior_status != self.status
        here = (Change(self.id, self.prior_status, self.status),) if differs else ()
        return (*((self.former,) if self.former else ()), *here)


def schema_of(opened: Opened, path: str, raw: bytes) -> Schema | None:
    """What `raw` says as the file `path`, or None where it is set aside."""
    return filing.understand(opened, path, raw).schema


def states_status(raw: bytes) -> bool:
    """Whether the frontmatter of `raw` has the key `status` at all."""
    return bool(_STATUS_LINE.search(format.split(raw)[0]))


def all_of(writer: Writer, paths: Sequence[str] = ()) -> tuple[HandEdit, ...]:
    """Every uncommitted edit below `schemas/`, or those of `paths`, in order of path."""
    opened, confirmed = writer.opened, writer.view.confirmed
    changed = [one for one in tree.uncommitted(opened.journal) if _is_ours(writer, one)]
    moved = origins.of(opened, confirmed.head, writer.view.known, changed)
    here = [one.path for one in changed if one.path not in moved.values()]
    wanted = [path for path in here if not paths or path in paths or moved.get(path) in paths]
    edits = _edits(writer, {path: moved.get(path, path) for path in wanted})
    returned = [one for one in _guarded(writer, _returned(writer, set(wanted), paths)) if one.needs_person]
    found = [*_guarded(writer, edits), *returned, *graves(writer, paths), *_observed(writer, paths)]
    found += _captured(writer, paths)
    return tuple(sorted(found, key=lambda one: one.path))


def _is_ours(writer: Writer, one: tree.Uncommitted) -> bool:
    """Whether it is a file of the store: git also lists links, pipes and what other repositories hold."""
    gone = one.kind is tree.Kind.DELETED and scan.is_schema_path(one.path)
    return gone or one.path in writer.view.known


def _edits(writer: Writer, came: Mapping[str, str]) -> list[HandEdit]:
    """What became of the files at the paths of HEAD that `came` names, each at its path of now."""
    opened, head = writer.opened, writer.view.head
    before = tree.read(opened.journal, head, tuple(came.values())) if head else {}
    schemas = {
        path: schema_of(opened, path, raw) for path in came.values() if (raw := before.get(path)) is not None
    }
    return [_edit(writer, path, schemas.get(origin), origin) for path, origin in came.items()]


def _edit(writer: Writer, path: str, old: Schema | None, origin: str) -> HandEdit:
    opened, confirmed, known = writer.opened, writer.view.confirmed, writer.view.known
    now = filing.read(opened, path)
    if now is None:
        return _deleted(path, old, confirmed, known)
    if now.schema is None:
        return HandEdit(path, old.id if old else "", "edit", "", "", "", refused=now.problem)
    edit = compared(opened, confirmed, old, now, now.schema)
    if edit.former and origins.held_elsewhere(known, path, edit.former.id):
        edit = replace(edit, former=None)
    if origin == path:
        return edit
    return replace(edit, op=edit.op if edit.act else "move", origin=origin)


def _deleted(path: str, old: Schema | None, confirmed: Confirmed, known: Known) -> HandEdit:
    if old is None:
        return HandEdit(path, "", "delete", GONE, GONE, "")
    prior = _prior(confirmed, old)
    stays = origins.held_elsewhere(known, path, old.id)
    return HandEdit(path, old.id, "delete", prior, prior if stays else GONE, old.claim)


def _prior(confirmed: Confirmed, old: Schema) -> str:
    return (confirmed.status_of(old.id) or old.status).value


def compared(
    opened: Opened, confirmed: Confirmed, old: Schema | None, now: Filed, schema: Schema
) -> HandEdit:
    """What turning `old` (None: nothing) into the file `now` comes to."""
    prior = confirmed.status_of(schema.id) or (old.status if old and old.id == schema.id else None)
    op = _op(prior, schema.status, new=old is None)
    return HandEdit(
        path=now.path,
        id=schema.id,
        op=op,
        prior_status=prior.value if prior else GONE,
        status=schema.status.value,
        claim=schema.claim,
        needs_person=_needs_person(opened, prior, schema.status) or _reaches_further(opened, old, schema),
        refused=_secret(now),
        former=Change(old.id, _prior(confirmed, old), GONE) if old and old.id != schema.id else None,
    )


def _op(prior: Status | None, status: Status, *, new: bool) -> str:
    if prior is None:
        return "add" if status is Status.ACTIVE or new else "edit"
    if prior is status:
        return "add" if new else "edit"
    return _OPS.get(status) or _BACK.get(prior, "edit")


def _needs_person(opened: Opened, prior: Status | None, status: Status) -> str:
    if prior is not None and standing.withheld(status, (prior,)) is not None:
        return f"it was {prior.value}, and the file says {status.value} again"
    if status in _A_PERSONS and prior is not status and opened.actor.kind is not Kind.HUMAN:
        return f"making it {status.value} is a person's act"
    if prior in _WAITS and status not in _WAITS and opened.actor.kind is Kind.AGENT:
        return f"it was {prior.value}: to decide about it is a person's act"
    return ""


def _reaches_further(opened: Opened, old: Schema | None, schema: Schema) -> str:
    before = old.stage if old is not None else Stage.SCOPED
    if schema.stage > before and opened.actor.kind is not Kind.HUMAN:
        return f"letting it be seen further ({schema.stage.word}) is a person's act"
    if old is not None and widened(old.scope, schema.scope) and opened.actor.kind is Kind.AGENT:
        return f"letting every scope see it ({schema.scope}) is a person's act"
    return ""


def widened(before: Scope, after: Scope) -> bool:
    """Whether every scope sees what only one saw before."""
    return str(after) in WHOLE and str(before) not in WHOLE


def _secret(now: Filed) -> str:
    found = secrets.find(now.raw.decode("utf-8", "replace"))
    return f"it holds what looks like a secret ({found})" if found else ""


def _returned(writer: Writer, seen: set[str], paths: Sequence[str]) -> list[HandEdit]:
    """Files equal to HEAD that are withheld: a removed status came back, or a claim, by git alone."""
    opened, confirmed, known = writer.opened, writer.view.confirmed, writer.view.known
    removed = {path for path, one in known.items() if one.id in confirmed.removed}
    filed = [filing.read(opened, path) for path in sorted((removed | _withheld(writer)) - seen)]
    return [
        compared(opened, confirmed, one.schema, one, one.schema)
        for one in filed
        if one is not None and one.schema is not None and (not paths or one.path in paths)
    ]


def _withheld(writer: Writer) -> set[str]:
    from memcli.index import around

    return around.withheld(writer.view.index) if writer.view.index else set()


def _guarded(writer: Writer, edits: Sequence[HandEdit]) -> list[HandEdit]:
    """The edits with what their claims say again of what was removed, for a person to let pass."""
    asked = [one.path for one in edits if not (one.refused or one.needs_person or one.status == GONE)]
    filed = [one for path in asked if (one := filing.read(writer.opened, path)) is not None]
    said = arrivals.said_again(writer.opened, writer.view, filed)
    return [_told(one, said[one.path]) if one.path in said else one for one in edits]


def _told(edit: HandEdit, said: tuple[str, ...]) -> HandEdit:
    why = f"it says again what was removed ({', '.join(said)})"
    return replace(edit, needs_person=why, overrides=said)


def graves(writer: Writer, paths: Sequence[str] = ()) -> list[HandEdit]:
    """The tombstones that deletions left and no commit holds yet."""
    path = burial.path(writer.opened)
    if (paths and path not in paths) or not tree.uncommitted(writer.opened.journal, (path,)):
        return []
    why = _unexplained(writer)
    return [HandEdit(path, "", BURY, GONE, GONE, "what was removed and has no file any more", why)]


def _unexplained(writer: Writer) -> str:
    if writer.opened.actor.kind is Kind.HUMAN:
        return ""
    found = burial.unexplained(writer.opened, writer.view.head, writer.view.confirmed)
    return f"it says that {', '.join(sorted(found))} was removed: that is a person's act" if found else ""


def _observed(writer: Writer, paths: Sequence[str]) -> list[HandEdit]:
    """The files of events with lines that no commit holds yet."""
    found = [one for one in said_lines.unsaved(writer.opened) if not paths or one.path in paths]
    return [
        HandEdit(one.path, "", OBSERVE, "", "", counted(one.added, "event"), refused=_lost(one.lost))
        for one in found
    ]


def _captured(writer: Writer, paths: Sequence[str]) -> list[HandEdit]:
    """The files of procedures that HEAD holds otherwise."""
    found = [path for path in procedures.unsaved(writer.opened) if not paths or path in paths]
    return [
        HandEdit(path, "", CAPTURE, "", "", path, refused=procedures.unfit(writer.opened, path))
        for path in found
    ]


def _lost(count: int) -> str:
    return f"{counted(count, 'event')} that were committed are gone from it" if count else ""


def commit_first(writer: Writer, paths: Iterable[str], *, leave: bool = False) -> None:
    """Commit what was edited by hand in `paths`, so that an act changes nothing but its own bytes.

    Raises Refused for an edit that cannot be saved just so; with `leave` that one is left.
    """
    dirty = [path for path in paths if path in writer.view.dirty]
    if not dirty:
        return
    edits = all_of(writer, dirty)
    stuck = [one for one in edits if one.refused or one.needs_person]
    if stuck and not leave:
        why = stuck[0].refused or stuck[0].needs_person
        raise Refused(
            f"{stuck[0].path} has an edit that is not saved: {why}.", "Settle it with `mem save` first."
        )
    commit(writer, [one for one in edits if one not in stuck], "")


def commit(writer: Writer, edits: Sequence[HandEdit], reason: str) -> tuple[str, ...]:
    """One commit for each act and one for all plain edits together; their ids."""
    made = [writer.carry_out(operation_of(writer, (one,), one.op, reason)) for one in edits if one.act]
    plain = [one for one in edits if not one.act]
    if plain:
        ops = {one.op for one in plain} - {BURY, OBSERVE} or {one.op for one in plain}
        op = min(ops) if len(ops) == 1 else "edit"
        made.append(writer.carry_out(operation_of(writer, plain, op, reason)))
    return tuple(made)


def operation_of(writer: Writer, edits: Sequence[HandEdit], op: str, reason: str) -> Operation:
    """The operation that commits `edits` as they are on disk."""
    first = next((one for one in edits if one.id), edits[0])
    message = Message(op, first.claim, reason, tuple(change for one in edits for change in one.changes))
    further = tuple(path for one in edits for path in one.paths)
    return Operation(message, further=further, tombstones=_tombstones(writer, edits))


def _tombstones(writer: Writer, edits: Sequence[HandEdit]) -> tuple[Tombstone, ...]:
    """What a deleted file of a removed schema leaves behind."""
    head = writer.view.head
    away = {*standing.LEAVES_A_TOMBSTONE, Status.ARCHIVED}
    removed = [one for one in edits if one.prior_status in away]
    gone = [one for one in removed if one.op == "delete" and one.status == GONE]
    if not gone or head is None:
        return ()
    before = tree.read(writer.opened.journal, head, [one.path for one in gone])
    schemas = [(one, schema_of(writer.opened, one.path, before[one.path] or b"")) for one in gone]
    found = [(schema, _act(one, schema)) for one, schema in schemas if schema]
    graves = [burial.tombstone_of(schema, act) for schema, act in found if act]
    buried = {(one.id, one.digest) for one in tombstones.load(writer.opened.place).tombstones}
    return tuple(one for one in graves if (one.id, one.digest) not in buried)


def _act(edit: HandEdit, schema: Schema) -> str:
    """What the tombstone of a deleted file says: as the journal has it, else as the file had it."""
    if edit.prior_status in standing.LEAVES_A_TOMBSTONE:
        return edit.prior_status
    return burial.act_of(schema)
