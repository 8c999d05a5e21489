"""Rows of the index as the values that ranking takes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from memcli.index import rest
from memcli.index.arrow import lists, matrix, numbers
from memcli.index.layout import BEGINNING, END, KEYS
from memcli.index.rows import number
from memcli.memory import scope
from memcli.memory.pool import Candidate
from memcli.memory.schema import Schema, Stage, StaleReason, Status, Type, Validity
from memcli.memory.visibility import Row

WORDS: Final = ("stems", "counts")
READ: Final = ("piece", *(key for key in KEYS if key not in {"hidden", "folded"}), "length")


def candidates(found: pa.Table, asked: Sequence[str]) -> tuple[Candidate, ...]:
    """One candidate for each claim among the rows `found`, with the vectors of all its pieces there.

    `found` holds `piece`, KEYS and `length`, WORDS if any stem is `asked`, and perhaps `vector`.
    The `counts` of a candidate cover the stems asked. Evidence comes without its quotes.
    """
    columns = [_values(name, found.column(name).to_pylist()) for name in READ]
    often = occurrences(found, asked).tolist() if asked else [[]] * found.num_rows
    pieces = _pieces(found)
    made = []
    for values, counted in zip(zip(*columns, strict=True), often, strict=True):
        row = dict(zip(READ, values, strict=True))
        if row["piece"] == 0:
            counts = {stem: count for stem, count in zip(asked, counted, strict=True) if count}
            made.append(_candidate(row, counts, pieces.get(row["path"])))
    return tuple(made)


def _values(name: str, stored: list[Any]) -> list[Any]:
    """A column as the values that Schema and Row take; each distinct one is read once."""
    if name not in _VALUES:
        return stored
    read = _VALUES[name]
    known = {one: read(one) for one in set(stored)}
    return [known[one] for one in stored]


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
        row["status"],
        schema.stale_reason,
        schema.validity,
        schema.type,
        schema.tags,
        tuple(row["hidden_in"]),
    )
    return Candidate(row["path"], row["digest"], seen, schema, counts, row["length"], vectors)


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
