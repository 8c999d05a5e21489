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
    pieces, done = [], 0
    try:
        for begin, end, node in _found(content, size, stale):
            pieces += [content[done:begin], b"%s\0-1 %s\n" % (node[1], node[3])]
            done = end
    except ValueError:
        return None
    return b"".join([*pieces, content[done:]])


def _found(content: bytes, size: int, stale: set[bytes]) -> Iterator[tuple[int, int, re.Match[bytes]]]:
    """Where the `stale` folders stand, in order, as far as they are there; reads no further than it must.

    The folders stand depth first. Raises ValueError where the content cannot be read.
    """
    at, left = 0, len(stale)
    above: list[list[int]] = []  # of each folder that is open: how many of its folders are to come
    within: list[bytes] = []  # and its path, with a slash behind
    while at < len(content) and left:
        node = _NODE.match(content, at)
        if node is None:
            raise ValueError(at)
        name, count, folders = node.groups()
        end = node.end() + (0 if count == _FORGOTTEN else size)
        while above and not above[-1][0]:
            above.pop()
            within.pop()
        path = within[-1] + name if within else name
        if above:
            above[-1][0] -= 1
        if path in stale:
            left -= 1
            yield at, end, node
        if folders != b"0":
            above.append([int(folders)])
            within.append(path + b"/" if path else path)
        at = end
