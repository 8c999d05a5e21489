"""What had been said by a point of the record: turns that its tree holds and that still stand today.

A turn is taken from the files of now, so that one whose line was taken out is not read back
from history, and is withheld where it says again what is forgotten now. Use is told by the
events of that tree alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from memcli.engine.opened import Opened
from memcli.engine.recalling import heard, hearing
from memcli.engine.recalling.asking import Asked
from memcli.engine.recalling.sayings import NOTHING, Heard
from memcli.engine.recalling.turns import Turn
from memcli.engine.recorded import committed
from memcli.engine.recorded.source import Recorded
from memcli.engine.use import accounts, reported
from memcli.engine.view import View
from memcli.index import view as views
from memcli.index.tables import Index
from memcli.journal import tree
from memcli.memory import account
from memcli.memory.account import Account
from memcli.memory.confidence import Retracted
from memcli.memory.pool import Candidate, Near, WordHits
from memcli.memory.scope import Scope
from memcli.memory.visibility import Verdict, Viewer, verdict
from memcli.store import atomic, events
from memcli.store.event import Event


class Turns:
    """The turns of one point of the record that a viewer sees, asked like an index."""

    def __init__(self, found: Sequence[Candidate]) -> None:
        self._found = {one.path: one for one in found}

    def travels(self) -> bool:
        """What was said stays in its scope."""
        return False

    def holds(self, path: str) -> bool:
        """Whether there is a turn of that name."""
        return path in self._found

    def words(self, viewer: Viewer, stems: Sequence[str]) -> WordHits:
        """All rows that hold one of `stems`, with the statistics of all that `viewer` gets."""
        asked = tuple(dict.fromkeys(stems))
        every = [one for one in self._found.values() if verdict(viewer, one.row) is Verdict.ADMITTED]
        hits = [one for one in every if one.counts]
        counts = np.array([[one.counts.get(stem, 0) for stem in asked] for one in hits], np.int32)
        counts = counts.reshape(len(hits), len(asked))
        return WordHits(
            paths=[one.path for one in hits],
            stems=asked,
            counts=counts,
            lengths=np.array([one.length for one in hits], np.int32),
            document_counts=(counts > 0).sum(axis=0, dtype=np.int64),
            visible=len(every),
            total_length=sum(one.length for one in every),
        )

    def nearest(self, viewer: Viewer, vector: np.ndarray, limit: int) -> tuple[Near, ...]:
        """The rows nearest to the unit `vector` [d], nearest first."""
        paths, matrix = self._matrix
        found = views.nearest(paths, matrix, vector) if paths else ()
        seen = (one for one in found if verdict(viewer, self._found[one.path].row) is Verdict.ADMITTED)
        return tuple(seen)[:limit]

    @cached_property
    def _matrix(self) -> tuple[list[str], np.ndarray]:
        held = [one for one in self._found.values() if one.vectors is not None and len(one.vectors)]
        paths = [one.path for one in held for _ in range(len(one.vectors))]  # type: ignore[arg-type]
        matrix = np.concatenate([one.vectors for one in held]) if held else np.zeros((0, 0), np.float32)
        return paths, matrix

    def take(
        self, paths: Iterable[str], stems: Sequence[str] = (), *, vectors: bool = True
    ) -> tuple[Candidate, ...]:
        """The rows of these names, by name; they count the stems that they were read for."""
        del stems, vectors
        return tuple(self._found[path] for path in sorted(set(paths)) if path in self._found)

    def with_ids(self, ids: Iterable[str]) -> tuple[Candidate, ...]:
        """The turns with exactly these ids."""
        wanted = set(ids)
        return tuple(one for one in self._found.values() if one.schema.id in wanted)

    def held(
        self, viewer: Viewer, stems: Sequence[str], vector: "np.ndarray | None", limit: int
    ) -> tuple[Candidate, ...]:
        """None: no filter but the scope concerns what was said."""
        del viewer, stems, vector, limit
        return ()

    def by_id(self, prefix: str, viewer: Viewer | None = None) -> tuple[Candidate, ...]:
        """The turns whose id begins with `prefix`."""
        del viewer
        return tuple(one for one in self._found.values() if one.schema.id.startswith(prefix))

    def retractions(self) -> tuple[Retracted, ...]:
        """None: a turn was said, whatever became of it."""
        return ()

    def same_concept(self, scope: Scope, concept: str) -> tuple[Candidate, ...]:
        """None: a turn has no concept."""
        del scope, concept
        return ()


def listened(opened: Opened, view: View, asked: Asked, commit: str, claims: Recorded) -> Heard:
    """The turns that answer `asked` among those that `commit` holds; `claims` are those of that commit."""
    if asked.viewer.types or asked.viewer.tags or not opened.place.events.is_dir():
        return NOTHING
    index = heard.freshen(opened, view).index
    if index is None:
        return NOTHING
    viewer = hearing.viewer_of(asked)
    source = Turns(_then(opened, index, asked, commit))
    dead = claims.dead(viewer)
    return hearing.among(opened, source, asked, source.with_ids(dead), there=source.holds)


@dataclass(frozen=True, slots=True)
class _Reach:
    """How much of a file a commit had: so many bytes of it as it is now, or (rewritten) these ids.

    `last` is the turn that stood last in it and has another after it now, None without one.
    """

    held: int | frozenset[str]
    last: Turn | None = None

    def has(self, one: Candidate) -> bool:
        if isinstance(self.held, int):
            return int(one.digest.rpartition("-")[2]) <= self.held
        return one.schema.id in self.held


def _then(opened: Opened, index: Index, asked: Asked, commit: str) -> list[Candidate]:
    """The visible turns that `commit` holds, of those received by the moment that was asked for."""
    known = index.admitted(hearing.viewer_of(asked), asked.query.stems)
    reach = _reach(opened, {_file(one) for one in known}, commit, asked.request.heard_until)
    found = [one for one in known if _file(one) in reach and reach[_file(one)].has(one)]
    last = [one.last for one in reach.values() if one.last is not None]
    return _windowed(opened, found, last) if last else found


def _file(one: Candidate) -> str:
    return one.path.rpartition("#")[0]


def _windowed(opened: Opened, found: Sequence[Candidate], last: Sequence[Turn]) -> list[Candidate]:
    """The turns; of those that stood last in their file then, without what was said after them."""
    from memcli.engine.recalling import listening

    made = zip(last, listening.meanings(opened, last), strict=True)
    vectors = {turn.event.id: pieces for turn, pieces in made if pieces is not None}
    return [replace(one, vectors=vectors.get(one.schema.id, one.vectors)) for one in found]


def _reach(opened: Opened, paths: set[str], commit: str, until: int | None = None) -> dict[str, _Reach]:
    """How much of each file the commit had, or of that was received by the moment `until`."""
    listed = tree.regular(opened.journal, commit, committed.EVENTS)
    blobs = {path: blob for path, blob in listed.items() if path in paths}
    contents = tree.read_blobs(opened.journal, blobs.values())
    found = {}
    for path, blob in blobs.items():
        raw, now = contents[blob], atomic.read(opened.place, path)
        if now == raw and until is None:
            found[path] = _Reach(len(raw))
            continue
        said = [one for one in events.of_bytes(path, raw).events if until is None or one.at <= until]
        whole = until is None and now.startswith(raw)
        held = len(raw) if whole else frozenset(one.id for one in said)
        found[path] = _Reach(held, _last(path, [one for one in said if one.kind is events.Kind.TURN]))
    return found


def _last(path: str, said: Sequence[Event]) -> Turn | None:
    """The last turn, with the window that it had when nothing stood behind it."""
    if not said:
        return None
    window = "\n".join(one.text for one in said[-2:])
    return Turn(said[-1], path, len(said) - 1, (0, 0), window)


def use(opened: Opened, commit: str) -> Mapping[str, Account]:
    """The accounts of use as the events of `commit` tell them; without any report today there was none."""
    if not opened.place.events.is_dir() or not accounts.load(opened):
        return {}
    listed = tree.regular(opened.journal, commit, committed.EVENTS)
    paths = {path: blob for path, blob in listed.items() if events.is_path(path)}
    contents = tree.read_blobs(opened.journal, paths.values())
    files = {path: reported.of_bytes(path, contents[blob]) for path, blob in paths.items()}
    return account.accounts(reported.counted(files))
