"""Consolidate: from what happened to what is known, as one commit, or none where nothing is new.

One process at a time has the lease. The slow work, reading and encoding what was said, is
done beside everybody else; what is done about it is decided under the writer's lock, against
the store as it stands by then, and a file that a person changed is left alone.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from memcli.engine import reconcile
from memcli.engine.consolidation import digesting, pending, planning, relating
from memcli.engine.consolidation.deciding import Step
from memcli.engine.consolidation.digesting import Digest
from memcli.engine.consolidation.planning import Plan
from memcli.engine.opened import Opened
from memcli.engine.recalling import heard
from memcli.engine.writer import Writer, writing
from memcli.errors import TryAgain
from memcli.memory.sieve import Sieve
from memcli.store import lease
from memcli.surroundings import CONSOLIDATOR

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
    `exchanges` of `batch`. `caught` counts turns that teach nothing, by why, and `sifted` names them
    where it was asked for; `left` are event files that wait, since a person edits what they concern.
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
    sifted: tuple[Step, ...] = ()
    left: tuple[str, ...] = ()
    prototypes: int = 0
    episodes: int = 0
    dry_run: bool = False
    notices: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many steps of each kind were taken."""
        return dict(sorted(Counter(one.what for one in self.steps).items()))


def run(opened: Opened, request: ConsolidateRequest, progress: Progress | None = None) -> Consolidated:
    """Consolidate. Raises what writing raises; then everything that was pending still is."""
    opened = _as_consolidator(opened)
    if request.dry_run:
        return _run(opened, request, progress)
    with lease.held(opened.place) as mine:
        done = _run(opened, request, progress) if mine else Consolidated(busy=True)
    if mine and done.due:
        heard.follow(opened, progress)
    return done


def due(opened: Opened) -> bool:
    """Whether enough was said, or a session ended, since the last consolidation; reads only what grew."""
    found = pending.look(opened, pending.fingerprint(opened))
    return _is_due(opened, found)


def _run(opened: Opened, request: ConsolidateRequest, progress: Progress | None) -> Consolidated:
    found = pending.look(opened, pending.fingerprint(opened), request.sessions)
    batch = opened.settings.constants.batch
    if request.if_due and not _is_due(opened, found):
        return Consolidated(due=False, exchanges=found.exchanges(), batch=batch)
    view = reconcile.freshen(opened)
    work = _Work(
        request,
        digesting.of(opened, view, found, replay=request.replay, progress=progress),
        relating.claims(opened, view),
    )
    if not work.digest.files or request.dry_run:
        plan = work.planned(Writer(opened, view))
        if plan.operation is None and not request.dry_run:
            _keep(opened, work.digest, plan)
        if plan.operation is None or request.dry_run:
            return _told(opened, work, plan, None)
    return _carried_out(opened, work)


@dataclass(frozen=True, slots=True)
class _Work:
    """What was found out beside everybody else: the digest, and what each file claims."""

    request: ConsolidateRequest
    digest: Digest
    claims: relating.Claims

    def planned(self, writer: Writer) -> Plan:
        """What is to be done about it, as the store stands now."""
        as_of = writer.opened.now if self.request.as_of is None else self.request.as_of
        op = "replay" if self.request.replay else "consolidate"
        return planning.settled(writer, op, as_of, self.digest, self.claims)


def _is_due(opened: Opened, found: pending.Pending) -> bool:
    return found.ended() or found.exchanges() >= opened.settings.constants.batch


def _as_consolidator(opened: Opened) -> Opened:
    """The store as the consolidator opens it, with what is open already."""
    made = replace(opened, actor_text=CONSOLIDATOR)
    made.take_journal(opened.journal)
    if "encoder" in opened.__dict__:
        made.take_encoder(opened.encoder)
    return made


def _carried_out(opened: Opened, work: _Work) -> Consolidated:
    """Decide and write under the lock; decided anew where a file changed underneath."""
    for _ in range(TRIES):
        with writing(opened, "consolidate") as writer:
            plan = work.planned(writer)
            try:
                commit = writer.carry_out(plan.operation) if plan.operation else None
            except TryAgain as error:
                again = error
                continue
            plan.taking.log_skips()
        _keep(opened, work.digest, plan)
        return _told(opened, work, plan, commit)
    raise again


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


def _told(opened: Opened, work: _Work, plan: Plan, commit: str | None) -> Consolidated:
    digest = work.digest
    passed = [one for one in digest.events if digest.path_of[one.id] not in plan.left]
    scopes = [one.now for one in digest.latent.scopes.values()] if digest.latent else []
    return Consolidated(
        commit=commit,
        exchanges=digest.pending.exchanges(),
        batch=opened.settings.constants.batch,
        events=len(passed),
        sessions=len({one.session for one in passed if one.session}),
        again=len(digest.again),
        caught=dict(sorted(Counter(why.value for why in digest.caught.values()).items())),
        steps=plan.steps,
        sifted=tuple(_sifted(digest)) if work.request.explain else (),
        left=plan.left,
        prototypes=sum(len(one.all) for one in scopes),
        episodes=sum(one.episodes for one in scopes),
        dry_run=work.request.dry_run,
    )


def _sifted(digest: Digest) -> Iterator[Step]:
    """What was sifted out, event by event."""
    for one in digest.events:
        if (why := digest.caught.get(one.id)) is not None:
            yield Step(why.value, one.id, one.scope, "", _WHY[why], digest.echo_of.get(one.id, ""), one.id)


_WHY: Final = {
    Sieve.ECHO: "its session had been shown that",
    Sieve.MACHINE: "a tool or the system said it",
    Sieve.NOISE: "it says nothing that lasts",
    Sieve.MEMORY: "it is about the memory itself",
}
