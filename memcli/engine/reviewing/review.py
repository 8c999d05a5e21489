"""Review: a person's decisions about what waits, each one commit that holds for good."""

from dataclasses import dataclass, replace
from typing import Final

from memcli.engine import filing, handmade, resolve, same_second, switching
from memcli.engine.opened import Opened
from memcli.engine.resolve import Found
from memcli.engine.reviewing import clearing, twice
from memcli.engine.reviewing.letting_pass import let_pass
from memcli.engine.reviewing.queue import Waiting
from memcli.engine.writer import FileChange, Operation, Writer, writing
from memcli.errors import BadFile, Refused, TryAgain
from memcli.journal import message as messages
from memcli.journal.message import Message
from memcli.memory import lifecycle, reviewing
from memcli.memory.reviewing import Why
from memcli.memory.schema import Status
from memcli.memory.scope import Scope
from memcli.store import atomic, format, rewording, secrets

ACCEPT: Final = "accept"
REJECT: Final = "reject"
SUPERSEDE: Final = "supersede"
EDIT: Final = "edit"
LEAVE: Final = "leave"


@dataclass(frozen=True, slots=True)
class Decided:
    """One decision carried out; `overrides` are the removed memories that it was let past.

    `until` is the end of what was superseded, in seconds since 1970; `same` another believed
    memory that says the same; `remains` what is still there of one that was forgotten.
    """

    op: str
    id: str
    claim: str
    prior_status: str
    status: str
    commit: str | None
    overrides: tuple[str, ...] = ()
    superseded: str = ""
    until: int | None = None
    same: str = ""
    remains: tuple[str, ...] = ()


def accept(opened: Opened, one: Waiting, reason: str = "", text: str = "") -> Decided:
    """Let it count, in other words where `text` gives them.

    Raises Refused where there is nothing to accept, TryAgain where it changed since it was shown.
    """
    _refuse_unless(one, EDIT if text else ACCEPT)
    if secret := secrets.find(text):
        raise Refused(f"The new words hold what looks like a secret ({secret}).", "Leave the secret out.")
    with writing(opened, "review") as writer:
        found = _still(writer, one)
        change = reviewing.accepted(found.schema)
        here = opened.scope if one.why is Why.HELD_HERE else None
        file, passed = _passing(writer, found, change.keys, text, here)
        claim = format.claim_of(file.after or b"")
        op = EDIT if one.why is Why.CONFLICT else ACCEPT
        others = clearing.cleared(writer, change.id) if one.why is Why.CONTAMINATED else ()
        told = (switching.change_of(change),) if others else _told(change)
        files = (*((file,) if _changes(file) else ()), *others)
        message = Message(op, claim, reason, told, rule="review")
        commit = writer.carry_out(Operation(message, files)) if files else None
        same = twice.beside(opened, writer.view, found.path)
    return Decided(op, change.id, claim, change.prior.value, change.status.value, commit, passed, same=same)


def _changes(file: FileChange) -> bool:
    return format.digest(file.after or b"") != file.expected


def reject(opened: Opened, one: Waiting, reason: str = "") -> Decided:
    """Archive it as rejected; one that was reported stays out as it is. Raises as `accept`."""
    _refuse_unless(one, LEAVE if one.why is Why.REPORTED else REJECT)
    with writing(opened, "review") as writer:
        found = _still(writer, one)
        deciding = reviewing.left_out if one.why is Why.REPORTED else reviewing.rejected
        change = deciding(found.schema)
        message = Message(REJECT, found.schema.claim, reason, _told(change), rule="review")
        file = switching.changed(opened, found.path, change.keys)
        commit = writer.carry_out(Operation(message, (file,)))
    return Decided(REJECT, change.id, found.schema.claim, change.prior.value, change.status.value, commit)


def supersede(opened: Opened, one: Waiting, old: str, reason: str = "") -> Decided:
    """Let it count from now on in place of the active memory `old`, in one commit of two files.

    Raises NoSuchMemory, Refused for what cannot be superseded, and as `accept`.
    """
    _refuse_unless(one, SUPERSEDE)
    return same_second.waited_out(opened, lambda now: _superseding(now, one, old, reason))


def _superseding(opened: Opened, one: Waiting, old_id: str, reason: str) -> Decided:
    with writing(opened, "review") as writer:
        new, old = _still(writer, one), resolve.one(opened, old_id, writer.view.confirmed)
        handmade.commit_first(writer, [old.path])
        plan, keys = _switch(writer, new, old)
        change = reviewing.accepted(new.schema)
        file, passed = _passing(writer, new, {**change.keys, **keys})
        told = (switching.change_of(plan.old), *_told(change))
        message = Message(SUPERSEDE, new.schema.claim, reason, told, rule="review")
        closed = switching.changed(opened, old.path, plan.old.keys)
        commit = writer.carry_out(Operation(message, (closed, file)))
    prior, status = change.prior.value, change.status.value
    return Decided(
        SUPERSEDE, change.id, new.schema.claim, prior, status, commit, passed, old.schema.id, plan.until
    )


def _switch(writer: Writer, new: Found, old: Found) -> tuple[lifecycle.Supersession, lifecycle.Keys]:
    """How `old` is closed, and the keys that make `new`, which counts from now on, its successor."""
    opened = writer.opened
    begins = new.schema.validity.start
    same_second.refuse(old.schema, begins, opened.now)
    switch = lifecycle.switch_of(begins, opened.now)
    counting = replace(new.schema, status=Status.ACTIVE)
    spell, chain = switching.spelled(opened), switching.chain(writer)
    plan = lifecycle.supersede(switching.standing(old), switch, counting.id, chain, spell=spell)
    return plan, lifecycle.succeeding(counting, counting.id, old.schema.id, switch, spell)


def _passing(
    writer: Writer, found: Found, keys: lifecycle.Keys, text: str = "", here: Scope | None = None
) -> tuple[FileChange, tuple[str, ...]]:
    """The file with `keys` changed, `text` for its claim, and let past what it is held for; those ids."""
    opened = writer.opened
    raw = atomic.read(opened.place, found.path)
    after = filing.changed(opened, found.path, raw, keys)
    if text:
        after = rewording.set_claim(after, text, found.path)
    after, said = let_pass(opened, writer.view, found.path, after, here)
    before = reviewing.let_past(found.schema) if "overrides" in keys else ()
    return FileChange(found.path, format.digest(raw), after), tuple(dict.fromkeys((*before, *said)))


def _told(change: lifecycle.Change) -> tuple[messages.Change, ...]:
    """What the journal says of it; a decision that leaves the status as it was says nothing."""
    if change.prior is change.status:
        return ()
    return (switching.change_of(change),)


def _still(writer: Writer, one: Waiting) -> Found:
    """The memory as it was shown. Raises TryAgain where its file is another one by now."""
    found = resolve.at(writer.opened, one.path, writer.view.confirmed)
    if found.digest != one.digest:
        raise TryAgain(f"{one.id} changed since it was shown; nothing was decided.", "Look at it again.")
    handmade.commit_first(writer, [found.path])
    return found


def misfit(text: bytes) -> tuple[str, ...]:
    """What is wrong with `text` as other words for a claim; nothing where it is one."""
    try:
        one = rewording.is_claim(text.decode())
    except UnicodeDecodeError:
        return ("is not UTF-8",)
    return () if one else ("a claim is one paragraph, without a heading",)


def _refuse_unless(one: Waiting, decision: str) -> None:
    possible = reviewing.DECISIONS[one.why]
    if one.schema is None:
        raise BadFile(f"{one.path} holds a conflict of git.", "Resolve it in an editor, then `mem save`.")
    if decision not in possible:
        raise Refused(
            f"{one.id} waits because of {one.why.value}: it cannot be decided by {decision}.",
            f"It can be decided by {', '.join(possible)}.",
        )
