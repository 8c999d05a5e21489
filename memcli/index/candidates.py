"""Rows of the index as the values that ranking takes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from memcli.index import rest
from memcli.index.arrow import lists, matrix, whole
from memcli.index.layout import BEGINNING, END, KEYS
from memcli.index.rows import number
from memcli.memory import scope
from memcli.memory.pool import Candidate
from memcli.memory.schema import Schema, Stage, StaleReason, Status, Type, Validity
from memcli.memory.visibility import Row

WORDS: Final = ("stems", "counts")
_UNREAD: Final = frozenset({"hidden", "folded", "cites", "known_from", "known_until"})
READ: Final = ("piece", *(key for key in KEYS if key not in _UNREAD), "length")


def candidates(
    found: pa.Table, asked: Sequence[str], rows: Sequence[int] | None = None
) -> tuple[Candidate, ...]:
    """One candidate for each claim among the rows of `found` (or those given), with its pieces there.

    `found` holds READ, WORDS if any stem is `asked`, and perhaps `vector`. The `counts` of a
    candidate cover the stems asked. Evidence comes without its quotes.
    """
    columns = {name: _values(name, _stored(found, name, rows)) for name in READ}
    often = occurrences(found, asked)
    counted = (often if rows is None else often[rows]).tolist()
    pieces = _pieces(found, columns, rows) if "vector" in found.column_names else {}
    made = []
    for place, values in enumerate(zip(*columns.values(), strict=True)):
        row = dict(zip(columns, values, strict=True))
        if row["piece"] == 0:
            counts = {stem: count for stem, count in zip(asked, counted[place], strict=True) if count}
            made.append(_candidate(row, counts, pieces.get(row["path"])))
    return tuple(made)


def _stored(found: pa.Table, name: str, rows: Sequence[int] | None) -> list[Any]:
    """A column, or only these rows of it, as Python has it."""
    if rows is None:
        stored: list[Any] = found.column(name).to_pylist()
        return stored
    column = whole(found.column(name))
    return [column[row].as_py() for row in rows]


def _values(name: str, stored: list[Any]) -> list[Any]:
    """A column as the values that Schema and Row take; each distinct one is read once."""
    if name not in _VALUES:
        return stored
    read = _VALUES[name]
    known = {one: read(one) for one in set(stored)}
    return [known[one] for one in stored]


def _pieces(
    found: pa.Table, columns: Mapping[str, Sequence[Any]], rows: Sequence[int] | None
) -> dict[str, np.ndarray]:
    """The vectors of each path, float32 [pieces, dimensions], in order of piece."""
    vectors = matrix(found.column("vector"))
    numbered = zip(
        columns["piece"], columns["path"], range(found.num_rows) if rows is None else rows, strict=True
    )
    places: dict[str, list[int]] = {}
    for _, path, row in sorted(numbered):
        places.setdefault(path, []).append(row)
    return {path: vectors[at] for path, at in places.items()}


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
        row["status"],
        schema.stale_reason,
        schema.validity,
        schema.type,
        schema.tags,
        tuple(row["hidden_in"]),
        schema.stage,
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
        day=_moment(row["day"], BEGINNING),
    )


def _schema(row: dict[str, Any]) -> Schema:
    return Schema(
        id=row["id"],
        scope=row["scope"],
        claim="",
        type=row["type"],
        status=row["stated"],
        stage=row["stage"],
        validity=Validity(_moment(row["valid_from"], BEGINNING), _moment(row["valid_to"], END)),
        concept=row["concept"],
        stale_reason=row["stale_reason"],
        superseded_by=row["superseded_by"],
        tags=tuple(row["tags"]),
        **rest.unpack(row["rest"]),
    )


def _moment(stored: int, unbounded: int) -> int | None:
    return None if stored == unbounded else stored


def _stale_reason(stored: str) -> StaleReason | None:
    return StaleReason(stored) if stored else None


_VALUES: Final[Mapping[str, Callable[[Any], Any]]] = {
    "scope": scope.parse,
    "status": Status,
    "stated": Status,
    "stale_reason": _stale_reason,
    "type": Type,
    "stage": Stage,
}
