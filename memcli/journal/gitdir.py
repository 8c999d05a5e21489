"""Finds the repository that a folder belongs to by reading files, as git itself would.

A process costs more than everything else that a question to the journal does, so the
common questions (where is the repository, what is HEAD) are answered from files. Git's
own refusal of folders that belong to somebody else is kept: an owner other than the user
is left to git to judge.
"""

import os
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from shlex import quote

from memcli.errors import Unavailable


@dataclass(frozen=True, slots=True)
class Found:
    """A repository: `top` of the working tree, its `git_dir`, and the `common_dir` of all worktrees."""

    top: Path
    git_dir: Path
    common_dir: Path


def find(start: Path, ceilings: str = "") -> Found | None:
    """The repository whose working tree holds the absolute folder `start`, or None.

    Looks upwards as far as `ceilings` allows (git's GIT_CEILING_DIRECTORIES). Raises
    Unavailable for a bare repository and for a `.git` file that leads nowhere.
    """
    ends = ceilings.split(os.pathsep)
    upwards = takewhile(lambda folder: str(folder) not in ends, start.parents)
    for folder in (start, *upwards):
        found = _at(folder)
        if found is not None:
            return found
        if _is_git_dir(folder):
            raise Unavailable(
                f"{folder} is a bare repository; a store needs files.",
                "Clone it, and use the clone as the store.",
            )
    return None


def _at(folder: Path) -> Found | None:
    entry = folder / ".git"
    if entry.is_dir():
        return Found(folder, entry, _common(entry)) if _is_git_dir(entry) else None
    if not entry.is_file():
        return None
    line = entry.read_text("utf-8", "surrogateescape").rstrip("\n")
    target = Path(os.path.normpath(folder / line.removeprefix("gitdir: ")))
    if not line.startswith("gitdir: ") or not _is_git_dir(target):
        raise Unavailable(
            f"{entry} does not lead to a repository.",
            f"Where that repository lies now: git worktree repair {quote(str(folder))}",
        )
    return Found(folder, target, _common(target))


def _common(git_dir: Path) -> Path:
    try:
        line = (git_dir / "commondir").read_text("utf-8", "surrogateescape").rstrip("\n")
    except OSError:
        return git_dir
    return Path(os.path.normpath(git_dir / line))


def _is_git_dir(folder: Path) -> bool:
    if not os.path.lexists(folder / "HEAD"):
        return False
    common = _common(folder)
    return (common / "objects").is_dir() and (common / "refs").is_dir()


def foreign(found: Found) -> bool:
    """Whether somebody else owns a part of it, so that git must be asked whether to trust it."""
    me = os.geteuid()
    return any(path.stat().st_uid != me for path in (found.top, found.git_dir))
