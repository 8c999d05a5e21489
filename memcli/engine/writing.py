"""New, edit and move: what a person does to one file with an editor, as acts of the journal."""

from dataclasses import dataclass

from memcli.engine.opened import Opened


@dataclass(frozen=True, slots=True)
class Draft:
    """A file to be edited: `path` inside the store, `before` its bytes (a template when `fresh`)."""

    id: str
    path: str
    before: bytes
    fresh: bool


@dataclass(frozen=True, slots=True)
class Written:
    """What closing the editor came to; `commit` None means unchanged."""

    id: str
    path: str
    op: str
    claim: str
    commit: str | None
    notices: tuple[str, ...] = ()


def draft(opened: Opened, *, scope: str | None, type_: str) -> Draft:
    """A fresh file for `mem new`; nothing is written yet."""
    raise NotImplementedError


def take(opened: Opened, id_: str) -> Draft:
    """The file that `mem edit` opens. Raises NoSuchMemory."""
    raise NotImplementedError


def problems(opened: Opened, draft: Draft, after: bytes) -> tuple[str, ...]:
    """`line: key: what` for everything in `after` that does not fit, empty when it does."""
    raise NotImplementedError


def keep(opened: Opened, draft: Draft, after: bytes, *, person: bool = False) -> Written:
    """Write `after` and commit it as one act. Raises BadFile, Refused, TryAgain."""
    raise NotImplementedError


def move(opened: Opened, id_: str, scope: str) -> Written:
    """Put a memory into another scope: key, folder and one commit."""
    raise NotImplementedError
