"""The scopes that have a folder in a store: what a new one is compared with."""

import os
from collections.abc import Iterator

from memcli.memory.scope import Scope, of_folder
from memcli.store.place import Place


def known(place: Place) -> tuple[Scope, ...]:
    """Every scope whose folder holds anything, in order."""
    found: set[Scope] = set()
    for kind in _folders(place, "schemas"):
        parts = kind.split("/")[1:]
        whole = of_folder(tuple(parts))
        if whole is not None:
            found.add(whole)
            continue
        for folder in _folders(place, kind):
            scope = of_folder(tuple(folder.split("/")[1:]))
            if scope is not None:
                found.add(scope)
    return tuple(sorted(found))


def _folders(place: Place, path: str) -> Iterator[str]:
    """The folders in `path` that hold anything; links are none."""
    try:
        with os.scandir(place.at(path)) as entries:
            names = sorted(one.name for one in entries if one.is_dir(follow_symlinks=False))
    except OSError:
        return
    for name in names:
        folder = f"{path}/{name}"
        try:
            with os.scandir(place.at(folder)) as entries:
                if any(not one.name.startswith(".") for one in entries):
                    yield folder
        except OSError:
            continue
