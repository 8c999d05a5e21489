"""Which believed memories say the same: what a person may want to join, and nothing joins by itself."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from memcli.engine import filing
from memcli.engine.opened import Opened
from memcli.engine.view import View
from memcli.memory import claim

if TYPE_CHECKING:
    from memcli.index.tables import Index

NEAREST: Final = 4  # asserted: neighbours of one claim that are compared with it
MANY: Final = 5_000  # asserted: of more believed memories all pairs would take more than a second


def pairs(
    opened: Opened, view: View, believed: Iterable[tuple[str, str]]
) -> tuple[tuple[str, str], ...] | None:
    """Pairs of ids of one scope that say the same to the guard; `believed` are (path, scope).

    None where there is no index, or a scope has too many to compare all with all.
    """
    by_scope: dict[str, list[str]] = {}
    for path, scope in believed:
        by_scope.setdefault(scope, []).append(path)
    if view.index is None or max(map(len, by_scope.values()), default=0) > MANY:
        return None
    return tuple(sorted(pair for paths in by_scope.values() for pair in _near(opened, view.index, paths)))


def _near(opened: Opened, index: "Index", paths: Sequence[str]) -> list[tuple[str, str]]:
    import numpy as np

    found = [one for one in index.take(paths) if one.vectors is not None]
    if len(found) < 2:  # noqa: PLR2004 - a pair
        return []
    matrix = np.stack([one.vectors[0] for one in found if one.vectors is not None])
    near = np.argwhere(np.triu(matrix @ matrix.T >= opened.settings.constants.same_claim, 1))
    pairs = [(found[int(one)], found[int(other)]) for one, other in near]
    said = {one.path: _claim(opened, one.path) for pair in pairs for one in pair}
    return [
        (one.schema.id, other.schema.id)
        for one, other in pairs
        if said[one.path] and said[other.path] and not claim.differs(said[one.path], said[other.path])
    ]


def beside(opened: Opened, view: View, path: str) -> str:
    """The id of another believed memory of its scope that says what the file `path` says, or ""."""
    from memcli.memory.visibility import viewer_from

    index = view.index
    own = next(iter(index.take([path])), None) if index else None
    if index is None or own is None or own.vectors is None or not own.vectors[0].any():
        return ""
    viewer = viewer_from(own.schema.scope, opened.now)
    near = [one.path for one in index.nearest(viewer, own.vectors[0], NEAREST) if one.path != path]
    here = [one.path for one in index.take(near) if one.schema.scope == own.schema.scope]
    found = _near(opened, index, [path, *here]) if here else []
    mine = [pair for pair in found if own.schema.id in pair]
    return next((id_ for pair in mine for id_ in pair if id_ != own.schema.id), "")


def _claim(opened: Opened, path: str) -> str:
    filed = filing.read(opened, path)
    return filed.schema.claim if filed and filed.schema else ""
