"""A branch without history in a linked worktree: a store beside a project, off the branch people work on."""

from pathlib import Path
from shlex import quote

from memcli.errors import Refused, Unavailable
from memcli.journal import identity
from memcli.journal.process import Ran
from memcli.journal.repository import Journal


def refuse(journal: Journal, branch: str, folder: Path) -> None:
    """Raise Refused where `branch` or `folder` is taken, cannot be, or lies where git keeps its own."""
    if (
        journal.git.ask("check-ref-format", "--branch", branch).code
        or branch.startswith("-")
        or branch == "@"
    ):
        raise Refused(f"{branch!r} cannot be the name of a branch.", "Try --branch mem.")
    _refuse_beside(journal, branch, folder)
    there = next(one for one in (folder, *folder.parents) if one.exists())
    if not there.is_dir():
        raise Refused(f"{there} is a file.", "Name a folder.")
    if folder.exists() and any(folder.iterdir()):
        raise Refused(f"{folder} is not empty.", "Name another folder: mem init DIR --branch NAME")


def _refuse_beside(journal: Journal, branch: str, folder: Path) -> None:
    """Raise Refused where a branch of this clone, or one known of a remote, is `branch` or bars it."""
    listed = journal.git.ask("for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes")
    refs = _said(listed).splitlines()
    for ref in refs:
        same = ref == _ref(branch) or (ref.startswith("refs/remotes/") and ref.endswith(f"/{branch}"))
        if same and _holds_store(journal, ref):
            raise Refused(
                f"There is a branch {branch} already, and it holds a store.",
                f"Have it here: git worktree prune; git worktree add {quote(str(folder))} {branch}",
            )
    if _ref(branch) in refs:
        raise Refused(f"There is a branch {branch} already.", "Choose another name.")
    for ref in refs:
        if ref.startswith(f"{_ref(branch)}/") or _ref(branch).startswith(f"{ref}/"):
            bars = ref.removeprefix("refs/heads/")
            raise Refused(
                f"There is a branch {bars}, and git has no {branch} beside it.", "Choose another name."
            )


def _holds_store(journal: Journal, ref: str) -> bool:
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}:mem.toml")
    return journal.git.ask(*asked).code == 0


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
