"""A file as two halves, the keys of its frontmatter and its body: what a merge compares.

Nothing is judged here but whether both halves can be told apart: a file that fits the
format in no other way is still merged by what it says.
"""

from dataclasses import dataclass

from memcli.memory.joining import Keys, Tree
from memcli.store import fences, head
from memcli.store.head import Listed, Text, Value

_WINDOW = "validity"


@dataclass(frozen=True, slots=True)
class Halves:
    """`keys` as `joining` takes them; `body` is everything below the frontmatter."""

    keys: Keys
    body: bytes


NOTHING = Halves({}, b"")


class Inseparable(ValueError):
    """The file has no clear frontmatter, or lies in conflict already."""


def read(raw: bytes) -> Halves:
    """Both halves of `raw`. Raises Inseparable."""
    if fences.conflict_line(raw):
        raise Inseparable("git left its markers here")
    try:
        fence = fences.find(raw)
        said = head.NOTHING if fence.bare else head.read(raw[fence.start : fence.end].decode())
    except (fences.Unfenced, head.NotRead, UnicodeDecodeError) as error:
        raise Inseparable(str(error)) from error
    return Halves(_flat({key: tree(value) for key, value in said.members.items()}), raw[fence.body :])


def with_body(raw: bytes, body: bytes) -> bytes:
    """`raw` with another body below its frontmatter."""
    return raw[: fences.find(raw).body] + body


def tree(value: Value) -> Tree:
    """What was read, without places."""
    if isinstance(value, Text):
        return value.value
    if isinstance(value, Listed):
        return [tree(member) for member in value.members]
    return {key: tree(member) for key, member in value.members.items()}


def _flat(keys: dict[str, Tree]) -> Keys:
    """The ends of the window as keys of their own; what stands empty is left out."""
    window = keys.pop(_WINDOW, {})
    ends = {f"{_WINDOW}.{end}": value for end, value in window.items()} if isinstance(window, dict) else {}
    return {key: value for key, value in {**keys, **ends}.items() if value not in ("", [], {})}
