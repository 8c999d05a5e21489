"""The store's git repository: where it is, what HEAD is, what is in the middle of happening.

`Journal` is the value that every other module of the room takes. It belongs to the
repository that holds the store's folder and to no other: not to the one a calling hook
names, and not to a parent that the store only happens to lie in.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from time import time
from typing import Final

from memcli.errors import Refused, TryAgain, Unavailable, Usage
from memcli.journal import gitdir, refs
from memcli.journal.configuration import Configuration
from memcli.journal.configuration import read as read_configuration
from memcli.journal.gitdir import Found
from memcli.journal.process import LIMIT_S, Git, surroundings
from memcli.journal.refs import Head

WAIT_S: Final = 15.0  # asserted: how long other git commands may keep HEAD or the staging area busy
BRANCH: Final = "main"  # of a repository that we make; git's own default depends on its version


@dataclass(frozen=True, slots=True)
class State:
    """What the repository is in the middle of, and whether its history is whole.

    `conflicted` are paths of the store; `shallow_since` is the moment before which a
    shallow clone knows nothing (the latest of its boundary commits), None for a whole one.
    """

    merging: bool
    conflicted: tuple[str, ...]
    shallow_since: int | None
    object_format: str


@dataclass(frozen=True, slots=True)
class Journal:
    """The repository of the store at `root`; `prefix` is the store's folder in it, `` or `a/b/`.

    `trusted` allows writes to run the hooks, filters and signing programs that the
    repository's own configuration names; reads never do. `within` says that the store
    joins a repository that does not hold it yet. `clock` gives the seconds of a commit;
    `wait_s` bounds the patience with other writers.
    """

    root: Path
    found: Found
    prefix: str
    git: Git
    trusted: bool = True
    within: bool = False
    clock: Callable[[], float] = time
    wait_s: float = WAIT_S

    @classmethod
    def open(
        cls,
        root: Path,
        environment: Mapping[str, str],
        *,
        trusted: bool = True,
        limit_s: float = LIMIT_S,
        wait_s: float = WAIT_S,
    ) -> "Journal":
        """The journal of the store in the folder `root`. Raises Unavailable where there is none."""
        root = root.resolve()
        git = Git(root, surroundings(environment), limit_s)
        found = gitdir.find(root, environment.get("GIT_CEILING_DIRECTORIES", ""))
        if found is None:
            raise Unavailable(
                f"{root} is not in a git repository.", f"`mem init {quote(str(root))}` makes it one."
            )
        if gitdir.foreign(found):
            git.read("rev-parse", "--git-dir")  # git refuses what safe.directory does not allow
        inside = root.relative_to(found.top).as_posix()
        return cls(root, found, "" if inside == "." else f"{inside}/", git, trusted=trusted, wait_s=wait_s)

    @classmethod
    def init(
        cls,
        root: Path,
        environment: Mapping[str, str],
        *,
        branch: str = BRANCH,
        within: bool = False,
    ) -> "Journal":
        """Make a repository in the folder `root`, or take the one that has its `.git` there.

        With `within`, a store that lies in a repository joins it instead (`mem init --here`).
        """
        root = root.resolve()
        found = gitdir.find(root, environment.get("GIT_CEILING_DIRECTORIES", ""))
        if found is None or (found.top != root and not within):
            git = Git(root, surroundings(environment))
            ran = git.act("init", "--quiet", f"--initial-branch={branch}")
            if ran.code:
                raise Unavailable(f"git init failed: {ran.complaint}", "Check the folder's permissions.")
        return replace(cls.open(root, environment), within=within)

    @property
    def holds_store(self) -> bool:
        """Whether the repository is the store's own, or has its folder at HEAD already."""
        folder = f"HEAD:{self.prefix.rstrip('/')}"
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", folder)
        return not self.prefix or self.git.ask(*asked).code == 0

    @property
    def home(self) -> str:
        """The home folder that git works with."""
        return self.git.environment.get("HOME", "/")

    @property
    def configuration(self) -> Configuration:
        """What git's configuration says now about committing here; at most one git process."""
        return read_configuration(self.git, self.found, self.home)

    def standing(self) -> Head:
        """The ref that HEAD stands on, and the commit. Raises Unavailable where they are damaged."""
        return refs.head(self.found, self.git)

    def head(self) -> str | None:
        """The commit that HEAD names, None before the first. Raises Unavailable where it is damaged."""
        return self.standing().commit

    def branch(self) -> str | None:
        """The name of the branch that HEAD is on, None where HEAD is detached."""
        name = self.standing().ref
        return name.removeprefix("refs/heads/") if name else None

    def resolve(self, rev: str) -> str:
        """The full id of the commit that `rev` names. Raises Usage where it names none.

        What a person types never reaches git as an option, nor as a date that git would guess.
        """
        if (
            rev and not rev.startswith(("-", "^")) and "\n" not in rev and "\0" not in rev
        ):  # ^REV is all that REV does not reach
            ran = self.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", rev + "^{commit}")
            if not ran.code:
                return ran.out.decode().strip()
        raise Usage(f"{rev!r} names no commit here.", "`mem log` lists the commits.")

    def state(self) -> State:
        """What is under way. Processes run only in a merge and in a shallow clone."""
        here = self.found.git_dir
        merging = (here / "MERGE_HEAD").exists()
        return State(
            merging=merging,
            conflicted=self.conflicted(),
            shallow_since=self._shallow_since(),
            object_format=self.object_format(),
        )

    def under_way(self) -> str:
        """The act whose end may throw commits of now away (rebase, am, bisect), or an empty text."""
        here = self.found.git_dir
        if (here / "rebase-merge").exists():
            return "rebase"
        if (here / "rebase-apply").exists():
            return "am" if (here / "rebase-apply" / "applying").exists() else "rebase"
        return "bisect" if (here / "BISECT_LOG").exists() else ""

    def conflicted(self) -> tuple[str, ...]:
        """Paths of the store that the staging area holds in conflict."""
        listed = self.git.read("ls-files", "-z", "--unmerged", "--", ".").decode("utf-8", "surrogateescape")
        return tuple(dict.fromkeys(line.partition("\t")[2] for line in listed.split("\0") if line))

    def object_format(self) -> str:
        """`sha1` or `sha256`."""
        return self.configuration.object_format

    def boundary(self) -> frozenset[str]:
        """The commits at which a shallow clone was cut off; empty for a whole history."""
        try:
            return frozenset((self.found.common_dir / "shallow").read_text("ascii").split())
        except OSError:
            return frozenset()

    def _shallow_since(self) -> int | None:
        boundary = self.boundary()
        if not boundary:
            return None
        commits = "\n".join(boundary).encode()
        out = self.git.read("log", "--no-walk=unsorted", "--format=%ct", "--stdin", given=commits)
        return max(int(line) for line in out.split())

    def ready(self) -> None:
        """Raise what would keep a commit from being made: no git, a damaged HEAD, an act under way."""
        self.git.found()
        self.standing()
        self.refuse_under_way()

    def refuse_under_way(self) -> None:
        """Raise TryAgain while an act is under way whose end may throw commits of now away."""
        act = self.under_way()
        if act:
            raise TryAgain(
                f"A git {act} is in progress here; nothing was committed.", f"Finish the {act} first."
            )

    def refuse_unusable(self, configuration: Configuration) -> None:
        """Raise Unavailable where git does not know this format, or the files lie in another folder."""
        if configuration.later:
            self.git.read("rev-parse", "--git-dir")  # git refuses what it does not know
        place = configuration.path("core.worktree", self.home)
        if place and (self.found.git_dir / place).resolve() != self.found.top:
            raise Unavailable(
                f"core.worktree puts the files of this repository into {place}.",
                "Run `git config --unset core.worktree` if the store is here.",
            )

    def refuse_untrusted(
        self, hooks: tuple[str, ...], configuration: Configuration, *, signs: bool = False
    ) -> None:
        """Raise Refused where a commit (with `signs` a signed one) would run programs that nobody trusted."""
        programs = [f"the hook {name}" for name in hooks]
        if signs or configuration.signs:
            programs += [key for key in sorted(configuration.own) if key.startswith("gpg.")]
        programs += [key for key in sorted(configuration.own) if key.startswith("filter.")]
        if programs and not self.trusted:
            raise Refused(
                f"A commit here would run {programs[0]}, and this store is not trusted.",
                "Look at its .git/config and hooks, then run `mem trust`.",
                tuple(programs),
            )
