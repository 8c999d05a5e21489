"""Deriving: the schemas of observed claims, for the first time, or again under newer rules.

The danger of doing it again is a person's work undone, and a memory lost. So a schema that
somebody edited is never touched, what is believed stays believed, and the same event gives
the same id.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memcli.engine import drafting
from memcli.engine.consolidation.deciding import Deciding, Step
from memcli.engine.consolidation.digesting import observed
from memcli.engine.drafting import Draft
from memcli.engine.taking_in import MANY
from memcli.memory import claim, lifecycle, salience
from memcli.memory.schema import Schema, Status
from memcli.store import event, events

if TYPE_CHECKING:
    import numpy as np

_BY_HAND: Final = frozenset({"edit", "add", "move"})  # acts of the journal that a person does to a file
_WEAK: Final = (Status.ARCHIVED, Status.STAGED)
_ORDER: Final = (*_WEAK, Status.ACTIVE)


def claims(made: Deciding) -> None:
    """Found or reinforce a schema by each observed claim, in order of event id."""
    said = [one for one in made.digest.telling if observed(one)]
    drafts = [one for each in said if (one := made.drafted(each)) is not None]
    for draft, vectors in zip(drafts, drafting.meanings(made.opened, drafts), strict=True):
        if draft.event.id not in made.digest.again or not _again(made, draft, vectors):
            made.take(draft, vectors, many=len(drafts) >= MANY)


def _again(made: Deciding, draft: Draft, vectors: "np.ndarray | None") -> bool:
    """What newer rules make of a claim whose schema is there; False where it is to be decided anew."""
    path = made.taking.path_of(draft.schema.id)
    if path is None:
        return False
    schema = made.taking.noted.schema(path)
    same = claim.normalise(schema.claim) == claim.normalise(draft.schema.claim)
    status = _status_now(made, draft, schema, vectors) if schema.status in _WEAK else schema.status
    if same and status is schema.status:
        return True
    if path in made.edited or _edited(made, path):
        made.step("kept", schema, "a person edited it", draft.event.id)
        if not same and schema.status in _ORDER:
            _beside(made, draft, vectors)
    elif schema.status in _WEAK and _ORDER.index(status) > _ORDER.index(schema.status):
        _raised(made, path, schema, status, draft.event.id)
    return True


def _raised(made: Deciding, path: str, schema: Schema, status: Status, by: str) -> None:
    change = lifecycle.reinforce(schema, (), promote=True, to=status)
    if change is not None:
        why = "newer rules find it salient"
        made.alter(path, change, Step("promoted", schema.id, schema.scope, schema.claim, why, "", by))


def _edited(made: Deciding, path: str) -> bool:
    """Whether somebody else than the machinery has changed the file since it was made."""
    from memcli.journal import history

    return any(one.op in _BY_HAND for one in history.entries(made.opened.journal, path=path))


def _beside(made: Deciding, draft: Draft, vectors: "np.ndarray | None") -> None:
    """Put the claim as the event has it to a person, since the edited file says something else."""
    id_ = events.schema_id(f"{draft.event.id} by rules {drafting.LOGIC}")
    candidate = replace(draft.candidate, proposal=True)
    made.take(replace(draft, schema=replace(draft.schema, id=id_), candidate=candidate), vectors)


def _status_now(made: Deciding, draft: Draft, schema: Schema, vectors: "np.ndarray | None") -> Status:
    """What the claim would become, beside what was there before it."""
    known = made.taking.around.around(draft.candidate.text, schema.scope, schema.concept, vectors, many=False)
    moment, rules = event.moment_of(draft.event.id), made.opened.settings.constants
    before = [one for one in known.neighbours if one.schema.id != schema.id and one.order < moment]
    weighed = salience.weighed(draft.candidate.text, draft.schema.type, before, rules)
    return salience.status_of(weighed.score, rules)
