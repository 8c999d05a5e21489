"""The ground that a new store is to stand on: what is there already and would be in its way.

The danger is a store half made, or one that no command then finds: so whatever stands where one
of its own files goes, and is none, is refused before anything is made, in a dry run too.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from memcli.errors import Refused, Unavailable
from memcli.store.place import Place
from memcli.store.problem import shown


def refuse_taken(root: Path, names: Iterable[str]) -> None:
    """Raise Refused where a store in the folder `root` could not have its files, `names` at its top.

    `root` itself is a folder or is not there. Raises Unavailable where nothing may be written.
    """
    for path in (root / name for name in names):
        if path.is_dir() or (path.is_symlink() and not path.exists()):
            what = "folder" if path.is_dir() else "link to nothing"
            raise Refused(f"{shown(str(path))} is a {what}.", "Remove it, or name another folder.")
    schemas = Place(root).schemas
    if schemas.is_symlink() or (schemas.exists() and not schemas.is_dir()):
        raise Refused(
            f"{shown(str(schemas))} is a link or no folder, and links are not followed.",
            "Put a folder of its own in its place, or name another folder.",
        )
    there = nearest(root)
    if not there.is_dir():
        raise Refused(f"{shown(str(there))} is a file.", "Name a folder.")
    if not os.access(there, os.W_OK | os.X_OK):
        raise Unavailable(
            f"{shown(str(there))} may not be written to.", "Choose another folder: mem init DIR"
        )


def nearest(folder: Path) -> Path:
    """`folder`, or the nearest one above it that exists."""
    return next(one for one in (folder, *folder.parents) if one.exists())
