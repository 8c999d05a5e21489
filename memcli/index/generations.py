"""Generations of the index: whole folders, of which `current` names the one that counts.

A rebuild grows beside the index in use and takes its place in one rename. Killed at any
moment it leaves the old one serving, and a folder that the next rebuild sweeps away. A
generation goes only when nobody is present in it. Nothing here knows an absolute path,
so a store may be moved or copied.
"""

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from memcli.errors import UNREADABLE
from memcli.index import folders
from memcli.index.layout import LAYOUT, TABLE
from memcli.index.turns import Presence, prepare

CURRENT: Final = "current"
ABOUT: Final = "about.json"
TABLES: Final = "tables"


@dataclass(frozen=True, slots=True)
class About:
    """What a generation was made for; another layout, encoder or size makes it useless."""

    dimensions: int
    fingerprint: str
    layout: int = LAYOUT
    versions: int = field(default=0, compare=False)  # of its table, when it came into use


def current(folder: Path) -> Path | None:
    """The generation in use, or None where there is none."""
    try:
        name = folders.read(folder / CURRENT).strip()
    except (OSError, ValueError):
        return None
    return folder / name if name.isdigit() else None


def enter(folder: Path) -> tuple[Path, Presence] | None:
    """The generation in use and a presence in it, or None where there is none."""
    while (generation := current(folder)) is not None:
        presence = Presence.enter(generation)
        if current(folder) == generation:
            return generation, presence
        presence.leave()
    return None


def about(generation: Path) -> About | None:
    """What the generation was made for, or None where that cannot be read."""
    try:
        stated: Any = json.loads(folders.read(generation / ABOUT))
        return About(**stated)
    except UNREADABLE:
        return None


def begin(folder: Path) -> tuple[Path, Presence]:
    """A fresh generation, not in use yet, and a presence in it. Raises OSError."""
    folders.make(folder)
    while True:
        generation = _fresh(folder)
        with suppress(FileNotFoundError):  # empty, it looked as if its maker had been killed: once more
            prepare(generation)
            return generation, Presence.enter(generation)


def _fresh(folder: Path) -> Path:
    number = max((int(one.name) for one in _all(folder)), default=0)
    while True:
        number += 1
        with suppress(FileExistsError):  # another rebuild at the same time
            folders.make_new(folder / str(number))
            return folder / str(number)


def abandon(generation: Path, presence: Presence) -> None:
    """Remove a generation that came to nothing."""
    presence.leave()
    _clear(generation)


def _clear(generation: Path) -> None:
    import shutil  # it loads the compressors: 3 ms

    shutil.rmtree(generation, ignore_errors=True)


def born(generation: Path) -> tuple[int, int, int]:
    """What tells it from a later one of its number, made after it was deleted; zeros where it is gone."""
    try:
        found = (generation / ABOUT).stat()
    except OSError:
        return (0, 0, 0)
    return found.st_dev, found.st_ino, found.st_mtime_ns


def versions(generation: Path) -> int:
    """How many versions of its table the generation holds: one more with every write."""
    return sum(1 for _ in (generation / TABLES / f"{TABLE}.lance" / "_versions").iterdir())


def use(generation: Path, made_for: About) -> None:
    """Let `generation`, which is finished, be the one in use from now on."""
    stated = asdict(replace(made_for, versions=versions(generation)))
    folders.write(generation / ABOUT, json.dumps(stated))
    beside = generation.parent / f".{CURRENT}.{os.getpid()}"
    folders.write(beside, f"{generation.name}\n")
    beside.replace(generation.parent / CURRENT)


def sweep(folder: Path) -> None:
    """Remove the generations that are not in use and in which nobody is present."""
    used = current(folder)
    for generation in _all(folder):
        if generation != used:
            _remove(generation)


def _remove(generation: Path) -> None:
    with suppress(OSError):
        generation.rmdir()  # its maker was killed before it laid the lock files down
        return
    presence = Presence.enter(generation)
    with presence.alone() as alone:
        if alone:
            _clear(generation)
    presence.leave()


def sizes(generation: Path) -> Iterator[int]:
    """The bytes of each file of the generation."""
    for folder, _, names in os.walk(generation):
        for name in names:
            with suppress(FileNotFoundError):  # a writer is at work
                yield os.lstat(Path(folder) / name).st_size


def _all(folder: Path) -> list[Path]:
    return [one for one in folder.iterdir() if one.name.isdigit() and one.is_dir()]
