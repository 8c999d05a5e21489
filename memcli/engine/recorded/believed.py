"""What was believed at a point of the record: everything that counted then, or what answered a question."""

from dataclasses import dataclass

from memcli.engine import reconcile
from memcli.engine.opened import Opened
from memcli.engine.reading import Listed
from memcli.engine.recalling import asking
from memcli.engine.recalling.answer import Answer, Then
from memcli.engine.recalling.asking import Request
from memcli.engine.recorded import answering, points, sources
from memcli.engine.recorded.points import Early
from memcli.engine.recorded.sources import Progress
from memcli.memory.pool import Candidate
from memcli.memory.schema import Schema

OPTION = "--on"


@dataclass(frozen=True, slots=True)
class Believed:
    """What counted at `then`, by path; `commit` None and nothing of it before the first one."""

    scope: str
    then: Then
    commit: str | None
    as_of: int
    items: tuple[Listed, ...] = ()


def answer(opened: Opened, request: Request, progress: Progress | None = None) -> Answer:
    """What answered the question then. Raises as recall does, and for a point that there is not."""
    return answering.run(opened, request, OPTION, progress)


def list_(opened: Opened, request: Request, progress: Progress | None = None) -> Believed:
    """All that was believed then by the scope of `request`. Raises as `answer`."""
    viewer = asking.viewer(opened, request)
    scope = "*" if viewer.scopes is None else str(viewer.scopes[0])
    asked = request.known_at or ""
    view = reconcile.freshen(opened)  # which also notices that history was rewritten
    try:
        point = points.resolve(opened, asked, OPTION)
    except Early as early:
        return Believed(scope, Then(asked, early.at, early.message), None, early.at)
    viewer = answering.then(viewer, request, point.at)
    source = sources.of(opened, view, point, progress)
    told = ((one, source.told(one)) for one in source.believed(viewer))
    items = tuple(_listed(one, schema) for one, schema in told if schema is not None)
    return Believed(scope, Then(asked, point.at), point.commit, viewer.as_of, items)


def _listed(one: Candidate, schema: Schema) -> Listed:
    return Listed(
        schema.id,
        one.path,
        one.row.status.value,
        schema.type.value,
        str(schema.scope),
        schema.claim,
        schema.validity.start,
        schema.validity.end,
    )
