"""Planning: one consolidation as a value, from what its events say to the one operation that it comes to."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memcli.engine import drafting
from memcli.engine.consolidation import deriving, relating, resonating
from memcli.engine.consolidation.deciding import Deciding, Step
from memcli.engine.consolidation.digesting import Digest, observed
from memcli.engine.consolidation.latent import Proposed
from memcli.engine.opened import Opened
from memcli.engine.taking_in import TakingIn
from memcli.engine.use import accounts, laddering
from memcli.engine.writer import Appended, Operation, Writer
from memcli.journal.message import Message
from memcli.memory.numerals import counted
from memcli.store import digested, event, events
from memcli.store.event import Event, Kind
from memcli.surroundings import CONSOLIDATOR


@dataclass(frozen=True, slots=True)
class Plan:
    """A consolidation that nobody has carried out; `operation` None changes nothing.

    `left` are the event files that wait, because what they say would change a file with an edit in it.
    """

    operation: Operation | None
    taking: TakingIn
    steps: tuple[Step, ...]
    left: tuple[str, ...]
    claims: relating.Claims


def settled(writer: Writer, op: str, as_of: int, digest: Digest, claims: relating.Claims) -> Plan:
    """The plan of `op` at `as_of`, without what would touch files that a person has changed.

    `claims` are those of the files as they were last seen.
    """
    without: frozenset[str] = frozenset()
    while True:
        made = plan(writer, op, as_of, _without(digest, without), claims)
        stuck = _stuck(writer, made, digest)
        if not stuck - without:
            return replace(made, left=tuple(sorted(without)))
        without |= stuck


def plan(writer: Writer, op: str, as_of: int, digest: Digest, claims: relating.Claims) -> Plan:
    """Everything that is to be done about `digest`; nothing is written."""
    made = Deciding(TakingIn(replace(writer, opened=_at(writer.opened, as_of))), digest, as_of)
    deriving.claims(made)
    made.propose()
    resonating.promote_and_expire(made)
    now = relating.claims(made.opened, writer.view, claims)
    for other, canonical in relating.put_away(made.taking, now):
        made.step("duplicate", other, "said before", of=canonical.id)
    _relate(made)
    operation = _operation(made, op, writer.opened.now)
    return Plan(operation, made.taking, tuple(made.steps), (), now)


def _at(opened: Opened, as_of: int) -> Opened:
    """The same store, asked as if it were another moment."""
    if as_of == opened.now:
        return opened
    moved = opened.later(as_of - opened.now)
    moved.take_journal(opened.journal)
    moved.take_encoder(opened.encoder)
    return moved


def _stuck(writer: Writer, made: Plan, digest: Digest) -> frozenset[str]:
    """The event files that must wait."""
    dirty = {one.path for one in made.taking.noted.files if one.expected is not None} & writer.view.dirty
    said = [one.draft.event.id for one in made.taking.outcomes if one.path in dirty]
    return frozenset(digest.path_of[id_] for id_ in said if id_ in digest.path_of)


def _without(digest: Digest, paths: Collection[str]) -> Digest:
    """The digest without the events of these files, and without what rests on them."""
    if not paths:
        return digest
    gone = {id_ for id_, path in digest.path_of.items() if path in paths}
    return replace(
        digest,
        files=tuple(one for one in digest.files if one.path not in paths),
        path_of={id_: path for id_, path in digest.path_of.items() if id_ not in gone},
        proposed=tuple(one for one in digest.proposed if not gone & _rests_on(one)),
    )


def _rests_on(one: Proposed) -> set[str]:
    return {one.event.id, *(id_ for id_, _, _ in one.proposal.evidence)}


def _relate(made: Deciding) -> None:
    """Link what is believed since this run, and what somebody asked to keep since the last one."""
    known = {one.id: path for path, one in made.taking.writer.view.known.items() if one.id}
    told = [one for one in made.digest.events if one.kind is Kind.CLAIM and not observed(one)]
    asked = [id_ for one in told if (id_ := events.schema_id(one.id)) in known]
    fresh = {id_: known[id_] for id_ in asked} | made.fresh
    made.steps += [
        Step("related", one.id, one.scope, "", f"cosine {one.cosine:.2f}", one.other)
        for one in relating.link(made.taking, fresh, made.vectors, made.as_of)
    ]


def _operation(made: Deciding, op: str, now: int) -> Operation | None:
    """All of it as one operation, with what the ladder moves; None where there is nothing."""
    digest, taking = made.digest, made.taking
    passed = [one for one in digest.events if one.kind in (Kind.FEEDBACK, Kind.OUTCOME)]
    reports = accounts.load(made.opened, passed)
    moves = laddering.ladder_sweep(made.opened, reports, made.as_of, taking.noted.files)
    moved = {one.file.path: one.file for one in moves}
    for one in moves:
        scope = taking.noted.schema(one.file.path).scope
        made.steps.append(Step("stage", one.id, scope, one.claim, one.stated.why, one.stage.word))
    files = (*(one for one in taking.noted.files if one.path not in moved), *moved.values())
    lines = tuple(_lines(made, now))
    if not (files or lines):
        return None
    first = next((one.claim for one in made.steps if one.claim), "")
    message = Message(
        op,
        first or counted(len(digest.events), "event"),
        _summary(made),
        tuple(taking.noted.changes),
        logic=drafting.LOGIC,
        moves=tuple(one.stated for one in moves),
    )
    return Operation(message, files, lines=lines)


def _summary(made: Deciding) -> str:
    counts = Counter(one.what for one in made.steps)
    told = ", ".join(f"{many} {what}" for what, many in sorted(counts.items()))
    return counted(len(made.digest.events), "event") + (f": {told}" if told else "")


def _lines(made: Deciding, now: int) -> Iterator[Appended]:
    """The line with which each file says how far it was digested, and what came of it."""
    by_path: dict[str, list[Event]] = {}
    for one in made.digest.events:
        by_path.setdefault(made.digest.path_of[one.id], []).append(one)
    entropy = drafting.entropy()
    for nth, (path, own) in enumerate(sorted(by_path.items())):
        id_ = events.new_id(now * 1000, entropy, nth)
        line = replace(_line(own, made.digest.echoes, made.became), id=id_, at=now)
        yield Appended(path, (event.as_object(line),))


def _line(own: Sequence[Event], echoes: Collection[str], became: Mapping[str, object]) -> Event:
    ids = {one.id for one in own}
    told: dict[str, object] = {"through": max(ids), "logic": drafting.LOGIC}
    if found := sorted(ids.intersection(echoes)):
        told[digested.ECHOES] = found
    if founded := {id_: became[id_] for id_ in sorted(ids & became.keys())}:
        told["became"] = founded
    return Event(
        id="",
        at=0,
        scope=own[0].scope,
        actor=CONSOLIDATOR,
        kind=Kind.CONSOLIDATED,
        logic=drafting.LOGIC,
        session=own[0].session,
        data=told,
    )
