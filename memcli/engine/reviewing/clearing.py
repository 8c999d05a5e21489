"""A doubted memory that a person found to stand: it loses nothing by those retractions any more.

That is written down where the doubt comes from, in the files of what was retracted.
"""

from memcli.engine import filing, handmade
from memcli.engine.opened import Opened
from memcli.engine.retracting import doubting
from memcli.engine.writer import FileChange, Writer
from memcli.memory import confidence
from memcli.memory.confidence import Retracted
from memcli.store import atomic, compose, format


def cleared(writer: Writer, id_: str) -> tuple[FileChange, ...]:
    """The files of the retracted memories that cast doubt on `id_`, each with that doubt cleared."""
    retracted = doubting.of_view(writer.opened, writer.view)
    doubt = confidence.doubts(retracted, writer.opened.settings.constants).get(id_)
    if doubt is None:
        return ()
    by = {one.by for one in doubt.taken}
    paths = {one.id: path for path, one in writer.view.known.items() if one.id in by}
    handmade.commit_first(writer, paths.values())
    found = [one for one in retracted if one.id in paths]
    return tuple(_cleared(writer.opened, paths[one.id], one, id_) for one in found)


def _cleared(opened: Opened, path: str, one: Retracted, id_: str) -> FileChange:
    raw = atomic.read(opened.place, path)
    affected = confidence.cleared(one.retraction, id_)
    after = filing.changed(opened, path, raw, {"retraction.affected": compose.affected(affected)})
    return FileChange(path, format.digest(raw), after)
