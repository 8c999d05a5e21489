"""Init, status and the index commands: making a store and saying how it stands."""

from collections.abc import Callable
from dataclasses import dataclass

from memcli.engine.opened import Opened
from memcli.surroundings import Surroundings


@dataclass(frozen=True, slots=True)
class InitRequest:
    """Where and how: `folder` None is the user's own store; `branch` names one of its own; `here` the current one."""

    folder: str | None = None
    branch: str | None = None
    here: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """What init did or (dry run) would do, step by step; `existed` when there was a store already."""

    root: str
    steps: tuple[str, ...]
    commit: str | None
    existed: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """How the store stands, as `mem status` shows it."""

    root: str
    scope: str
    branch: str | None
    commit: str | None
    schemas: int
    by_status: dict[str, int]
    set_aside: int
    uncommitted: tuple[str, ...]
    behind: int
    encoder: str
    encoder_notice: str
    review: int
    regressed: tuple[str, ...]
    duplicates: tuple[tuple[str, ...], ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IndexState:
    """What `mem index status|rebuild|verify` found; `problems` empty is healthy."""

    rows: int
    chunks: int
    files: int
    size_bytes: int
    fragments: int
    encoder: str
    behind: int
    problems: tuple[str, ...] = ()
    rebuilt: bool = False
    encoded: int = 0
    seconds: float = 0.0


def init(surroundings: Surroundings, request: InitRequest) -> Made:
    """Make a store: files, repository, first commit. Raises Refused where one is in the way."""
    raise NotImplementedError


def status(opened: Opened) -> Standing:
    """How the store stands; changes nothing."""
    raise NotImplementedError


def index_status(opened: Opened) -> IndexState:
    """The index against the files; changes nothing."""
    raise NotImplementedError


def index_rebuild(opened: Opened, progress: Callable[[int, int], None] | None = None) -> IndexState:
    """Build the index anew beside the old one, then switch."""
    raise NotImplementedError


def index_verify(opened: Opened) -> IndexState:
    """Read everything and compare with the files; changes nothing."""
    raise NotImplementedError
