"""Updating: the files that changed are read, judged, and brought into the index; what went is buried."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memcli.engine import indexed
from memcli.engine.opened import Opened
from memcli.engine.standing import Confirmed
from memcli.engine.view import View
from memcli.store.known import Known

if TYPE_CHECKING:
    from memcli.index.tables import Index


@dataclass(frozen=True, slots=True)
class Work:
    """What one bringing into line has to look at; `was` is HEAD as the index knew it."""

    index: "Index"
    kept: Known
    confirmed: Confirmed
    was: str | None
    paths: tuple[str, ...]
    vanished: tuple[str, ...]
    signatures: Mapping[str, str]
    present_ns: int

    @property
    def moved(self) -> bool:
        """Whether HEAD is another one than before."""
        return self.was != self.confirmed.head


def apply(opened: Opened, work: Work, alone: frozenset[str] | None = None) -> View:
    """Do the work; `alone` are the only files that git need be asked about, None is all."""
    from memcli.engine import arrivals, burial, counting, filing

    dirty = counting.dirty(opened, work.confirmed, alone)
    if opened.readable_journal is None:
        dirty |= set(work.paths)
    paths = {*work.paths, *(work.confirmed.dirty | dirty if work.moved else ())} & work.signatures.keys()
    filed = [one for path in sorted(paths) if (one := filing.read(opened, path)) is not None]
    gone = {*work.vanished, *(paths - {one.path for one in filed})}
    files = indexed.without(work.kept, gone)
    files |= {one.path: indexed.known(one, work.signatures.get(one.path, "")) for one in filed}
    confirmed = replace(work.confirmed, dirty=dirty)
    buried = _bury(opened, work, gone, files, confirmed)
    buried += burial.bury_wordings(opened, filed, confirmed)
    aside = [one.path for one in filed if one.schema is None]
    judged = arrivals.judged(opened, filed, confirmed, work.index, {*gone, *aside})
    work.index.upsert(judged.rows, judged.vectors)
    work.index.drop([*gone, *aside])
    confirmed = indexed.judged_by(confirmed, judged.guarded, work.index)
    indexed.keep(opened, files, confirmed, work.present_ns, alone=gone | {one.path for one in filed})
    return View(work.index, files, confirmed, notices=buried)


def _bury(
    opened: Opened, work: Work, gone: Collection[str], files: Known, confirmed: Confirmed
) -> tuple[str, ...]:
    """Leave tombstones for what was deleted; of another branch no file was."""
    from memcli.engine import burial
    from memcli.index import around

    told = burial.bury(opened, files, confirmed) if confirmed.removed else ()
    if work.was and gone and (not work.moved or _descends(opened, work.was, confirmed.head)):
        lost = sorted(around.put_away(work.index) & set(gone))
        told += burial.bury_files(opened, lost, work.was, files) if lost else ()
    return told


def _descends(opened: Opened, before: str, head: str | None) -> bool:
    from memcli.journal import history

    journal = opened.readable_journal
    return journal is not None and head is not None and history.descends(journal, head, before)
