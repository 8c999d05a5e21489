"""What is right instead of a retracted memory: a claim like any other, but for what it corrects."""

from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.engine import drafting
from memcli.engine.drafting import Draft
from memcli.engine.neighbourhood import Neighbourhood
from memcli.engine.opened import Opened
from memcli.engine.outcome import Outcome
from memcli.engine.taking_in import TakingIn
from memcli.errors import Refused
from memcli.memory import admission, contamination, wording
from memcli.memory.admission import Decision, Kind
from memcli.memory.schema import Schema
from memcli.store import secrets

if TYPE_CHECKING:
    import numpy as np


def draft(opened: Opened, old: Schema, correction: str) -> Draft:
    """The correction as a memory of the same kind, scope and window as `old`, with the best of its links.

    Raises Usage for what cannot be a memory, Refused for what says the same, or holds a secret.
    """
    if wording.digest(correction) == wording.digest(old.claim):
        raise Refused(f"The correction says the same as {old.id}.", "Say what is right instead.")
    if secret := secrets.find(correction):
        raise Refused(f"The correction holds what looks like a secret ({secret}).", "Leave the secret out.")
    asked = drafting.Request(
        correction,
        scope=str(old.scope),
        type=old.type.value,
        concept=old.concept,
        tags=old.tags,
        override=(old.id,),
    )
    made = drafting.draft(opened, asked, drafting.entropy(), 0)
    to_others = [one for one in old.links if one.to != old.id]
    links = contamination.inherited(to_others, opened.settings.constants)
    return replace(
        made,
        schema=replace(made.schema, validity=old.validity, links=links),
        candidate=replace(made.candidate, validity=old.validity),
    )


def meaning(opened: Opened, made: Draft) -> "np.ndarray | None":
    """The unit vectors of its pieces, float32 [n, d]; None without an encoder."""
    return drafting.meanings(opened, [made])[0]


def decided(
    opened: Opened, around: Neighbourhood, made: Draft, vectors: "np.ndarray | None", old: Schema
) -> Decision:
    """What becomes of the correction; `admission.may_say_again` of `old` is not held against it.

    Raises Refused where it says again what was removed.
    """
    candidate = made.candidate
    known = around.around(candidate.text, candidate.scope, candidate.concept, vectors, many=False)
    line = admission.may_say_again(old.id, known)
    known = replace(known, neighbours=tuple(one for one in known.neighbours if one.schema.id not in line))
    decision = admission.decide(candidate, known, opened.settings.constants)
    _refuse_skipped(decision)
    return decision


def taken(taking: TakingIn, made: Draft, vectors: "np.ndarray | None", old: Schema) -> Outcome:
    """The correction taken in, as `decided`. Raises as that."""
    decision = decided(taking.writer.opened, taking.around, made, vectors, old)
    outcome = taking.note(made, decision, vectors)
    if outcome.error is not None:
        raise outcome.error
    return outcome


def _refuse_skipped(decision: Decision) -> None:
    if decision.kind is Kind.SKIPPED:
        raise Refused(
            f"The correction says again what was removed ({decision.of}, {decision.because}); "
            "nothing was retracted.",
            "Retract without --correction, then `mem remember` what is right.",
        )
