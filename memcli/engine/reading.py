"""Show and list: memories as their files state them, without index or model."""

from dataclasses import dataclass

from memcli.engine.opened import Opened
from memcli.memory.schema import Schema


@dataclass(frozen=True, slots=True)
class Shown:
    """One memory whole: `effective` is the status that counts, `raw` the file's bytes."""

    schema: Schema
    path: str
    effective: str
    raw: bytes
    conflict: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListRequest:
    """Which memories; `scope` None is every scope, `statuses` empty is those that count."""

    scope: str | None
    statuses: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    concept: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """One line of a list."""

    id: str
    path: str
    status: str
    type: str
    scope: str
    claim: str
    valid_from: int | None = None
    valid_to: int | None = None


def show(opened: Opened, ids: tuple[str, ...]) -> tuple[Shown, ...]:
    """The memories that `ids` name, in that order. Raises NoSuchMemory, BadFile."""
    raise NotImplementedError


def list_(opened: Opened, request: ListRequest) -> tuple[Listed, ...]:
    """Memories by scope, then path; forgotten ones only when asked for by status."""
    raise NotImplementedError
