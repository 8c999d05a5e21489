"""Consolidate: from what happened to what is known, as one commit, or none where nothing is new.

One process at a time has the lease. The slow work, reading and encoding what was said, is
done beside everybody else; what is done about it is decided under the writer's lock, against
the store as it stands by then, and a file that a person changed is left alone.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from memcli.engine import accounts, digesting, drafting, laddering, pending, reconcile, relating
from memcli.engine.deciding import Deciding, Step
from memcli.engine.digesting import Digest
from memcli.engine.latent import Proposed
from memcli.engine.opened import Opened
from memcli.engine.taking_in import TakingIn
from memcli.engine.view import View
from memcli.engine.writer import Appended, Operation, Writer, writing
from memcli.errors import TryAgain
from memcli.journal.message import Message
from memcli.memory.scope import Scope
from memcli.store import digested, event, events, lease
from memcli.store.event import Event, Kind

CONSOLIDATOR: Final = "system:consolidator"
OP: Final = "consolidate"
TRIES: Final = 4  # asserted: times that a plan is made anew because files changed underneath

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ConsolidateRequest:
    """What is to be consolidated; None is now, and every session.

    `as_of` in seconds since 1970; `if_due`: only where enough exchanges are closed, or a session
    has ended; `replay`: exactly what older rules have digested.
    """

    as_of: int | None = None
    dry_run: bool = False
    explain: bool = False
    sessions: frozenset[str] | None = None
    if_due: bool = False
    replay: bool = False


@dataclass(frozen=True, slots=True)
class Consolidated:
    """What was done, or with a dry run would be.

    `busy`: another process is at it. `due` is False where there was too little to begin with:
    `exchanges` of `batch`. `caught` counts turns that teach nothing, by why; `left` files that a
    person changed, so that what concerns them is tried again.
    """

    commit: str | None = None
    busy: bool = False
    due: bool = True
    exchanges: int = 0
    batch: int = 0
    events: int = 0
    sessions: int = 0
    again: int = 0
    caught: dict[str, int] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    left: tuple[str, ...] = ()
    prototypes: int = 0
    episodes: int = 0
    dry_run: bool = False
    notices: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many steps of each kind were taken."""
        return dict(sorted(Counter(one.what for one in self.steps).items()))


@dataclass(frozen=True, slots=True)
class Plan:
    """A consolidation that nobody has carried out; `operation` None changes nothing."""

    operation: Operation | None
    taking: TakingIn
    steps: tuple[Step, ...]
    left: tuple[str, ...]
    claims: relating.Claims


def run(opened: Opened, request: ConsolidateRequest, progress: Progress | None = None) -> Consolidated:
    """Consolidate. Raises what writing raises; then everything that was pending still is."""
    opened = _as_consolidator(opened)
    if request.dry_run:
        return _run(opened, request, progress)
    with lease.held(opened.place) as mine:
        return _run(opened, request, progress) if mine else Consolidated(busy=True)


def due(opened: Opened) -> bool:
    """Whether enough was said, or a session ended, since the last consolidation; reads only what grew."""
    found = pending.look(opened, _fingerprint(opened))
    return _is_due(opened, found)


def _run(opened: Opened, request: ConsolidateRequest, progress: Progress | None) -> Consolidated:
    found = pending.look(opened, _fingerprint(opened), request.sessions)
    batch = opened.settings.constants.batch
    if request.if_due and not _is_due(opened, found):
        return Consolidated(due=False, exchanges=found.exchanges(), batch=batch)
    view = reconcile.freshen(opened)
    digest = digesting.of(opened, view, found, replay=request.replay, progress=progress)
    if request.dry_run:
        return _told(opened, request, digest, _plan(Writer(opened, view), request, digest, frozenset()), None)
    return _carried_out(opened, view, request, digest)


def _is_due(opened: Opened, found: pending.Pending) -> bool:
    return found.ended() or found.exchanges() >= opened.settings.constants.batch


def _as_consolidator(opened: Opened) -> Opened:
    """The store as the consolidator opens it, with what is open already."""
    made = replace(opened, actor_text=CONSOLIDATOR)
    made.take_journal(opened.journal)
    if "encoder" in opened.__dict__:
        made.take_encoder(opened.encoder)
    return made


def _fingerprint(opened: Opened) -> str:
    return opened.encoder.fingerprint if opened.encoder else "words"


def _carried_out(opened: Opened, view: View, request: ConsolidateRequest, digest: Digest) -> Consolidated:
    """Decide and write under the lock; made anew where a file changed underneath."""
    if not digest.files:
        plan = _plan(Writer(opened, view), request, digest, frozenset())
        if plan.operation is None:
            _keep(opened, digest, plan)
            return _told(opened, request, digest, plan, None)
    for left in reversed(range(TRIES)):
        try:
            with writing(opened, OP) as writer:
                plan = _settled(writer, request, digest)
                commit = writer.carry_out(plan.operation) if plan.operation else None
                plan.taking.log_skips()
        except TryAgain:
            if not left:
                raise
            continue
        _keep(opened, digest, plan)
        return _told(opened, request, digest, plan, commit)
    raise AssertionError("the last try raises or returns")


def _settled(writer: Writer, request: ConsolidateRequest, digest: Digest) -> Plan:
    """The plan without what would touch files that a person has changed."""
    without: frozenset[str] = frozenset()
    while True:
        plan = _plan(writer, request, digest, without)
        stuck = _stuck(writer, plan, digest)
        if not stuck - without:
            return plan
        without |= stuck


def _stuck(writer: Writer, plan: Plan, digest: Digest) -> frozenset[str]:
    """The event files that must wait, since what they say would change a file with an edit in it."""
    dirty = {one.path for one in plan.taking.files if one.expected is not None} & writer.view.dirty
    said = [one.draft.event.id for one in plan.taking.outcomes if one.path in dirty]
    return frozenset(digest.path_of[id_] for id_ in said if id_ in digest.path_of)


def _plan(writer: Writer, request: ConsolidateRequest, digest: Digest, without: Collection[str]) -> Plan:
    """Everything that is to be done, `without` the events of these files."""
    as_of = writer.opened.now if request.as_of is None else request.as_of
    moved = replace(writer, opened=_at(writer.opened, as_of))
    made = Deciding(TakingIn(moved), _without(digest, without), as_of)
    made.claims()
    made.proposals()
    made.resonances()
    claims = relating.claims(moved.opened, moved.view)
    for other, canonical in relating.put_away(made.taking, claims):
        made.steps.append(Step("duplicate", other.id, other.scope, other.claim, "said before", canonical.id))
    made.steps += _relations(made)
    operation, moves = _operation(made, request)
    return Plan(operation, made.taking, (*made.steps, *moves), tuple(sorted(without)), claims)


def _at(opened: Opened, as_of: int) -> Opened:
    if as_of == opened.now:
        return opened
    moved = opened.later(as_of - opened.now)
    moved.take_journal(opened.journal)
    moved.take_encoder(opened.encoder)
    return moved


def _without(digest: Digest, paths: Collection[str]) -> Digest:
    if not paths:
        return digest
    kept = {id_: path for id_, path in digest.path_of.items() if path not in paths}
    files = tuple(one for one in digest.files if one.path not in paths)
    proposed = tuple(
        one
        for one in digest.proposed
        if all(id_ not in digest.path_of or id_ in kept for id_ in _rests_on(one))
    )
    return replace(digest, files=files, path_of=kept, proposed=proposed)


def _rests_on(one: Proposed) -> set[str]:
    return {one.event.id, *(id_ for id_, _ in one.proposal.evidence)}


def _relations(made: Deciding) -> list[Step]:
    """Link what is believed since this run, and what somebody asked to keep since the last one."""
    known = {one.id: path for path, one in made.taking.writer.view.known.items() if one.id}
    told = [one for one in made.digest.events if one.kind is Kind.CLAIM and not digesting.observed(one)]
    asked = [events.schema_id(one.id) for one in told]
    fresh = {id_: known[id_] for id_ in asked if id_ in known} | made.fresh
    return [
        Step("related", one.id, one.scope, "", f"cosine {one.cosine:.2f}", one.other)
        for one in relating.link(made.taking, fresh, made.vectors, made.as_of)
    ]


def _operation(made: Deciding, request: ConsolidateRequest) -> tuple[Operation | None, list[Step]]:
    """All of it as one operation, with what the ladder moves."""
    opened, taking = made.opened, made.taking
    files = taking.files
    passed = [one for one in made.digest.events if one.kind in (Kind.FEEDBACK, Kind.OUTCOME)]
    moves = laddering.ladder_sweep(opened, accounts.load(opened, passed), made.as_of, files)
    moved = {one.file.path: one.file for one in moves}
    files = (*(one for one in files if one.path not in moved), *moved.values())
    lines = tuple(_lines(made))
    if not (files or moves or lines):
        return None, []
    message = Message(
        "replay" if request.replay else OP,
        next((one.claim for one in made.steps if one.claim), "") or f"{len(made.digest.events)} events",
        _summary(made, moves),
        taking.changes,
        logic=drafting.LOGIC,
        moves=tuple(one.stated for one in moves),
    )
    steps = [
        Step("stage", one.id, _scope_of(made, one), one.claim, one.stated.why, one.stage.word)
        for one in moves
    ]
    return Operation(message, files, lines=lines), steps


def _scope_of(made: Deciding, move: laddering.Move) -> Scope:
    return made.taking.schema(move.file.path).scope


def _lines(made: Deciding) -> Iterator[Appended]:
    """The line with which each file says how far it was digested, and what came of it."""
    now, entropy = made.taking.writer.opened.now, drafting.entropy()
    for nth, file in enumerate(made.digest.files):
        own = [one for one in made.digest.events if made.digest.path_of.get(one.id) == file.path]
        if own:
            yield Appended(
                file.path, (event.as_object(_line(made, own, events.new_id(now * 1000, entropy, nth))),)
            )


def _line(made: Deciding, own: Sequence[Event], id_: str) -> Event:
    ids = {one.id for one in own}
    told: dict[str, object] = {"through": max(ids), "logic": drafting.LOGIC}
    if echoes := sorted(made.digest.echoes & ids):
        told[digested.ECHOES] = echoes
    if became := {id_: made.weighed[id_] for id_ in sorted(ids & made.weighed.keys())}:
        told["became"] = became
    first = own[0]
    return Event(
        id=id_,
        at=made.taking.writer.opened.now,
        scope=first.scope,
        actor=CONSOLIDATOR,
        kind=Kind.CONSOLIDATED,
        logic=drafting.LOGIC,
        session=first.session,
        data=told,
    )


def _summary(made: Deciding, moves: Sequence[laddering.Move]) -> str:
    counts = Counter(one.what for one in made.steps)
    if moves:
        counts["stage"] = len(moves)
    told = ", ".join(f"{many} {what}" for what, many in sorted(counts.items()))
    return f"{len(made.digest.events)} events" + (f": {told}" if told else "")


def _keep(opened: Opened, digest: Digest, plan: Plan) -> None:
    """Note how far was read; nothing of it is lost where it cannot be, but time."""
    if plan.left:
        return
    with suppress(OSError):
        if digest.latent is not None:
            digest.latent.save()
        relating.keep(opened, plan.claims)
        if digest.pending.fresh:
            pending.keep(opened, digest.pending, _done(digest))


def _done(digest: Digest) -> set[str]:
    """The files of which nothing is left to digest."""
    return {
        one.path
        for one in digest.pending.fresh
        if all(each.id in digest.path_of for each in (*one.pending, *one.older))
    }


def _told(
    opened: Opened, request: ConsolidateRequest, digest: Digest, plan: Plan, commit: str | None
) -> Consolidated:
    left = [one for one in digest.events if digest.path_of[one.id] not in plan.left]
    scopes = digest.latent.scopes.values() if digest.latent else ()
    return Consolidated(
        commit=commit,
        exchanges=digest.pending.exchanges(),
        batch=opened.settings.constants.batch,
        events=len(left),
        sessions=len({one.session for one in left if one.session}),
        again=len(digest.again),
        caught=dict(sorted(Counter(why.value for why in digest.caught.values()).items())),
        steps=plan.steps,
        left=plan.left,
        prototypes=sum(len(one.all) for one in scopes),
        episodes=sum(one.episodes for one in scopes),
        dry_run=request.dry_run,
    )
