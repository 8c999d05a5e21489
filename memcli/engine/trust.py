"""Trust: which stores may run what their repository's own configuration names.

A store that somebody else made can name programs in `.git/config` (hooks, filters,
signing). Reading never runs them; writing does so only where this user said once that the
store is theirs: by making it, or by `mem trust`. The list is kept outside every store.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memcli.errors import Unavailable
from memcli.store import inside
from memcli.surroundings import Surroundings

if TYPE_CHECKING:
    from memcli.engine.opened import Opened


@dataclass(frozen=True, slots=True)
class Trusted:
    """What `mem trust` came to; `before` says that it was trusted already."""

    root: str
    before: bool


def holds(surroundings: Surroundings, root: Path) -> bool:
    """Whether the user trusts the store at `root`."""
    return _line(root) in _listed(surroundings)


def programs(opened: "Opened") -> tuple[str, ...]:
    """What the repository of the store would have git run, a line each. Raises Unavailable."""
    from memcli.journal import programs as named

    return named.named(opened.journal)


def add(surroundings: Surroundings, root: Path) -> Trusted:
    """Trust the store at `root`. Raises Unavailable where that cannot be kept."""
    listed = _listed(surroundings)
    name = str(root.resolve())
    if _line(root) in listed:
        return Trusted(name, before=True)
    file = _file(surroundings)
    if file is None:
        raise Unavailable("Nothing says where your home folder is, so trust cannot be kept.", "Set HOME.")
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = inside.opened(
            file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        )
        with os.fdopen(descriptor, "ab") as opened:
            opened.write(os.fsencode(_line(root)) + b"\n")
    except OSError as error:
        raise Unavailable(f"{file} cannot be written: {error.strerror}.", "Check its folder.") from error
    return Trusted(name, before=False)


def _line(root: Path) -> str:
    """The store as the list names it: a line break in its path must not trust a second folder."""
    return str(root.resolve()).replace("\n", "\0")


def _listed(surroundings: Surroundings) -> frozenset[str]:
    file = _file(surroundings)
    try:
        return frozenset(os.fsdecode(file.read_bytes()).split("\n")) if file else frozenset()
    except OSError:
        return frozenset()


def _file(surroundings: Surroundings) -> Path | None:
    folder = Path(surroundings.environment.get("XDG_CONFIG_HOME", ""))
    if folder.is_absolute():
        return folder / "mem" / "trusted"
    return surroundings.home / ".config" / "mem" / "trusted" if surroundings.home else None
