"""Which commits are signed, and by whom a signature counts.

A person's act can be demanded to carry a signature (`[journal] require_signed`). What the file
of signers says is read as HEAD has it where it lies in the store, so that an edit that nobody
committed lets nobody in. A store that its user does not trust has nothing signed: it would
have a key of theirs used.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from memcli.engine.opened import Opened
from memcli.errors import Refused
from memcli.memory.schema import GONE, Status
from memcli.store import signers_file
from memcli.surroundings import Kind

if TYPE_CHECKING:
    from memcli.journal.commit import Seal
    from memcli.journal.message import Change
    from memcli.journal.signing import Signers

# The acts that are a person's alone (CLI section 1).
PERSONS: Final = frozenset(
    {
        *("forget", "unforget", "retract", "unretract", "reopen", "purge", "pin"),
        *("accept", "reject", "promote", "drop", "audit"),
    }
)
_REMOVED: Final = frozenset({Status.FORGOTTEN.value, Status.RETRACTED.value})


def persons_act(op: str, changes: "Iterable[Change]") -> bool:
    """Whether it is an act that only a person does: by its name, or since it removes or brings back."""
    return op in PERSONS or any(_removes(one) or _brings_back(one) for one in changes)


def _removes(change: "Change") -> bool:
    return change.status in _REMOVED and change.prior not in {GONE, change.status}


def _brings_back(change: "Change") -> bool:
    return change.prior in _REMOVED and change.status not in {GONE, *_REMOVED}


def seal(opened: Opened, op: str, changes: "Iterable[Change]" = ()) -> "Seal | None":
    """How a commit of this act is to be signed; None: as git's own configuration says.

    Raises Refused where a signature is demanded and the store is not trusted, or names nobody.
    """
    settings = opened.settings
    demanded = settings.require_signed and persons_act(op, changes)
    wanted = settings.journal_sign and opened.actor.kind is Kind.HUMAN
    if not demanded and not wanted:
        return None
    from memcli.journal.commit import Seal

    if not opened.journal.trusted:
        if demanded:
            raise Refused(
                "This store demands a signature for that, and you have not trusted it.",
                "Look at its settings and its .git/config, then run `mem trust`.",
            )
        return None
    return Seal(signers(opened) if demanded else None)


def signers(opened: Opened) -> "Signers":
    """Who may sign. Raises Refused where there is no file that says so."""
    from memcli.journal import signing

    raw = _named(opened)
    if raw is None:
        name = opened.settings.allowed_signers
        raise Refused(
            "This store demands signatures, and no file says whose count.",
            f"Commit a file {name} in ssh's format, or name another in journal.allowed_signers.",
        )
    return signing.signers_of(raw)


def signers_path(opened: Opened) -> str | None:
    """The file of signers as a path of the store, None where it lies elsewhere."""
    named = opened.settings.allowed_signers
    path = PurePosixPath(named)
    if path.is_absolute():
        root = opened.place.root.as_posix()
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else None
    return None if ".." in path.parts else path.as_posix()


def _named(opened: Opened) -> bytes | None:
    """The bytes of the file of signers, None where there is none."""
    from memcli.journal import tree

    path, head = signers_path(opened), opened.journal.head()
    if path is not None:
        return tree.read(opened.journal, head, [path])[path] if head else None
    return signers_file.read(opened.place.root / opened.settings.allowed_signers)
