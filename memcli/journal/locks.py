"""Where git locks what a commit changes, and locks of ours that a killed process left there.

The journal's own writers clear those when they meet them (memcli.journal.swap). git does not know
them: a merge, or the user's next commit, would wait for nobody and fail.
"""

from collections.abc import Iterable
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


def let_go_old(journal: Journal, ref: str) -> None:
    """Wait until nobody holds the lock of `ref`, and remove it once it is older than any git holds one.

    Only for a ref that says what another clone holds, or is our own. A git that was killed leaves its
    lock there, and nothing tells whose it was; should somebody hold it after all, the ref says what one
    of the two knew, and the next one corrects that.
    """
    _wait_out(journal.found.common_dir, journal.found.common_dir / f"{ref}.lock")


def let_go_moving(journal: Journal, moves: Iterable[tuple[str, str, str]]) -> None:
    """Remove the locks that a git left which was killed while it carried out `moves`, once they are old.

    A move is (ref, what it names, what it shall name). A lock was left by that git if it holds the
    beginning of what it was to write there; any other one stays.
    """
    common, head = journal.found.common_dir, journal.found.git_dir / "HEAD.lock"
    written = {common / f"{ref}.lock": f"{new}\n".encode() if new else b"" for ref, _, new in moves}
    for lock, new in ({common / "packed-refs.lock": b"", head: b""} | written).items():
        with suppress(OSError):
            if new.startswith(lock.read_bytes()):
                _wait_out(common, lock)


def _wait_out(common: Path, lock: Path) -> None:
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
