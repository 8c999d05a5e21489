"""Values as YAML text that every YAML 1.1 and 1.2 reader takes for the same text.

What could be read as a boolean, a number, a date or null is quoted; so is everything that
holds a character with a meaning.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

Plain = str | bool | float | int | Sequence["Plain"] | Mapping[str, "Plain"]

_SAFE: Final = re.compile(r"\w(?:(?:[\w ./()+-]|:(?=\w))*[\w./()+-])?")
_WORDS: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf"})
# Digits with anything that numbers, dates, times and sexagesimals are made of.
_NUMERIC: Final = re.compile(r"[+-]?[0-9.][0-9a-fA-FxXoO_.,:+\-tTzZ ]*", re.ASCII)
_ESCAPED: Final = re.compile(
    "[\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufffe\uffff\U000e0000-\U000e007f]"
)


def safe(text: str, *, flow: bool = False) -> bool:
    """Whether `text` means itself without quotes on one line (`flow`: also between brackets)."""
    if not _SAFE.fullmatch(text) or text.casefold() in _WORDS or _NUMERIC.fullmatch(text):
        return False
    return not (flow and ":" in text)


def quoted(text: str) -> str:
    """`text` between double quotes, invisible characters and line ends escaped."""
    return _ESCAPED.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004 - the plane of \u


def inline(value: Plain, style: str = "", *, flow: bool = False) -> str:
    """`value` on one line; a text keeps the quotes of `style` (`'` or `"`) where it can."""
    if isinstance(value, str):
        return _text(value, style, flow=flow)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        pairs = (f"{_text(key, flow=True)}: {inline(each, flow=True)}" for key, each in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(inline(each, flow=True) for each in value) + "]"
    return repr(value)


def _text(text: str, style: str = "", *, flow: bool = False) -> str:
    if style == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return text if safe(text, flow=flow) and style != '"' else quoted(text)


def lines(key: str, value: Plain, indent: str = "") -> list[str]:
    """`key` with `value` as lines without their ends: mappings and lists of mappings as blocks."""
    first, *more = behind(value, indent)
    return [f"{indent}{_text(key)}:{first}", *more]


def behind(value: Plain, indent: str) -> list[str]:
    """What stands behind the colon of a key indented by `indent`: the rest of its line, then more lines."""
    inner = indent + "  "
    if isinstance(value, Mapping) and value:
        return ["", *(line for key, each in value.items() for line in lines(key, each, inner))]
    members = _keyed_members(value)
    if members:
        return ["", *(line for each in members for line in _member(each, inner))]
    return ["" if value == "" else f" {inline(value)}"]


def _keyed_members(value: Plain) -> list[Mapping[str, Plain]]:
    """The members of a list of mappings; empty for any other value."""
    if isinstance(value, (str, Mapping)) or not isinstance(value, Sequence):
        return []
    keyed = [each for each in value if isinstance(each, Mapping) and each]
    return keyed if len(keyed) == len(value) else []


def _member(member: Mapping[str, Plain], indent: str) -> list[str]:
    inner = [line for key, value in member.items() for line in lines(key, value, indent + "  ")]
    return [f"{indent}- {inner[0].lstrip(' ')}", *inner[1:]]
