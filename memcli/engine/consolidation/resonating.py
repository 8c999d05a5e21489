"""Resonating: what was staged and a later, independent session says is believed; the rest is given up."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memcli.engine.consolidation import latent
from memcli.engine.consolidation.deciding import Deciding, Step
from memcli.engine.reviewing import staging
from memcli.engine.reviewing.staging import Staged
from memcli.memory import claim, pool, sieve
from memcli.memory import staging as rules
from memcli.memory.admission import Kind
from memcli.memory.schema import Evidence, Schema, Status
from memcli.store import event, events
from memcli.store.event import Event

if TYPE_CHECKING:
    import numpy as np


def promote_and_expire(made: Deciding) -> None:
    """Promote what the events of this run resonate with, and archive what has waited too long."""
    staged = {one.schema.id: one for one in staging.staged(made.opened, made.taking.writer.view)}
    staged |= {one.schema.id: one for one in _staged_now(made)}
    staged = {id_: one for id_, one in staged.items() if one.path not in made.edited}
    promoted = _promoted(made, staged) if staged else frozenset()
    for one in staged.values():
        waited = one.since is not None and rules.is_expired(
            one.since, made.as_of, made.opened.settings.constants
        )
        if waited and one.schema.id not in promoted:
            step = _step("expired", one.schema, "nothing resonated with it in time")
            made.alter(one.path, rules.given_up(made.taking.noted.schema(one.path)), step)


def _staged_now(made: Deciding) -> Iterator[Staged]:
    """What this run has staged."""
    for one in made.taking.outcomes:
        fresh = one.decision is not None and one.decision.kind is Kind.CREATED
        if fresh and one.status == Status.STAGED and one.path:
            schema = replace(one.draft.schema, status=Status.STAGED)
            yield Staged(schema, one.path, event.moment_of(one.draft.event.id) // 1000, None)


def _promoted(made: Deciding, staged: Mapping[str, Staged]) -> frozenset[str]:
    """The ids of those that an event of this run promotes."""
    scopes = {one.schema.scope for one in staged.values()}
    heard = [one for one in made.digest.telling if one.scope in scopes]
    if made.digest.latent is None or not heard:
        return frozenset()
    claims = _meanings(made, [one.schema.claim for one in staged.values()])
    promoted: set[str] = set()
    for start in range(0, len(heard), latent.CHUNK):
        part = heard[start : start + latent.CHUNK]
        for one, vector in zip(part, made.digest.latent.vectors(part), strict=True):
            beside = zip(staged.values(), pool.cosines(claims, vector).tolist(), strict=True)
            promoted |= set(_met(made, one, beside, promoted))
    return frozenset(promoted)


def _met(
    made: Deciding, one: Event, beside: Iterable[tuple[Staged, float]], promoted: Collection[str]
) -> Iterator[str]:
    """The ids of what this one event promotes."""
    least = made.opened.settings.constants.resonance
    for staged, cosine in beside:
        schema = staged.schema
        near = cosine >= least and schema.scope == one.scope and schema.id not in promoted
        if not near or claim.veto(one.text[: sieve.LONGEST], schema.claim):
            continue
        heard = rules.Heard(one.id, latent.session_of(one), cosine)
        if rules.resonates(schema, _sessions(made, schema), heard, made.opened.settings.constants):
            step = _step("promoted", schema, f"a later session says so (cosine {cosine:.2f})", one.id)
            standing = made.taking.noted.schema(staged.path)
            made.alter(staged.path, rules.promoted(standing, Evidence(one.id)), step)
            made.believe(schema.id, staged.path)
            yield schema.id


def _sessions(made: Deciding, schema: Schema) -> frozenset[str]:
    """The sessions in which what it rests on was said."""
    known = {one.id: one for one in made.digest.events}
    found = [known.get(one.event) or events.find(made.opened.place, one.event) for one in schema.evidence]
    return frozenset(latent.session_of(one) for one in found if one is not None)


def _meanings(made: Deciding, texts: Sequence[str]) -> "np.ndarray":
    from memcli.index.cache import VectorCache

    encoder = made.opened.encoder
    if encoder is None:
        raise AssertionError("asked for with an encoder only")
    return VectorCache(made.opened.place.vectors_folder).vectors(encoder, texts)


def _step(what: str, schema: Schema, why: str, by: str = "") -> Step:
    return Step(what, schema.id, schema.scope, schema.claim, why, "", by)
