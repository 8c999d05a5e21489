"""Receipts found by their ids: whole, or a prefix of four characters or more after `r_`.

The question of another scope is not for everybody's eyes: a receipt is found from the
scope that its answer was for, and from every scope only by a person who asks for that.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from memcli.engine.opened import Opened
from memcli.engine.receipts import refusing
from memcli.engine.task import belonging
from memcli.errors import BadFile, NoSuchMemory, Refused
from memcli.memory import receipt
from memcli.memory.receipt import PREFIX, NotAReceipt, Receipt
from memcli.memory.schema import PREFIX_LENGTH
from memcli.store import receipts
from memcli.store.receipts import Kept
from memcli.surroundings import Kind


@dataclass(frozen=True, slots=True)
class Found:
    """One receipt as it is kept: `raw` are the bytes of its file, `name` what that is called."""

    name: str
    raw: bytes
    receipt: Receipt
    kept: Kept


def one(opened: Opened, text: str, scope: str | None) -> Found:
    """The receipt that `text` means, for one who asks from `scope` (`*`: every scope).

    Raises NoSuchMemory, and BadFile for a file that is no receipt at all.
    """
    seen = _seen(opened, scope)
    if len(text) < len(PREFIX) + PREFIX_LENGTH or not text.startswith(PREFIX):
        raise NoSuchMemory(
            f"{text!r} is too short for a receipt, or none.",
            f"Give {PREFIX} and {PREFIX_LENGTH} characters or more; `mem receipt list` shows them.",
        )
    named = [kept for kept in receipts.kept(opened.place) if kept.id.startswith(text)]
    found = [
        one for kept in named if (one := _read(opened, kept, named=len(named) == 1)) and _within(one, seen)
    ]
    if len(found) > 1:
        raise NoSuchMemory(
            f"{len(found)} receipts begin with {text!r}.",
            "Give more of the id.",
            tuple(one.name for one in found),
        )
    if not found:
        raise NoSuchMemory(
            f"No receipt of {scope or opened.scope} is called {text!r}.", "`mem receipt list` shows them."
        )
    return found[0]


def refuse_altered(found: Found) -> None:
    """Raise Refusal where the bytes of a receipt give away that it was touched."""
    if receipt.touched(found.raw, found.name):
        raise refusing.altered(found.name)


def every(opened: Opened, scope: str | None) -> Iterator[Found]:
    """The receipts of answers for `scope` (`*`: every one), newest first; what is none is left out."""
    seen = _seen(opened, scope)
    for kept in receipts.kept(opened.place):
        found = _read(opened, kept, named=False)
        if found is not None and _within(found, seen):
            yield found


def offered(opened: Opened) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each receipt's id with its question, as far as that may be shown: for completion."""
    from memcli.engine.receipts import unsaid

    veil = unsaid.read(opened)
    for found in every(opened, None):
        yield found.name, (veil.told(str(found.receipt.said["query"])),)


def genuine(opened: Opened, id_: str) -> Receipt | None:
    """The receipt with this id where it is kept and nobody touched it."""
    raw = receipts.load(opened.place, id_)
    with suppress(NotAReceipt):
        if raw is not None and not receipt.touched(raw, id_):
            return receipt.read(raw)
    return None


def _seen(opened: Opened, scope: str | None) -> frozenset[str] | None:
    """The scopes that receipts may be of; None is every one. Raises Refused."""
    if scope == "*":
        if opened.actor.kind is not Kind.HUMAN:
            raise Refused(
                "Looking at the receipts of every scope is a person's choice.",
                "Name one: --scope project:shop",
            )
        return None
    own = opened.parse_scope(scope)
    belonging.refuse_other_scope(opened, own, reading=True)
    return frozenset(map(str, own.seen))


def _within(found: Found, seen: frozenset[str] | None) -> bool:
    return seen is None or found.receipt.said["scope"] in seen


def _read(opened: Opened, kept: Kept, *, named: bool) -> Found | None:
    """The receipt; where it is the one that was `named`, a file that is none is said to be so."""
    raw = receipts.load(opened.place, kept.id)
    if raw is None:
        return None
    try:
        return Found(kept.id, raw, receipt.read(raw), kept)
    except NotAReceipt as error:
        if not named:
            return None
        raise BadFile(
            f"{kept.id} is no receipt any more.",
            "Nothing can be verified by it; the journal still tells what was known.",
            (str(error),),
        ) from error
