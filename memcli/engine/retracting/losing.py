"""Who loses by a retraction: worked out for the whole store, named as far as it may be seen."""

from dataclasses import dataclass

from memcli.engine import filing
from memcli.engine.opened import Opened
from memcli.engine.retracting import doubting, tied
from memcli.engine.view import View
from memcli.memory import contamination
from memcli.memory.contamination import NONE, Spread
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


def named(opened: Opened, view: View, schema: Schema, found: Spread) -> tuple[Lost, ...]:
    """Those of `found`, which the retraction of `schema` affects, that may be seen from here."""
    rules = opened.settings.constants
    doubts = contamination.doubts(doubting.of_view(opened, view), rules)
    paths = {one.id: path for path, one in view.known.items() if one.id}
    seen = doubting.named_beside(opened, schema)
    lost = []
    for one in found.affected:
        filed = filing.read(opened, paths[one.id]) if one.id in paths else None
        if filed is not None and filed.schema is not None and filed.schema.scope in seen:
            before = doubts.get(one.id, NONE).penalty
            lost.append(_lost(opened, one, filed.schema, before))
    return tuple(lost)


def _lost(opened: Opened, one: Affected, schema: Schema, before: float) -> Lost:
    rules = opened.settings.constants
    return Lost(
        id=one.id,
        claim=schema.claim,
        scope=str(schema.scope),
        penalty=one.penalty,
        hop=one.hop,
        path=one.path,
        before=contamination.left(schema.confidence, before, rules),
        after=contamination.left(schema.confidence, before + one.penalty, rules),
        review=one.penalty >= rules.retract_review,
    )
