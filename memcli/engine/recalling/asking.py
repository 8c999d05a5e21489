"""A question and all that its search needs: what is asked, from where, as of when, how much of an answer."""

from dataclasses import dataclass

from memcli.engine.opened import Opened
from memcli.engine.task import belonging
from memcli.errors import Refused, Usage
from memcli.memory import ranking, tokens
from memcli.memory.visibility import Mode, Viewer
from memcli.surroundings import Kind


@dataclass(frozen=True, slots=True)
class Request:
    """A question. `scope` None is every scope; `as_of` None is now; `floor` None the store's own.

    `overhead_tokens` is what the frame around the answer costs, `line_overhead_tokens` what
    each memory costs beside its claim. `store` is how the store was named, for the command
    that shows more; None where it was found. `events` says whether turns are searched beside
    memories: auto, only (nothing else) or none. `known_at` is the point of the record that is
    asked about, as it was written; None is the files as they are. `gate`: decide first whether the
    text needs memory at all. `heard_at` is the commit whose turns are searched where that is not the
    one of `known_at`, `heard_until` the moment by which they were received, seconds since 1970.
    """

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
    overhead_tokens: int = 0
    line_overhead_tokens: int = 0
    store: str | None = None
    events: str = "auto"
    known_at: str | None = None
    gate: bool = False
    heard_at: str | None = None
    heard_until: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """The question with everything that the search needs."""

    request: Request
    viewer: Viewer
    query: ranking.Query
    floor: float
    k: int
    budget: int


def viewer(opened: Opened, request: Request) -> Viewer:
    """Who asks, from where, as of when. Raises Usage, and Refused for an agent that asks every scope."""
    if request.scope == "*" and opened.actor.kind is not Kind.HUMAN:
        raise Refused("Recalling every scope is a person's choice.", "Name one scope: --scope project:shop")
    scope = None if request.scope == "*" else opened.parse_scope(request.scope)
    if scope is not None:
        belonging.refuse_other_scope(opened, scope, reading=True)
    as_of = opened.now if request.as_of is None else request.as_of
    return Viewer(None if scope is None else scope.seen, as_of, request.mode, request.types, request.tags)


def asked(opened: Opened, request: Request) -> Asked:
    """The question made ready. Raises Usage for a blank query, Refused for an agent that asks every scope."""
    if tokens.blank(request.query):
        raise Usage("The query is blank.", "Say what to look for: mem recall refund window")
    if request.events == "only" and (request.types or request.tags):
        raise Usage(
            "--type and --tag are about memories, and --events only searches what was said.",
            "Leave out the one or the other.",
        )
    chosen = opened.settings
    return Asked(
        request,
        viewer(opened, request),
        ranking.query(request.query),
        chosen.floor if request.floor is None else request.floor,
        chosen.k if request.k is None else request.k,
        chosen.budget_tokens if request.budget is None else request.budget,
    )
