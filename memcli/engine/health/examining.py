"""What an examination finds: one frozen finding a line, and a check that fails hides no other.

`mem doctor` is asked where other commands have refused already, so a check may meet anything:
whatever it raises becomes a finding of its own, in words.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from shlex import quote
from typing import Final, TypeVar

from memcli.errors import MemError

REINSTALL: Final = "pip install --force-reinstall memcli"
FEW: Final = 3  # so many files are named in one sentence
_Looked = TypeVar("_Looked")


class Level(StrEnum):
    """How bad it is: `warn` works, but not as it should; `fail` does not work."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line: what was examined, how it stands, and what to do next (empty where all is well)."""

    name: str
    level: Level
    what: str
    todo: str = ""


Check = Callable[[_Looked], Iterable[Finding]]
Named = tuple[str, Check[_Looked]]


def ok(name: str, what: str) -> Finding:
    """All is well."""
    return Finding(name, Level.OK, what)


def warn(name: str, what: str, todo: str) -> Finding:
    """It works, but not as it should."""
    return Finding(name, Level.WARN, what, todo)


def fail(name: str, what: str, todo: str) -> Finding:
    """It does not work."""
    return Finding(name, Level.FAIL, what, todo)


def refused(name: str, error: Exception) -> Finding:
    """What a check raised, in words; of what was not foreseen nothing but its kind, lest it hold a text."""
    if isinstance(error, MemError):
        what = "; ".join((error.message.rstrip("."), *error.details[:FEW]))
        return fail(name, f"{what}.", error.hint or "mem status")
    if isinstance(error, OSError):
        where = f": {error.filename}" if error.filename else ""
        return fail(name, f"{error.strerror or 'The system refuses'}{where}.", "Look at who owns it.")
    if isinstance(error, ImportError):
        return fail(name, f"The package {error.name or error} cannot be used.", REINSTALL)
    return fail(name, f"This could not be examined ({type(error).__name__}).", "mem status")


def examined(checks: Iterable[Named[_Looked]], look: _Looked) -> tuple[Finding, ...]:
    """What all `checks` find at `look`, in their order. Never raises."""
    found: list[Finding] = []
    for name, check in checks:
        try:
            found.extend(check(look))
        except Exception as error:  # noqa: BLE001 - one check that fails must not hide the others
            found.append(refused(name, error))
    return tuple(found)


def some(paths: Iterable[str]) -> str:
    """The first few of `paths`, and how many more there are."""
    every = tuple(paths)
    more = f" and {len(every) - FEW} more" if len(every) > FEW else ""
    return ", ".join(every[:FEW]) + more


def in_folder(folder: object, *words: str) -> str:
    """The git command `words` for the repository at `folder`, as a person types it."""
    return " ".join(("git", "-C", quote(str(folder)), *words))
