"""Exposure: what a session was shown, noted so that its feedback can only be about that.

It ranks nothing: an answer is the same whether it was noted or not, and outside a session
nothing is written at all.
"""

import hashlib
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memcli.engine.opened import Opened
from memcli.errors import MemError

if TYPE_CHECKING:
    from memcli.engine.recalling.answer import Answer, Item
    from memcli.engine.recalling.asking import Request
    from memcli.engine.receipts.giving import Given
    from memcli.memory.receipt import Receipt as Whole
    from memcli.store.sessions import Receipt, Session

_DIGEST: Final = 32  # characters of a query's digest
_ID: Final = 12


def noted(
    opened: Opened, request: "Request", answer: "Answer", shown: "Answer", *, wanted: bool = False
) -> str | None:
    """The id of the receipt of `answer`, None where none is written: outside a session unless it is `wanted`.

    In the actor's open session it is noted what was `shown` of it, which is what feedback is asked
    for. Raises, where it is wanted, Unavailable, and what committing it raises.
    """
    session = _session(opened)
    if session is None and not wanted:
        return None
    from memcli.engine.receipts import giving

    given = giving.Given(request, answer, session.id if session else "")
    whole = giving.receipt_of(opened, given)
    _kept(opened, whole, wanted=wanted)
    stands = session is None or keep(opened, session, receipt(replace(given, answer=shown), whole))
    return whole.id if stands or wanted else None


def kept_shut(opened: Opened, answer: "Answer") -> None:
    """Note in the actor's open session that the gate alone was asked, and held `answer` back."""
    session = _session(opened)
    if session is None or answer.gate is None:
        return
    from memcli.store import event
    from memcli.store.sessions import Receipt

    asked = _digest(answer.query)
    id_ = f"g_{event.crockford(int(_digest(f'{session.id} {asked} {opened.now}')[:16], 16), _ID)}"
    decided = answer.gate
    made = Receipt(
        id_, asked, answer.as_of, (), (), answer.below, decided.reason.value, evidence=decided.evidence
    )
    keep(opened, session, made)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]


def _session(opened: Opened) -> "Session | None":
    """The actor's open session; outside any it costs one look at a folder."""
    if not opened.place.sessions_folder.is_dir():
        return None
    from memcli.store import sessions

    session = sessions.current(opened)
    return session if session and session.actor == str(opened.actor) else None


def _kept(opened: Opened, whole: "Whole", *, wanted: bool) -> None:
    """Keep the receipt; that one which nobody asked for cannot be written is no reason to fail."""
    from memcli.engine.kept import Elsewhere
    from memcli.engine.receipts import keeping

    if not wanted:
        with suppress(MemError):
            keeping.keep(opened, whole)
        return
    if opened.settings.receipts_keep != keeping.GIT:
        keeping.keep(opened, whole)
        return
    if opened.kept is not None:
        raise Elsewhere  # a commit is made by the process that was asked for it
    keeping.keep(opened, whole)
    keeping.share(opened, whole)


def laid_out(  # noqa: PLR0913, PLR0917 - the parts of what a task begins with
    opened: Opened,
    question: "Request",
    answer: "Answer",
    warnings: "tuple[Item, ...]",
    session: "Session",
    procedures: tuple[tuple[str, str], ...],
) -> "Receipt":
    """What a task was laid out with, for its session to note; its whole receipt is kept."""
    from memcli.engine.receipts import giving

    given = giving.Given(question, answer, session.id, giving.ACTIVATE, warnings, procedures)
    whole = giving.receipt_of(opened, given)
    _kept(opened, whole, wanted=False)
    return receipt(given, whole)


def receipt(given: "Given", whole: "Whole") -> "Receipt":
    """What the session notes of an answer: the ids that it showed, under the id of its whole receipt."""
    from memcli.store.sessions import Receipt

    asked = _digest(given.answer.query)
    shown = tuple(item.schema.id for item in (*given.warnings, *given.answer.items))
    names = tuple(name for name, _ in given.procedures)
    made = Receipt(whole.id, asked, given.answer.as_of, shown, names, given.answer.below)
    made = replace(made, shadows=given.answer.shadows)
    gate = given.answer.gate
    if gate is None or given.answer.outcome != "gated":
        return made
    return replace(made, gated=gate.reason.value, evidence=gate.evidence)


def keep(opened: Opened, session: "Session", made: "Receipt") -> bool:
    """Add `made` to the session; False where it cannot be written or is closed: the answer stands anyway."""
    from memcli.store import sessions

    def with_it(now: "Session") -> "Session":
        last = max(now.last, opened.now)
        if made in now.receipts:
            return replace(now, last=last)
        return replace(now, last=last, receipts=(*now.receipts, made))

    with suppress(MemError, OSError):
        return sessions.change(opened.place, session.id, with_it) is not None
    return False
