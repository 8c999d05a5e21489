"""How the files of two commits differ, each by its path: no guess at which one was moved where."""

from dataclasses import dataclass
from typing import Final

from memcli.journal.repository import Journal

_PLAIN: Final = "100644"
_NO_FILE: Final = "000000"


@dataclass(frozen=True, slots=True)
class Difference:
    """A file in two commits: modes and blobs as git names them."""

    old_mode: str
    new_mode: str
    old: str
    new: str

    @property
    def plain(self) -> bool:
        """Whether it is a plain file in both, or in one and not there in the other."""
        return not {self.old_mode, self.new_mode} - {_PLAIN, _NO_FILE}

    @property
    def gone(self) -> bool:
        """Whether the second commit has no such file."""
        return self.new_mode == _NO_FILE


def between(journal: Journal, one: str, other: str) -> dict[str, Difference]:
    """By path in the repository each file that two commits do not have alike."""
    if one == other:
        return {}
    words = ("diff-tree", "-r", "-z", "--no-renames", "--raw", "--no-abbrev", "--end-of-options", one, other)
    fields = iter(journal.git.read(*words).decode("utf-8", "surrogateescape").split("\0"))
    found = {}
    for stated, path in zip(fields, fields, strict=False):
        old_mode, new_mode, old, new, _ = stated.removeprefix(":").split(" ")
        found[path] = Difference(old_mode, new_mode, old, new)
    return found
