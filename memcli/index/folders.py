"""Folders for their owner alone, with everything above them that is missing.

`Path.mkdir(mode, parents=True)` gives the mode to the last one only: the others take the
umask, and under an open one anybody could put an index of theirs in place of ours.
"""

from pathlib import Path

PRIVATE = 0o700


def make(folder: Path) -> None:
    """Make `folder`; nothing happens where it is there. Raises OSError."""
    if not folder.is_dir():
        make(folder.parent)
        folder.mkdir(PRIVATE, exist_ok=True)
