"""Paths of memories: exact bytes for another program, made visible for a terminal."""

import os

from memcli.cli.render.text import visible
from memcli.cli.streams import Streams


def absolute(root: str, path: str) -> str:
    """The absolute path of a file of the store, as text that may be shown."""
    return visible(os.path.join(root, path))  # noqa: PTH118 - text, not a Path


def path_of(streams: Streams, root: str, path: str) -> bytes:
    """The absolute path as the system names it; at a terminal nothing in it is obeyed."""
    if streams.at_terminal:
        return absolute(root, path).encode()
    return os.fsencode(os.path.join(root, path))  # noqa: PTH118 - bytes, not a Path
