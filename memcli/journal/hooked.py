"""A commit by git itself, where the repository has hooks that must see it.

Slower by a scan of the store, and impossible while a merge is in progress (git makes no
partial commit then), but a hook sees what it is used to see and may refuse.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from memcli.errors import TryAgain, Unavailable
from memcli.journal.content import Content
from memcli.journal.process import Git, Ran
from memcli.journal.repository import Journal
from memcli.journal.staging import Staging, busy
from memcli.journal.swap import patience

_MADE: Final = re.compile(rb"^\[.* ([0-9a-f]{40,64})\] ", re.MULTILINE)
_MOVED: Final = "cannot lock ref"  # HEAD moved while the hooks ran
_QUIET: Final = ("-c", "core.abbrev=no", "-c", "gc.autoDetach=true", "-c", "advice.ignoredHook=false")


def commit(  # noqa: PLR0913 - what a commit is made of
    journal: Journal,
    contents: Mapping[str, Content | None],
    text: str,
    named: Mapping[str, str],
    kind_of_hash: str,
    *,
    signs: bool = False,
) -> str:
    """Commit `contents` with the message `text` through `git commit`; the commit's id."""
    if (journal.found.git_dir / "MERGE_HEAD").exists():
        raise TryAgain("A merge is in progress here; nothing was committed.", "Finish the merge first.")
    before = journal.head()
    take_back = Staging(journal, kind_of_hash).by_git(contents)
    try:
        return _committed(journal, tuple(contents), text, named, signs=signs)
    except BaseException:
        made = _landed(journal, before, text)
        if made:
            return made
        take_back()
        raise


def _landed(journal: Journal, before: str | None, text: str) -> str | None:
    """The commit, where only what came after it failed: a hook behind it, or the staging area."""
    head = journal.head()
    if head is None or head == before:
        return None
    parents, _, subject = journal.git.read("log", "-1", "--format=%P%n%s", head).decode().partition("\n")
    mine = parents == (before or "") and subject.strip() == text.partition("\n")[0]
    return head if mine else None


def _committed(
    journal: Journal, paths: tuple[str, ...], text: str, named: Mapping[str, str], *, signs: bool
) -> str:
    git = Git(journal.found.top, journal.git.environment, journal.git.limit_s)
    with NamedTemporaryFile(dir=journal.found.git_dir, prefix="mem-paths-") as listed:
        listed.write("\0".join(paths).encode("utf-8", "surrogateescape"))
        listed.flush()
        for _ in patience(journal.wait_s):
            ran = git.trust(*_words(Path(listed.name), signs=signs), given=text.encode(), setting=named)
            if ran.code == 0:
                return _made(ran)
            if not busy(ran) and _MOVED not in ran.err:
                raise _refused(ran)
    raise TryAgain("Another git command is busy in the store; nothing was committed.", "Try again.")


def _words(listed: Path, *, signs: bool) -> tuple[str, ...]:
    return (
        *_QUIET,
        "commit",
        *(("-S",) if signs else ()),
        "--only",
        "--allow-empty",
        "--no-status",
        "--cleanup=verbatim",
        "--file=-",
        f"--pathspec-from-file={listed}",
        "--pathspec-file-nul",
    )


def _made(ran: Ran) -> str:
    found = _MADE.search(ran.out)
    if found is None:
        raise Unavailable("git made a commit and did not say which.", "`git log -1` shows it.")
    return found[1].decode()


def _refused(ran: Ran) -> Unavailable:
    return Unavailable(
        f"git commit refused: {ran.complaint}",
        "A hook of this repository, or signing, said no; run `git commit` by hand to see all of it.",
        tuple(ran.err.splitlines()),
    )
