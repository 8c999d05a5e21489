"""Deciding: what a consolidation does about each claim and proposal, as a plan that nobody has carried out.

Everything that founds or reinforces a schema goes through `taking_in`, like a claim that
somebody asked to keep; here is only what a consolidation alone does: proposals, resonance,
what newer rules make of older claims.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from memcli.engine import drafting, latent, staging
from memcli.engine.digesting import Digest, observed
from memcli.engine.drafting import Draft, Said
from memcli.engine.latent import Proposed
from memcli.engine.opened import Opened
from memcli.engine.staging import Staged
from memcli.engine.taking_in import MANY, Outcome, TakingIn
from memcli.errors import MemError
from memcli.memory import claim, lifecycle, pool, salience
from memcli.memory import staging as resonance
from memcli.memory.admission import Kind
from memcli.memory.guard import Neighbour, Reach
from memcli.memory.lifecycle import Change
from memcli.memory.schema import Evidence, Origin, Schema, Status, Trust, Type
from memcli.memory.scope import Scope
from memcli.store import event, events
from memcli.store.event import Event

if TYPE_CHECKING:
    import numpy as np

_WEAK: Final = frozenset({Status.STAGED, Status.ARCHIVED})


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is done, or is not, and why.

    `what` is created, staged, archived, reinforced, superseded, review, skipped, refused,
    covered, promoted, expired, related, duplicate, stage, kept or the name of a sieve; `id` that of
    the memory, or of the event where there is none; `of` another memory that it is about.
    """

    what: str
    id: str
    scope: Scope
    claim: str = ""
    why: str = ""
    of: str = ""
    event: str = ""


@dataclass
class Deciding:
    """A plan in the making; `as_of` is the moment at which everything is judged."""

    taking: TakingIn
    digest: Digest
    as_of: int
    steps: list[Step] = field(default_factory=list)
    fresh: dict[str, str] = field(default_factory=dict)  # id → path of what is believed since this run
    vectors: "dict[str, np.ndarray]" = field(default_factory=dict)  # of these, where they are known
    weighed: dict[str, dict[str, object]] = field(default_factory=dict)  # event → what became of it

    @property
    def opened(self) -> Opened:
        """The store, at the moment `as_of`."""
        return self.taking.writer.opened

    @property
    def left(self) -> frozenset[str]:
        """The paths that a person changed and nobody has saved: they are left for the next time."""
        return self.taking.writer.view.dirty

    def claims(self) -> None:
        """Found or reinforce a schema by each observed claim."""
        said = [one for one in self.digest.telling if observed(one)]
        drafts = [one for each in said if (one := self._drafted(each)) is not None]
        for draft, vectors in zip(drafts, drafting.meanings(self.opened, drafts), strict=True):
            if draft.event.id in self.digest.again and self._derived_again(draft, vectors):
                continue
            self._told(self.taking.take(draft, vectors, many=len(drafts) >= MANY), vectors)

    def proposals(self) -> None:
        """Put what the prototypes propose to a person, unless something says it already."""
        drafts = [one for each in self.digest.proposed if (one := self._proposal(each)) is not None]
        for draft, vectors in zip(drafts, drafting.meanings(self.opened, drafts), strict=True):
            covering = self._covering(draft, vectors)
            if covering is not None:
                self.steps.append(
                    Step("covered", covering.id, draft.schema.scope, covering.claim, "says it already")
                )
            else:
                self._told(self.taking.take(draft, vectors, many=False), vectors)

    def resonances(self) -> None:
        """Promote what was staged and a later, independent session has said; give up what nobody did."""
        staged = {one.schema.id: one for one in staging.staged(self.opened, self.taking.writer.view)}
        staged |= {one.schema.id: one for one in self._staged_now()}
        promoted = self._promoted(staged) if staged else frozenset()
        rules = self.opened.settings.constants
        for one in staged.values():
            waits = one.schema.id in promoted or one.path in self.left or one.since is None
            if not waits and resonance.is_expired(one.since or 0, self.as_of, rules):
                self._alter(one.path, resonance.given_up(one.schema))
                self._step("expired", one.schema, "nothing resonated with it in time")

    def _drafted(self, one: Event, said: Said | None = None) -> Draft | None:
        try:
            return drafting.of_event(self.opened, one, said or Said())
        except MemError as error:
            self.steps.append(Step("refused", one.id, one.scope, why=error.message, event=one.id))
            return None

    def _proposal(self, one: Proposed) -> Draft | None:
        """The draft of a proposal, founded by the event that its sentence stands in."""
        found = one.proposal
        quotes = sorted(found.evidence, key=lambda pair: (pair[0] != found.event, pair[0]))
        said = Said(
            text=found.text,
            type=Type.FACT,
            origin=Origin.CONSOLIDATOR,
            trust=Trust.TRUSTED,
            evidence=tuple(Evidence(id_, quote) for id_, quote in quotes),
            evidence_at=latent.said_at(one.event),
            proposal=True,
        )
        founding = replace(one.event, id=found.event, key="", data={}, text=found.text)
        return self._drafted(founding, said)

    def _covering(self, draft: Draft, vectors: "np.ndarray | None") -> Schema | None:
        """A believed schema that says what the draft proposes, and that this one does not contradict."""
        known = self.taking.around.around(
            draft.candidate.text, draft.schema.scope, "", vectors, many=False
        ).neighbours
        near = [one for one in known if one.schema.live and one.reach is not Reach.NARROWER and one.cosines]
        covering = [one for one in near if self._covers(draft.candidate.text, one)]
        best = max(covering, key=lambda one: (max(one.cosines or (0.0,)), one.schema.id), default=None)
        return best.schema if best else None

    def _covers(self, text: str, one: Neighbour) -> bool:
        least = self.opened.settings.constants.covered
        return (
            bool(one.cosines)
            and max(one.cosines or ()) >= least
            and not claim.differs(text, one.schema.claim)
        )

    def _derived_again(self, draft: Draft, vectors: "np.ndarray | None") -> bool:
        """What newer rules make of a claim whose schema is there; False where it is to be decided anew."""
        path = self.taking.path_of(draft.schema.id)
        if path is None:
            return False
        schema = self.taking.schema(path)
        if path in self.left or self._edited(path):
            self._step("kept", schema, "a person edited it")
            self._beside(draft, schema, vectors)
            return True
        status = self._status_now(draft, schema, vectors)
        if schema.status in _WEAK and _higher(status, schema.status):
            change = lifecycle.reinforce(schema, (), promote=True, to=status)
            if change is not None:
                self._alter(path, change)
                self._step("promoted", schema, "newer rules find it salient", draft.event.id)
        return True

    def _edited(self, path: str) -> bool:
        """Whether somebody else than the machinery has changed the file since it was made."""
        from memcli.journal import history

        return any(one.op in _BY_HAND for one in history.entries(self.opened.journal, path=path))

    def _beside(self, draft: Draft, schema: Schema, vectors: "np.ndarray | None") -> None:
        """Put the claim as the event has it to a person, where the edited file says something else."""
        same = claim.normalise(schema.claim) == claim.normalise(draft.schema.claim)
        if same or schema.status not in (Status.ACTIVE, *_WEAK):
            return
        id_ = events.schema_id(f"{draft.event.id} by rules {drafting.LOGIC}")
        candidate = replace(draft.candidate, proposal=True)
        beside = replace(draft, schema=replace(draft.schema, id=id_), candidate=candidate)
        self._told(self.taking.take(beside, vectors, many=False), vectors)

    def _status_now(self, draft: Draft, schema: Schema, vectors: "np.ndarray | None") -> Status:
        """What the claim would become, beside what was there before it."""
        known = self.taking.around.around(
            draft.candidate.text, schema.scope, schema.concept, vectors, many=False
        )
        moment = event.moment_of(draft.event.id)
        before = [one for one in known.neighbours if one.schema.id != schema.id and one.order < moment]
        rules = self.opened.settings.constants
        return salience.status_of(
            salience.weighed(draft.candidate.text, draft.schema.type, before, rules).score, rules
        )

    def _told(self, outcome: Outcome, vectors: "np.ndarray | None") -> None:
        """Note what was decided, for the explanation and for the event's own file."""
        draft, decision = outcome.draft, outcome.decision
        schema = draft.schema
        if decision is None:
            why = outcome.error.message if outcome.error else ""
            self.steps.append(Step("refused", draft.event.id, schema.scope, why=why, event=draft.event.id))
            return
        skipped = decision.kind is Kind.SKIPPED
        what = decision.kind.value if decision.kind is not Kind.CREATED else _made(outcome.status)
        why = str(decision.salience) if decision.salience else decision.rule
        self.steps.append(
            Step(
                what,
                outcome.id or draft.event.id,
                schema.scope,
                "" if skipped else schema.claim,
                f"salience {why}" if decision.salience else why,
                decision.of,
                draft.event.id,
            )
        )
        self.weighed[draft.event.id] = _noted(outcome)
        made = decision.kind in (Kind.CREATED, Kind.SUPERSEDED)
        if made and outcome.status == Status.ACTIVE and outcome.id and outcome.path:
            self._believed(outcome.id, outcome.path, vectors)

    def _believed(self, id_: str, path: str, vectors: "np.ndarray | None" = None) -> None:
        self.fresh[id_] = path
        if vectors is not None:
            self.vectors[id_] = vectors[0]

    def _staged_now(self) -> Iterator[Staged]:
        """What this run has staged."""
        for one in self.taking.outcomes:
            made = one.decision is not None and one.decision.kind is Kind.CREATED
            if made and one.status == Status.STAGED and one.path:
                schema = replace(one.draft.schema, status=Status.STAGED)
                yield Staged(schema, one.path, event.moment_of(one.draft.event.id) // 1000, None)

    def _promoted(self, staged: Mapping[str, Staged]) -> frozenset[str]:
        """The ids of those that an event of this run promotes."""
        scopes = {one.schema.scope for one in staged.values()}
        heard = [one for one in self.digest.telling if one.scope in scopes]
        made = self.digest.latent
        if made is None or not heard:
            return frozenset()
        centres = self._meanings([one.schema.claim for one in staged.values()])
        promoted: set[str] = set()
        for start in range(0, len(heard), latent.CHUNK):
            part = heard[start : start + latent.CHUNK]
            for one, vector in zip(part, made.vectors(part), strict=True):
                near = pool.cosines(centres, vector).tolist()
                beside = [(each, cosine) for each, cosine in zip(staged.values(), near, strict=True)]
                promoted |= set(self._met(one, beside, promoted))
        return frozenset(promoted)

    def _met(
        self, one: Event, beside: Iterable[tuple[Staged, float]], promoted: Collection[str]
    ) -> Iterator[str]:
        rules = self.opened.settings.constants
        for staged, cosine in beside:
            schema = staged.schema
            near = cosine >= rules.resonance and schema.scope == one.scope and schema.id not in promoted
            if not near or staged.path in self.left or claim.veto(one.text, schema.claim):
                continue
            heard = resonance.Heard(one.id, latent.session_of(one), cosine)
            if resonance.resonates(schema, self._sessions(schema), heard, rules):
                now = self.taking.schema(staged.path)
                self._alter(staged.path, resonance.promoted(now, Evidence(one.id)))
                self._step("promoted", schema, f"a later session says so (cosine {cosine:.2f})", one.id)
                self._believed(schema.id, staged.path)
                yield schema.id

    def _sessions(self, schema: Schema) -> frozenset[str]:
        """The sessions in which what it rests on was said."""
        known = {one.id: one for one in self.digest.events}
        found = [known.get(one.event) or events.find(self.opened.place, one.event) for one in schema.evidence]
        return frozenset(latent.session_of(one) for one in found if one is not None)

    def _meanings(self, texts: Sequence[str]) -> "np.ndarray":
        from memcli.index.cache import VectorCache

        encoder = self.opened.encoder
        if encoder is None:
            raise AssertionError("asked for with an encoder only")
        return VectorCache(self.opened.place.vectors_folder).vectors(encoder, texts)

    def _alter(self, path: str, change: Change) -> None:
        self.taking.alter(path, change)

    def _step(self, what: str, schema: Schema, why: str, by: str = "") -> None:
        self.steps.append(Step(what, schema.id, schema.scope, schema.claim, why, event=by))


_BY_HAND: Final = frozenset({"edit", "add", "move"})  # acts of the journal that a person does to a file
_ORDER: Final = (Status.ARCHIVED, Status.STAGED, Status.ACTIVE)


def _higher(one: Status, other: Status) -> bool:
    return _ORDER.index(one) > _ORDER.index(other)


def _made(status: str) -> str:
    return "created" if status == Status.ACTIVE else status


def _noted(outcome: Outcome) -> dict[str, object]:
    """What the event's own file keeps of a decision: never the text."""
    decision = outcome.decision
    told: dict[str, object] = {"schema": outcome.id or "", "rule": decision.rule if decision else ""}
    if decision is not None and decision.salience is not None:
        told["salience"] = decision.salience.score
        told["because"] = {name: value for name, value in decision.salience.reasons if value}
    return told
