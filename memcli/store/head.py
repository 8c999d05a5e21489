"""The frontmatter block read as text: every scalar as it is written, and where it stands.

YAML turns `no` into False, `1e3` into a number and nine short lines into a billion
elements. None of that happens here: scalars stay text, tags, anchors and aliases are
refused, depth and size are bounded, a key that stands twice is an error. Positions are
kept so that a mistake has a line and an edit touches only its own bytes.
"""

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

LIMIT_BYTES: Final = 64 * 1024  # asserted: a hundred times the largest head that mem writes
LIMIT_DEPTH: Final = 16  # asserted: the format itself needs three
# Line breaks to YAML 1.1, but to no editor: they are carried through under other names.
_EXOTIC: Final = re.compile("[\u0085\u2028\u2029]")
_CONTROL: Final = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]|\r(?!\n)")
_KEY: Final = re.compile(r"^([A-Za-z_][\w.-]*)[ \t]*:", re.MULTILINE | re.ASCII)


class NotRead(ValueError):
    """The block does not say one clear thing.

    `at` is an offset into the block, `line` counts its lines from 1, `key` may be empty.
    """

    def __init__(self, at: int, key: str, what: str) -> None:
        super().__init__(what)
        self.at = at
        self.line = 0
        self.key = key
        self.what = what


class Text(NamedTuple):
    """A scalar: its text, its span, and `style` (empty: plain, else the mark that opens it)."""

    value: str
    start: int
    end: int
    style: str = ""


class Listed(NamedTuple):
    """A sequence; `flow` means written with brackets."""

    members: "tuple[Value, ...]"
    start: int
    end: int
    flow: bool


class Keyed(NamedTuple):
    """A mapping: its values and the keys as they stand, in the order of the file."""

    members: "dict[str, Value]"
    keys: dict[str, Text]
    start: int
    end: int
    flow: bool


Value = Text | Listed | Keyed
NOTHING: Final = Keyed({}, {}, 0, 0, flow=False)


def read(block: str) -> Keyed:
    """What `block` (the lines between the fences) says. Raises NotRead.

    Offsets of the answer count characters of `block`.
    """
    try:
        return _checked(block)
    except NotRead as error:
        error.line = line_at(block, error.at)
        raise


def line_at(block: str, at: int) -> int:
    """The line of `block` that holds offset `at`, counted from 1 by LF alone."""
    return block.count("\n", 0, at) + 1


def _checked(block: str) -> Keyed:
    import yaml  # costs 15 ms, and most commands read no block

    if len(block.encode("utf-8", "surrogatepass")) > LIMIT_BYTES:
        raise NotRead(0, "", f"the frontmatter is larger than {LIMIT_BYTES // 1024} KiB")
    control = _CONTROL.search(block)
    if control is not None:
        raise _not_read(block, control.start(), f"holds the control character U+{ord(control[0]):04X}")
    names = _stand_ins(block)
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)(block.translate(names) if names else block)
    try:
        return _Reader(loader.get_event, names).whole()
    except yaml.MarkedYAMLError as error:
        at = error.problem_mark.index if error.problem_mark else 0
        raise _not_read(block, at, f"not readable as YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        raise _not_read(block, 0, "not readable as YAML") from error
    finally:
        loader.dispose()


def _not_read(block: str, at: int, what: str) -> NotRead:
    """The mistake at `at`, with the key whose line stands there or last before it."""
    end = block.find("\n", at)
    keys = _KEY.findall(block, 0, len(block) if end < 0 else end)
    return NotRead(at, keys[-1] if keys else "", what)


def _stand_ins(block: str) -> dict[int, int]:
    """Unused private characters for the line breaks that only YAML 1.1 knows; empty if there are none."""
    found = set(_EXOTIC.findall(block))
    if not found:
        return {}
    free = (code for code in range(0xE000, 0xF8FF) if chr(code) not in block)
    return {ord(character): next(free) for character in sorted(found)}


class _Reader:
    """One walk over YAML's events, never deeper than LIMIT_DEPTH."""

    def __init__(self, event: Callable[[], Any], names: dict[int, int]) -> None:
        self._event = event  # the next one
        self._real = {private: real for real, private in names.items()}

    def whole(self) -> Keyed:
        value: Value = NOTHING
        if self._document_follows():
            value = self._value(self._event(), 1)
            if self._document_follows():
                raise NotRead(value.end, "", "more than one YAML document stands in the frontmatter")
        if isinstance(value, Text) and not value.value and not value.style:
            return NOTHING
        if not isinstance(value, Keyed):
            raise NotRead(value.start, "", "the frontmatter is not made of lines `key: value`")
        return value

    def _document_follows(self) -> bool:
        while True:
            name = type(self._event()).__name__
            if name in ("DocumentStartEvent", "StreamEndEvent"):
                return name == "DocumentStartEvent"

    def _value(self, event: Any, depth: int) -> Value:  # noqa: ANN401 - yaml's events have no common type
        name = type(event).__name__
        if name == "AliasEvent" or event.anchor is not None or event.tag is not None or depth > LIMIT_DEPTH:
            raise _refused(event, name)
        if name == "ScalarEvent":
            value = event.value.translate(self._real) if self._real else event.value
            return Text(value, event.start_mark.index, event.end_mark.index, event.style or "")
        return (
            self._listed(event, depth + 1) if name == "SequenceStartEvent" else self._keyed(event, depth + 1)
        )

    def _listed(self, opening: Any, depth: int) -> Listed:  # noqa: ANN401 - as above
        members: list[Value] = []
        while type(event := self._event()).__name__ != "SequenceEndEvent":
            members.append(self._value(event, depth))
        flow = bool(opening.flow_style)
        end = event.end_mark.index if flow or not members else members[-1].end
        return Listed(tuple(members), opening.start_mark.index, end, flow)

    def _keyed(self, opening: Any, depth: int) -> Keyed:  # noqa: ANN401 - as above
        members: dict[str, Value] = {}
        keys: dict[str, Text] = {}
        end = opening.end_mark.index
        while type(event := self._event()).__name__ != "MappingEndEvent":
            key = self._key(event, keys, depth)
            try:
                value = self._value(self._event(), depth)
            except NotRead as error:
                raise _below(key.value, error) from error
            keys[key.value], members[key.value], end = key, value, value.end
        flow = bool(opening.flow_style)
        return Keyed(members, keys, opening.start_mark.index, event.end_mark.index if flow else end, flow)

    def _key(self, event: Any, keys: dict[str, Text], depth: int) -> Text:  # noqa: ANN401 - as above
        key = self._value(event, depth)
        if not isinstance(key, Text):
            raise NotRead(key.start, "", "a key is not plain text")
        if key.value in keys:
            raise NotRead(key.start, key.value, "stands twice; keep one")
        return key


def _refused(event: Any, name: str) -> NotRead:  # noqa: ANN401 - as above
    at = event.start_mark.index
    if name == "AliasEvent" or event.anchor is not None:
        return NotRead(at, "", "anchors and aliases (& and *) are not read; write the value out, or quote it")
    if event.tag is not None:
        return NotRead(at, "", f"the YAML tag {event.tag} is not read; quote the value if it is text")
    return NotRead(at, "", f"values are nested more than {LIMIT_DEPTH} deep")


def _below(key: str, error: NotRead) -> NotRead:
    return NotRead(error.at, f"{key}.{error.key}" if error.key else key, error.what)
