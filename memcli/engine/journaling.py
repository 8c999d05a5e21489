"""Log: the journal read back."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from memcli.engine import handmade, resolve, standing
from memcli.engine.looking_back import lost
from memcli.engine.opened import Opened
from memcli.engine.task import belonging, ending
from memcli.errors import BadFile, NoSuchMemory, Usage
from memcli.journal import history as journal_history
from memcli.journal import seen as heads
from memcli.journal import tree
from memcli.journal.history import Entry
from memcli.journal.message import Move
from memcli.journal.message import read as read_message
from memcli.memory import times
from memcli.memory.scope import Scope, of_folder
from memcli.store import sessions
from memcli.store.event import Kind as EventKind
from memcli.surroundings import Kind

FORGOTTEN = "(forgotten)"  # what stands in the place of a forgotten claim


@dataclass(frozen=True, slots=True)
class Line:
    """One operation of the journal; `at` is record time in seconds since 1970."""

    commit: str
    at: int
    op: str
    actor: str
    author: str
    reason: str
    claim: str
    changes: tuple[tuple[str, str, str], ...]  # (id, prior status, status)
    claims: tuple[str, ...] = ()  # of each change, where there are several
    rule: str = ""
    score: str = ""
    session: str = ""
    moves: tuple[Move, ...] = ()  # how far which memories may travel from then on


@dataclass(frozen=True, slots=True)
class LogRequest:
    """Which entries; empty means all. `since` is text for one time.

    `every`: the texts of every scope, and not only of those that this one sees.
    """

    ids: tuple[str, ...] = ()
    op: str = ""
    actor: str = ""
    since: str | None = None
    limit: int | None = None
    every: bool = False


@dataclass(frozen=True, slots=True)
class Log:
    """Newest first; `notices` say where history is cut or empty."""

    lines: tuple[Line, ...]
    notices: tuple[str, ...] = ()


def log(opened: Opened, request: LogRequest) -> Log:
    """The journal, newest first. Raises NoSuchMemory for an id that neither files nor journal know.

    Raises Refused for an agent whose session works in another scope. No entry is hidden; but of
    another scope it says no text, nor to an agent what was forgotten.
    """
    found: Iterator[Entry] = journal_history.entries(
        opened.journal,
        since=_since(opened, request.since),
        op=request.op or None,
        actor=request.actor or None,
        limit=None if request.ids else request.limit,
    )
    if request.ids:
        found = islice(_about(opened, found, request.ids), request.limit)
    forgotten = frozenset() if opened.actor.kind is Kind.HUMAN else standing.current(opened).forgotten
    scopes = None if request.every else belonging.scopes_read(opened, None)
    seen = None if scopes is None else frozenset(scopes)
    lines = (_told(opened, entry, seen, forgotten) for entry in found)
    return Log(tuple(_with_task(opened, line, seen) for line in lines), notices(opened))


def _with_task(opened: Opened, line: Line, seen: frozenset[Scope] | None) -> Line:
    """The line of a session's end with its task, as its event has it; of another scope that is not said."""
    if line.op != ending.COMMIT or not line.session:
        return line
    ends = [one for one in sessions.of(opened.place, line.session) if one.kind is EventKind.OUTCOME]
    if not ends or (seen is not None and ends[-1].scope not in seen):
        return line
    said = [line.reason, str(ends[-1].data.get("verification", ""))]
    return replace(line, claim=ends[-1].text or line.claim, reason=": ".join(filter(None, said)))


def _told(opened: Opened, entry: Entry, seen: frozenset[Scope] | None, forgotten: frozenset[str]) -> Line:
    """The line of an entry as the one who asks may read it."""
    line = _readable(entry, _claims(opened, entry), seen, forgotten)
    if forgotten and not entry.changes and _held_by(opened, entry) & forgotten:
        return replace(line, claim=FORGOTTEN, reason="")
    return line


def _held_by(opened: Opened, entry: Entry) -> set[str]:
    """The ids of the schemas that an entry which states none wrote or took away: an edit, a commit by git."""
    paths = [path for path in entry.paths if path.endswith(".md")]
    found = [
        (path, raw)
        for commit in (entry.commit, *entry.parents[:1])
        for path, raw in tree.read(opened.journal, commit, paths).items()
        if raw is not None
    ]
    schemas = [handmade.schema_of(opened, path, raw) for path, raw in found]
    return {schema.id for schema in schemas if schema is not None}


def _readable(
    entry: Entry, claims: dict[str, str], seen: frozenset[Scope] | None, forgotten: frozenset[str]
) -> Line:
    """The line of an entry, without the text of scopes that are not `seen` and of what is `forgotten`."""
    line = line_of(entry)
    foreign = () if seen is None else sorted(scopes_of(entry) - seen)
    if foreign:
        return replace(line, claim=f"(in {', '.join(map(str, foreign))})", reason="")
    if len(entry.changes) > 1:
        told = [
            FORGOTTEN if change.id in forgotten else claims.get(change.id, "") for change in entry.changes
        ]
        return replace(line, claim=told[0], claims=tuple(told))
    if any(change.id in forgotten for change in entry.changes):
        return replace(line, claim=FORGOTTEN, reason="")
    return line


def _claims(opened: Opened, entry: Entry) -> dict[str, str]:
    """Id → claim of the schemas that a commit of several holds; its subject names but the first."""
    if len(entry.changes) < 2:  # noqa: PLR2004 - the subject serves for one
        return {}
    paths = [path for path in entry.paths if path.endswith(".md")]
    found = tree.read(opened.journal, entry.commit, paths)
    schemas = [handmade.schema_of(opened, path, raw) for path, raw in found.items() if raw is not None]
    return {schema.id: schema.claim for schema in schemas if schema is not None}


def scopes_of(entry: Entry) -> set[Scope]:
    """The scopes whose folders the entry touches."""
    parts = [tuple(path.split("/")) for path in entry.paths if path.startswith(("schemas/", "procedures/"))]
    return {scope for inner in parts if (scope := of_folder(inner[1:-1])) is not None}


def _since(opened: Opened, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return times.parse(text, opened.settings.timezone)
    except times.NotATime as error:
        raise Usage(f"--since: {error}.", "Relative times are not read.") from error


def _about(opened: Opened, entries: Iterator[Entry], ids: tuple[str, ...]) -> Iterator[Entry]:
    """The entries that change one of `ids` or touch its file; one without a readable file has them too."""
    paths: set[str] = set()
    wanted: set[str] = set()
    for text in ids:
        try:
            found = resolve.one(opened, text)
        except (NoSuchMemory, BadFile) as error:
            if error.details and isinstance(error, NoSuchMemory):
                raise
            gone = lost.named(opened, text)
            if gone is None and isinstance(error, NoSuchMemory):
                raise
            wanted.add(gone[0] if gone else text)
            continue
        wanted.add(found.schema.id)
        paths.add(found.path)
    for entry in entries:
        own = tuple(change for change in entry.changes if change.id in wanted)
        moves = tuple(move for move in entry.moves if move.id in wanted)
        if own or moves:
            yield replace(entry, changes=own, moves=moves)
        elif paths & set(entry.paths):
            yield entry


def line_of(entry: Entry) -> Line:
    """An entry of the journal as `mem log` shows it."""
    said = read_message(entry.subject + "\n\nMem-Op: x")
    claim = said.claim if said and said.claim else entry.subject
    return Line(
        commit=entry.commit,
        at=entry.at,
        op=entry.op,
        actor=entry.actor,
        author=entry.author,
        reason=entry.reason,
        claim=claim,
        changes=tuple((change.id, change.prior, change.status) for change in entry.changes),
        rule=entry.rule,
        score="" if entry.score is None else f"{entry.score:.4f}",
        session=entry.session,
        moves=entry.moves,
    )


def notices(opened: Opened) -> tuple[str, ...]:
    """Where the journal does not reach: it is empty, rewritten, or a shallow clone was cut."""
    journal = opened.journal
    if journal.head() is None:
        return ("The journal is empty: nothing was committed yet.",)
    since = journal.state().shallow_since
    if since is None:
        return rewritten(opened)
    return (
        *rewritten(opened),
        f"History is cut at {times.show(since)} (a shallow clone): what came before is not here.",
    )


def rewritten(opened: Opened) -> tuple[str, ...]:
    """That history is another one than the one that was seen here last; empty where it is not."""
    journal = opened.readable_journal
    old = None if journal is None else heads.rewritten(journal)
    if old is None:
        return ()
    return (
        f"History was rewritten: it no longer holds {old[:12]}, which was seen last. `mem audit` shows it.",
    )
