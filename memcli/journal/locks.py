"""Where git locks what a commit changes, and locks of ours that a killed process left there.

The journal's own writers clear those when they meet them (memcli.journal.swap). git does not know
them: a merge, or the user's next commit, would wait for nobody and fail.
"""

from contextlib import suppress
from pathlib import Path

from memcli.journal import swap
from memcli.journal.repository import Journal


def of(journal: Journal) -> tuple[Path, ...]:
    """The lock of the staging area, of HEAD, and of what HEAD names, whether they are there or not."""
    return tuple(lock for lock, _ in _places(journal))


def let_go(journal: Journal) -> None:
    """Remove those that a process of ours left and that is gone; the caller holds the store's lock."""
    for lock, beside in _places(journal):
        if lock.exists():
            swap.let_go(lock, beside)


def let_go_fetched(journal: Journal, ref: str) -> None:
    """Wait until nobody holds the lock of `ref`, and remove it once it is older than any git holds one.

    Only for a ref that says what another clone holds. A git that was killed while it fetched leaves its
    lock there, and nothing tells whose it was; should somebody hold it after all, the ref says what one
    of the two read, and the next fetch corrects that.
    """
    common = journal.found.common_dir
    lock = common / f"{ref}.lock"
    if not lock.parent.resolve().is_relative_to(common.resolve()):
        return
    for _ in swap.patience(swap.DEAD_S + 1):
        if not lock.exists():
            return
        with suppress(OSError):
            if swap.present(common) - lock.lstat().st_mtime >= swap.DEAD_S:
                lock.unlink()


def _places(journal: Journal) -> list[tuple[Path, Path]]:
    """Each lock, and the folder in which whoever takes it prepares the new file."""
    found, branch = journal.found, journal.branch()
    files = [(found.git_dir / "index.lock", found.git_dir), (found.git_dir / "HEAD.lock", found.git_dir)]
    named = [(found.common_dir / f"refs/heads/{branch}.lock", found.common_dir)] if branch else []
    return files + named
