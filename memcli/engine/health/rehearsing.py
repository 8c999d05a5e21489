"""A rehearsal: remembers, recalls and forgets for real, in a store of its own that is thrown away.

The one place below the command line that runs other verbs, because they are what it
examines: with this user's git configuration and this encoder, and never in their store.
"""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from memcli.engine import forget, remember, starting
from memcli.engine.drafting import Request as Claim
from memcli.engine.health.examining import Finding, fail, ok
from memcli.engine.opened import Opened, open_store
from memcli.engine.recalling import recall
from memcli.engine.recalling.asking import Request as Question
from memcli.errors import MemError
from memcli.surroundings import Surroundings

if TYPE_CHECKING:
    from memcli.index.encoder import Encoder

CLAIM: Final = "The rehearsal of the doctor keeps its lighthouse keys under the green bench."
QUESTION: Final = "Where are the keys of the lighthouse?"
WORDS: Final = "lighthouse keys bench"  # shares enough of the claim's words where there is no encoder
_ACTOR: Final = "system:doctor"
_NOT_THEIRS: Final = ("MEM_STORE", "MEM_SESSION", "MEM_COMMITTING")


def check(encoder: "Encoder | None") -> Callable[[Surroundings], Iterator[Finding]]:
    """The check that rehearses with `encoder`."""
    return lambda surroundings: _rehearsed(surroundings, encoder)


def _rehearsed(surroundings: Surroundings, encoder: "Encoder | None") -> Iterator[Finding]:
    with tempfile.TemporaryDirectory(prefix="mem-doctor-", ignore_cleanup_errors=True) as folder:
        opened = _scratch(surroundings, Path(folder).resolve() / "rehearsal")
        opened.take_encoder(encoder)
        trouble = _tried(opened, QUESTION if encoder else WORDS)
    if trouble:
        yield fail("rehearsal", trouble, "Report this: it is a fault of mem, or of what was named above.")
    else:
        yield ok("rehearsal", "Remembered, recalled, forgot and kept forgotten in a store of its own.")


def _scratch(surroundings: Surroundings, folder: Path) -> Opened:
    """A fresh store; that its maker trusts it is noted nowhere."""
    from memcli.journal.repository import Journal

    kept = {name: text for name, text in surroundings.environment.items() if name not in _NOT_THEIRS}
    environment = MappingProxyType({**kept, "MEM_ACTOR": _ACTOR})
    stands = replace(surroundings, environment=environment, cwd=folder.parent)
    starting.init(stands, starting.InitRequest(folder=str(folder)), trusting=False)
    opened = open_store(replace(stands, cwd=folder), named=str(folder))
    opened.take_journal(Journal.open(folder, environment))
    return opened


def _tried(opened: Opened, question: str) -> str:
    """What went otherwise than it should, empty where nothing did. Raises what a verb raises."""
    made = remember.run(opened, Claim(CLAIM))
    if made.id is None:
        return f"A claim was not remembered: {made.decision} by {made.rule}."
    if made.id not in _answer(opened, question):
        return "What was remembered is not recalled."
    forget.forget(opened, forget.targets(opened, (made.id,)))
    if _answer(opened, question):
        return "What was forgotten is recalled."
    with suppress(MemError):
        if remember.run(opened, Claim(CLAIM)).decision != "skipped":
            return "What was forgotten is remembered again."
    return ""


def _answer(opened: Opened, question: str) -> tuple[str, ...]:
    found = recall.run(opened, Question(question, str(opened.scope)))
    return tuple(one.schema.id for one in found.items)
