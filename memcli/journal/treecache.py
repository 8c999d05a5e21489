"""The staging area's cache of trees: which folders git must hash again after a change.

Git keeps the tree of each folder beside the entries, and trusts it when it writes the next
commit. A folder whose entries changed must be forgotten there, with all that it lies in,
or the user's next commit would leave the change out.
"""

import re
from collections.abc import Iterator
from typing import Final

# A folder's name, how many entries it holds (-1: forgotten), how many folders; then its id, unless forgotten.
_NODE: Final = re.compile(rb"([^\0]*)\0(-?\d+) (\d+)\n")
_FORGOTTEN: Final = b"-1"


def forgotten(content: bytes, names: tuple[bytes, ...], size: int) -> bytes | None:
    """The cache without the folders that `names` lie in; None where it cannot be read.

    `size` is the length of an id in bytes.
    """
    stale = {b""}
    for name in names:
        folder = name.rpartition(b"/")[0]
        while folder:
            stale.add(folder)
            folder = folder.rpartition(b"/")[0]
    try:
        nodes = list(_nodes(content, size))
    except ValueError:
        return None
    return b"".join(
        b"%s\0-1 %s\n" % (node[1], node[3]) if path in stale else content[node.start() : end]
        for path, node, end in nodes
    )


def _nodes(content: bytes, size: int) -> Iterator[tuple[bytes, re.Match[bytes], int]]:
    """Path, match and end of each folder, depth first as they stand. Raises ValueError where unreadable."""
    at = 0
    above: list[tuple[bytes, int]] = []  # the folders that are open, and how many of theirs are to come
    while at < len(content):
        node = _NODE.match(content, at)
        if node is None:
            raise ValueError(at)
        while above and not above[-1][1]:
            above.pop()
        path = node[1]
        if above:
            parent, left = above.pop()
            above.append((parent, left - 1))
            path = parent + b"/" + path if parent else path
        at = node.end() + (0 if node[2] == _FORGOTTEN else size)
        yield path, node, at
        above.append((path, int(node[3])))
