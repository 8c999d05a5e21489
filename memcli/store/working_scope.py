"""Which scope a command stands in: the store's mapping, else the repository's name, else `user`.

It never fails: a folder that gives no usable name is a folder outside any project. What a
repository says about itself is text from outside, so only a valid scope comes of it, and
never a user name or password from its origin's address.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memcli.memory.scope import USER, NotAScope, Scope, parse
from memcli.store import checkout

if TYPE_CHECKING:
    from memcli.store.place import Place
    from memcli.store.settings import Settings

KIND: Final = "project"  # what a repository is, as a scope


def of(cwd: Path | None, settings: "Settings", place: "Place", home: Path | None = None) -> Scope:
    """The scope of the working directory `cwd` (None: it is gone) in the store at `place`.

    First the deepest folder of `settings.scopes` around `cwd`; these are relative to the
    store's root, absolute, or below `home` where they begin with `~/`. Then `project:` and
    the last part of the address of the repository's origin, or else the name of the folder
    of its common git directory. Outside any repository, `user`.
    """
    if cwd is None:
        return USER
    return _mapped(cwd, settings, place, home) or _of_repository(cwd) or USER


def _mapped(cwd: Path, settings: "Settings", place: "Place", home: Path | None) -> Scope | None:
    here = _real(cwd)
    around = [
        (len(folder.parts), scope)
        for folder, scope in _folders(settings, place, home)
        if here.is_relative_to(folder)
    ]
    return max(around)[1] if around else None


def _folders(settings: "Settings", place: "Place", home: Path | None) -> Iterator[tuple[Path, Scope]]:
    for written, scope in settings.scopes.items():
        if written == "~" or written.startswith("~/"):
            if home is not None:
                yield _real(home / written[2:]), parse(scope)
        else:
            yield _real(place.root / written), parse(scope)


def _of_repository(cwd: Path) -> Scope | None:
    repository = checkout.around(cwd)
    if repository is None:
        return None
    for name in (checkout.last_part(checkout.origin(repository.common)), checkout.name_of(repository.common)):
        try:
            return parse(f"{KIND}:{name}")
        except NotAScope:
            continue
    return None


def _real(folder: Path) -> Path:
    return Path(os.path.realpath(folder))
