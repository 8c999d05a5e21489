"""Other clones: which there are, what they hold, and handing them what is here.

The only module that lets git use a network, and only by transports that run no command of
the repository's choosing. A store that somebody else made and that names programs is
refused until it is trusted: fetching runs more of them than committing does.
"""

from dataclasses import dataclass, replace
from typing import Final

from memcli.errors import Refused, TryAgain, Unavailable, Usage
from memcli.journal import locks, programs, staging
from memcli.journal.process import Git, Ran
from memcli.journal.repository import Journal

NETWORK_S: Final = 300.0  # asserted: a first fetch of a large store over a slow line
_TRANSPORTS: Final = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh"}
_FETCHED: Final = "refs/mem/fetched"  # what came from an address that has no name here
_NO_BRANCH: Final = "couldn't find remote ref"
_LOOK_AT_LOCK: Final = "Run mem sync again. If no git works there, one was killed: remove that file."
_BEHIND: Final = ("[rejected]", "non-fast-forward", "fetch first", "failed to update ref", "cannot lock ref")


@dataclass(frozen=True, slots=True)
class Remote:
    """Another clone: its `name` here, or the address that was given in its place, and the branch."""

    name: str
    branch: str
    known: bool

    @property
    def ref(self) -> str:
        """What holds here what was last fetched."""
        return f"refs/remotes/{self.name}/{self.branch}" if self.known else _FETCHED


def chosen(journal: Journal, wanted: str | None) -> Remote:
    """The clone to meet: as asked, else the branch's own, else `origin`, else the only one. Raises Usage."""
    branch = journal.branch()
    if branch is None:
        raise Usage(
            "HEAD is on no branch, so there is nothing to meet on.", "git switch BRANCH, then try again."
        )
    named = names(journal)
    if wanted:
        if wanted.startswith("-"):
            raise Usage(f"{wanted!r} is no remote.", "git remote -v lists them.")
        return Remote(wanted, branch, wanted in named)
    usual = journal.configuration.text(f"branch.{branch}.remote")
    name = next((one for one in (usual, "origin", *named[:1]) if one in named), "")
    if not name or (len(named) > 1 and name not in (usual, "origin")):
        raise Usage(
            "Nothing says with which clone: no remote is configured."
            if not named
            else "There are several remotes.",
            "git remote add origin ADDRESS, or name one: mem sync REMOTE",
        )
    return Remote(name, branch, known=True)


def names(journal: Journal) -> tuple[str, ...]:
    """The clones that have a name here, in order."""
    keys = [key for key in journal.configuration.values if key.startswith("remote.") and key.endswith(".url")]
    return tuple(sorted(key.removeprefix("remote.").removesuffix(".url") for key in keys))


def refuse_strange(journal: Journal) -> None:
    """Raise Refused where fetching would run what an untrusted repository names."""
    named = () if journal.trusted else programs.named(journal)
    if named:
        raise Refused(
            f"Meeting another clone would run {named[0]}, and this store is not trusted.",
            "Look at its .git/config and hooks, then run `mem trust`.",
            named,
        )


def fetch(journal: Journal, remote: Remote) -> str | None:
    """Bring what the clone holds; its tip, or None where it has no such branch yet. Raises Unavailable."""
    spec = f"+refs/heads/{remote.branch}:{remote.ref}"
    ran = _fetched(journal, remote.name, spec)
    if staging.busy(ran):
        locks.let_go_old(journal, remote.ref)
        ran = _fetched(journal, remote.name, spec)
    if ran.code:
        if _NO_BRANCH in ran.err:
            return None
        if staging.busy(ran):
            raise TryAgain(f"Another git works in the store: {ran.complaint}", _LOOK_AT_LOCK)
        raise Unavailable(
            f"{remote.name} could not be read: {ran.complaint}",
            "Nothing here was changed; check its address.",
        )
    return journal.resolve(remote.ref)


def _fetched(journal: Journal, name: str, spec: str) -> Ran:
    words = ("fetch", "--quiet", "--no-tags", "--no-auto-maintenance", "--no-write-fetch-head")
    return _over_network(journal, *words, "--end-of-options", name, spec)


def push(journal: Journal, remote: Remote) -> None:
    """Hand over HEAD. Raises TryAgain where the clone has gone on meanwhile, Unavailable, Refused."""
    spec = f"HEAD:refs/heads/{remote.branch}"
    ran = _over_network(journal, "push", "--quiet", "--porcelain", "--end-of-options", remote.name, spec)
    if not ran.code:
        return
    told = ran.err + ran.out.decode("utf-8", "replace")
    if "checked out" in told or "current branch" in told:
        raise Refused(
            f"Somebody works in {remote.name}: its branch {remote.branch} is checked out there.",
            "Meet over a bare repository, or run mem sync over there.",
        )
    if staging.busy(ran):
        raise TryAgain(f"Another git works in {remote.name}: {ran.complaint}", _LOOK_AT_LOCK)
    if any(sign in told for sign in _BEHIND):
        raise TryAgain("The other clone keeps changing; what it had was merged here.", "Run mem sync again.")
    raise Unavailable(
        f"{remote.name} did not take it: {ran.complaint}", "What was merged stays here; try again."
    )


def _over_network(journal: Journal, *words: str) -> Ran:
    git: Git = replace(journal.git, limit_s=NETWORK_S)
    return git.trust(*words, setting=_TRANSPORTS)


def top(journal: Journal) -> tuple[str, ...]:
    """What lies at the top of the repository in HEAD."""
    if journal.head() is None:
        return ()
    out = journal.git.read("ls-tree", "-z", "--name-only", "--full-tree", "HEAD")
    return tuple(filter(None, out.decode("utf-8", "surrogateescape").split("\0")))


def between(journal: Journal, one: str | None, other: str | None) -> int:
    """How many commits `other` has that `one` has not; None has none at all."""
    if other is None:
        return 0
    less = (f"^{one}",) if one else ()
    return int(journal.git.read("rev-list", "--count", "--end-of-options", other, *less).decode())


def base(journal: Journal, one: str, other: str) -> str | None:
    """The commit at which two histories parted, None where they share none."""
    ran = journal.git.ask("merge-base", "--end-of-options", one, other)
    return None if ran.code else ran.out.decode().strip()


def parted(journal: Journal, one: str, other: str) -> str:
    """As `base`. Raises Refused where there is none: those are two stores."""
    found = base(journal, one, other)
    if found is None:
        raise Refused(
            "The other clone is another store: the two histories share no commit.",
            "mem export over there and mem import here bring them together.",
        )
    return found
