"""The body of a schema: its title, its claim and the detail.

The claim is the first paragraph, and it is what recall prints and the forget guard
compares; so there is one reader of it, and no other idea of a paragraph.
"""

import re
from typing import Final, NamedTuple

_BLANK: Final = " \t\r"
_LEVELS: Final = 6  # markdown knows no deeper heading
_INDENT: Final = 3  # more spaces than these make a line code
_RULE: Final = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})")
_ENDS: Final = re.compile(r"\r+\n")
_CODE: Final = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})[^`]*")


class Body(NamedTuple):
    """What a body says: `title` without `#`, `claim`, `detail`; `rest` is where the claim ends in the text.

    Lines end in LF, NUL is U+FFFD, and no part has blank lines or spaces around it.
    """

    title: str
    claim: str
    detail: str
    rest: int


def read(text: str) -> Body:
    """Divide `text` (the whole body, or words that someone wants remembered).

    A leading heading is the title and rules before the claim are passed over. The claim goes
    on to the first blank line, heading or rule, or to the end of a block of code that it opens.
    """
    lines = text.split("\n")
    at = _first(lines, 0)
    title = ""
    heading = _heading(lines[at]) if at < len(lines) else None
    if heading is not None:
        title, at = _clean(heading), _first(lines, at + 1)
    while at < len(lines) and _RULE.fullmatch(lines[at].rstrip("\r")):
        at = _first(lines, at + 1)
    end = _end(lines, at)
    rest = sum(len(line) + 1 for line in lines[:end])
    return Body(title, _clean("\n".join(lines[at:end])), _detail(lines[end:]), min(rest, len(text)))


def _first(lines: list[str], at: int) -> int:
    """The first line from `at` on that is not blank; their number where there is none."""
    while at < len(lines) and not lines[at].strip(_BLANK):
        at += 1
    return at


def _end(lines: list[str], at: int) -> int:
    """The line behind the paragraph that begins at `at`."""
    if at >= len(lines):
        return at
    code = _CODE.fullmatch(lines[at].rstrip("\r"))
    if code is not None:
        return _end_of_code(lines, at + 1, code["mark"])
    end = at + 1
    while end < len(lines) and _goes_on(lines[end]):
        end += 1
    return end


def _goes_on(line: str) -> bool:
    stripped = line.strip(_BLANK)
    if not stripped or stripped[0] not in "#-*_":
        return bool(stripped)
    return _heading(line) is None and not _RULE.fullmatch(line.rstrip("\r"))


def _heading(line: str) -> str | None:
    """The text of a heading like `## Refunds ##`, None for any other line."""
    text = line.strip(_BLANK)
    marks = len(text) - len(text.lstrip("#"))
    if (
        not 1 <= marks <= _LEVELS
        or line.find("#") > _INDENT
        or text[marks : marks + 1] not in ("", " ", "\t")
    ):
        return None
    text = text[marks:].strip(_BLANK)
    closed = text.rstrip("#")
    return closed.rstrip(_BLANK) if not closed or closed[-1] in _BLANK else text


def says_something(claim: str) -> bool:
    """Whether a reader sees anything in it: after a power cut a file may hold zeros alone."""
    if claim and claim[0].isalnum():
        return True
    from memcli.memory import tokens  # most claims begin with a letter

    return not tokens.blank(claim.replace("\ufffd", " "))


def _end_of_code(lines: list[str], at: int, mark: str) -> int:
    while at < len(lines) and not lines[at].lstrip(" ").startswith(mark):
        at += 1
    return min(at + 1, len(lines))


def _detail(lines: list[str]) -> str:
    return _plain("\n".join(lines[_first(lines, 0) :])).rstrip(" \t\r\n")


def _clean(text: str) -> str:
    return _plain(text).strip(" \t\r\n")


def _plain(text: str) -> str:
    """Lines that end in LF, however many carriage returns stand before one."""
    return _ENDS.sub("\n", text).replace("\0", "\ufffd")
