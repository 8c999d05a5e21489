"""Keeping receipts: on this machine for a while, or with the store for good."""

from typing import TYPE_CHECKING, Final

from memcli.engine.opened import Opened
from memcli.errors import Refused, Unavailable
from memcli.memory.receipt import Receipt
from memcli.store import receipts

if TYPE_CHECKING:
    from collections.abc import Iterable

GIT: Final = "git"
OP: Final = "receipt"
_DAY_NS: Final = 86_400 * 10**9
_LETTER: Final = "0"  # one receipt in 32 begins with it, and has the old ones looked over


def keep(opened: Opened, made: Receipt) -> None:
    """Keep a receipt on this machine. Raises Unavailable."""
    try:
        receipts.put(opened.place, made.id, made.raw)
    except OSError as error:
        raise Unavailable(
            f"The receipt could not be written: {error.strerror}.", "The answer itself is not affected."
        ) from error
    if made.id[2] == _LETTER:
        prune(opened)


def prune(opened: Opened) -> int:
    """Let go of receipts of this machine that are too old or too many; how many went."""
    rules = opened.settings.constants
    since_ns = opened.now * 10**9 - rules.receipts_days * _DAY_NS
    return receipts.prune(opened.place, rules.receipts_most, since_ns)


def share(opened: Opened, made: Receipt) -> str:
    """Commit a receipt with the store; the commit, empty where it is committed already.

    Raises Refused for one whose question held a credential, and what writing raises.
    """
    if made.said["masked"]:
        raise Refused(
            "The question holds what looks like a credential, so its receipt is not committed.",
            "It is kept on this machine alone, without that credential.",
        )
    from memcli.engine import writer
    from memcli.journal.message import Message

    path = receipts.path_of(made.id)
    with writer.writing(opened, "recall") as writing:
        if opened.place.at(path).exists():
            return ""
        change = writer.FileChange(path, None, made.raw)
        return writing.carry_out(writer.Operation(Message(OP, made.id), (change,)))


def shared(opened: Opened, ids: "Iterable[str]") -> tuple[str, ...]:
    """Lay the receipts `ids` beside the store's other files, to be committed by the caller; their paths.

    None where receipts are kept on this machine alone. The caller holds the store's lock.
    """
    if opened.settings.receipts_keep != GIT:
        return ()
    from memcli.engine.receipts import finding
    from memcli.store import atomic

    paths = []
    for id_ in dict.fromkeys(ids):
        found = finding.genuine(opened, id_)
        path = receipts.path_of(id_)
        if found is None or found.said["masked"] or opened.place.at(path).exists():
            continue
        atomic.create(opened.place, path, found.raw)
        paths.append(path)
    return tuple(paths)
