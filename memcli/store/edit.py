"""Changing a few keys of a file and not one byte more.

People own these files: comments, order, quotes, line ends and keys that mem does not know
survive every verb, and setting a key back gives the old bytes. So nothing is dumped: the
place of a value is found, and only that place is written. Afterwards the block is read
again; if anything but the asked keys came out differently, the edit is refused.
"""

from collections.abc import Mapping

from memcli.errors import BadFile
from memcli.store import fences, head, splice
from memcli.store.fences import BOM, Fences, Unfenced
from memcli.store.head import Keyed, Listed, NotRead, Text, Value
from memcli.store.plain import Plain
from memcli.store.problem import Problem

__all__ = ["Plain", "set_keys"]

Tree = str | list["Tree"] | dict[str, "Tree"]


def set_keys(raw: bytes, changes: Mapping[str, Plain | None], path: str = "") -> bytes:
    """`raw` with each key of `changes` set, or removed where its value is None.

    A key below another is written with a dot, like `validity.to`. An empty text leaves the
    key standing without a value. A file without frontmatter gets a block, and loses it again
    with its last key. Raises BadFile where the frontmatter cannot be read, or not be edited
    without touching more; `path` is what its details call the file.
    """
    try:
        fence = _find(raw)
        old = raw[fence.start : fence.end].decode()
        new = _changed(old, changes, _line_end(raw, fence))
    except Unfenced as error:
        raise _not_editable(Problem(path, error.line, "", error.what)) from error
    except NotRead as error:
        raise _not_editable(Problem(path, error.line + 1, error.key, error.what)) from error
    except UnicodeDecodeError as error:
        raise _not_editable(Problem(path, 0, "", "is not UTF-8; save it as UTF-8")) from error
    return raw if new == old else _assembled(raw, fence, new)


def _not_editable(problem: Problem) -> BadFile:
    return BadFile(
        f"the frontmatter cannot be edited: {problem.what}",
        "Mend the file by hand first.",
        (str(problem),),
    )


def _find(raw: bytes) -> Fences:
    marker = fences.conflict_line(raw)
    if marker:
        raise Unfenced(marker, f"git left a conflict in line {marker}")
    return fences.find(raw)


def _line_end(raw: bytes, fence: Fences) -> str:
    """How lines of this file end: as the opening fence, or the first line, does."""
    end = raw.find(b"\n", 0 if fence.bare else fence.start - 1)
    return "\r\n" if end > 0 and raw[end - 1 : end] == b"\r" else "\n"


def _assembled(raw: bytes, fence: Fences, block: str) -> bytes:
    if fence.bare:
        line_end = _line_end(raw, fence)
        opened = f"---{line_end}{block}---{line_end}{line_end}".encode()
        return raw[: fence.body] + opened + raw[fence.body :]
    if not block:
        return _without_fences(raw, fence)
    return raw[: fence.start] + block.encode() + raw[fence.end :]


def _without_fences(raw: bytes, fence: Fences) -> bytes:
    """The last key is gone: back to what the file was before mem gave it a block."""
    body = raw[fence.body :]
    for blank in (b"\r\n", b"\n"):
        if body.startswith(blank):
            return (BOM if raw.startswith(BOM) else b"") + body[len(blank) :]
    return raw[: fence.start] + raw[fence.end :]


def _changed(block: str, changes: Mapping[str, Plain | None], line_end: str) -> str:
    """The block after all changes, proven to differ in nothing else. Raises NotRead, BadFile."""
    before = {key: _tree(value) for key, value in head.read(block).members.items()}
    new = block
    for key, value in changes.items():
        new = _set(new, head.read(new), key.split("."), value, line_end)
        if len(new.encode()) > head.LIMIT_BYTES:
            limit = f"the frontmatter would be larger than {head.LIMIT_BYTES // 1024} KiB"
            raise BadFile(f"{key} cannot be changed so: {limit}", "Say it in fewer words.")
        _apply(before, key.split("."), value)
    try:
        after = _tree(head.read(new))
    except NotRead as error:
        raise _too_intricate(changes) from error
    if _filled(after) != _filled(before):
        raise _too_intricate(changes)
    return new


def _too_intricate(changes: Mapping[str, Plain | None]) -> BadFile:
    keys = ", ".join(changes)
    return BadFile(f"{keys} cannot be changed without touching more of the frontmatter", "Edit it by hand.")


def _set(block: str, keyed: Keyed, names: list[str], value: Plain | None, line_end: str) -> str:
    """One change at the key `names` below the mapping `keyed`."""
    name, *below = names
    here = splice.Place(block, keyed, line_end)
    held = keyed.members.get(name)
    if not below:
        return _set_here(here, name, held, value)
    if isinstance(held, Keyed) and held.members:
        if value is None and list(held.members) == below and not here.remarked(name, held.members[below[0]]):
            return here.removed(name)
        return _set(block, held, below, value, line_end)
    if held is not None and _tree(held):
        raise NotRead(held.start, name, f"{name} holds one value, where lines `key: value` are expected")
    if value is None:
        return block
    return _set_here(here, name, held, {below[0]: value})


def _set_here(here: splice.Place, name: str, held: Value | None, value: Plain | None) -> str:
    if value is None:
        return here.block if held is None else here.removed(name)
    if held is None:
        return here.added(name, value)
    return here.block if _tree(held) == _as_read(value) else here.replaced(name, value)


def _tree(value: Value) -> Tree:
    """What was read, without places."""
    if isinstance(value, Text):
        return value.value
    if isinstance(value, Listed):
        return [_tree(member) for member in value.members]
    return {key: _tree(member) for key, member in value.members.items()}


def _as_read(value: Plain) -> Tree:
    """What `value` will be read as."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Mapping):
        return {key: _as_read(each) for key, each in value.items()}
    return [_as_read(each) for each in value]


def _apply(tree: dict[str, Tree], names: list[str], value: Plain | None) -> None:
    """The change itself, on values alone."""
    *above, last = names
    for name in above:
        inner = tree.get(name)
        below = inner if isinstance(inner, dict) else {}
        tree[name] = below
        tree = below
    if value is None:
        tree.pop(last, None)
    else:
        tree[last] = _as_read(value)


def _filled(tree: Tree) -> Tree:
    """`tree` without keys that stand there empty: to every reader they are left out."""
    if not isinstance(tree, dict):
        return tree
    kept = {key: _filled(each) for key, each in tree.items()}
    return {key: each for key, each in kept.items() if each not in ("", {}, [])}
