"""Who loses by a retraction: worked out for the whole store, named as far as it may be seen."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memcli.engine import filing
from memcli.engine.opened import Opened
from memcli.engine.retracting import doubting, tied
from memcli.engine.view import View
from memcli.memory import confidence, contamination
from memcli.memory.confidence import NONE
from memcli.memory.contamination import Spread
from memcli.memory.schema import Affected, Schema


@dataclass(frozen=True, slots=True)
class Lost:
    """A neighbour and its confidence `before` and `after`; `review`: it then waits for a person."""

    id: str
    claim: str
    scope: str
    penalty: float
    hop: int
    path: float
    before: float
    after: float
    review: bool


def spread(opened: Opened, view: View, schema: Schema, correction: str = "") -> Spread:
    """What the retraction of `schema` takes from others; nothing from what is right instead."""
    ties = tied.of(opened, view, schema)
    nodes = {id_: one for id_, one in ties.nodes.items() if id_ != correction}
    target = contamination.Node(schema.id, schema.scope, frozenset(schema.tags))
    return contamination.spread(target, nodes, ties.around, opened.settings.constants)


def kept(opened: Opened, view: View, schema: Schema, found: Spread) -> tuple[Affected, ...]:
    """What the file of `schema` says of them: those of scopes that its own does not see stay unnamed."""
    seen = {id_ for id_, other in _filed(opened, view, found) if other.scope in schema.scope.seen}
    return tuple(
        one if one.id in seen else replace(one, id=confidence.veiled(one.id)) for one in found.affected
    )


def _filed(opened: Opened, view: View, found: Spread) -> Iterator[tuple[str, Schema]]:
    paths = {one.id: path for path, one in view.known.items() if one.id}
    for one in found.affected:
        filed = filing.read(opened, paths[one.id]) if one.id in paths else None
        if filed is not None and filed.schema is not None:
            yield one.id, filed.schema


def named(opened: Opened, view: View, schema: Schema, found: Spread) -> tuple[Lost, ...]:
    """Those of `found`, which the retraction of `schema` affects, that may be seen from here."""
    rules = opened.settings.constants
    doubts = confidence.doubts(doubting.of_view(opened, view), rules)
    seen = doubting.named_beside(opened, schema)
    schemas = {id_: other for id_, other in _filed(opened, view, found) if other.scope in seen}
    return tuple(
        _lost(opened, one, schemas[one.id], doubts.get(one.id, NONE).penalty)
        for one in found.affected
        if one.id in schemas
    )


def _lost(opened: Opened, one: Affected, schema: Schema, before: float) -> Lost:
    rules = opened.settings.constants
    return Lost(
        id=one.id,
        claim=schema.claim,
        scope=str(schema.scope),
        penalty=one.penalty,
        hop=one.hop,
        path=one.path,
        before=confidence.left(schema.confidence, before, rules),
        after=confidence.left(schema.confidence, before + one.penalty, rules),
        review=one.penalty >= rules.retract_review,
    )
