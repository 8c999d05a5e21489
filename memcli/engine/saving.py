"""Save: edits made by hand become journal entries, with trailers worked out from the difference."""

from dataclasses import dataclass

from memcli.engine.opened import Opened


@dataclass(frozen=True, slots=True)
class HandEdit:
    """One changed file: `op` is edit, add, delete, forget, supersede, ... as the difference says.

    `needs_person` names why a person must confirm it (a status that comes back, a claim that
    says again what was removed), else empty; `refused` why it stays uncommitted (a secret,
    set aside), else empty.
    """

    path: str
    id: str
    op: str
    prior_status: str
    status: str
    claim: str
    needs_person: str = ""
    refused: str = ""
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Saved:
    """What was committed and what was left as it is."""

    edits: tuple[HandEdit, ...]
    left: tuple[HandEdit, ...]
    commit: str | None
    commits: tuple[str, ...] = ()


def plan(opened: Opened, paths: tuple[str, ...] = ()) -> tuple[HandEdit, ...]:
    """What saving would commit, path by path."""
    raise NotImplementedError


def run(opened: Opened, edits: tuple[HandEdit, ...], reason: str = "") -> Saved:
    """Commit `edits` (one commit an act; plain edits together); those that need a person only when the caller kept them in."""
    raise NotImplementedError
