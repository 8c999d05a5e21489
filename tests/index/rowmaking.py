"""Rows and vectors for the tests of the index."""

import numpy as np

from memcli.index.rows import IndexRow
from memcli.index.tables import Index
from memcli.memory import scope
from memcli.memory.schema import Schema
from memcli.memory.visibility import Viewer, viewer_from

SHOP = scope.parse("project:shop")
OTHER = scope.parse("project:other")
DIMENSIONS = 16
FINGERPRINT = "test/1"
NOW = 1_800_000_000


def row(number, claim="", *, where=SHOP, path="", hidden_in=(), **keys) -> IndexRow:
    schema = Schema(f"id{number:06d}", where, claim or f"claim number{number}", **keys)
    at = path or f"schemas/{where.folder}/claim-{schema.id}.md"
    return IndexRow(schema, at, f"{number:032x}", schema.status, tuple(hidden_in))


def vectors(seed, pieces=1, dimensions=DIMENSIONS) -> np.ndarray:
    drawn = np.random.default_rng(seed).standard_normal((pieces, dimensions)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def build(folder, rows, given=None, dimensions=DIMENSIONS, fingerprint=FINGERPRINT) -> Index:
    given = (
        [vectors(number, dimensions=dimensions) for number, _ in enumerate(rows)] if given is None else given
    )
    return Index.rebuild(folder, dimensions=dimensions, fingerprint=fingerprint, batches=[(rows, given)])


def reopen(folder, *, writable=False, dimensions=DIMENSIONS, fingerprint=FINGERPRINT) -> Index | None:
    return Index.open(folder, dimensions=dimensions, fingerprint=fingerprint, writable=writable)


def viewer(where=SHOP, as_of=NOW, **rest) -> Viewer:
    seen = viewer_from(where, as_of)
    return Viewer(seen.scopes, seen.as_of, **rest)


def paths(index, asker=None) -> set[str]:
    return {one["path"] for one in index.all_rows(("path",), asker)}
