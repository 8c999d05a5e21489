"""Deciding: what a consolidation does about each claim and proposal, as a plan that nobody has carried out.

Everything that founds or reinforces a schema goes through `taking_in`, like a claim that
somebody asked to keep; here is only what comes before and after: which event says what, and
which of it a person has to see.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memcli.engine import drafting
from memcli.engine.consolidation import latent
from memcli.engine.consolidation.digesting import Digest
from memcli.engine.consolidation.latent import Proposed
from memcli.engine.drafting import Draft, Said
from memcli.engine.opened import Opened
from memcli.engine.outcome import Outcome, keeps_own
from memcli.engine.taking_in import TakingIn
from memcli.errors import MemError
from memcli.memory import claim, proposals
from memcli.memory.admission import Decision, Kind
from memcli.memory.guard import Neighbour, Reach
from memcli.memory.lifecycle import Change
from memcli.memory.proposals import Proposal
from memcli.memory.schema import Evidence, Origin, Schema, Status, Trust, Type
from memcli.memory.scope import Scope
from memcli.store import events
from memcli.store.event import Event

if TYPE_CHECKING:
    import numpy as np

    Vectors = Sequence["np.ndarray | None"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is done, or is not, and why.

    `what` is created, staged, archived, reinforced, superseded, review, skipped, refused,
    covered, promoted, expired, related, duplicate, stage or kept; `id` that of the memory, or of the
    event where there is none; `of` another memory that it is about; `event` the one that led to it.
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
    """A plan in the making; `as_of` is the moment at which everything is judged.

    `fresh` maps the id of what is believed since this run to its path, `vectors` to its vector
    where that is known; `became` says of an event what it led to.
    """

    taking: TakingIn
    digest: Digest
    as_of: int
    steps: list[Step] = field(default_factory=list)
    fresh: dict[str, str] = field(default_factory=dict)
    vectors: "dict[str, np.ndarray]" = field(default_factory=dict)
    became: dict[str, dict[str, object]] = field(default_factory=dict)

    @property
    def opened(self) -> Opened:
        """The store, at the moment `as_of`."""
        return self.taking.writer.opened

    @property
    def edited(self) -> frozenset[str]:
        """The paths that a person changed and nobody has saved: they are left for the next time."""
        return self.taking.writer.view.dirty

    def drafted(self, one: Event, said: Said | None = None) -> Draft | None:
        """The draft of an event; None where it cannot be a memory, which is noted."""
        try:
            return drafting.of_event(self.opened, one, said or Said())
        except MemError as error:
            self.steps.append(Step("refused", one.id, one.scope, why=error.message, event=one.id))
            return None

    def propose(self) -> None:
        """Put what the prototypes propose to a person, unless something believed says it already."""
        drafts = [one for each in self.digest.proposed if (one := self._proposal(each)) is not None]
        for draft, vectors in zip(drafts, drafting.meanings(self.opened, drafts), strict=True):
            covering = self._covering(draft, vectors)
            if covering is None:
                self.take(draft, vectors)
            else:
                self.step("covered", covering, "says it already", draft.event.id)

    def take(self, draft: Draft, vectors: "np.ndarray | None", *, many: bool = False) -> None:
        """Decide about a draft like about any claim, and note what came of it."""
        outcome = self.taking.take(draft, vectors, many=many)
        if outcome.decision is None:
            why = outcome.error.message if outcome.error else ""
            self.steps.append(
                Step("refused", draft.event.id, draft.schema.scope, why=why, event=draft.event.id)
            )
            return
        self.steps.append(_step_of(outcome, outcome.decision))
        self.became[draft.event.id] = _noted(outcome, outcome.decision)
        made = outcome.decision.kind in (Kind.CREATED, Kind.SUPERSEDED)
        if made and outcome.status == Status.ACTIVE and outcome.id and outcome.path:
            self.believe(outcome.id, outcome.path, vectors)

    def believe(self, id_: str, path: str, vectors: "np.ndarray | None" = None) -> None:
        """Note that a schema is believed since this run."""
        self.fresh[id_] = path
        if vectors is not None:
            self.vectors[id_] = vectors[0]

    def alter(self, path: str, change: Change, step: Step) -> None:
        """Change a schema that exists, and note why."""
        self.taking.noted.alter(path, change)
        self.steps.append(step)

    def step(self, what: str, schema: Schema, why: str, by: str = "", of: str = "") -> Step:
        """Note a step about a schema."""
        made = Step(what, schema.id, schema.scope, schema.claim, why, of, by)
        self.steps.append(made)
        return made

    def _proposal(self, one: Proposed) -> Draft | None:
        """The draft of a proposal, founded by the event that its sentence stands in."""
        found = one.proposal
        backing = self._borne_out(found)
        sessions = {latent.session_of(event) for event, _ in backing}
        if len(sessions) < proposals.INDEPENDENT or found.event not in {event.id for event, _ in backing}:
            return None
        backing.sort(key=lambda pair: (pair[0].id != found.event, pair[0].id))
        said = Said(
            text=found.text,
            type=Type.FACT,
            origin=Origin.CONSOLIDATOR,
            trust=Trust.TRUSTED,
            evidence=tuple(Evidence(event.id, quote) for event, quote in backing),
            evidence_at=one.event.happened,
            proposal=True,
        )
        return self.drafted(replace(one.event, id=found.event, key="", data={}, text=found.text), said)

    def _borne_out(self, found: Proposal) -> list[tuple[Event, str]]:
        """What the proposal rests on, as far as the events themselves still say it word for word.

        What was kept of them beside the index may be anybody's who sent this store.
        """
        known = {one.id: one for one in self.digest.events}
        read: dict[str, Event] = {}
        for id_, _, path in found.evidence:
            if id_ not in known and id_ not in read and path:
                with suppress(MemError, OSError, ValueError):
                    read |= {one.id: one for one in events.read(self.opened.place, path).events}
        said = [((known.get(id_) or read.get(id_)), quote) for id_, quote, _ in found.evidence]
        return [(one, quote) for one, quote in said if one is not None and quote in one.text]

    def _covering(self, draft: Draft, vectors: "np.ndarray | None") -> Schema | None:
        """A believed schema that says what the draft proposes, number for number."""
        text = draft.candidate.text
        known = self.taking.around.around(text, draft.schema.scope, "", vectors, many=False).neighbours
        near = [one for one in known if one.schema.live and one.reach is not Reach.NARROWER]
        covering = [one for one in near if self._covers(text, one)]
        best = max(covering, key=lambda one: (max(one.cosines or (0.0,)), one.schema.id), default=None)
        return best.schema if best else None

    def _covers(self, text: str, one: Neighbour) -> bool:
        near = max(one.cosines or (0.0,)) >= self.opened.settings.constants.covered
        return near and not claim.lost(text, one.schema.claim)


def _step_of(outcome: Outcome, decision: Decision) -> Step:
    draft, kind = outcome.draft, decision.kind
    made = "created" if outcome.status == Status.ACTIVE else outcome.status
    why = f"salience {decision.salience}" if decision.salience else decision.rule
    if outcome.own:
        why += f", {keeps_own(outcome.own)}"
    if decision.conflicts:
        why += f", beside {', '.join(decision.conflicts)} of the same concept"
    return Step(
        made if kind is Kind.CREATED else kind.value,
        outcome.id or draft.event.id,
        draft.schema.scope,
        "" if kind is Kind.SKIPPED else draft.schema.claim,
        why,
        decision.of,
        draft.event.id,
    )


def _noted(outcome: Outcome, decision: Decision) -> dict[str, object]:
    """What the event's own file keeps of a decision: never the text."""
    told: dict[str, object] = {"schema": outcome.id or "", "rule": decision.rule}
    if decision.salience is not None:
        told["salience"] = decision.salience.score
        told["because"] = {name: value for name, value in decision.salience.reasons if value}
    return told
