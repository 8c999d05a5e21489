"""Rows of the index as the values that ranking takes."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from memcli.index.arrow import lists, matrix, numbers
from memcli.index.layout import BEGINNING, END, KEYS
from memcli.index.rows import number
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
)
from memcli.memory.visibility import Row

WORDS: Final = ("stems", "counts")
_READ: Final = ("piece", *KEYS, "length")


def candidates(found: pa.Table, asked: Sequence[str]) -> tuple[Candidate, ...]:
    """One candidate for each claim among the rows `found`, with the vectors of all its pieces there.

    `found` holds `piece`, KEYS and `length`, WORDS if any stem is `asked`, and perhaps `vector`.
    The `counts` of a candidate cover the stems asked.
    """
    lists = [found.column(name).to_pylist() for name in _READ]
    often = occurrences(found, asked).tolist() if asked else [[]] * found.num_rows
    pieces = _pieces(found)
    made = []
    for values, counted in zip(zip(*lists, strict=True), often, strict=True):
        row = dict(zip(_READ, values, strict=True))
        if row["piece"] == 0:
            counts = {stem: count for stem, count in zip(asked, counted, strict=True) if count}
            made.append(_candidate(row, counts, pieces.get(row["path"])))
    return tuple(made)


def _pieces(found: pa.Table) -> dict[str, np.ndarray]:
    """The vectors of each path, float32 [pieces, dimensions], in order of piece."""
    if "vector" not in found.column_names or not found.num_rows:
        return {}
    vectors = matrix(found.column("vector"))
    paths = found.column("path").to_pylist()
    rows: dict[str, list[int]] = {}
    for row in np.argsort(numbers(found.column("piece")), kind="stable").tolist():
        rows.setdefault(paths[row], []).append(row)
    return {path: vectors[places] for path, places in rows.items()}


def occurrences(found: pa.Table, asked: Sequence[str]) -> np.ndarray:
    """How often each row holds each stem: int32 [rows, stems]."""
    counts = np.zeros((found.num_rows, len(asked)), np.int32)
    if not found.num_rows or not asked:
        return counts
    (stems, lengths), (times, _) = (lists(found.column(name)) for name in WORDS)
    rows = np.repeat(np.arange(found.num_rows), lengths)
    for column, stem in enumerate(asked):
        here = stems == number(stem)
        counts[rows[here], column] = times[here]
    return counts


def _candidate(row: dict[str, Any], counts: Mapping[str, int], vectors: "np.ndarray | None") -> Candidate:
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
    return Candidate(
        path=row["path"],
        digest=row["digest"],
        row=seen,
        schema=schema,
        counts=counts,
        length=row["length"],
        vectors=vectors,
        subjects=tuple(row["subjects"]),
        asks=row["asks"],
    )


def _schema(row: dict[str, Any]) -> Schema:
    return Schema(
        id=row["id"],
        scope=scope.parse(row["scope"]),
        claim="",
        type=Type(row["type"]),
        status=Status(row["stated"]),
        stage=Stage(row["stage"]),
        validity=Validity(_moment(row["valid_from"], BEGINNING), _moment(row["valid_to"], END)),
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


def _moment(stored: int, unbounded: int) -> int | None:
    return None if stored == unbounded else stored


def _review(texts: list[str]) -> Review | None:
    return Review(ReviewReason(texts[0]), tuple(texts[1:])) if texts else None


def _links(text: str) -> tuple[Link, ...]:
    return tuple(Link(to, rel, weight) for to, rel, weight in json.loads(text)) if text else ()
