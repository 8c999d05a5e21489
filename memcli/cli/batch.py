"""JSON lines as requests to remember; a bad line becomes its own complaint, never another's."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from memcli.engine.remember import Request
from memcli.errors import Usage
from memcli.memory.pairs import RepeatedKeyError, once

_TEXTS: Final = ("text", "scope", "type", "concept", "valid_from", "valid_to", "occurred_at", "key")
_ROWS: Final = ("tags", "evidence")
_FLAGS: Final = ("supersede_concept",)
_KEYS: Final = (*_TEXTS, *_ROWS, *_FLAGS)


def requests(text: str, scope: str | None) -> list[Request | Exception]:
    """One request or complaint for each line that is not blank, in order; `scope` where a line names none."""
    return list(_requests(text, scope))


def _requests(text: str, scope: str | None) -> Iterator[Request | Exception]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield _request(line, number, scope)
            except Usage as error:
                yield error


def _request(line: str, number: int, scope: str | None) -> Request:
    said = _object(line, number)
    values: dict[str, Any] = {"scope": scope, "line": number}
    for key, value in said.items():
        if key not in _KEYS:
            raise Usage(f"Line {number}: {key!r} is no key.", f"There are {', '.join(_KEYS)}.")
        if value is not None:
            values[key] = _value(key, value, number)
    if not values.get("text", "").strip():
        raise Usage(f"Line {number}: there is no text to remember.", 'A line looks like {"text": "…"}.')
    return Request(**values)


def _object(line: str, number: int) -> Mapping[str, object]:
    try:
        said = json.loads(line, object_pairs_hook=once)
    except RepeatedKeyError as error:
        raise Usage(f"Line {number}: {error}.", "Say it once.") from error
    except (ValueError, RecursionError) as error:
        raise Usage(f"Line {number} is not JSON.", 'A line looks like {"text": "…"}.') from error
    if not isinstance(said, dict):
        raise Usage(f"Line {number} is not a JSON object.", 'A line looks like {"text": "…"}.')
    return said


def _value(key: str, value: object, number: int) -> object:
    """`value` as the request takes it."""
    if key in _FLAGS and isinstance(value, bool):
        return value
    if key in _TEXTS and isinstance(value, str):
        return value
    if key in _ROWS and isinstance(value, list) and all(isinstance(one, str) for one in value):
        return tuple(value)
    kind = "true or false" if key in _FLAGS else "text" if key in _TEXTS else "a list of texts"
    raise Usage(f"Line {number}: {key} must be {kind}.", 'A line looks like {"text": "…"}.')
