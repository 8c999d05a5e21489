"""Reads a plain configuration file of git; anything that is not plain is left to git.

A process for each commit costs as much as the commit. Most files hold `key = value` under
`[section]` and nothing else; includes, quotes, escapes and continued lines are answered
with None.
"""

import re
from typing import Final

_NOTHING: Final = re.compile(r"\s*(?:[#;].*)?")
_SECTION: Final = re.compile(r"\s*\[([A-Za-z0-9-]+)(?:[ \t]+\"([^\"\\]*)\")?\]\s*")
_VALUE: Final = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*([^\"\\#;\t]*?))?\s*")
_INCLUDES: Final = ("include", "includeif")


def parse(text: str) -> list[tuple[str, str]] | None:
    """The settings of `text` in order: lower-case keys (a subsection keeps its case) and values.

    A key without a value is `true`. None where the file holds more than plain lines.
    """
    found: list[tuple[str, str]] = []
    section = ""
    for line in text.split("\n"):
        if _NOTHING.fullmatch(line):
            continue
        if head := _SECTION.fullmatch(line):
            section = head[1].lower() + (f".{head[2]}" if head[2] is not None else "")
            if head[1].lower() in _INCLUDES:
                return None
        elif (value := _VALUE.fullmatch(line)) and section:
            found.append((f"{section}.{value[1].lower()}", "true" if value[2] is None else value[2]))
        else:
            return None
    return found
