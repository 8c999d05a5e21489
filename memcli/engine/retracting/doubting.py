"""Which memories retractions cast doubt on, for whoever looks at single files or at the whole queue.

A search asks its source itself; here the same is read off the index or, without one, off the
files of those that the journal holds retracted.
"""

from collections.abc import Mapping

from memcli.engine import counting, resolve
from memcli.engine.opened import Opened
from memcli.engine.retracting import tied
from memcli.engine.standing import Confirmed
from memcli.engine.view import View
from memcli.errors import MemError
from memcli.memory import confidence
from memcli.memory.confidence import Doubt, Retracted
from memcli.memory.schema import Schema, Status
from memcli.memory.scope import Scope
from memcli.surroundings import Kind


def of_view(opened: Opened, view: View) -> tuple[Retracted, ...]:
    """What retracted memories say of their retraction, by id."""
    if view.index is not None:
        return view.index.retractions()
    return confidence.of_schemas(tied.every(opened, view))


def of_journal(opened: Opened, confirmed: Confirmed) -> Mapping[str, Doubt]:
    """Id → what it lost, without an index: only the files of retracted memories are read."""
    removed = {id_ for id_, one in confirmed.removed.items() if one.status is Status.RETRACTED}
    if not removed and not confirmed.dirty:
        return {}
    known = resolve.ids(opened) if removed else {}  # else looking at every file would tell nothing
    paths = {path for path, id_ in known.items() if id_ in removed} | confirmed.dirty
    found = [one for path in sorted(paths) if (one := _found(opened, path, confirmed)) is not None]
    schemas = [(one.schema, counting.effective(one.schema.id, one.schema.status, confirmed)) for one in found]
    return confidence.doubts(confidence.of_schemas(schemas), opened.settings.constants)


def named_beside(opened: Opened, schema: Schema) -> frozenset[Scope]:
    """The scopes whose memories may be named beside `schema`, which somebody asked for by its id.

    A person sees what its scope sees; an agent never more than its own.
    """
    beside = schema.scope.seen if opened.actor.kind is Kind.HUMAN else ()
    return frozenset((*opened.scope.seen, *beside))


def _found(opened: Opened, path: str, confirmed: Confirmed) -> resolve.Found | None:
    try:
        return resolve.at(opened, path, confirmed)
    except MemError:
        return None
