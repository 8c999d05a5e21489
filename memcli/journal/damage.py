"""Looks for history that can no longer be read, so that `mem check` can name it.

Nothing is mended: git's own tools and a person decide whether a clone, a backup or the
files on disk hold what is lost.
"""

from memcli.errors import Unavailable
from memcli.journal.repository import Journal

HINT = "Run `git fsck --full`; another clone or a backup may hold the lost objects. The files are unharmed."


def find(journal: Journal) -> tuple[str, ...]:
    """What is missing or unreadable in the history of HEAD, a line each; empty where all is well.

    Follows every commit and folder and looks for every file (0.2 s for 10,000 commits),
    without reading the files' contents.
    """
    try:
        if journal.head() is None:
            return ()
    except Unavailable as error:
        return (error.message,)
    ran = journal.git.ask("fsck", "--connectivity-only", "--no-dangling", "--no-progress", "HEAD")
    if ran.code == 0:
        return ()
    said = (ran.out.decode("utf-8", "replace") + ran.err).splitlines()
    return tuple(line for line in said if line and not line.startswith("notice:"))
