"""What keeps an object alive, let go: refs moved to rewritten history, reflogs, packs and loose objects.

The danger is a name that is overlooked: a tag, a stash, a line of a reflog or another working
tree keeps all that it reaches, and what was to be gone is one command away. So everything that
names a commit is listed here, and after the last step git is asked for each object that had to go.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from memcli.errors import HistoryCut, Refused, TryAgain, Unavailable
from memcli.journal import locks
from memcli.journal.repository import Journal

_LONG_S: Final = 3600.0  # asserted: to pack a large shared repository anew
_HEX: Final = re.compile(rb"\b[0-9a-f]{40}(?:[0-9a-f]{24})?\b")
_FORM: Final = "%(refname)%00%(objectname)%00%(objecttype)%00%(symref)"
# Files that name commits or hold the text of one, and are made anew when they are needed.
_PASSING: Final = ("ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG", "SQUASH_MSG", "MERGE_MSG")
_GRAPHS: Final = ("info/commit-graph", "info/commit-graphs", "pack/multi-pack-index")


class Moved(TryAgain):
    """A ref names neither what it was to move from nor what it was to move to."""


@dataclass(frozen=True, slots=True)
class Ref:
    """One name: what it names, and of which kind that is (commit, tag)."""

    name: str
    target: str
    kind: str


def refs(journal: Journal) -> tuple[Ref, ...]:
    """Every ref of the repository that is no mere name of another."""
    out = journal.git.read("for-each-ref", f"--format={_FORM}").decode("utf-8", "surrogateescape")
    lines = (line.split("\0") for line in out.split("\n")[:-1])  # a name may hold other line ends
    return tuple(Ref(*line[:3]) for line in lines if not line[3] and line[2] in ("commit", "tag"))


def refuse_unfit(journal: Journal) -> None:
    """Raise what makes it impossible to take anything out of this history, before anything is done."""
    common = journal.found.common_dir
    if journal.boundary():
        raise HistoryCut(
            "This is a shallow clone: what came before is not here to be rewritten.",
            "git fetch --unshallow, or purge in the clone that has all of it.",
        )
    if (common / "objects" / "info" / "alternates").exists():
        raise Refused(
            "This repository borrows objects of another one, where they would stay.",
            "git repack -a -d && rm .git/objects/info/alternates, then purge there, too.",
        )
    if list((common / "objects" / "pack").glob("*.keep")):
        raise Refused("A pack of this repository is marked to be kept.", "Remove its .keep file first.")
    if (journal.found.git_dir / "MERGE_HEAD").exists():
        raise TryAgain("A merge is in progress here; nothing was purged.", "Finish the merge first.")
    if journal.branch() is None:
        raise Refused("HEAD is on no branch, so no branch can be rewritten.", "git switch BRANCH first.")


def elsewhere(journal: Journal) -> tuple[tuple[str, str], ...]:
    """The other working trees of the repository: folder, and the commit that is checked out there."""
    out = journal.git.read("worktree", "list", "--porcelain").decode("utf-8", "surrogateescape")
    blocks = [dict(line.partition(" ")[::2] for line in one.split("\n")) for one in out.split("\n\n") if one]
    top = str(journal.found.top)
    return tuple((one["worktree"], one.get("HEAD", "")) for one in blocks if one.get("worktree") != top)


def logs(journal: Journal) -> dict[str, bytes]:
    """The reflogs, by path within the common folder of git."""
    common = journal.found.common_dir
    folders = [common / "logs", *common.glob("worktrees/*/logs")]
    found = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(common).as_posix(): path.read_bytes() for path in found}


def named_in(journal: Journal, raws: Iterable[bytes]) -> tuple[str, ...]:
    """The commits that reflogs name and that are still there."""
    names = sorted({name.decode() for raw in raws for name in _HEX.findall(raw) if name.strip(b"0")})
    return tuple(name for name, kind in _kinds(journal, names) if kind == "commit")


def there(journal: Journal, names: Sequence[str]) -> tuple[str, ...]:
    """Which of these objects the repository still holds."""
    return tuple(name for name, kind in _kinds(journal, names) if kind != "missing")


def _kinds(journal: Journal, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    given = "".join(f"{name}\n" for name in names).encode()
    out = journal.git.read("cat-file", "--batch-check=%(objectname) %(objecttype)", given=given)
    for name, line in zip(names, out.decode().splitlines(), strict=True):
        yield name, line.rpartition(" ")[2]


def mapped(raw: bytes, made: Mapping[str, str]) -> bytes:
    """A reflog with the new commit wherever it names one that was rewritten."""
    return _HEX.sub(lambda found: made.get(found[0].decode(), found[0].decode()).encode(), raw)


def move(journal: Journal, moves: Sequence[tuple[str, str, str]]) -> None:
    """Let each ref (name, what it names, what it shall name; empty: none) move, all or none.

    Those that moved already are passed over. Raises Moved where one names something else, TryAgain
    where git could not move any, Unavailable where it stopped between two.
    """
    now = {one.name: one.target for one in refs(journal)}
    wanted = [one for one in moves if now.get(one[0], "") != one[2]]
    strange = [name for name, old, _ in wanted if now.get(name, "") != old]
    if strange:
        raise Moved(f"{strange[0]} moved meanwhile; nothing was purged.", "Look at a new preview.")
    if not wanted:
        return
    lines = [f"update {name} {new} {old}" if new else f"delete {name} {old}" for name, old, new in wanted]
    given = "\n".join(["start", *lines, "prepare", "commit", ""]).encode("utf-8", "surrogateescape")
    ran = journal.git.act("update-ref", "-m", "mem purge", "--stdin", given=given)
    if not ran.code:
        return
    if ran.code < 0:  # somebody killed it
        locks.let_go_moving(journal, moves)
    now = {one.name: one.target for one in refs(journal)}
    if any(old != new and now.get(name, "") == new for name, old, new in moves):
        raise Unavailable(
            f"git moved only some branches: {ran.complaint}", "The next command moves the rest."
        )
    raise TryAgain(f"git could not move the branches: {ran.complaint}", "Nothing was purged; try again.")


def write_logs(journal: Journal, after: Mapping[str, tuple[int, bytes]], made: Mapping[str, str]) -> None:
    """Give each reflog its new lines in place of its first so many bytes; later ones are mapped."""
    for path, (length, raw) in after.items():
        file = journal.found.common_dir / path
        if not file.exists():
            continue  # it went with its ref
        now = file.read_bytes()
        if not now.startswith(raw) or mapped(now, made) != now:
            file.write_bytes(raw + mapped(now[length:], made))


def let_go(journal: Journal) -> None:
    """Remove every object that nothing names, from packs and folders alike. Raises Unavailable."""
    common = journal.found.common_dir
    for folder in (journal.found.git_dir, common):
        for name in _PASSING:
            (folder / name).unlink(missing_ok=True)
    for name in _GRAPHS:
        _gone(common / "objects" / name)
    git = replace(journal.git, limit_s=_LONG_S)
    quiet = ("-c", "gc.recentObjectsHook=", "-c", "repack.writeBitmaps=false")
    if list((common / "objects" / "pack").glob("*.pack")):
        _done(git.act(*quiet, "repack", "-a", "-d", "-q").code)
    _done(git.act(*quiet, "prune", "--expire=now").code)


def _gone(path: Path) -> None:
    if path.is_dir():
        for one in path.iterdir():
            one.unlink()
        path.rmdir()
    with suppress(FileNotFoundError):
        path.unlink()


def _done(code: int) -> None:
    if code:
        raise Unavailable(
            "The branches name the new history, but git could not remove the old objects.",
            "Run git fsck; the next command that writes tries again.",
        )
