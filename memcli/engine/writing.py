"""New, edit and move: what a person does to one file with an editor, as acts of the journal."""

from dataclasses import dataclass, replace
from os import urandom
from typing import Final

from memcli.engine import arrivals, filing, handmade, resolve
from memcli.engine.handmade import HandEdit
from memcli.engine.opened import Opened
from memcli.engine.task import belonging
from memcli.engine.writer import FileChange, Operation, Writer
from memcli.engine.writer import writing as holding
from memcli.errors import BadFile, Refused, Usage
from memcli.journal.message import Message
from memcli.memory.schema import Schema, Status, Type
from memcli.memory.scope import Scope, of_folder
from memcli.store import atomic, edit, event, format, lock, naming
from memcli.store.problem import Problem
from memcli.surroundings import Kind

_TEMPLATE: Final = """\
---
id: {id}
type: {type}
status: active
scope: {scope}
---

"""


@dataclass(frozen=True, slots=True)
class Draft:
    """A file to be edited: `path` inside the store, `before` its bytes (a template when `fresh`)."""

    id: str
    path: str
    before: bytes
    fresh: bool


@dataclass(frozen=True, slots=True)
class Written:
    """What closing the editor came to; `commit` None means unchanged."""

    id: str
    path: str
    op: str
    claim: str
    commit: str | None
    notices: tuple[str, ...] = ()


def draft(opened: Opened, *, scope: str | None, type_: str) -> Draft:
    """A fresh file for `mem new`; nothing is written yet. Raises Usage, Refused (not the session's scope)."""
    if type_ not in set(Type):
        raise Usage(f"{type_!r} is not a type.", f"There are {', '.join(Type)}.")
    where = opened.parse_scope(scope)
    belonging.refuse_other_scope(opened, where)
    id_ = event.schema_id(event.new_id(opened.now_ms, urandom(10)))
    raw = edit.set_keys(
        _TEMPLATE.format(id=id_, type=type_, scope="global").encode(), {"id": id_, "scope": str(where)}
    )
    return Draft(id_, f"schemas/{where.folder}/new-{id_}.md", raw, fresh=True)


def take(opened: Opened, id_: str) -> Draft:
    """The file that `mem edit` opens, set aside or not. Raises NoSuchMemory, Refused (a forgotten one)."""
    try:
        found = resolve.one(opened, id_)
    except BadFile as error:
        path = error.message.removesuffix(" is set aside.")
        folder = of_folder(tuple(path.split("/")[1:-1]))
        if folder is not None:
            belonging.refuse_other_scope(opened, folder, reading=True)
        return Draft(id_, path, atomic.read(opened.place, path), fresh=False)
    resolve.refuse_unreadable(opened, found)
    return Draft(found.schema.id, found.path, atomic.read(opened.place, found.path), fresh=False)


def taken_at(opened: Opened, path: str) -> Draft:
    """The file at `path` for an editor, set aside or not. Raises TryAgain where it is gone."""
    raw = atomic.read(opened.place, path)
    schema = filing.understand(opened, path, raw).schema
    return Draft(schema.id if schema else "", path, raw, fresh=False)


def resolved(opened: Opened, draft: Draft, after: bytes) -> str:
    """Write a file that git left in conflict as it was resolved, as an editor would; what comes next.

    It is not committed: a merge under way is git's to finish. Raises TryAgain where the file
    changed meanwhile.
    """
    with lock.hold(opened.place, wait_s=opened.settings.lock_wait_s, holder="review"):
        atomic.replace(opened.place, draft.path, after, format.digest(draft.before))
    if opened.journal.state().merging:
        return f"finish the merge: git add {draft.path}, then git commit"
    return "commit it with mem save"


def problems(opened: Opened, draft: Draft, after: bytes) -> tuple[str, ...]:
    """`line 4: key: what` for everything in `after` that does not fit, empty when it does."""
    filed = filing.understand(opened, draft.path, after)
    if filed.schema is not None:
        return ()
    return tuple(_in_the_editor(problem) for problem in filed.problems)


def _in_the_editor(problem: Problem) -> str:
    """`line 4: key: what`: the file in the editor is the only one there is."""
    _, _, told = str(problem._replace(path="line")).partition(":")
    return f"line {told}" if problem.line else told.strip()


def keep(opened: Opened, draft: Draft, after: bytes, *, person: bool = False) -> Written:
    """Write `after` and commit it as one act; `person` is a person's word for what needs one.

    Raises BadFile, Refused (a secret, a removed claim), TryAgain where the file changed meanwhile.
    """
    if not draft.fresh and after == draft.before:
        return Written(draft.id, draft.path, "edit", "", None)
    filed = filing.understand(opened, draft.path, after)
    if filed.schema is None:
        raise BadFile(
            "The text does not fit the format; nothing was written.",
            "Correct it and save again.",
            tuple(str(problem) for problem in filed.problems),
        )
    with holding(opened, "edit") as writer:
        if not draft.fresh:
            handmade.commit_first(writer, [draft.path])
        return _kept(writer, draft, replace(filed, path=_path(writer, draft, filed.schema)), person=person)


def _path(writer: Writer, draft: Draft, schema: Schema) -> str:
    return naming.fresh_path(schema, set(writer.view.known)) if draft.fresh else draft.path


def _kept(writer: Writer, draft: Draft, filed: filing.Filed, *, person: bool) -> Written:
    opened = writer.opened
    schema = filed.schema
    if schema is None:
        raise AssertionError("checked by keep")
    before = None if draft.fresh else handmade.schema_of(opened, draft.path, draft.before)
    judged = handmade.compared(opened, writer.view.confirmed, before, filed, schema)
    said = arrivals.said_again(opened, writer.view, [filed]).get(filed.path, ())
    _refuse(judged, said, person=person)
    raw = filed.raw
    if said:
        passed = list(dict.fromkeys((*schema.overrides, *said)))
        raw = filing.changed(opened, filed.path, raw, {"overrides": passed})
    expected = None if draft.fresh else format.digest(draft.before)
    message = Message(judged.op, schema.claim, changes=judged.changes)
    commit = writer.carry_out(Operation(message, (FileChange(filed.path, expected, raw),)))
    return Written(schema.id, filed.path, judged.op, schema.claim, commit)


def _refuse(judged: HandEdit, said: tuple[str, ...], *, person: bool) -> None:
    if judged.refused:
        raise Refused(f"Nothing was written: {judged.refused}.", "Leave the secret out.")
    if judged.needs_person and not person:
        back = judged.prior_status != judged.status
        raise Refused(
            f"Nothing was written: {judged.needs_person}.",
            "`mem unforget` brings it back, at a terminal." if back else "Leave that to a person.",
        )
    if said and not person:
        raise Refused(
            f"It says again what was removed ({', '.join(said)}); nothing was written.",
            "If it shall count again: mem remember --override ID …",
        )


def move(opened: Opened, id_: str, scope: str) -> Written:
    """Put a memory into another scope: key, folder and one commit.

    Raises NoSuchMemory, Usage, TryAgain, and Refused for an agent that lets every scope see it.
    """
    where = opened.parse_scope(scope)
    belonging.refuse_other_scope(opened, where)
    with holding(opened, "move") as writer:
        found = resolve.one(opened, id_, writer.view.confirmed)
        _refuse_to_widen(opened, found.schema, where)
        handmade.commit_first(writer, [found.path])
        schema = replace(found.schema, scope=where)
        fresh = naming.fresh_path(schema, set(writer.view.known))
        if found.schema.scope == where and found.path.startswith(f"schemas/{where.folder}/"):
            return Written(schema.id, found.path, "move", schema.claim, None)
        if found.effective is Status.FORGOTTEN:
            raise Refused(f"{schema.id} is forgotten; it stays where it was.", "`mem unforget` first.")
        raw = atomic.read(opened.place, found.path)
        after = filing.changed(opened, found.path, raw, {"scope": str(where)})
        _refuse_removed(writer, filing.understand(opened, fresh, after))
        files = (FileChange(found.path, format.digest(raw), None), FileChange(fresh, None, after))
        reason = f"from {found.schema.scope} to {where}"
        commit = writer.carry_out(Operation(Message("move", schema.claim, reason), files))
    return Written(schema.id, fresh, "move", schema.claim, commit)


def _refuse_to_widen(opened: Opened, schema: Schema, where: Scope) -> None:
    belonging.refuse_unseen(opened, schema)
    if opened.actor.kind is Kind.AGENT and handmade.widened(schema.scope, where):
        raise Refused(
            f"Letting every scope see {schema.id} is a person's act.",
            "Tell the person what should hold everywhere, and why.",
        )


def _refuse_removed(writer: Writer, moved: filing.Filed) -> None:
    said = arrivals.said_again(writer.opened, writer.view, [moved]).get(moved.path)
    if said:
        raise Refused(
            f"It says again what was removed there ({', '.join(said)}); it stays where it was.",
            "A person can let it pass there: mem remember --override ID …",
        )


__all__ = ["Draft", "Written", "draft", "keep", "move", "problems", "resolved", "take", "taken_at"]
