"""Whether a file surely differs from the commit, told from its bytes alone: an edit by hand, at its save.

`git status` of one file reads the whole staging area in a process of its own. Where the bytes
differ however git might convert them, and the staging area holds the file plainly, its answer is
known. Whatever may be equal in git's eyes, or is flagged, is left to git.
"""

import mmap
from typing import Final

from memcli.errors import MemError
from memcli.journal import tree
from memcli.journal.repository import Journal
from memcli.journal.stagingfile import NotPlain, plain

_CONVERTED: Final = (b"\0", b"$Id")  # another encoding; a keyword that git fills in


def surely(journal: Journal, commit: str, path: str, raw: bytes) -> bool:
    """Whether the file `path`, whose bytes are `raw`, is a modified one; False where git has to be asked.

    `commit` is the full id of HEAD.
    """
    try:
        journal.refuse_unusable(journal.configuration)
        before = tree.read(journal, commit, (path,))[path]
        return before is not None and _differs(before, raw) and _plain(journal, commit, path)
    except (MemError, OSError, ValueError, NotPlain):
        return False


def _differs(before: bytes, raw: bytes) -> bool:
    """Whether no conversion of line ends, encodings or keywords could make the two equal."""
    if any(mark in one for mark in _CONVERTED for one in (before, raw)):
        return False
    raw.decode()
    return before.replace(b"\r\n", b"\n") != raw.replace(b"\r\n", b"\n")


def _plain(journal: Journal, commit: str, path: str) -> bool:
    """Whether the staging area holds the file as any other, not as one that git shall not look at."""
    kind = "sha256" if len(commit) > tree.SHA1 else "sha1"
    name = (journal.prefix + path).encode("utf-8", "surrogateescape")
    with (
        (journal.found.git_dir / "index").open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
    ):
        return plain(mapped, name, kind)
