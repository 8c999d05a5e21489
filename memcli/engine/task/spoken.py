"""What was said, read from text: JSON lines, a conversation with its speakers, or one turn.

A bad line answers for itself and never for another: the others are taken in.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import tzinfo
from typing import Any, Final

from memcli.errors import Usage
from memcli.memory import times, tokens
from memcli.memory.pairs import RepeatedKeyError, once
from memcli.memory.schema import Type
from memcli.memory.turn import Role, Turn, role_of

Said = Turn | Usage
"""A turn, or what is wrong with its line."""

_TEXTS: Final = ("text", "role", "name", "kind", "key", "type", "concept", "valid_from", "valid_to")
_BOUNDS: Final = ("valid_from", "valid_to")
_KEYS: Final = (*_TEXTS, "at", "tags")
_OF_CLAIM: Final = ("type", "concept", "tags", *_BOUNDS)
_KINDS: Final = ("turn", "claim")
_EXAMPLE: Final = 'A line looks like {"role": "user", "text": "…", "at": "2026-07-01T09:30:00Z"}.'
_SPEAKER: Final = re.compile(
    r"^(user|human|assistant|ai|agent|system|tool)[ \t]*:[ \t]*", re.IGNORECASE | re.MULTILINE
)
_OBJECT: Final = re.compile(r"\s*\{\s*[\"}]")
_SHOWN: Final = 40  # asserted: characters of a wrong word that an error repeats
_MILLISECONDS: Final = 10**11  # a number from here on counts them: as seconds it would be the year 5138


def read(text: str, zone: tzinfo, usual: Turn) -> Iterator[Said]:
    """The turns in `text`, in order; `usual` says what one line of plain text leaves open.

    JSON lines where the first line is a JSON object; a conversation where the text begins with
    a speaker (`user:`, `assistant:` …), whose every such line begins a turn; else one turn.
    """
    if is_json(text):
        return _lines(text, zone)
    if is_conversation(text):
        return _conversation(text, usual)
    return iter((replace(usual, text=text.strip()),)) if not tokens.blank(text) else iter(())


def is_json(text: str) -> bool:
    """Whether the first line that is not blank is a JSON object, or the torn beginning of one."""
    return _OBJECT.match(text) is not None


def is_conversation(text: str) -> bool:
    """Whether a text that is no JSON lines names its speakers."""
    return not is_json(text) and _SPEAKER.match(text.lstrip()) is not None


def _conversation(text: str, usual: Turn) -> Iterator[Said]:
    found = list(_SPEAKER.finditer(text))
    ends = [one.start() for one in found[1:]] + [len(text)]
    for one, end in zip(found, ends, strict=True):
        words = text[one.end() : end].strip()
        if not tokens.blank(words):
            yield replace(usual, text=words, role=role_of(one[1]), key="")


def _lines(text: str, zone: tzinfo) -> Iterator[Said]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _said(line, number, zone)


def _said(line: str, number: int, zone: tzinfo) -> Said:
    try:
        return _turn(line, number, zone)
    except Usage as error:
        return error


def _turn(line: str, number: int, zone: tzinfo) -> Turn:
    said = _object(line, number)
    for key, value in said.items():
        if key not in _KEYS:
            raise Usage(f"Line {number}: {key!r} is no key.", f"There are {', '.join(_KEYS)}.")
        if key in _TEXTS and value is not None and not isinstance(value, str):
            raise Usage(f"Line {number}: {key} must be text.", _EXAMPLE)
    texts = {key: said.get(key) or "" for key in _TEXTS}
    _refuse_unused(said, texts["kind"], number)
    if tokens.blank(texts["text"]):
        raise Usage(f"Line {number}: there is no text.", _EXAMPLE)
    return Turn(
        text=texts["text"],
        role=_role(texts["role"], number),
        subject=" ".join(texts["name"].split()),
        said_at=_moment(said.get("at"), number, zone),
        key=texts["key"],
        claim=_kind(texts["kind"], number) == "claim",
        type=_type(texts["type"], number),
        concept=texts["concept"].strip(),
        tags=_tags(said.get("tags"), number),
        **{key: _bound(texts[key], key, number, zone) for key in _BOUNDS},
    )


def _refuse_unused(said: Mapping[str, Any], kind: str, number: int) -> None:
    """Raise Usage for what says something of a claim where there is none: it would be lost."""
    unused = [key for key in _OF_CLAIM if said.get(key)]
    if unused and kind != "claim":
        raise Usage(
            f"Line {number}: {unused[0]} goes only with a claim.", 'Add "kind": "claim", or leave it out.'
        )


def _bound(text: str, key: str, number: int, zone: tzinfo) -> str:
    """A bound of a claim's validity, as it was written."""
    try:
        if text:
            times.parse(text, zone)
    except times.NotATime as error:
        raise Usage(f"Line {number}: {key}: {error}.", "Relative times are not read.") from error
    return text


def _object(line: str, number: int) -> Mapping[str, Any]:
    try:
        said = json.loads(line, object_pairs_hook=once)
    except RepeatedKeyError as error:
        raise Usage(f"Line {number}: {error}.", "Say it once.") from error
    except (ValueError, RecursionError) as error:
        raise Usage(f"Line {number} is not JSON, or torn.", _EXAMPLE) from error
    if not isinstance(said, dict):
        raise Usage(f"Line {number} is not a JSON object.", _EXAMPLE)
    return said


def _role(text: str, number: int) -> Role:
    try:
        return role_of(text) if text else Role.USER
    except ValueError as error:
        raise Usage(
            f"Line {number}: {text[:_SHOWN]!r} is not a role.", f"There are {', '.join(Role)}."
        ) from error


def _kind(text: str, number: int) -> str:
    if text and text not in _KINDS:
        raise Usage(f"Line {number}: {text!r} is not a kind.", f"There are {', '.join(_KINDS)}.")
    return text


def _type(text: str, number: int) -> str:
    if text and text not in set(Type):
        raise Usage(f"Line {number}: {text!r} is not a type.", f"There are {', '.join(Type)}.")
    return text or "fact"


def _tags(value: object, number: int) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise Usage(f"Line {number}: tags must be a list of texts.", _EXAMPLE)
    return tuple(value)


def _moment(value: object, number: int, zone: tzinfo) -> int | None:
    if value is None or value == "":
        return None
    try:
        return moment(value, zone)
    except (ValueError, OverflowError) as error:
        what = error if isinstance(value, str) else f"{value!r} is not a time that exists"
        raise Usage(f"Line {number}: at: {what}.", "Relative times are not read.") from error


def moment(value: object, zone: tzinfo) -> int:
    """Seconds since 1970 of a time as text, or as a number of seconds or milliseconds.

    Raises ValueError, OverflowError.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        seconds = value / 1000 if abs(value) >= _MILLISECONDS else value
        times.show(int(seconds))
        return int(seconds)
    if not isinstance(value, str):
        raise times.NotATime(f"{value!r} is not a time; write {times.FORMS}")
    return times.parse(value, zone)
