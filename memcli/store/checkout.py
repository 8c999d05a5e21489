r"""What git's own small files say about a folder: its repository, its worktrees, its origin.

They are read as text, for two reasons: starting git would cost as much as half a recall,
and a received repository's configuration can name programs to run. Here nothing is obeyed
and nothing can block: a pipe, a folder or garbage in place of a file is no answer.
"""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_LIMIT: Final = 1 << 20  # bytes: git's own files are far smaller
# Compiled at the first use: where the store maps the folder, no configuration is read.
_SECTION: Final = r'\s*\[\s*([A-Za-z0-9-]+)(?:\s+"((?:[^"\\]|\\.)*)"|\.([^\]\s"]*))?\s*\]'
_ENTRY: Final = r"(?s)\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?"
_VALUE: Final = r'(?s)(?:"(?:[^"\\]|\\.)*"?|\\.|[^"\\;#])*'
_MARK: Final = r'(?s)\\(.)|"'
_CONTINUED: Final = r"(?<!\\)((?:\\\\)*)\\\r?\n"
_ESCAPES: Final = {"n": "\n", "t": "\t", "b": "\b"}


@dataclass(frozen=True, slots=True)
class Checkout:
    """A repository as its files stand: `top` holds `.git`, `common` is what all its worktrees share."""

    top: Path
    common: Path


def around(start: Path) -> Checkout | None:
    """The repository that `start` (absolute) lies in, however deep."""
    for folder in (start, *start.parents):
        administration = _administration(folder)
        if administration is not None:
            return Checkout(folder, _common(administration))
    return None


def linked(common: Path) -> Iterator[Path]:
    """The folders of the worktrees linked to `common`, by name; only those that link back to it."""
    try:
        names = sorted(os.listdir(common / "worktrees"))  # noqa: PTH208 - names alone are needed
    except OSError:
        return
    for name in names:
        administration = common / "worktrees" / name
        pointer = text_of(administration / "gitdir").strip("\n")
        folder = Path(os.path.normpath(administration / pointer)).parent
        if pointer and _same(_administration(folder), administration):
            yield folder


def origin(common: Path) -> str:
    """The address of the remote `origin`, as the repository's own configuration has it; empty without one."""
    for section, name, key, value in _entries(text_of(common / "config")):
        if (section, name, key) == ("remote", "origin", "url"):
            return value
    return ""


def last_part(address: str) -> str:
    """What a repository at `address` is called: its last part, without `.git`; empty without a name.

    Takes URLs, `host:path` and plain paths. What stands before the path (user, password,
    host) is never part of the answer.
    """
    _, is_url, rest = address.partition("://")
    path = rest.partition("/")[2] if is_url else address
    parts = [part.removesuffix(".git") for part in re.split(r"[/\\:]", path)]
    name = next((part for part in reversed(parts) if part not in {"", "."}), "")
    return "" if name == ".." else name


def name_of(common: Path) -> str:
    """What the repository is called by its own folder: `shop` for `shop/.git` and for `shop.git`."""
    return common.parent.name if common.name.startswith(".") else common.name.removesuffix(".git")


def text_of(path: Path) -> str:
    """The text of a regular file, empty for anything else; never blocks on a pipe."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return os.fsdecode(os.read(descriptor, _LIMIT)) if regular else ""
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def _administration(folder: Path) -> Path | None:
    """The folder that git keeps for the working tree at `folder`, or None where there is no such tree."""
    there = folder / ".git"
    text = text_of(there)
    if text.startswith("gitdir:"):
        there = Path(os.path.normpath(folder / text.removeprefix("gitdir:").strip()))
    return there if os.path.lexists(there / "HEAD") else None


def _common(administration: Path) -> Path:
    said = text_of(administration / "commondir").strip()
    return Path(os.path.normpath(administration / said)) if said else administration


def _same(one: Path | None, other: Path) -> bool:
    return one is not None and os.path.realpath(one) == os.path.realpath(other)


def _entries(text: str) -> Iterator[tuple[str, str, str, str]]:
    """(section, its name, key, value) of git's configuration format; what does not fit is passed over."""
    section = name = ""
    for line in re.sub(_CONTINUED, r"\1", text).split("\n"):
        found = re.match(_SECTION, line)
        if found:
            section = found[1].lower()
            name = re.sub(r"\\(.)", r"\1", found[2]) if found[2] is not None else (found[3] or "").lower()
        entry = re.fullmatch(_ENTRY, line[found.end() :] if found else line)
        if entry:
            yield section, name, entry[1].lower(), _value(entry[2] or "")


def _value(text: str) -> str:
    """`text` up to a comment, without its quotes and escapes."""
    whole = re.match(_VALUE, text)
    return re.sub(_MARK, _plain, whole[0] if whole else "").strip()


def _plain(mark: re.Match[str]) -> str:
    return _ESCAPES.get(mark[1], mark[1]) if mark[1] else ""
