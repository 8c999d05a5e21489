"""Import: what another store holds, decided about like everything that comes in, in one commit.

Two dangers. A file from elsewhere can say of itself that it is believed, that it may pass
what was forgotten here, that it was forgotten there what is believed here: none of this
counts on its own word. Without a person's word everything that it believes waits for
review, nothing that counts here is changed, and what nobody could review (procedures,
reports of use) stays outside. And whatever was forgotten here stays so on anybody's word.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from memcli.engine import drafting, handmade, taking_in
from memcli.engine.drafting import Draft
from memcli.engine.moving import unbundling
from memcli.engine.moving.bringing import Bringing
from memcli.engine.moving.brought import BY_ID, Brought
from memcli.engine.moving.bundle import Bundle
from memcli.engine.moving.lines_brought import LinesBrought
from memcli.engine.opened import Opened
from memcli.engine.taking_in import MANY, TakingIn
from memcli.engine.writer import Appended, FileChange, Operation, Writer, writing
from memcli.journal.message import Change, Message
from memcli.memory.admission import Decision, Kind
from memcli.store import events
from memcli.store.event import as_object
from memcli.store.tombstones import Tombstone

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What to take in. `restore`: a person says that it counts here as it counted there."""

    text: str
    restore: bool = False
    dry_run: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of each memory, and how many further things came along.

    `tombstones`, `events` and `procedures` are those that are new here; `left` names what stays
    outside without a person's word, with how many; `wrong` are lines that say nothing.
    """

    memories: tuple[Brought, ...]
    tombstones: int = 0
    events: int = 0
    procedures: int = 0
    left: tuple[tuple[str, int], ...] = ()
    wrong: tuple[str, ...] = ()
    commit: str | None = None

    @property
    def counts(self) -> dict[str, int]:
        """How many memories of each decision."""
        return dict(sorted(Counter(one.decision for one in self.memories).items()))

    @property
    def changes(self) -> bool:
        """Whether anything is new here."""
        new = any(one.changes for one in self.memories)
        return new or bool(self.tombstones or self.events or self.procedures)


def run(opened: Opened, request: ImportRequest, progress: Progress | None = None) -> Imported:
    """Take in everything that the lines say, in one commit; with `dry_run` only say what would be done.

    Raises the writer's errors; a line that cannot be taken in answers for itself.
    """
    read = unbundling.read(request.text)
    here = opened.settings.timezone_name
    if read.timezone not in ("", here):
        zones = f"in {read.timezone} there and in {here} here"
        opened.notices.append(f"Times without an offset are read {zones}: see `timezone` in the settings.")
    with writing(opened, "import") as writer:
        plan = _planned(writer, read, request, progress)
        commit = None if request.dry_run else _carried_out(writer, plan, request)
    wrong = tuple(error.message for error in read.wrong)
    memories = tuple(_planned_only(one) if request.dry_run else one for one in plan.told.memories)
    return replace(plan.told, memories=memories, wrong=wrong, commit=commit)


def _planned_only(one: Brought) -> Brought:
    """As a dry run tells it: without an id that it would not have when it is done."""
    return replace(one, id="") if one.fresh else one


@dataclass(frozen=True, slots=True)
class _Plan:
    """One import as it was decided, before anything is written."""

    taking: TakingIn
    told: Imported
    files: tuple[FileChange, ...]
    changes: tuple[Change, ...]
    graves: tuple[Tombstone, ...]
    lines: tuple[Appended, ...]


def _planned(writer: Writer, read: Bundle, request: ImportRequest, progress: Progress | None) -> _Plan:
    taking = TakingIn(writer)
    bring = Bringing(writer, taking, read, request.restore)
    found = [*bring.settled()]
    waiting = list(bring.drafts())
    drafts = [one for one in waiting if isinstance(one, Draft)]
    found += [one for one in waiting if isinstance(one, Brought)]
    vectors = drafting.meanings(writer.opened, drafts, progress)
    many = len(drafts) >= MANY
    found += [bring.decided(draft, pieces, many=many) for draft, pieces in zip(drafts, vectors, strict=True)]
    beside = LinesBrought(writer, read, request.restore)
    lines, graves, (kept, procedures) = beside.events(), beside.graves(bring.here), beside.procedures()
    told = Imported(
        tuple(sorted(found, key=lambda one: (one.line, one.id))),
        len(graves),
        sum(len(one.values) for one in lines),
        procedures,
        tuple(sorted(beside.left.items())),
    )
    return _Plan(taking, told, (*bring.files, *kept), tuple(bring.changes), graves, lines)


def _carried_out(writer: Writer, plan: _Plan, request: ImportRequest) -> str | None:
    """The commit, None where nothing is new."""
    plan.taking.log_skips()
    for one in plan.told.memories:
        if one.rule == BY_ID:
            decision = Decision(Kind.SKIPPED, one.rule, of=one.of, because="removed here")
            taking_in.log_skip(writer.opened, decision)
    files = (*plan.taking.noted.files, *plan.files)
    if not (files or plan.graves or plan.lines or plan.taking.noted.events):
        return None
    handmade.commit_first(writer, [one.path for one in files if one.expected is not None])
    changes = (*plan.taking.noted.changes, *plan.changes)
    claims = [one.claim for one in plan.told.memories if one.changes]
    named = claims[0] if len(claims) == 1 else f"{len(claims)} memories"
    message = Message("import", named, request.reason, changes)
    lines = _together(writer.opened, plan)
    return writer.carry_out(Operation(message, files, (), plan.graves, (), lines))


def _together(opened: Opened, plan: _Plan) -> tuple[Appended, ...]:
    """All lines, those of claims that came alone included, one addition a file."""
    found: defaultdict[str, list[Mapping[str, object]]] = defaultdict(list)
    for one in plan.lines:
        found[one.path] += one.values
    for event in plan.taking.noted.events:
        (path,) = events.paths(opened.place, (event,))
        found[path].append(as_object(event))
    return tuple(Appended(path, tuple(values)) for path, values in found.items())


def live(told: Imported) -> int:
    """How many memories would count, or stop counting, on nothing but the word of the lines."""
    return sum(1 for one in told.memories if one.on_trust)
