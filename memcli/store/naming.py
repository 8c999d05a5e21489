"""Where a fresh schema's file goes: the scope's folder, a readable name, a shard when it is full."""

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from memcli.memory.schema import Schema

FULL: Final = 1000  # files in one folder: git and editors slow down badly beyond (SPEED, "Git")
_LONGEST: Final = 40  # characters of a slug: asserted, readable in a file tree
_BREAK: Final = re.compile(r"[^a-z0-9]+")
_SMALL: Final = frozenset({"a", "an", "the", "is", "are", "of", "to", "in", "on", "at", "and", "or", "that"})


def fresh_path(schema: Schema, taken: Collection[str]) -> str:
    """The path for a new file of `schema`; `taken` are the paths of all schema files there are.

    A folder that holds FULL files takes no more: the file goes below it, into a folder named
    by the first two characters of the id.
    """
    folder = f"schemas/{schema.scope.folder}/"
    inside = sum(1 for path in taken if path.startswith(folder) and "/" not in path[len(folder) :])
    shard = f"{schema.id[:2].lower()}/" if inside >= FULL else ""
    return f"{folder}{shard}{slug(schema)}-{schema.id}.md"


def slug(schema: Schema) -> str:
    """A short readable name, of the concept, else the title, else the claim; else the type."""
    for text in (schema.concept, schema.title, schema.claim):
        found = _plain(text)
        if found:
            return found
    return schema.type.value


def _plain(text: str) -> str:
    ascii_only = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = [word for word in _BREAK.split(ascii_only) if word]
    telling = [word for word in words if word not in _SMALL] or words
    short = ""
    for word in telling:
        if short and len(short) + len(word) + 1 > _LONGEST:
            break
        short = f"{short}-{word}" if short else word[:_LONGEST]
    return short
