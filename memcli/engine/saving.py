"""Save: edits made by hand become journal entries, with trailers worked out from the difference."""

from dataclasses import dataclass

from memcli.engine import filing, handmade, reconcile
from memcli.engine.handmade import HandEdit
from memcli.engine.opened import Opened
from memcli.engine.task import said_lines
from memcli.engine.writer import FileChange, Operation, Writer, writing
from memcli.errors import Usage
from memcli.memory.schema import GONE
from memcli.store import atomic, format, scan

__all__ = ["HandEdit", "Saved", "missing", "plan", "run"]


@dataclass(frozen=True, slots=True)
class Saved:
    """What was committed and what was left as it is."""

    edits: tuple[HandEdit, ...]
    left: tuple[HandEdit, ...]
    commit: str | None
    commits: tuple[str, ...] = ()


def plan(opened: Opened, paths: tuple[str, ...] = ()) -> tuple[HandEdit, ...]:
    """What saving would commit, path by path. Raises Usage for a path that holds no edit."""
    with writing(opened, "save") as writer:
        found = handmade.all_of(writer, paths)
        if not paths and not any(one.op == handmade.OBSERVE for one in found):
            said_lines.settled(opened)
    missing = set(paths) - {path for one in found for path in one.paths}
    if missing:
        raise Usage(f"{min(missing)} has no edit to save.", "`mem status` lists the edited files.")
    return found


def missing(opened: Opened, edits: tuple[HandEdit, ...]) -> int:
    """How many of `edits` are files that are gone, where that is most of the store; else 0.

    A disk that is not mounted and a sync tool at work look like that too, so a person is asked.
    """
    gone = sum(1 for one in edits if one.status == GONE)
    return gone if gone >= reconcile.MASS and gone > len(scan.scan(opened.place).files) else 0


def run(opened: Opened, edits: tuple[HandEdit, ...], reason: str = "") -> Saved:
    """Commit `edits`: one commit an act, the plain ones together.

    Those with `needs_person` are committed because the caller kept them in; those refused
    are left. What changed since the plan is judged again and left if it needs a person now.
    """
    with writing(opened, "save") as writer:
        agreed = {(one.path, one.needs_person) for one in edits}
        now = handmade.all_of(writer, tuple(one.path for one in edits)) if edits else ()
        kept = tuple(one for one in now if not one.refused and (one.path, one.needs_person) in agreed)
        left = tuple(one for one in now if one not in kept)
        commits = _commit(writer, kept, reason)
        if said_lines.marked(opened) and not said_lines.paths(opened):
            said_lines.settled(opened)
    return Saved(kept, left, commits[-1] if commits else None, commits)


def _commit(writer: Writer, edits: tuple[HandEdit, ...], reason: str) -> tuple[str, ...]:
    overriding = tuple(one for one in edits if one.overrides)
    plain = tuple(one for one in edits if not one.overrides)
    made = [writer.carry_out(_overriding(writer, one, reason)) for one in overriding]
    return (*made, *handmade.commit(writer, plain, reason))


def _overriding(writer: Writer, one: HandEdit, reason: str) -> Operation:
    """Commit the edit together with the key that says a person let it pass."""
    opened = writer.opened
    raw = atomic.read(opened.place, one.path)
    schema = handmade.schema_of(opened, one.path, raw)
    passed = [*(schema.overrides if schema else ()), *one.overrides]
    after = filing.changed(opened, one.path, raw, {"overrides": list(dict.fromkeys(passed))})
    plain = handmade.operation_of(writer, (one,), one.op, reason)
    files = (FileChange(one.path, format.digest(raw), after),)
    return Operation(plain.message, files, further=one.paths[1:])
