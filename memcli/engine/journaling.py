"""Log, history and undo: the journal read back, and the last act taken back by a new one."""

from dataclasses import dataclass

from memcli.engine.opened import Opened


@dataclass(frozen=True, slots=True)
class Line:
    """One operation of the journal; `at` is record time in seconds since 1970."""

    commit: str
    at: int
    op: str
    actor: str
    author: str
    reason: str
    claim: str
    changes: tuple[tuple[str, str, str], ...]  # (id, prior status, status)
    rule: str = ""
    score: str = ""
    session: str = ""


@dataclass(frozen=True, slots=True)
class LogRequest:
    """Which entries; empty means all. `since` is text for one time."""

    ids: tuple[str, ...] = ()
    op: str = ""
    actor: str = ""
    since: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """Newest first; `notices` say where history is cut or empty."""

    lines: tuple[Line, ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Version:
    """One recorded state of a memory: both times."""

    at: int
    commit: str
    op: str
    actor: str
    status: str
    valid_from: int | None
    valid_to: int | None
    claim: str
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """Oldest first."""

    id: str
    path: str
    versions: tuple[Version, ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Undone:
    """What `undo` takes back: the entry, and the new commit (None with dry_run)."""

    entry: Line
    paths: tuple[str, ...]
    commit: str | None
    needs_person: bool = False


def log(opened: Opened, request: LogRequest) -> Log:
    """The journal, newest first."""
    raise NotImplementedError


def history(opened: Opened, id_: str) -> History:
    """Every recorded state of one memory."""
    raise NotImplementedError


def undo(opened: Opened, *, dry_run: bool = False, confirmed: bool = False) -> Undone:
    """Reverse the actor's last act by a new commit. Raises Refused (a person's act), TryAgain (changed since)."""
    raise NotImplementedError
