"""Relating: links between believed claims that are about the same thing, and exact duplicates put away."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from memcli.engine import filing
from memcli.engine.opened import Opened
from memcli.engine.rows_for_guard import DUPLICATE_OF
from memcli.engine.taking_in import TakingIn
from memcli.engine.view import View
from memcli.errors import MemError
from memcli.memory import pool, relations
from memcli.memory.schema import Schema
from memcli.memory.scope import Scope
from memcli.memory.visibility import Viewer
from memcli.store import private

if TYPE_CHECKING:
    import numpy as np

_MORE: Final = (
    5  # nearest rows asked for beyond those that are linked: the claim itself, what is not believed
)
_LATER: Final = 64  # of the new claims that may stand among the nearest of the index; asserted
_OFF: Final = 1e-3  # cosine: more than a matrix product of float32 may be off
_FILE: Final = "claims"


@dataclass(frozen=True, slots=True)
class Related:
    """Two claims that were linked with each other."""

    id: str
    other: str
    scope: Scope
    cosine: float


def link(
    taking: TakingIn, fresh: Mapping[str, str], vectors: "Mapping[str, np.ndarray]", as_of: int
) -> Iterator[Related]:
    """Link each of `fresh` (id → path) with what is near, both ways; `vectors`: of those not indexed yet."""
    index = taking.writer.view.index
    if index is None or not fresh:
        return
    rows = {one.schema.id: one for one in index.take(set(fresh.values()) & set(taking.writer.view.known))}
    known = {id_: one.vectors[0] for id_, one in rows.items() if one.vectors is not None and len(one.vectors)}
    meant = {**known, **vectors}
    found = [(path, schema) for path in fresh.values() if (schema := _linkable(taking, path)) is not None]
    ordered = sorted((one for one in found if one[1].id in meant), key=lambda one: _founded(one[1]))
    near: dict[Scope, _Near] = {}
    for _, schema in ordered:
        beside = near.setdefault(schema.scope, _Near(taking, Viewer((schema.scope,), as_of)))
        beside.add(schema.id, meant[schema.id])
    for path, schema in ordered:
        yield from _linked(taking, schema, path, near[schema.scope].to(schema.id))


def _founded(schema: Schema) -> tuple[str, str]:
    """Order of founding: each is linked with those before it, whatever came in which batch."""
    return (schema.evidence[0].event if schema.evidence else "", schema.id)


def _linked(taking: TakingIn, schema: Schema, path: str, near: Mapping[str, float]) -> Iterator[Related]:
    rules = taking.writer.opened.settings.constants
    found = [(id_, cosine) for id_, cosine in relations.related(near, rules) if id_ != schema.id]
    for id_, cosine in found:
        other_path = taking.path_of(id_)
        other = _linkable(taking, other_path) if other_path else None
        if other is None or other_path is None:
            continue
        there = relations.linked(taking.noted.schema(path), [(id_, cosine)])
        back = relations.linked(other, [(schema.id, cosine)])
        if there and back:
            taking.noted.alter(path, there)
            taking.noted.alter(other_path, back)
            yield Related(schema.id, id_, schema.scope, cosine)


def _linkable(taking: TakingIn, path: str) -> Schema | None:
    """The believed schema in `path`; None where it is not believed, or a person's edit waits there."""
    if path in taking.writer.view.dirty:
        return None
    with suppress(MemError):
        schema = taking.noted.schema(path)
        return schema if schema.live else None
    return None


@dataclass
class _Near:
    """Where neighbours of the new claims of one scope are looked for: the index, and those before each."""

    taking: TakingIn
    viewer: Viewer
    _places: dict[str, int] = field(default_factory=dict)
    _vectors: "list[np.ndarray]" = field(default_factory=list)

    def add(self, id_: str, vector: "np.ndarray") -> None:
        """One more new claim, later than those before."""
        self._places[id_] = len(self._vectors)
        self._vectors.append(vector)

    def to(self, id_: str) -> dict[str, float]:
        """Id → cosine of the nearest claims that were there before it."""
        at = self._places[id_]
        later = len(self._vectors) - at
        indexed = self._indexed(self._vectors[at], min(later, _LATER))
        there = {other: cosine for other, cosine in indexed.items() if self._places.get(other, -1) < at}
        return there | self._before(at)

    def _indexed(self, vector: "np.ndarray", more: int) -> dict[str, float]:
        index = self.taking.writer.view.index
        if index is None:
            return {}
        limit = self.taking.writer.opened.settings.constants.related_most + _MORE + more
        rows = index.take([row.path for row in index.nearest(self.viewer, vector, limit)])
        return {one.schema.id: pool.cosine(one.vectors, vector) for one in rows}

    def _before(self, at: int) -> dict[str, float]:
        import numpy as np

        least = self.taking.writer.opened.settings.constants.related
        rough = self._matrix[:at] @ self._vectors[at]
        near = np.flatnonzero(rough >= least - _OFF)
        cosines = pool.cosines(self._matrix[near], self._vectors[at]).tolist()
        return {self._ids[int(one)]: cosine for one, cosine in zip(near, cosines, strict=True)}

    @cached_property
    def _ids(self) -> list[str]:
        return list(self._places)

    @cached_property
    def _matrix(self) -> "np.ndarray":
        import numpy as np

        return np.stack(self._vectors)


@dataclass(frozen=True, slots=True)
class Claims:
    """Of every file its digest, and what exact duplicates share with it (empty: it is not believed)."""

    of: Mapping[str, tuple[str, str]]

    def doubled(self) -> list[list[str]]:
        """The paths of claims that may be exact duplicates, group by group."""
        groups: dict[str, list[str]] = {}
        for path, (_, key) in self.of.items():
            if key:
                groups.setdefault(key, []).append(path)
        return [sorted(group) for group in groups.values() if len(group) > 1]


def claims(opened: Opened, view: View, before: Claims | None = None) -> Claims:
    """What every file claims; only files that changed since `before` (None: since it was kept) are read."""
    last = _load(opened) if before is None else before.of
    found: dict[str, tuple[str, str]] = {}
    for path, one in view.known.items():
        known = last.get(path)
        if known is not None and known[0] == one.digest:
            found[path] = known
        else:
            filed = filing.read(opened, path)
            found[path] = (one.digest, relations.twin_key(filed.schema) if filed and filed.schema else "")
    return Claims(found)


def put_away(taking: TakingIn, found: Claims) -> Iterator[tuple[Schema, Schema]]:
    """Archive exact duplicates; (what was archived, what it repeats) of each."""
    view = taking.writer.view
    for group in found.doubled():
        free = [path for path in group if path not in view.dirty and path not in view.confirmed.withheld]
        paths = {
            schema.id: (path, schema) for path in free if (schema := _standing(taking, path)) is not None
        }
        for twins in relations.twins([schema for _, schema in paths.values()]):
            for other in twins.others:
                taking.noted.alter(
                    paths[other.id][0], relations.duplicate_of(other, twins.canonical.id, DUPLICATE_OF)
                )
                yield other, twins.canonical


def _standing(taking: TakingIn, path: str) -> Schema | None:
    """The schema as it counts: believed, and not held back by the journal."""
    schema = _linkable(taking, path)
    held = schema is not None and taking.writer.view.confirmed.status_of(schema.id)
    return None if held else schema


def keep(opened: Opened, found: Claims) -> None:
    """Keep what files claim for the next time. Raises OSError."""
    lines = [f"{digest}\t{key}\t{path}" for path, (digest, key) in found.of.items()]
    folder = opened.place.latent_folder
    folder.mkdir(mode=0o700, exist_ok=True)
    raw = "\n".join(lines).encode("utf-8", "surrogateescape")
    if raw != private.read(opened.place, folder / _FILE):
        private.put(folder / _FILE, raw)


def _load(opened: Opened) -> dict[str, tuple[str, str]]:
    raw = private.read(opened.place, opened.place.latent_folder / _FILE) or b""
    rows = (line.split("\t", 2) for line in raw.decode("utf-8", "surrogateescape").split("\n"))
    return {row[2]: (row[0], row[1]) for row in rows if len(row) == len(("digest", "key", "path"))}
