"""A branch without history in a linked worktree: a store beside a project, off the branch people work on."""

from pathlib import Path

from memcli.errors import Refused, Unavailable
from memcli.journal import identity
from memcli.journal.process import Ran
from memcli.journal.repository import Journal


def refuse(journal: Journal, branch: str, folder: Path) -> None:
    """Raise Refused where `branch` or `folder` is taken, cannot be, or lies where git keeps its own."""
    if journal.git.ask("check-ref-format", "--branch", branch).code or branch.startswith("-"):
        raise Refused(f"{branch!r} cannot be the name of a branch.", "Try --branch mem.")
    if journal.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", _ref(branch)).code == 0:
        raise Refused(f"There is a branch {branch} already.", "Choose another name, or check it out.")
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir():
        raise Refused(f"{there} is a file.", "Name a folder.")
    if folder.exists() and any(folder.iterdir()):
        raise Refused(f"{folder} is not empty.", "Name another folder: mem init DIR --branch NAME")


def add(journal: Journal, branch: str, folder: Path) -> None:
    """Make `branch`, with one empty commit, checked out in `folder`; both or neither.

    Raises Unavailable where the disk or git does not let it be; `refuse` says before what cannot be.
    """
    configuration, inherited = journal.configuration, journal.git.environment
    named = identity.variables(identity.author(inherited, configuration, ""), "author")
    named |= identity.variables(identity.committer(inherited, configuration, ""), "committer")
    tree = _said(journal.git.act("mktree", given=b""))
    empty = _said(journal.git.act("commit-tree", tree, given=b"mem init: an empty branch\n", setting=named))
    _said(journal.git.act("update-ref", "--end-of-options", _ref(branch), empty, "0" * len(empty)))
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _said(journal.git.act("worktree", "add", "--quiet", "--end-of-options", str(folder), branch))
    except BaseException as error:
        remove(journal, branch, folder)
        if isinstance(error, OSError):
            raise Unavailable(
                f"{folder} cannot be made: {error.strerror}.", "Choose another folder."
            ) from error
        raise


def remove(journal: Journal, branch: str, folder: Path) -> None:
    """Take back what `add` made: the worktree at `folder` and its branch, which holds one empty commit."""
    journal.git.act("worktree", "remove", "--force", "--end-of-options", str(folder))
    journal.git.act("update-ref", "-d", "--end-of-options", _ref(branch))


def _ref(branch: str) -> str:
    return f"refs/heads/{branch}"


def _said(ran: Ran) -> str:
    if ran.code:
        raise Unavailable(f"git could not make the branch: {ran.complaint}", "Run `git worktree list`.")
    return ran.out.decode().strip()
