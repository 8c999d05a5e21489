"""An event as a value, as a line, and what its id says.

An id begins with its time, so ids sort, need no coordination, and say in which month's
folder the event lies.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from memcli.memory import times
from memcli.memory.schema import ID_ALPHABET, ID_LENGTH
from memcli.memory.scope import Scope, parse

_TIME_LENGTH: Final = 10  # characters of an id that hold its milliseconds
_CHANCE_LENGTH: Final = 16
_CHANCE_BITS: Final = 5 * _CHANCE_LENGTH
_ID = re.compile(rf"[0-7][{ID_ALPHABET}]{{{_TIME_LENGTH + _CHANCE_LENGTH - 1}}}")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_MS: Final = 253402300799999  # the end of the year 9999


class Kind(StrEnum):
    """What sort of thing happened."""

    CLAIM = "claim"
    TURN = "turn"
    FEEDBACK = "feedback"
    OUTCOME = "outcome"
    PROCEDURE = "procedure"
    CONSOLIDATED = "consolidated"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened (FORMAT section 4).

    `at` (received) and `occurred_at` (in the world, if said) are seconds since 1970; `actor`
    is like `human:ana`; `logic` the version that took it in; `key` makes a repetition
    harmless; `data` is plain JSON.
    """

    id: str
    at: int
    scope: Scope
    actor: str
    kind: Kind
    logic: str
    text: str = ""
    occurred_at: int | None = None
    session: str = ""
    key: str = ""
    data: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def happened(self) -> int:
        """When it was so, seconds since 1970; when it was taken in, where nobody says otherwise."""
        return self.at if self.occurred_at is None else self.occurred_at


def new_id(now_ms: int, entropy: bytes, nth: int = 0) -> str:
    """A sortable id: 26 characters, of which 10 tell `now_ms` (milliseconds since 1970).

    `entropy` is 10 random bytes; the events of one batch share both and count `nth` up, so
    that they sort in the order in which they were said.
    """
    chance = (int.from_bytes(entropy) + nth) % (1 << _CHANCE_BITS)
    return crockford(now_ms, _TIME_LENGTH) + crockford(chance, _CHANCE_LENGTH)


def schema_id(event_id: str) -> str:
    """The id of the schema that this event founds: 12 characters, the same at every replay."""
    digest = hashlib.sha256(f"schema of {event_id}".encode()).digest()
    return crockford(int.from_bytes(digest[:8]), ID_LENGTH)


def month_of(event_id: str) -> str | None:
    """The month in which the id was made, like `2026/11`; None for an id that is not ours."""
    if not _ID.fullmatch(event_id):
        return None
    return (_EPOCH + timedelta(milliseconds=min(moment_of(event_id), _LAST_MS))).strftime("%Y/%m")


def moment_of(event_id: str) -> int:
    """When the id was made, in milliseconds since 1970; 0 for an id that is not ours."""
    if not _ID.fullmatch(event_id):
        return 0
    ms = 0
    for character in event_id[:_TIME_LENGTH]:
        ms = ms * 32 + ID_ALPHABET.index(character)
    return ms


def said(event: Event) -> str:
    """The text that is encoded and searched: what was said, led by who said it."""
    subject = event.data.get("subject")
    return f"{subject}: {event.text}" if isinstance(subject, str) and subject else event.text


def as_object(event: Event) -> dict[str, object]:
    """The event as its line has it: what is empty is left out."""
    said = {
        "id": event.id,
        "at": times.show(event.at),
        "occurred_at": None if event.occurred_at is None else times.show(event.occurred_at),
        "session": event.session,
        "scope": str(event.scope),
        "actor": event.actor,
        "kind": str(event.kind),
        "logic": event.logic,
        "key": event.key,
        "text": event.text,
        "data": dict(event.data),
    }
    return {key: value for key, value in said.items() if value not in (None, "", {})}


def of_object(value: Mapping[str, Any]) -> Event:
    """The event that a line says. Raises ValueError, TypeError, naming what is wrong."""
    texts = {key: _text(value, key) for key in ("id", "actor", "logic", "text", "session", "key")}
    if not texts["id"]:
        raise ValueError("it has no id")
    occurred = _text(value, "occurred_at")
    data = value.get("data", {})
    return Event(
        **texts,
        at=times.parse(_text(value, "at")),
        occurred_at=times.parse(occurred) if occurred else None,
        scope=parse(_text(value, "scope")),
        kind=Kind(_text(value, "kind")),
        data=MappingProxyType(data if isinstance(data, dict) else {}),
    )


def _text(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key, "")
    if not isinstance(text, str):
        raise TypeError(f"its {key} is no text")
    return text


def crockford(number: int, length: int) -> str:
    """The last `length` digits of `number` in base 32."""
    return "".join(ID_ALPHABET[number >> 5 * place & 31] for place in reversed(range(length)))
