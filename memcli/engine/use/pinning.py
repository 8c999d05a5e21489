"""Pinning: a person says how far a memory may travel, and no sweep of the ladder moves it from there."""

from dataclasses import dataclass

from memcli.engine import handmade, resolve
from memcli.engine.opened import Opened
from memcli.engine.use import laddering
from memcli.engine.writer import Operation, writing
from memcli.errors import Refused
from memcli.journal import message as messages
from memcli.journal.message import Message
from memcli.memory.schema import Stage, Status

PIN = "pin"
_GONE = frozenset({Status.FORGOTTEN, Status.RETRACTED, Status.ARCHIVED})


@dataclass(frozen=True, slots=True)
class Pinned:
    """One memory after the act: `commit` None where it was pinned there already."""

    id: str
    claim: str
    prior: Stage
    stage: Stage
    commit: str | None


def pin(opened: Opened, id_: str, stage: Stage, reason: str = "") -> Pinned:
    """Pin the memory that `id_` names to `stage`; the caller has a person's word.

    Raises NoSuchMemory, and Refused for one that is seen from nowhere any more.
    """
    with writing(opened, PIN) as writer:
        found = resolve.one(opened, id_, writer.view.confirmed)
        handmade.commit_first(writer, [found.path])
        schema = found.schema
        if found.effective in _GONE:
            raise Refused(
                f"{schema.id} is {found.effective.value}; it travels nowhere.",
                f"`mem log {schema.id}` says what became of it.",
            )
        if schema.stage_pinned and schema.stage is stage:
            return Pinned(schema.id, schema.claim, schema.stage, stage, None)
        move = messages.Move(schema.id, schema.stage.word, stage.word, "pinned")
        file = laddering.restaged(opened, found.path, stage, pinned=True)
        same = messages.Change(schema.id, found.effective.value, found.effective.value)
        message = Message(PIN, schema.claim, reason, (same,), moves=(move,))
        return Pinned(
            schema.id, schema.claim, schema.stage, stage, writer.carry_out(Operation(message, (file,)))
        )
