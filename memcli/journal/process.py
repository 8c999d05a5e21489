"""Owns every git process: what it inherits, what it may run, how long it may take.

Two dangers are met here. A caller that is itself a git hook hands down GIT_DIR and its kin,
and git would then write into that other repository. And a repository that somebody else
made can name programs in its configuration (a monitor, hooks, filters, a pager) that git
runs on the most harmless question; reading neutralises all of them, writing may run only
what the user trusts.
"""

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memcli.errors import NotFetched, Unavailable

if TYPE_CHECKING:
    import subprocess

    from memcli.journal.waiting import Patience

# What may be inherited of git's own variables: who commits, where the user's own configuration
# lies, how far to search. All others, present and future, point a child at another repository
# or make it talk (`git rev-parse --local-env-vars`, GIT_TRACE, GIT_EDITOR, GIT_EXTERNAL_DIFF).
_KEPT: Final = frozenset(
    {
        "GIT_CEILING_DIRECTORIES",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
        "GIT_EXEC_PATH",
        "GIT_TEMPLATE_DIR",
    },
)
_IDENTITY: Final = ("GIT_AUTHOR_", "GIT_COMMITTER_")
_ELSEWHERE: Final = ("GIT_DIR", "GIT_INDEX_FILE")  # set: a git command is running us for a commit of its own
_FIXED: Final = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": ":",
    "GIT_PAGER": "cat",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": f"{os.devnull}/none",  # else .git/info/grafts gives commits other parents
    "GIT_NO_LAZY_FETCH": "1",
    "MEM_COMMITTING": "1",  # a hook that calls mem again must not wait for the commit that runs it
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone fetches what it lacks, through any command it names
}
# Programs that git would start on the most harmless command, and what would change its answers.
_NEUTRAL: Final = (
    "-c",
    "core.fsmonitor=false",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "log.showSignature=false",
    "-c",
    "log.showRoot=true",
)
_POLITE_S: Final = 2.0  # asserted: git needs milliseconds to clean up
_NOT_OWNED: Final = "dubious ownership"  # git's words for a repository of another user
_OWN_UP: Final = "If you trust its owner: git config --global --add safe.directory PATH, as git asks."
_NOT_KNOWN: Final = ("repository extension", "git repo version", "ref storage", "refstorage")
_NEWER: Final = "A newer git made this repository; install one that knows it. Nothing was changed."
_LEFT: Final = ("lazy fetching disabled", "promisor remote")  # what a partial clone lacks, in git's words
LIMIT_S: Final = 30.0  # asserted: an answer takes under 1 s at 100,000 files; what works longer may go on


@dataclass(frozen=True, slots=True)
class Ran:
    """How a git process ended: its exit code, stdout as bytes, stderr as text."""

    code: int
    out: bytes
    err: str

    @property
    def complaint(self) -> str:
        """The first sentence of stderr with what it lists, without git's own `fatal:`."""
        said = map(str.rstrip, self.err.splitlines())
        lines = [line for line in said if line and not line.startswith("hint:")]
        if not lines:
            return f"exit code {self.code}"
        listed = takewhile(lambda line: line[0].isspace(), lines[1:])
        first = lines[0].removeprefix("fatal: ").removeprefix("error: ").removeprefix("warning: ")
        return " ".join((first, *map(str.strip, listed)))


def surroundings(environment: Mapping[str, str]) -> dict[str, str]:
    """What a git process inherits of `environment`.

    Names and dates of GIT_AUTHOR_* and GIT_COMMITTER_* are kept unless a git command runs us
    (a hook): they then belong to the commit of that command.
    """
    hooked = any(name in environment for name in _ELSEWHERE)
    kept = {
        name: value
        for name, value in environment.items()
        if not name.startswith("GIT_") or name in _KEPT or (not hooked and name.startswith(_IDENTITY))
    }
    return kept | _FIXED


@dataclass(frozen=True, slots=True)
class Git:
    """git as it is started in `folder` with `environment` (see `surroundings`), waited for `limit_s`."""

    folder: Path
    environment: Mapping[str, str]
    limit_s: float = LIMIT_S

    @property
    def program(self) -> str:
        """The path of git, empty where there is none on the PATH."""
        folders = self.environment.get("PATH", os.defpath).split(os.pathsep)
        places = (f"{folder}/git" for folder in folders if folder.startswith("/"))
        return next((place for place in places if os.access(place, os.X_OK) and not Path(place).is_dir()), "")

    def found(self) -> str:
        """The path of git. Raises Unavailable where there is none on the PATH."""
        program = self.program
        if not program:
            raise Unavailable("git is not on the PATH.", "Install git; recall and show work without it.")
        return program

    def read(self, *words: str, given: bytes = b"", neutral: tuple[str, ...] = ()) -> bytes:
        """Stdout of a git command that changes nothing. Raises Unavailable where it fails."""
        return self._checked(words, self.ask(*words, given=given, neutral=neutral))

    def ask(self, *words: str, given: bytes = b"", neutral: tuple[str, ...] = ()) -> Ran:
        """Run a git command that changes nothing; `neutral` are further settings for this one."""
        return self._run(("--no-optional-locks", *_NEUTRAL, *neutral, *words), given, {})

    def do(self, *words: str, given: bytes = b"") -> bytes:
        """Stdout of a git command that writes and runs nothing else. Raises Unavailable where it fails."""
        return self._checked(words, self.act(*words, given=given))

    def act(self, *words: str, given: bytes = b"", setting: Mapping[str, str] | None = None) -> Ran:
        """Run a git command that writes, without hooks and monitors; `setting` adds to its environment."""
        return self._run((*_NEUTRAL, *words), given, setting or {})

    def trust(self, *words: str, given: bytes = b"", setting: Mapping[str, str] | None = None) -> Ran:
        """Run a git command together with whatever programs the configuration names for it."""
        return self._run(words, given, setting or {}, works_alone=False)

    def _checked(self, words: tuple[str, ...], ran: Ran) -> bytes:
        if any(sign in ran.err for sign in _LEFT):
            keys = self.ask("config", "--name-only", "--get-regexp", r"^remote\..*\.promisor$").out.decode()
            names = [key.partition(".")[2].rpartition(".")[0] for key in keys.split("\n") if key]
            raise NotFetched("Part of history is not here: this is a partial clone.", brings_all(names))
        if ran.code:
            raise Unavailable(f"git {words[0]} failed: {ran.complaint}", _remedy(ran.complaint))
        return ran.out

    def _run(
        self, words: tuple[str, ...], given: bytes, setting: Mapping[str, str], *, works_alone: bool = True
    ) -> Ran:
        import subprocess  # 5 ms that a commit without a process does not pay

        program = self.found()
        try:
            child = subprocess.Popen(  # noqa: S603 - git with words of ours; texts of others follow `--`
                [program, *words],
                cwd=self.folder,
                env={**self.environment, **setting},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # no terminal to prompt on, and a group to end as a whole
            )
        except OSError as error:
            raise Unavailable(
                f"git cannot be started: {error.strerror}.", "Check the store's folder."
            ) from error
        return _finish(child, given, self.limit_s, works_alone=works_alone)


def brings_all(remotes: Sequence[str], git: str = "git") -> str:
    """What a person types to fetch whatever a partial clone left with `remotes`; `git` is how it begins."""
    from shlex import quote

    ways = []
    for name in remotes or ["origin"]:
        filtered = quote(f"remote.{name}.partialclonefilter")
        ways += [f"{git} config --unset {filtered}", f"{git} fetch --refetch {quote(name)}"]
    return "; ".join(ways)


def _remedy(complaint: str) -> str:
    if any(sign in complaint for sign in _NOT_KNOWN):
        return _NEWER
    return _OWN_UP if _NOT_OWNED in complaint else "Run `git fsck` in the store."


def _finish(child: "subprocess.Popen[bytes]", given: bytes, limit_s: float, *, works_alone: bool) -> Ran:
    import subprocess

    from memcli.journal import waiting

    with child:
        try:
            out, err = _answered(child, given, waiting.Patience(limit_s, works_alone=works_alone))
        except BaseException as error:
            _end_group(child)
            if isinstance(error, subprocess.TimeoutExpired):
                what = "git did not answer within "
                raise Unavailable(
                    f"{what}{limit_s:g} s and was ended.",
                    "Something that git runs is waiting: a signing program, a hook or a slow disk.",
                ) from error
            raise
        return Ran(child.returncode, out, err.decode("utf-8", "replace").strip())


def _answered(child: "subprocess.Popen[bytes]", given: bytes, patience: "Patience") -> tuple[bytes, bytes]:
    """Stdout and stderr of a child that leads a group of its own. Raises TimeoutExpired."""
    import subprocess

    asked: bytes | None = given
    while True:
        try:
            return child.communicate(asked, timeout=patience.pause_s)
        except subprocess.TimeoutExpired:
            if patience.over(child.pid):
                raise
            asked = None  # it has been taken already


def _end_group(child: "subprocess.Popen[bytes]") -> None:
    """End git and what it started; first politely, since git then removes the locks that it holds."""
    import signal
    import subprocess

    for sign, patience_s in ((signal.SIGTERM, _POLITE_S), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(patience_s)
            return
