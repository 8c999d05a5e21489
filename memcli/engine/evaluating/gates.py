"""The gate against messages that somebody labelled: which it shuts out by mistake, and which it lets in."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memcli.engine.opened import Opened
from memcli.engine.recalling import gating
from memcli.engine.recalling.asking import Request
from memcli.errors import BadFile
from memcli.memory import tokens
from memcli.memory.gate import Decision
from memcli.memory.pairs import RepeatedKeyError, once


@dataclass(frozen=True, slots=True)
class Labelled:
    """A message, and whether it needs memory; `place` is file and line, `scope` empty for the command's."""

    text: str
    needed: bool
    place: str
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A message with what the gate decided about it."""

    message: Labelled
    decision: Decision

    @property
    def wrong(self) -> bool:
        """Whether the gate decided otherwise than the label."""
        return self.message.needed != self.decision.retrieve


@dataclass(frozen=True, slots=True)
class Measured:
    """How the gate did: `missed` needed memory and were shut out, `opened` needed none and were let in."""

    judged: tuple[Judged, ...]

    @property
    def needed(self) -> int:
        """How many messages need memory."""
        return sum(one.message.needed for one in self.judged)

    @property
    def missed(self) -> tuple[Judged, ...]:
        """Needed messages that the gate shut out."""
        return tuple(one for one in self.judged if one.wrong and one.message.needed)

    @property
    def opened(self) -> tuple[Judged, ...]:
        """Messages that need none and were let in."""
        return tuple(one for one in self.judged if one.wrong and not one.message.needed)


def run(opened: Opened, messages: Iterable[Labelled], scope: str | None) -> Measured:
    """Put each message to the gate, from its scope, else from `scope`. Raises what gating raises."""
    return Measured(
        tuple(
            Judged(one, _decided(gating.run(opened, Request(one.text, one.scope or scope, gate=True)).gate))
            for one in messages
        )
    )


def _decided(decision: Decision | None) -> Decision:
    if decision is None:
        raise AssertionError("the gate decides whatever it is asked")
    return decision


def read(name: str, text: str) -> tuple[Labelled, ...]:
    """The messages in the JSON lines `text` of the file `name`. Raises BadFile with every wrong line."""
    found: list[Labelled] = []
    wrong: list[str] = []
    for place, line in _lines(name, text):
        try:
            found.append(_labelled(place, _object(line)))
        except TypeError as error:
            wrong.append(f"{place}: {error}")
    if wrong:
        raise BadFile(
            f"{name} has lines that are no labelled message.",
            'One JSON object a line: {"text": "…", "needed": true}',
            tuple(wrong),
        )
    return tuple(found)


def _lines(name: str, text: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.split("\n"), 1):  # other separators may stand inside a text
        if line.strip():
            yield f"{name}:{number}", line


def _object(line: str) -> Mapping[str, Any]:
    """The object of one line. Raises TypeError, in words of our own."""
    try:
        said = json.loads(line, object_pairs_hook=once)
    except RepeatedKeyError as error:
        raise TypeError(str(error)) from error
    except (ValueError, RecursionError) as error:
        raise TypeError("it is not JSON, or torn") from error
    if not isinstance(said, dict):
        raise TypeError("it is no JSON object")
    return said


def _labelled(place: str, said: Mapping[str, Any]) -> Labelled:
    """The message of one line. Raises TypeError."""
    text, needed, scope = said.get("text"), said.get("needed"), said.get("scope", "")
    if not isinstance(text, str) or tokens.blank(text):
        raise TypeError("text: must be a message")
    if not isinstance(needed, bool):
        raise TypeError("needed: must be true or false")
    if not isinstance(scope, str):
        raise TypeError("scope: must be text")
    return Labelled(text, needed, place, scope)
