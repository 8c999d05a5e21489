"""Search: the candidates for a question in their order, and what a filter held back.

The index is asked, and where it fails or is busy the files themselves: the same values,
only slower.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from memcli.engine import indexed, reconcile
from memcli.engine.opened import Opened
from memcli.engine.recalling.asking import Asked
from memcli.engine.recalling.source import Source
from memcli.engine.view import View
from memcli.memory import ranking
from memcli.memory.account import Account
from memcli.memory.constants import Constants
from memcli.memory.pool import Candidate, WordHits
from memcli.memory.ranking import Scored
from memcli.memory.schema import Schema, Status
from memcli.memory.visibility import Row, Verdict, Viewer, verdict

if TYPE_CHECKING:
    import numpy as np

    from memcli.memory.confidence import Doubt

NOTED: Final = 10  # asserted: of what was held back, so many are kept in the notes of a session
READ_FROM_FILES: Final = 3000  # asserted: reading more files than this takes longer than a prompt can wait


@dataclass(frozen=True, slots=True)
class Held:
    """One that matches and that a filter other than the floor holds back."""

    match: int
    reason: Verdict
    row: Row
    id: str = ""


@dataclass(frozen=True, slots=True)
class Searched:
    """The candidates in order, and those held back, the best first; no `source` where none was asked.

    `accounts` of use and `doubts` by id are those that the order goes by; `told` reads a candidate
    from the record, None where it stands in a file.
    """

    source: Source | None
    candidates: dict[str, Candidate]
    ranked: Sequence[Scored]
    held: Sequence[Held]
    accounts: Mapping[str, Account] = field(default_factory=dict)
    doubts: "Mapping[str, Doubt]" = field(default_factory=dict)
    told: "Callable[[Candidate], Schema | None] | None" = None


def searched(opened: Opened, view: View, asked: Asked) -> tuple[Searched, bool]:
    """Search the index; where it fails, the files. Also whether the answer may be behind the files."""
    from memcli.index.lance import Damaged

    if asked.request.events == "only":
        return Searched(None, {}, (), ()), view.stale
    opened.notices.extend((*view.hidden, *(view.notices if view.stale else ())))
    if view.index is not None:
        try:
            return search(opened, view.index, asked), view.stale
        except Damaged:
            view = reconcile.heal(opened)
            if view.index is not None:
                return search(opened, view.index, asked), view.stale
    elif len(view.known) > READ_FROM_FILES and (index := indexed.open_index(opened, writable=False)):
        opened.notices.append("The index is behind the files and another process is busy with it.")
        return search(opened, index, asked), True
    from memcli.engine.recalling import (
        by_files,  # and with it the guard, which the index spares most questions
    )

    opened.notices.extend(view.notices)
    return search(opened, by_files.read(opened, view.confirmed), asked), False


def search(
    opened: Opened, source: Source, asked: Asked, said: Mapping[str, Account] | None = None
) -> Searched:
    """Ask `source`; the order goes by the accounts `said`, or (None) by those of now."""
    rules = opened.settings.constants
    hits = source.words(asked.viewer, asked.query.stems)
    vector = query_vector(opened, hits, asked)
    stems = asked.query.stems
    paths = _pool(source, asked, asked.viewer, hits, vector=vector, rules=rules)
    candidates = {one.path: one for one in source.take(paths, stems)}
    let_in = _from_elsewhere(source, asked, hits, vector, rules)
    candidates |= {one.path: one for one in let_in}
    scored = ranking.joined(hits, let_in)
    ranked = ranking.rank(asked.query, hits, list(candidates.values()), vector, rules, scored=scored)
    said = _accounts(opened) if said is None else said
    doubts = _doubts(source, rules)
    ranked = _reordered(asked, candidates, ranked, said, doubts, rules=rules)
    return Searched(source, candidates, ranked, _held(source, asked, hits, vector, rules), said, doubts)


def _doubts(source: Source, rules: Constants) -> "Mapping[str, Doubt]":
    """What retractions take from memories, by id."""
    retracted = source.retractions()
    if not retracted:
        return {}
    from memcli.memory import confidence

    return confidence.doubts(retracted, rules)


def noted(asked: Asked, found: Searched, ranked: Iterable[Scored]) -> tuple[tuple[str, float], ...]:
    """The first of `ranked` that lie in scopes which the viewer sees anyway: id and match."""
    scopes = asked.viewer.scopes or ()
    own = (one for one in ranked if found.candidates[one.path].row.scope in scopes)
    return tuple((one.id, one.match / ranking.SCALE) for one in islice(own, NOTED))


def shadows(asked: Asked, found: Searched) -> tuple[str, ...]:
    """The ids of staged ones that would have been shown, had they been believed."""
    scopes = asked.viewer.scopes or ()
    staged = (one for one in found.held if one.reason is Verdict.STATUS and one.row.status is Status.STAGED)
    return tuple(one.id for one in islice((one for one in staged if one.row.scope in scopes), NOTED))


def _accounts(opened: Opened) -> Mapping[str, Account]:
    """The accounts of use; without any event there is none, and nothing need be loaded to know it."""
    if not opened.place.events.is_dir():
        return {}
    from memcli.engine.use import accounts

    return accounts.load(opened)


def _pool(  # noqa: PLR0913 - a search, and for whom
    source: Source,
    asked: Asked,
    viewer: Viewer,
    hits: WordHits,
    *,
    vector: "np.ndarray | None",
    rules: Constants,
) -> set[str]:
    """The paths of the rows that may be among the best of what `viewer` gets; `hits` are their words."""
    depth = max(rules.pool, asked.k)
    paths = best_by_words(hits, asked, rules, depth)
    if vector is not None:
        paths |= {near.path for near in source.nearest(viewer, vector, depth)}
    return paths | _named(source, asked, viewer)


def _from_elsewhere(
    source: Source, asked: Asked, hits: WordHits, vector: "np.ndarray | None", rules: Constants
) -> list[Candidate]:
    """What other scopes let travel and the ladder lets in; a store in which nothing travels is not asked."""
    scopes = asked.viewer.scopes
    if not scopes or not source.travels():
        return []
    viewer = replace(asked.viewer, abroad=True)
    far = source.words(viewer, asked.query.stems)
    found = source.take(_pool(source, asked, viewer, far, vector=vector, rules=rules), asked.query.stems)
    from memcli.memory import reordering

    return reordering.let_in(scopes[0], asked.query, hits, found, vector=vector, rules=rules)


def _reordered(  # noqa: PLR0913 - an order, and what changes it
    asked: Asked,
    candidates: Mapping[str, Candidate],
    ranked: list[Scored],
    said: Mapping[str, Account],
    doubts: "Mapping[str, Doubt]",
    *,
    rules: Constants,
) -> list[Scored]:
    """The ranking as what lies in other scopes counts here, and as use and retractions have it."""
    viewer = asked.viewer
    rows = {path: one.row for path, one in candidates.items()}
    strange = viewer.scopes and any(row.scope not in viewer.scopes for row in rows.values())
    if not (strange or said or doubts):
        return ranked
    from memcli.memory import reordering

    if viewer.scopes and strange:
        ranked = reordering.lessened(viewer.scopes[0], rows, ranked, rules)
    if not (said or doubts):
        return ranked
    schemas = {path: one.schema for path, one in candidates.items()}
    return reordering.by_use(ranked, said, viewer.as_of, rules, doubts=doubts, schemas=schemas)


def best_by_words(hits: WordHits, asked: Asked, rules: Constants, limit: int) -> set[str]:
    """The paths of the `limit` rows that the words of the question speak for most; ties by path."""
    import numpy as np

    weights = ranking.bm25(hits, asked.query, rules)
    least = np.partition(weights, -limit)[-limit] if len(weights) > limit else -np.inf
    rows = np.flatnonzero(weights >= least)  # of a common word every second row holds one
    order = sorted(zip((-weights[rows]).tolist(), (hits.paths[at] for at in rows.tolist()), strict=True))
    return {path for _, path in order[:limit]}


def query_vector(opened: Opened, hits: WordHits, asked: Asked) -> "np.ndarray | None":
    """The question's unit vector, float32 [d], less the names that most rows hold; None: go by words."""
    encoder = opened.encoder
    if encoder is None:
        return None
    rules = opened.settings.constants
    text = ranking.cut_names(asked.query.text, ranking.frequencies(hits), hits.visible, rules)

    def encode(asked: str) -> "np.ndarray":
        found: np.ndarray = encoder.encode([asked])[0]
        return found

    return opened.kept.vector(text, encode) if opened.kept else encode(text)


def _named(source: Source, asked: Asked, viewer: Viewer) -> set[str]:
    """The visible schema whose very id was asked for, if the query can be one."""
    text = asked.query.text.strip()
    if len(text.split()) != 1 or not text.isascii():
        return set()
    found = source.by_id(text, None if viewer.abroad else viewer)
    return {
        one.path for one in found if one.schema.id == text and verdict(viewer, one.row) is Verdict.ADMITTED
    }


def _held(
    source: Source, asked: Asked, hits: WordHits, vector: "np.ndarray | None", rules: Constants
) -> list[Held]:
    held = source.held(asked.viewer, asked.query.stems, vector, rules.pool)
    rows = {one.path: one.row for one in held}
    ranked = ranking.rank(asked.query, hits, list(held), vector, rules)
    least = round(max(asked.floor, rules.notice) * ranking.SCALE)
    return [
        Held(one.match, verdict(asked.viewer, rows[one.path]), rows[one.path], one.id)
        for one in ranked
        if one.match >= least
    ]
