"""What HEAD names, read from files; and HEAD moved, by git, only from where we saw it.

Comparing and swapping is the whole protection against two writers: the ref moves from the
commit that ours was built on, or not at all.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memcli.errors import Unavailable
from memcli.journal.gitdir import Found
from memcli.journal.process import Git

_HEX: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_LOST: Final = ("but expected", "reference already exists", "unable to create", "cannot lock ref")


@dataclass(frozen=True, slots=True)
class Head:
    """`ref` that HEAD stands on (None: detached) and the `commit` it names (None: unborn)."""

    ref: str | None
    commit: str | None


def head(found: Found, git: Git) -> Head:
    """HEAD as it is now. Raises Unavailable where it, or the ref that it names, is damaged."""
    text = _text(found.git_dir / "HEAD")
    if text is None or text.startswith("ref: refs/heads/.invalid"):
        return _asked(git)
    if not text.startswith("ref: "):
        return Head(None, _commit(text, "HEAD"))
    ref = text.removeprefix("ref: ").strip()
    # Refs of one worktree alone lie beside HEAD; branches are shared.
    value = _text((found.common_dir if ref.startswith("refs/heads/") else found.git_dir) / ref)
    if value is None:
        return Head(ref, _packed(found.common_dir, ref))
    if value.startswith("ref: "):
        return _asked(git)
    return Head(ref, _commit(value, ref))


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
    )


def move(git: Git, seen: str | None, commit: str, subject: str) -> bool:
    """Move HEAD, and the branch that it stands on, from `seen` to `commit`, with a line in the reflog.

    False where HEAD names another commit by now or somebody holds it: look again. Raises
    Unavailable where git refuses for another reason.
    """
    expected = seen or "0" * len(commit)
    ran = git.act("update-ref", "-m", subject, "--end-of-options", "HEAD", commit, expected)
    if ran.code == 0:
        return True
    if any(sign in ran.err.lower() for sign in _LOST):
        return False
    raise Unavailable(f"git could not move HEAD: {ran.complaint}", "Run `git fsck` in the store.")
