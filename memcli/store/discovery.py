"""Which store a command means, in one order: named, MEM_STORE, upwards, linked, the user's own.

The danger is a store that nobody meant: one that somebody else left in a shared parent
folder, one of several linked worktrees. Such a store is named in a refusal and not used,
and what was found says by which rule.
"""

import os
import re
import stat
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from memcli.errors import NoStore, Refused
from memcli.store import checkout
from memcli.store.place import Place
from memcli.store.problem import shown

# Compiled at the first use: most folders upwards have no pyproject.toml, most of those no `mem`.
_WORD: Final = r"\bmem\b"
_TABLE: Final = r"""(?m)^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*["']?mem["']?[ \t]*[].]"""
_LACKS: Final = "it has no mem.toml, and no [tool.mem] in a pyproject.toml"


class By(StrEnum):
    """The rule that found a store."""

    NAMED = "named"
    ENVIRONMENT = "environment"
    ABOVE = "above"
    LINKED = "linked"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Found:
    """A store, and the rule that found it."""

    place: Place
    by: By


def find(*, named: str | None, environment: str | None, start: Path | None, own: Path | None) -> Place:
    """The store that a command means; see `locate`."""
    return locate(named=named, environment=environment, start=start, own=own).place


def locate(*, named: str | None, environment: str | None, start: Path | None, own: Path | None) -> Found:
    """The store that a command means, and how it was found.

    `named` is what `--store` says and `environment` what MEM_STORE says, both relative to
    `start`, the working directory (None: it is gone); `own` is the folder of the user's own
    store. Raises NoStore where there is none, Refused where it would be a guess which one.
    """
    if named is not None:
        return Found(_said(named, "--store", start), By.NAMED)
    if environment:
        return Found(_said(environment, "MEM_STORE", start), By.ENVIRONMENT)
    near = (_above(start) or _linked(start)) if start else None
    if near:
        return near
    if own and is_store(own):
        return Found(Place(own), By.OWN)
    raise NoStore(
        "There is no store here.",
        "`mem remember TEXT` makes your own store, `mem init FOLDER` one there, `--store PATH` names one.",
    )


def is_store(folder: Path) -> bool:
    """Whether `folder` is the root of a store."""
    return _is_file(folder / "mem.toml") or _has_table(checkout.text_of(folder / "pyproject.toml"))


def _said(text: str, by: str, start: Path | None) -> Place:
    folder = Path(os.path.normpath(start / text if start else text))
    if not text or not folder.is_absolute():
        raise NoStore(
            f"{by} does not name a folder: {'the working directory is gone' if text else 'it is empty'}.",
            f"Write {by} with the whole path of a store.",
        )
    if not is_store(folder):
        raise NoStore(
            f"{by} names {shown(text)}, which is not a store: {_LACKS}.",
            f"`mem init {_pasted(text)}` makes one there.",
        )
    return Place(folder)


def _pasted(text: str) -> str:
    """`text` as a shell and our own reader take it for a folder's name."""
    from shlex import quote

    return f"{'-- ' if text.startswith('-') else ''}{quote(shown(text))}"


def _above(start: Path) -> Found | None:
    for folder in (start, *start.parents):
        if is_store(folder):
            _refuse_foreign(folder)
            return Found(Place(folder), By.ABOVE)
    return None


def _refuse_foreign(folder: Path) -> None:
    """A store that another user (other than root) left above the working directory is not taken unasked."""
    owner, reader = folder.stat().st_uid, os.geteuid()
    if owner not in (0, reader) and reader != 0:
        raise Refused(
            f"The nearest store, {shown(str(folder))}, belongs to another user and is not taken unasked.",
            f"If you mean it, name it: --store {shown(str(folder))}.",
        )


def _linked(start: Path) -> Found | None:
    """The worktree that `mem init --branch` linked to the repository around `start`."""
    repository = checkout.around(start)
    folders = checkout.linked(repository.common) if repository else ()
    stores = [folder for folder in folders if _is_file(folder / "mem.toml")]
    if len(stores) > 1:
        raise Refused(
            "Several worktrees of this repository hold a store.",
            "Say which one with --store PATH.",
            tuple(shown(str(folder)) for folder in stores),
        )
    return Found(Place(stores[0]), By.LINKED) if stores else None


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _has_table(text: str) -> bool:
    """Whether a pyproject.toml with this text has a table [tool.mem].

    Most have no word `mem` at all, and most others show the table on a line of its own; a
    TOML parser (8 ms to import) is asked only about the rest.
    """
    if "mem" not in text or not re.search(_WORD, text):
        return False
    headed = re.search(_TABLE, text) is not None
    return headed if headed and '"""' not in text and "'''" not in text else _parsed(text, unreadable=headed)


def _parsed(text: str, *, unreadable: bool) -> bool:
    import tomllib

    try:
        tool = tomllib.loads(text).get("tool")
    except (ValueError, RecursionError):
        return unreadable
    return isinstance(tool, dict) and isinstance(tool.get("mem"), dict)
