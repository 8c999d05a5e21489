"""What arrived without passing through `remember`: a merge, a pull, a file written by hand.

A live schema that says again what was forgotten or retracted must not come in by the back
door. It is withheld in the index, its file untouched, unless it names the removed one in
`overrides` or was live beside it when that was removed. A function of files and journal
alone, so that a rebuild withholds the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memcli.engine.opened import Opened
from memcli.engine.standing import Confirmed
from memcli.errors import MemError, TryAgain
from memcli.journal import tree
from memcli.memory import guard, pool
from memcli.memory.guard import Claimed, Neighbour, Verdict
from memcli.memory.schema import Schema, Status
from memcli.memory.scope import GLOBAL, USER, Scope
from memcli.memory.tokens import stems
from memcli.store import format, tombstones

if TYPE_CHECKING:
    import numpy as np

    from memcli.engine.filing import Filed
    from memcli.engine.view import View
    from memcli.index.rows import IndexRow
    from memcli.index.tables import Index

HELD: Final = frozenset({Status.FORGOTTEN, Status.RETRACTED})
_COUNTS: Final = frozenset({Status.ACTIVE, Status.NEEDS_REVIEW, Status.STAGED})
_WORDS_SHARED: Final = 0.4  # well below every layer of the guard: below it a row is not looked at closely
_COSINE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Removed:
    """One removed claim with its vectors and words."""

    neighbour: Neighbour
    scope: Scope
    vectors: "np.ndarray | None"
    stems: frozenset[str]


def withhold(
    opened: Opened, rows: "Sequence[IndexRow]", confirmed: Confirmed, index: "Index | None"
) -> "list[IndexRow]":
    """The rows, with those withheld that say again what was removed."""
    removed = _removed(opened, rows, index)
    if not removed:
        return list(rows)
    return [_judged(opened, row, removed, confirmed) for row in rows]


def _judged(opened: Opened, row: "IndexRow", removed: Sequence[Removed], confirmed: Confirmed) -> "IndexRow":
    if row.effective not in _COUNTS:
        return row
    matches = said_again(opened, row, removed, confirmed)
    everywhere = [one for one in matches if one.scope in row.schema.scope.seen]
    if everywhere:
        return replace(row, effective=min(one.neighbour.schema.status for one in everywhere))
    hidden = tuple(sorted({str(one.scope) for one in matches}))
    return replace(row, hidden_in=hidden) if hidden else row


def said_again(
    opened: Opened, row: "IndexRow", removed: Sequence[Removed], confirmed: Confirmed
) -> list[Removed]:
    """The removed claims in reach that the row says again, for certain, and was not spared."""
    found = []
    for one in removed:
        if one.neighbour.schema.id in (row.schema.id, *row.schema.overrides) or not _in_reach(row, one):
            continue
        if _says(opened, row, one) and not _lived_beside(opened, row, one, confirmed):
            found.append(one)
    return found


def says_again(opened: Opened, view: "View", filed: "Filed") -> tuple[str, ...]:
    """The ids of the removed claims that a file by hand says again and does not override."""
    from memcli.index.rows import IndexRow

    schema = filed.schema
    if schema is None or schema.status not in _COUNTS:
        return ()
    row = IndexRow(schema, filed.path, filed.digest, schema.status)
    removed = _removed(opened, [row], view.index)
    return tuple(one.neighbour.schema.id for one in said_again(opened, row, removed, view.confirmed))


def _in_reach(row: "IndexRow", one: Removed) -> bool:
    scope = row.schema.scope
    return one.scope in scope.seen or scope in (GLOBAL, USER)


def _says(opened: Opened, row: "IndexRow", one: Removed) -> bool:
    candidate = Claimed(
        row.schema.claim,
        as_of=0,
        evidence_at=0,
        events=frozenset(evidence.event for evidence in row.schema.evidence),
        arrived=True,
    )
    near = one.neighbour
    if near.schema.claim and _may(opened, row, one):
        vectors = _vectors(opened, guard.pieces(row.schema.claim))
        cosines = None if vectors is None else tuple(pool.cosine(one.vectors, piece) for piece in vectors)
        near = replace(near, cosines=cosines)
    else:
        near = replace(near, cosines=tuple(0.0 for _ in guard.pieces(row.schema.claim)))
    return guard.judge(candidate, (near,), {}).verdict is Verdict.SKIP


def _may(opened: Opened, row: "IndexRow", one: Removed) -> bool:
    """Whether the row can come near the removed claim at all: by its words, or by its whole meaning."""
    if one.stems and len(one.stems & frozenset(stems(row.schema.claim))) / len(one.stems) >= _WORDS_SHARED:
        return True
    whole = _vectors(opened, (row.schema.claim,))
    return whole is not None and pool.cosine(one.vectors, whole[0]) >= _COSINE


def _vectors(opened: Opened, texts: Sequence[str]) -> "np.ndarray | None":
    encoder = opened.encoder
    if encoder is None:
        return None
    from memcli.index.cache import VectorCache

    return VectorCache(opened.place.vectors_folder).vectors(encoder, list(texts))


def _lived_beside(opened: Opened, row: "IndexRow", one: Removed, confirmed: Confirmed) -> bool:
    """Whether the row was live in the commit before the removal: then a person saw both and took one out."""
    removal = confirmed.removed.get(one.neighbour.schema.id)
    journal = opened.readable_journal
    if removal is None or journal is None:
        return False
    from memcli.engine import filing

    try:
        raw = tree.read(journal, f"{removal.commit}^", [row.path])[row.path]
    except MemError:
        return False
    schema = filing.understand(opened, row.path, raw).schema if raw is not None else None
    return schema is not None and schema.id == row.schema.id and schema.status in _COUNTS


def _removed(opened: Opened, rows: "Sequence[IndexRow]", index: "Index | None") -> list[Removed]:
    """Every forgotten or retracted claim: of the rows, of the index beside them, and of the tombstones."""
    found = [_of(opened, row.schema, row.effective) for row in rows if row.effective in HELD]
    here = {row.path for row in rows}
    if index is not None:
        found += [_of(opened, *one) for one in _indexed(opened, index, here)]
    for grave in tombstones.load(opened.place).tombstones:
        schema = guard.buried(grave.id, grave.scope, grave.act, grave.events, grave.claim)
        if schema.status in HELD:
            found.append(_with_meaning(opened, Neighbour(schema, digest=grave.digest), grave.scope))
    return found


def _indexed(opened: Opened, index: "Index", here: set[str]) -> Iterator[tuple[Schema, Status]]:
    """The removed schemas of files that are not looked at now, with their claims and statuses."""
    from memcli.index import around
    from memcli.store import atomic

    for one in around.removed(index):
        if one.path in here:
            continue
        try:
            claim = format.claim_of(atomic.read(opened.place, one.path))
        except TryAgain:
            continue
        yield replace(one.schema, claim=claim), one.row.status


def _of(opened: Opened, schema: Schema, status: Status) -> Removed:
    return _with_meaning(opened, Neighbour(replace(schema, status=status)), schema.scope)


def _with_meaning(opened: Opened, near: Neighbour, scope: Scope) -> Removed:
    claim = near.schema.claim
    vectors = _vectors(opened, (claim,)) if claim else None
    return Removed(near, scope, vectors, frozenset(stems(claim)))
