"""Exposure: what a session was shown, noted so that its feedback can only be about that.

It ranks nothing: an answer is the same whether it was noted or not, and outside a session
nothing is written at all.
"""

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memcli.engine.opened import Opened
from memcli.errors import MemError

if TYPE_CHECKING:
    from memcli.engine.recalling.answer import Answer
    from memcli.store.sessions import Receipt, Session

_DIGEST: Final = 32  # characters of a query's digest
_ID: Final = 12


def noted(opened: Opened, answer: "Answer") -> str | None:
    """Note in the actor's open session what `answer` shows; the receipt's id, None outside a session."""
    if not opened.place.sessions_folder.is_dir():
        return None
    from memcli.store import sessions

    session = sessions.current(opened)
    if session is None or session.actor != str(opened.actor):
        return None
    exposed = tuple(item.schema.id for item in answer.items)
    made = receipt(session, answer.query, answer.scope, answer.mode, answer.as_of, exposed)
    return made.id if keep(opened, session, made) else None


def receipt(  # noqa: PLR0913, PLR0917 - the parts of one answer
    session: "Session",
    query: str,
    scope: str,
    mode: str,
    as_of: int,
    exposed: Sequence[str],
    procedures: Sequence[str] = (),
) -> "Receipt":
    """The receipt of one answer; its id is a digest of what it says, so the same answer has the same."""
    from memcli.store import event
    from memcli.store.sessions import Receipt

    asked = hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    body = [session.id, asked, scope, mode, as_of, list(exposed), list(procedures)]
    digest = hashlib.sha256(json.dumps(body, separators=(",", ":")).encode()).digest()
    id_ = f"r_{event.crockford(int.from_bytes(digest[:8]), _ID)}"
    return Receipt(id_, asked, as_of, tuple(exposed), tuple(procedures))


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
