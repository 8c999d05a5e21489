r"""`--format '{id}\t{text}'`: a line for each memory, as a template that only names fields.

Python's own format strings reach into attributes; this reads fields and four escapes.
"""

from collections.abc import Callable, Mapping
from typing import Final

from memcli.errors import Usage

_ESCAPES: Final = {"t": "\t", "n": "\n", "0": "\0", "\\": "\\"}
FIELDS: Final = (
    "id",
    "score",
    "match",
    "text",
    "type",
    "scope",
    "status",
    "stage",
    "path",
    "concept",
    "tags",
    "from",
    "to",
)

Fill = Callable[[Mapping[str, str]], str]


def compiled(template: str) -> Fill:
    """A function from a memory's fields to its text. Raises Usage, saying what the template does wrong."""
    parts: list[tuple[bool, str]] = []  # (is a field, text)
    at = 0
    while at < len(template):
        is_field, text, at = _part(template, at)
        parts.append((is_field, text))
    return lambda fields: "".join(fields[text] if is_field else text for is_field, text in parts)


def _part(template: str, at: int) -> tuple[bool, str, int]:
    here, following = template[at], template[at + 1 : at + 2]
    if here == "\\":
        if following not in _ESCAPES or not following:
            raise _wrong(template, f"\\{following} is no escape; there are \\t \\n \\0 \\\\")
        return False, _ESCAPES[following], at + 2
    if here in "{}" and following == here:
        return False, here, at + 2
    if here == "}":
        raise _wrong(template, "a } stands alone; write }} for one")
    if here == "{":
        name, closed, _ = template[at + 1 :].partition("}")
        if not closed or name not in FIELDS:
            raise _wrong(template, f"{{{name}{closed} is no field; there are {', '.join(FIELDS)}")
        return True, name, at + len(name) + 2
    return False, here, at + 1


def _wrong(template: str, what: str) -> Usage:
    return Usage(
        f"--format cannot be {template!r}: {what}.", r"For example --format '{id}\t{score}\t{text}'."
    )
