"""The tree of a commit with a few files put in: only the folders on their paths are read and written."""

from collections.abc import Mapping

from memcli.errors import BadFile
from memcli.journal.content import Content
from memcli.journal.objects import FOLDER, SUBMODULE, Objects, Tree

# What shall be at a path, given by its parts; None takes the file out.
Changes = Mapping[tuple[bytes, ...], Content | None]


def woven(objects: Objects, root: str | None, contents: Mapping[str, Content | None]) -> str:
    """The id of the tree `root` (None: empty) with `contents` (path → file, None = none) put in."""
    changes = {tuple(_raw(path).split(b"/")): one for path, one in contents.items()}
    return _woven(objects, root, changes) or objects.write_tree({})


def root_of(objects: Objects, commit: str) -> str:
    """The id of the tree of `commit`."""
    line = objects.read(commit, "commit").partition(b"\n")[0]
    return line.removeprefix(b"tree ").decode("ascii")


def holds(objects: Objects, root: str | None, folder: str) -> bool:
    """Whether the tree `root` has a folder at the path `folder`."""
    tree = root
    for name in _raw(folder.rstrip("/")).split(b"/"):
        entries = objects.tree(tree) if tree else {}
        tree = entries[name][1].hex() if _is_folder(entries, name) else None
    return tree is not None


def _raw(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")


def _woven(objects: Objects, tree: str | None, changes: Changes) -> str | None:
    """The id of `tree` with `changes`, None where nothing is left of it."""
    entries = objects.tree(tree) if tree else {}
    deeper: dict[bytes, dict[tuple[bytes, ...], Content | None]] = {}
    for (name, *rest), content in changes.items():
        if rest:
            deeper.setdefault(name, {})[tuple(rest)] = content
        elif content is not None:
            entries[name] = (content.mode, bytes.fromhex(content.blob))
        elif not _is_folder(entries, name):
            entries.pop(name, None)
    for name, below in deeper.items():
        _put(objects, entries, name, below)
    return objects.write_tree(entries) if entries else None


def _put(objects: Objects, entries: Tree, name: bytes, below: Changes) -> None:
    if name in entries and entries[name][0] == SUBMODULE:
        shown = name.decode("utf-8", "replace")
        raise BadFile(f"{shown} is a repository of its own.", "Make it a store of its own, or move it away.")
    is_folder = _is_folder(entries, name)
    if not is_folder and not any(below.values()):
        return  # there is no folder to take anything out of
    after = _woven(objects, entries[name][1].hex() if is_folder else None, below)
    if after is None:
        entries.pop(name, None)
    else:
        entries[name] = (FOLDER, bytes.fromhex(after))


def _is_folder(entries: Tree, name: bytes) -> bool:
    return name in entries and entries[name][0] == FOLDER
