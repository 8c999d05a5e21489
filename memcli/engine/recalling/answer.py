"""An answer of recall as a value: memories that are believed, turns that were said, what was held back."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memcli.memory.schema import Schema

if TYPE_CHECKING:
    from memcli.engine.opened import Opened
    from memcli.engine.recalling.asking import Asked
    from memcli.memory.gate import Decision
    from memcli.store.event import Event


@dataclass(frozen=True, slots=True)
class Item:
    """One memory in an answer. `score` ranks within the answer, `match` is absolute.

    `since` is when the first event that it rests on was taken in, seconds since 1970; None
    where its evidence does not say. `now`: of an answer from the record, the path at which
    its file stands today, None where none does. `confidence` is what retractions left of its own,
    None where none concerns it.
    """

    schema: Schema
    path: str
    score: float
    match: float
    vector: float
    lexical: float
    via: str = "direct"
    conflict: tuple[str, ...] = ()
    tokens: int = 0
    since: int | None = None
    now: str | None = None
    confidence: float | None = None

    @property
    def doubted(self) -> bool:
        """Whether a retraction left less of its confidence."""
        return self.confidence is not None and self.confidence < self.schema.confidence


@dataclass(frozen=True, slots=True)
class Saying:
    """One turn in an answer: what was said, not what is believed. Its parts are those of Item."""

    event: "Event"
    path: str
    score: float
    match: float
    vector: float
    lexical: float
    via: str = "direct"
    tokens: int = 0

    @property
    def at(self) -> int:
        """When it was said, seconds since 1970; when it was taken in, where nobody knows."""
        return self.event.happened

    @property
    def subject(self) -> str:
        """Who said it, empty where that is not known."""
        said_by = self.event.data.get("subject") or self.event.data.get("role") or ""
        return said_by if isinstance(said_by, str) else ""


@dataclass(frozen=True, slots=True)
class Then:
    """The point of the record that an answer is from: as it was asked for, and the moment it means.

    `at` is seconds since 1970; `nothing` says why nothing was known then, empty where something was.
    """

    asked: str
    at: int
    nothing: str = ""


@dataclass(frozen=True, slots=True)
class Withheld:
    """What matched and was not shown, by the first reason why."""

    count: int = 0
    top_score: float | None = None
    threshold: float = 0.0
    by: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """`outcome` is found, absent, withheld, over_budget or gated; `hint` is the command that shows more.

    `said` are turns that say what no memory of the answer carries; they come after those. `then` is where
    in the record the answer is from, None for the files as they are. `gate` is what the gate decided, None
    where it was not asked. `below` are ids with their match that the floor, or the gate, held back in the
    viewer's own scopes, `shadows` staged ones that would have been shown: both are for the notes of a
    session alone, never shown. `uncommitted` are the paths of memories' files, of whatever scope, that
    the commit holds otherwise.
    """

    outcome: str
    query: str
    scope: str
    mode: str
    as_of: int
    commit: str | None
    dirty: bool
    items: tuple[Item, ...]
    withheld: Withheld
    tokens: int
    stale: bool
    root: str
    store: str
    notices: tuple[str, ...] = ()
    hint: str | None = None
    said: tuple[Saying, ...] = ()
    then: Then | None = None
    gate: "Decision | None" = None
    below: tuple[tuple[str, float], ...] = ()
    shadows: tuple[str, ...] = ()
    uncommitted: tuple[str, ...] = ()


def bare(opened: "Opened", asked: "Asked", outcome: str) -> Answer:
    """What every answer says of its question, with nothing shown, and without the commit that it is from."""
    return Answer(
        outcome=outcome,
        query=asked.request.query,
        scope="*" if asked.viewer.scopes is None else str(asked.viewer.scopes[0]),
        mode=asked.viewer.mode.value,
        as_of=asked.viewer.as_of,
        commit=None,
        dirty=False,
        items=(),
        withheld=Withheld(threshold=asked.floor),
        tokens=0,
        stale=False,
        root=str(opened.place.root),
        store=opened.name,
        notices=tuple(opened.notices),
    )
