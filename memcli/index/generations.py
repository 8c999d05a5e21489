"""Generations of the index: whole folders, of which `current` names the one that counts.

A rebuild grows beside the index that is in use and takes its place in one rename. Killed
at any moment it leaves the old one serving and a folder that the next rebuild sweeps away.
Nothing here knows an absolute path, so a store may be moved or copied.
"""

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from memcli.index.layout import LAYOUT

CURRENT: Final = "current"
ABOUT: Final = "about.json"
TABLES: Final = "tables"


@dataclass(frozen=True, slots=True)
class About:
    """What a generation was made for; another layout, encoder or size makes it useless."""

    dimensions: int
    fingerprint: str
    layout: int = LAYOUT


def current(folder: Path) -> Path | None:
    """The generation in use, or None where there is none."""
    try:
        name = (folder / CURRENT).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return folder / name if name.isdigit() else None


def about(generation: Path) -> About | None:
    """What the generation was made for, or None where that cannot be read."""
    try:
        stated: Any = json.loads((generation / ABOUT).read_text(encoding="utf-8"))
        return About(**stated)
    except (OSError, ValueError, TypeError):
        return None


def begin(folder: Path, made_for: About) -> Path:
    """A fresh generation beside the others, not in use yet."""
    folder.mkdir(parents=True, exist_ok=True)
    number = max((int(one.name) for one in _all(folder)), default=0) + 1
    generation = folder / str(number)
    generation.mkdir()
    write_whole(generation / ABOUT, asdict(made_for))
    return generation


def use(generation: Path) -> None:
    """Let `generation` be the one in use from now on."""
    folder = generation.parent
    beside = folder / f".{CURRENT}.{os.getpid()}"
    beside.write_text(f"{generation.name}\n", encoding="ascii")
    beside.replace(folder / CURRENT)


def sweep(folder: Path, keep: int = 1) -> None:
    """Remove generations other than the one in use and the `keep` before it, which readers may hold."""
    used = current(folder)
    others = sorted((one for one in _all(folder) if one != used), key=lambda one: int(one.name))
    before = [one for one in others if used is not None and int(one.name) < int(used.name)]
    for one in others:
        if one not in before[len(before) - keep :]:
            shutil.rmtree(one, ignore_errors=True)


def write_whole(file: Path, content: Mapping[str, Any]) -> None:
    """Replace `file` by `content` as JSON, in one step."""
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    beside.write_text(json.dumps(content), encoding="utf-8")
    beside.replace(file)


def _all(folder: Path) -> list[Path]:
    return [one for one in folder.iterdir() if one.name.isdigit() and one.is_dir()]
