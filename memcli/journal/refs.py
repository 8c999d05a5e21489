"""What HEAD names, and HEAD moved: from where we saw it, or not at all.

Comparing and swapping is the whole protection against two writers. Refs that are files
(as git's `files` format keeps them, loose or packed) are read and moved here, under the
lock that git itself takes; every other kind is left to git.
"""

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memcli.errors import Unavailable
from memcli.journal import swap
from memcli.journal.gitdir import Found
from memcli.journal.process import Git

_HEX: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LOST: Final = ("but expected", "reference already exists", "unable to create", "cannot lock ref")


@dataclass(frozen=True, slots=True)
class Head:
    """`ref` that HEAD stands on (None: detached) and the `commit` it names (None: unborn).

    `plain` says that both stand in files, and the ref is a branch.
    """

    ref: str | None
    commit: str | None
    plain: bool = True


def head(found: Found, git: Git) -> Head:
    """HEAD as it is now. Raises Unavailable where it, or the ref that it names, is damaged."""
    text = _text(found.git_dir / "HEAD")
    if text is None or text.startswith("ref: refs/heads/.invalid"):
        return _asked(git)
    if not text.startswith("ref: "):
        return Head(None, _commit(text, "HEAD"))
    ref = text.removeprefix("ref: ").strip()
    value = _text(found.common_dir / ref)
    if not ref.startswith("refs/heads/") or (value or "").startswith("ref: "):
        return _asked(git)  # a ref of one worktree alone, or a name for another
    if value is None:
        return Head(ref, _packed(found.common_dir, ref))
    return Head(ref, _commit(value, ref))


def value(found: Found, ref: str) -> str | None:
    """The commit that `ref` names where refs stand in files (`Head.plain`), None where there is none."""
    text = _text(found.common_dir / ref)
    return _packed(found.common_dir, ref) if text is None else _commit(text, ref)


def _text(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", "surrogateescape").rstrip("\n")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def _packed(common_dir: Path, ref: str) -> str | None:
    for line in (_text(common_dir / "packed-refs") or "").splitlines():
        if line.endswith(f" {ref}"):
            return _commit(line.partition(" ")[0], ref)
    return None


def _commit(text: str, name: str) -> str:
    if _HEX.fullmatch(text.strip()):
        return text.strip()
    raise Unavailable(
        f"History is damaged: {name} does not name a commit.",
        "Run `git fsck`; `git reflog` knows the commit it named before. Files and recall are unharmed.",
    )


def _asked(git: Git) -> Head:
    """HEAD as git itself says: other ways to store refs than files."""
    name = git.ask("symbolic-ref", "--quiet", "HEAD")
    commit = git.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    return Head(
        name.out.decode("utf-8", "surrogateescape").strip() or None,
        commit.out.decode().strip() or None,
        plain=False,
    )


@dataclass(frozen=True, slots=True)
class Move:
    """HEAD, and the branch that it stands on, from what was `seen` to `commit`.

    `who` is the committer with time as in a commit, `why` one line for the reflog. `logs`
    says whether a reflog is begun where there is none, `synced` whether the new value must
    outlive a loss of power.
    """

    seen: Head
    commit: str
    who: str
    why: str
    logs: bool = True
    synced: bool = True

    @property
    def line(self) -> bytes:
        """The line of the reflog."""
        before = self.seen.commit or "0" * len(self.commit)
        text = f"{before} {self.commit} {self.who}\t{self.why}\n"
        return text.encode("utf-8", "surrogateescape")


def move(found: Found, git: Git, wanted: Move) -> bool:
    """Carry out `wanted` if HEAD is still as it was seen.

    False where HEAD names another commit by now or somebody holds it: look again. Raises
    Unavailable where git refuses for another reason.
    """
    seen = wanted.seen
    if not seen.plain:
        return _by_git(git, wanted)
    folder = found.common_dir if seen.ref else found.git_dir
    target = folder / (seen.ref or "HEAD")
    new = swap.New([f"{wanted.commit}\n".encode()], synced=wanted.synced)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        moved = swap.replace(target, new, beside=folder, still=lambda: head(found, git) == seen)
    except OSError:
        return _by_git(git, wanted)  # a folder where the ref should be, a disk without links: git will say it
    if moved:
        _log(found.git_dir / "logs" / "HEAD", wanted)
        if seen.ref:
            _log(found.common_dir / "logs" / seen.ref, wanted)
    return moved


def _log(path: Path, wanted: Move) -> None:
    if not wanted.logs and not path.exists():
        return
    with contextlib.suppress(OSError):  # the ref has moved; the line about it is a convenience
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        with os.fdopen(handle, "wb", buffering=0) as file:
            swap.write_all(file, wanted.line)


def _by_git(git: Git, wanted: Move) -> bool:
    expected = wanted.seen.commit or "0" * len(wanted.commit)
    ran = git.act("update-ref", "-m", wanted.why, "--end-of-options", "HEAD", wanted.commit, expected)
    if ran.code == 0:
        return True
    if any(sign in ran.err.lower() for sign in _LOST):
        return False
    raise Unavailable(f"git could not move HEAD: {ran.complaint}", "Run `git fsck` in the store.")
