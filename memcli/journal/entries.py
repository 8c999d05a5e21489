"""One entry of a tree, found without taking all others apart.

A folder of fifty thousand files is a tree of four megabytes; whoever edits a memory in it
wants one line of that. The last trees stay in memory, since one save follows another: their
content is what their id says, so they cannot be outdated.
"""

from collections import OrderedDict
from typing import Final

from memcli.journal.objects import FOLDER, Objects, parse_tree

Entry = tuple[bytes, bytes]  # mode, raw id
_MODE: Final = 6  # digits of the mode of whatever is no folder
_NONE: Final[Entry] = (b"", b"")
_KEPT: Final = 8  # trees; asserted: the folders on the way to a file, and a second file's
_FOLDER_IN_MEMORY: Final = 1 << 24  # bytes; a larger tree is not kept
_kept: "OrderedDict[tuple[str, str], bytes]" = OrderedDict()


def entry(objects: Objects, tree: str, name: bytes) -> Entry:
    """Mode and raw id of `name` in the tree `tree`, empty where it is not there."""
    raw, size = _raw(objects, tree), len(tree) // 2
    # Only a name longer than an id, and without a space, can be found nowhere but in its own entry.
    if len(name) < size or b" " in name:
        return parse_tree(raw, size).get(name, _NONE)
    at = raw.find(b" %b\0" % name)
    if at < 0:
        return _NONE
    end = at + len(name) + 2
    begin = at - len(FOLDER) if raw.endswith(FOLDER, 0, at) else at - _MODE
    return raw[begin:at], raw[end : end + size]


def _raw(objects: Objects, tree: str) -> bytes:
    key = (str(objects.folder), tree)
    raw = _kept.pop(key, None)
    if raw is None:
        raw = objects.read(tree, "tree")
    if len(raw) <= _FOLDER_IN_MEMORY:
        _kept[key] = raw
    while len(_kept) > _KEPT:
        _kept.popitem(last=False)
    return raw
