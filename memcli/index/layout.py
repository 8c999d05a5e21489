"""The layout of the one table, rows into it and candidates out of it.

A schema is one row (`piece` 0) that carries everything, and one more row for each further
piece of a long text, so that the best piece counts in a vector search; a filter column is
never null, because SQL's third truth value would make a hidden row neither in nor out.
A change of this file that readers could notice raises LAYOUT: the index is then rebuilt.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from memcli.index.rows import IndexRow, words
from memcli.memory import scope
from memcli.memory.pool import Candidate
from memcli.memory.schema import (
    ArchiveReason,
    Evidence,
    Link,
    Origin,
    Review,
    ReviewReason,
    Schema,
    Stage,
    StaleReason,
    Status,
    Trust,
    Type,
    Validity,
    fold_concept,
)
from memcli.memory.visibility import Row

LAYOUT: Final = 1
TABLE: Final = "schemas"
KEY: Final = ("path", "piece")
BEGINNING: Final = -(2**63)  # valid_from of an unbounded window
END: Final = 2**63 - 1  # valid_to of an unbounded window

_TEXT: Final = pa.string()
_TEXTS: Final = pa.list_(pa.field("item", pa.string(), nullable=False))
_NUMBERS: Final = pa.list_(pa.field("item", pa.int32(), nullable=False))

# Every column but the vector: its type, and its value for a row.
_COLUMNS: Final[Mapping[str, tuple[pa.DataType, Callable[[IndexRow], Any]]]] = {
    "path": (_TEXT, lambda row: row.path),
    "id": (_TEXT, lambda row: row.schema.id),
    "digest": (_TEXT, lambda row: row.digest),
    "scope": (_TEXT, lambda row: str(row.schema.scope)),
    "status": (_TEXT, lambda row: row.effective.value),
    "stated": (_TEXT, lambda row: row.schema.status.value),
    "type": (_TEXT, lambda row: row.schema.type.value),
    "stage": (pa.int8(), lambda row: row.schema.stage.value),
    "stale_reason": (_TEXT, lambda row: row.schema.stale_reason or ""),
    "archive_reason": (_TEXT, lambda row: row.schema.archive_reason or ""),
    "review": (_TEXTS, lambda row: _review_texts(row.schema.review)),
    "valid_from": (pa.int64(), lambda row: _or(row.schema.validity.start, BEGINNING)),
    "valid_to": (pa.int64(), lambda row: _or(row.schema.validity.end, END)),
    "tags": (_TEXTS, lambda row: list(row.schema.tags)),
    "hidden": (pa.bool_(), lambda row: bool(row.hidden_in)),
    "hidden_in": (_TEXTS, lambda row: list(row.hidden_in)),
    "concept": (_TEXT, lambda row: row.schema.concept),
    "folded": (_TEXT, lambda row: fold_concept(row.schema.concept)),
    "key": (_TEXT, lambda row: row.schema.key),
    "confidence": (pa.float64(), lambda row: row.schema.confidence),
    "origin": (_TEXT, lambda row: row.schema.origin.value),
    "trust": (_TEXT, lambda row: row.schema.trust.value),
    "supersedes": (_TEXTS, lambda row: list(row.schema.supersedes)),
    "superseded_by": (_TEXT, lambda row: row.schema.superseded_by),
    "evidence": (_TEXTS, lambda row: [evidence.event for evidence in row.schema.evidence]),
    "overrides": (_TEXTS, lambda row: list(row.schema.overrides)),
    "links": (_TEXT, lambda row: _links_text(row.schema.links)),
}
_WORDS: Final = {"stems": _TEXTS, "counts": _NUMBERS, "length": pa.int32()}
KEYS: Final = tuple(_COLUMNS)


def layout(dimensions: int) -> pa.Schema:
    """The table's columns; without a vector where `dimensions` is 0."""
    types = {"piece": pa.int32()} | {name: kind for name, (kind, _) in _COLUMNS.items()} | _WORDS
    if dimensions:
        types["vector"] = pa.list_(pa.float32(), dimensions)
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in types.items()])


def batch(
    rows: Sequence[IndexRow], vectors: Sequence["np.ndarray | None"], dimensions: int
) -> pa.RecordBatch:
    """The rows as LanceDB takes them; `vectors` gives float32 [pieces, dimensions] for each."""
    pieces = [_pieces(given, dimensions) for given in vectors]
    spread = np.repeat(np.arange(len(rows)), [len(piece) for piece in pieces])
    number = np.concatenate([np.arange(len(piece), dtype=np.int32) for piece in pieces])
    columns = {"piece": pa.array(number)}
    for name, (kind, value) in _COLUMNS.items():
        columns[name] = pa.array([value(row) for row in rows], kind).take(pa.array(spread))
    columns |= _word_columns(rows, spread, number)
    if dimensions:
        flat = np.concatenate(pieces).astype(np.float32, copy=False).ravel()
        columns["vector"] = pa.FixedSizeListArray.from_arrays(pa.array(flat), dimensions)
    return pa.record_batch(list(columns.values()), schema=layout(dimensions))


def _pieces(given: "np.ndarray | None", dimensions: int) -> np.ndarray:
    """At least one piece; the null vector is at cosine 0 from everything."""
    if given is None or not len(given) or not dimensions:
        return np.zeros((1, dimensions), np.float32)
    return given


def _word_columns(rows: Sequence[IndexRow], spread: np.ndarray, number: np.ndarray) -> dict[str, pa.Array]:
    found = [words(row) for row in rows]
    listed = [
        sorted(found[row].items()) if piece == 0 else [] for row, piece in zip(spread, number, strict=True)
    ]
    return {
        "stems": pa.array([[stem for stem, _ in one] for one in listed], _TEXTS),
        "counts": pa.array([[count for _, count in one] for one in listed], _NUMBERS),
        "length": pa.array([sum(count for _, count in one) for one in listed], pa.int32()),
    }


def candidates(
    found: pa.Table,
    vectors: Mapping[str, np.ndarray],
    asked: Sequence[str] = (),
) -> tuple[Candidate, ...]:
    """One candidate for each row of `found`, which holds KEYS and the word columns.

    `vectors` gives float32 [pieces, dimensions] by path; `counts` of a candidate covers the
    stems `asked`.
    """
    wanted = frozenset(asked)
    return tuple(_candidate(row, vectors.get(row["path"]), wanted) for row in found.to_pylist())


def _candidate(row: dict[str, Any], vectors: "np.ndarray | None", asked: frozenset[str]) -> Candidate:
    schema = _schema(row)
    seen = Row(
        schema.scope,
        Status(row["status"]),
        schema.stale_reason,
        schema.validity,
        row["type"],
        schema.tags,
        tuple(row["hidden_in"]),
    )
    counts = {stem: count for stem, count in zip(row["stems"], row["counts"], strict=True) if stem in asked}
    return Candidate(row["path"], row["digest"], seen, schema, counts, row["length"], vectors)


def _schema(row: dict[str, Any]) -> Schema:
    return Schema(
        id=row["id"],
        scope=scope.parse(row["scope"]),
        claim="",
        type=Type(row["type"]),
        status=Status(row["stated"]),
        stage=Stage(row["stage"]),
        validity=Validity(_unless(row["valid_from"], BEGINNING), _unless(row["valid_to"], END)),
        concept=row["concept"],
        evidence=tuple(Evidence(event) for event in row["evidence"]),
        stale_reason=StaleReason(row["stale_reason"]) if row["stale_reason"] else None,
        archive_reason=ArchiveReason(row["archive_reason"]) if row["archive_reason"] else None,
        review=_review(row["review"]),
        supersedes=tuple(row["supersedes"]),
        superseded_by=row["superseded_by"],
        overrides=tuple(row["overrides"]),
        confidence=row["confidence"],
        origin=Origin(row["origin"]),
        trust=Trust(row["trust"]),
        tags=tuple(row["tags"]),
        links=_links(row["links"]),
        key=row["key"],
    )


def _or(moment: int | None, unbounded: int) -> int:
    return unbounded if moment is None else moment


def _unless(moment: int, unbounded: int) -> int | None:
    return None if moment == unbounded else moment


def _review_texts(review: Review | None) -> list[str]:
    return [] if review is None else [review.reason.value, *review.of]


def _review(texts: list[str]) -> Review | None:
    return Review(ReviewReason(texts[0]), tuple(texts[1:])) if texts else None


def _links_text(links: Sequence[Link]) -> str:
    return json.dumps([[link.to, link.rel, link.weight] for link in links]) if links else ""


def _links(text: str) -> tuple[Link, ...]:
    return tuple(Link(to, rel, weight) for to, rel, weight in json.loads(text)) if text else ()
