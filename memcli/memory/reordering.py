"""What comes after the score: who of another scope is let in, and what use makes of the order.

Statistics and scores of a scope are those of its own rows. A row of another scope is judged
by them alone, before it stands beside anything, so that one which is not let in moves no
byte of an answer. Use orders what is there; it admits and withholds nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from memcli.memory import account, confidence, ladder, ranking
from memcli.memory.account import NOTHING, Account
from memcli.memory.asked import Query
from memcli.memory.confidence import NONE, Doubt
from memcli.memory.constants import SCALE, Constants
from memcli.memory.pool import Candidate, WordHits
from memcli.memory.ranking import Scored
from memcli.memory.schema import Schema
from memcli.memory.scope import Scope
from memcli.memory.visibility import Row

if TYPE_CHECKING:
    import numpy as np


def let_in(  # noqa: PLR0913 - a question, and who asks it
    viewer: Scope,
    asked: Query,
    hits: WordHits,
    candidates: Sequence[Candidate],
    *,
    vector: "np.ndarray | None",
    rules: Constants,
) -> list[Candidate]:
    """Those of other scopes that the ladder lets into `viewer` by how well each alone fits the question.

    `hits` are the statistics of what `viewer` sees anyway.
    """
    fits = ranking.alone(asked, hits, candidates, vector, rules)
    return [
        one
        for one, fit in zip(candidates, fits, strict=True)
        if ladder.cross_scope(one.row.stage, one.row.scope, viewer, fit, rules) is not None
    ]


def lessened(
    viewer: Scope, rows: Mapping[str, Row], ranked: Sequence[Scored], rules: Constants
) -> list[Scored]:
    """`ranked` with the match and score that each counts for in `viewer`; `rows` by path."""

    def counted(one: Scored) -> Scored:
        row = rows[one.path]
        if row.scope in viewer.seen:
            return one
        score, match = (ladder.lessened(row.stage, number, rules) for number in (one.score, one.match))
        return replace(one, score=score, match=match)

    return ranking.in_order(counted(one) for one in ranked)


def by_use(  # noqa: PLR0913 - an order, and what changes it
    ranked: Sequence[Scored],
    accounts: Mapping[str, Account],
    as_of: int,
    rules: Constants,
    *,
    doubts: Mapping[str, Doubt] = MappingProxyType({}),
    schemas: Mapping[str, Schema] = MappingProxyType({}),
) -> list[Scored]:
    """`ranked` in the order that use gives: a labile memory keeps a part of its score, a used one gains.

    One that a retraction casts doubt on loses score as it loses confidence; `schemas` by path.
    """

    def counted(one: Scored) -> Scored:
        said, doubt = accounts.get(one.id, NOTHING), doubts.get(one.id, NONE)
        if said is NOTHING and doubt is NONE:
            return one
        labile = doubt.labile or account.labile(said, as_of, rules)
        share = rules.labile if labile else 1.0
        gain = 1 + rules.use_weight * account.salience_now(said, as_of, rules)
        if doubt is not NONE:
            gain *= confidence.share(schemas[one.path], doubt, rules)
        return replace(one, score=min(SCALE, round(one.score * share * gain)))

    return ranking.in_order(counted(one) for one in ranked)
