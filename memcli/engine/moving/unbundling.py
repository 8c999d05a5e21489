"""Reading a bundle: lines that somebody else wrote, each checked before anything is done with it.

What a line names as a path is compared with where such a thing may lie, and a line that says
nothing answers for itself and stops no other.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from memcli.engine.drafting import Request
from memcli.engine.moving.bundle import (
    EVENT,
    FORMAT,
    PROCEDURE,
    SCHEMA,
    TOMBSTONE,
    Bundle,
    Filed,
    Happened,
    Kept,
)
from memcli.errors import Usage
from memcli.memory.pairs import RepeatedKeyError, once
from memcli.memory.schema import Status
from memcli.memory.scope import NotAScope
from memcli.store import event, format, lines, scan, skill, tombstones
from memcli.store.keys import is_id
from memcli.store.tombstones import Tombstone

_EVENT_FILE: Final = re.compile(r"events/(\d{4}/\d{2})/[A-Za-z0-9][A-Za-z0-9._-]{0,127}\.jsonl", re.ASCII)
_TEXTS: Final = ("scope", "type", "concept", "valid_from", "valid_to", "occurred_at", "key")
_LONGEST: Final = 3 << 20  # characters of a line: the largest file, and every quote in it escaped
_NAME: Final = 255  # bytes of a name: what file systems take
_DEPTH: Final = 26  # parts of a path, as deep as a store is read
_LINE: Final = 'A line looks like {"kind": "schema", …}, or {"text": "…"} for a claim alone.'


@dataclass
class _Reading:
    """What was read so far, each thing once."""

    schemas: dict[str, Filed] = field(default_factory=dict)
    tombstones: dict[Tombstone, None] = field(default_factory=dict)
    events: dict[str, Happened] = field(default_factory=dict)
    procedures: dict[str, Kept] = field(default_factory=dict)
    claims: list[Request] = field(default_factory=list)
    wrong: list[Usage] = field(default_factory=list)
    timezone: str = ""


def read(text: str) -> Bundle:
    """What the lines of `text` say; a line that says nothing answers for itself in `wrong`.

    Raises Usage where nothing can be read at all, or a later version of mem wrote it.
    """
    reading = _Reading()
    for number, value in _objects(text, reading.wrong):
        try:
            _take(reading, number, value)
        except (Usage, KeyError, TypeError, ValueError, NotAScope) as error:
            why = error.message if isinstance(error, Usage) else f"{error}"
            reading.wrong.append(Usage(f"Line {number}: {why}", _LINE))
    return Bundle(
        tuple(reading.schemas.values()),
        tuple(reading.tombstones),
        tuple(reading.events.values()),
        tuple(reading.procedures.values()),
        tuple(reading.claims),
        tuple(reading.wrong),
        reading.timezone,
    )


def _objects(text: str, wrong: list[Usage]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            value = _object(line)
        except RepeatedKeyError as error:
            wrong.append(Usage(f"Line {number}: {error}", _LINE))
            continue
        if value is None:
            wrong.append(Usage(f"Line {number} is no JSON object, or longer than a line may be.", _LINE))
        else:
            yield number, value


def _object(line: str) -> Mapping[str, Any] | None:
    if len(line) > _LONGEST:
        return None
    try:
        value = json.loads(
            line, parse_float=lines.finite, parse_constant=lines.finite, object_pairs_hook=once
        )
    except RepeatedKeyError:
        raise
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _take(reading: _Reading, number: int, value: Mapping[str, Any]) -> None:
    if "format" in value:
        if value["format"] != FORMAT:
            raise ValueError(f"{value['format']!r} is not {FORMAT}")
        reading.timezone = str(value.get("timezone") or "")
        return
    kind = value.get("kind", "claim")
    if kind == SCHEMA:
        schema = _schema(value, number)
        _refuse_other(reading.schemas.setdefault(schema.id, schema).text, schema.text, schema.id)
    elif kind == TOMBSTONE:
        reading.tombstones[tombstones.of_object(_inner(value, TOMBSTONE))] = None
    elif kind == EVENT:
        happened = _event(value, number)
        first = reading.events.setdefault(happened.event.id, happened)
        _refuse_other(first.event, happened.event, happened.event.id)
    elif kind == PROCEDURE:
        kept = _procedure(value, number)
        _refuse_other(reading.procedures.setdefault(kept.path, kept).text, kept.text, kept.path)
    elif kind == "claim":
        reading.claims.append(_claim(value, number))
    else:
        raise ValueError(f"{kind!r} is no kind")


def _refuse_other(first: object, now: object, name: str) -> None:
    """Raise ValueError where two lines do not agree about one thing: the later would be lost."""
    if first != now:
        raise ValueError(f"an earlier line says otherwise what {name} is")


def _text(value: Mapping[str, Any], key: str) -> str:
    text = value.get(key)
    if not isinstance(text, str):
        raise TypeError(f"{key} must be text")
    return _whole(text, key)


def _whole(text: str, key: str) -> str:
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(f"{key} holds half a character, a lone surrogate")
    return text


def _inner(value: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    said = value.get(key)
    if not isinstance(said, dict):
        raise TypeError(f"{key} must be an object")
    return said


def _status(value: Mapping[str, Any]) -> Status:
    word = _text(value, "status")
    if word not in set(Status):
        raise ValueError(f"{word!r} is not a status")
    return Status(word)


def _texts(value: Mapping[str, Any], key: str) -> tuple[str, ...]:
    found = value.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise TypeError(f"{key} must be a list of texts")
    return tuple(_whole(one, key) for one in found)


def _schema(value: Mapping[str, Any], number: int) -> Filed:
    path = _text(value, "path")
    if not scan.is_schema_path(path) or not _safe(path):
        raise ValueError("its path is not that of a memory")
    beside = _texts(value, "beside")
    if not all(is_id(one) for one in beside):
        raise ValueError("beside must be a list of ids")
    return Filed(_text(value, "id"), path, _status(value), _text(value, "text"), beside, number)


def _safe(path: str) -> bool:
    """Whether no part of `path` leads anywhere but further in, or is longer than disks take."""
    parts = path.split("/")
    plain = all(part not in ("", ".", "..") and len(part.encode()) <= _NAME for part in parts)
    return plain and "\0" not in path and len(parts) <= _DEPTH


def _event(value: Mapping[str, Any], number: int) -> Happened:
    path = _text(value, "path")
    found = event.of_object(_inner(value, EVENT))
    lies = _EVENT_FILE.fullmatch(path)
    if lies is None or event.month_of(found.id) not in (None, lies[1]):
        raise ValueError("its path is not that of the event's month")
    return Happened(found, path, number)


def _procedure(value: Mapping[str, Any], number: int) -> Kept:
    path = _text(value, "path")
    if not skill.is_path(path) or not _safe(path):
        raise ValueError("its path is not that of a procedure")
    text = _text(value, "text")
    if len(text) > format.LIMIT_BYTES:
        raise ValueError("it is too large")
    return Kept(path, text, number)


def _claim(value: Mapping[str, Any], number: int) -> Request:
    said = {key: _text(value, key) for key in _TEXTS if value.get(key) is not None}
    rows = {key: _texts(value, key) for key in ("tags", "evidence") if value.get(key) is not None}
    unknown = set(value) - {"kind", "text", *_TEXTS, *rows}
    if unknown:
        raise ValueError(f"{min(unknown)!r} is no key of a claim")
    return Request(_text(value, "text"), **said, **rows, line=number)  # type: ignore[arg-type]
