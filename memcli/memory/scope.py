"""Scopes: whom a memory belongs to, and the folder that says so."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

LIMIT_BYTES: Final = 128  # asserted: FORMAT section 2
LIMIT_FOLDER: Final = 255  # characters of the percent-encoded id: what file systems take as one name
WHOLE: Final = ("global", "user")  # scopes that are one place each, seen by every other
_KIND = re.compile(r"[a-z][a-z0-9_-]{0,31}", re.ASCII)
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789._-")


class NotAScope(ValueError):
    """The text is neither `kind:id` nor `global` nor `user`."""


@dataclass(frozen=True, slots=True, order=True)
class Scope:
    """`kind:id`, or `global`, or `user` (whose `name` is empty)."""

    kind: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind

    @property
    def folder(self) -> str:
        """The folder below `schemas/`, like `project/shop`; never leaves it."""
        return f"{self.kind}/{_encoded(self.name)}" if self.name else self.kind

    @property
    def seen(self) -> tuple["Scope", ...]:
        """The scopes whose memories are read from here, this one first."""
        return (self, *(whole for whole in (GLOBAL, USER) if whole != self))


GLOBAL: Final = Scope("global")
USER: Final = Scope("user")


def parse(text: str) -> Scope:
    """The scope that `text` names. Raises NotAScope, saying what is wrong with it."""
    if text in WHOLE:
        return Scope(text)
    kind, colon, name = text.partition(":")
    if not colon or not _KIND.fullmatch(kind) or kind in WHOLE:
        raise NotAScope(f"{text!r} is not a scope; write kind:id (project:shop), global or user")
    name = unicodedata.normalize("NFC", name)
    if not name or not name.isprintable() or name != name.strip():
        raise NotAScope(f"{text!r} is not a scope: its id must be printable text without spaces around it")
    if len(name.encode("utf-8", "surrogatepass")) > LIMIT_BYTES:
        raise NotAScope(f"the id of this scope is longer than {LIMIT_BYTES} bytes")
    if len(_encoded(name)) > LIMIT_FOLDER:
        raise NotAScope("the id of this scope would make a folder's name longer than disks take; shorten it")
    return Scope(kind, name)


def of_folder(parts: tuple[str, ...]) -> Scope | None:
    """The scope of a file whose folders below `schemas/` are `parts`, or None outside any."""
    if not parts:
        return None
    if parts[0] in WHOLE:
        return Scope(parts[0])
    if len(parts) == 1:
        return None
    try:
        return parse(f"{parts[0]}:{_decoded(parts[1])}")
    except NotAScope:
        return None


def _encoded(name: str) -> str:
    text = "".join(chr(b) if b in _PLAIN else f"%{b:02x}" for b in name.encode())
    return "%2e" + text[1:] if text.startswith(".") else text


def _decoded(folder: str) -> str:
    raw = re.sub(rb"%([0-9a-fA-F]{2})", lambda m: bytes([int(m[1], 16)]), folder.encode("utf-8", "replace"))
    return raw.decode("utf-8", "replace")
