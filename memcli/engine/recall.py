"""Recall: what the store knows that answers a question, what was held back, and why.

A pure read. The answer is a value; how it looks is for cli.
"""

from dataclasses import dataclass, field

from memcli.memory.schema import Schema
from memcli.memory.visibility import Mode


@dataclass(frozen=True, slots=True)
class Request:
    """A question. `scope` None is every scope; `as_of` None is now; `floor` None the store's own."""

    query: str
    scope: str | None
    as_of: int | None = None
    mode: Mode = Mode.DEFAULT
    k: int | None = None
    budget: int | None = None
    floor: float | None = None
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    evidence: str = "refs"


@dataclass(frozen=True, slots=True)
class Item:
    """One memory in an answer. `score` ranks within the answer, `match` is absolute."""

    schema: Schema
    path: str
    score: float
    match: float
    vector: float
    lexical: float
    via: str = "direct"
    conflict: tuple[str, ...] = ()
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Withheld:
    """What matched and was not shown, by the first reason why."""

    count: int = 0
    top_score: float | None = None
    threshold: float = 0.0
    by: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """`outcome` is found, absent, withheld or over_budget; `hint` is the command that shows more."""

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
