"""What recall has shown in a session: by the session's own notes, and by the events that copied them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memcli.engine.opened import Opened
from memcli.engine.view import View
from memcli.errors import MemError
from memcli.memory.sieve import Shown
from memcli.store import atomic, format, sessions
from memcli.store.event import Event, Kind

if TYPE_CHECKING:
    import numpy as np


@dataclass
class Showing:
    """The claims that sessions were shown, each read once."""

    opened: Opened
    view: View
    _claims: "dict[str, tuple[str, np.ndarray | None] | None]" = field(default_factory=dict)

    def to(self, session: str, said: Iterable[Event]) -> tuple[Shown, ...]:
        """What `session` was shown, `said` being its new events; nothing outside a session."""
        if not session:
            return ()
        at: dict[str, int] = {}
        for id_, moment in _exposed(self.opened, session, said):
            at[id_] = min(moment, at.get(id_, moment))
        found = ((self._claim(id_), moment, id_) for id_, moment in sorted(at.items()))
        return tuple(Shown(one[0], one[1], moment, id_) for one, moment, id_ in found if one is not None)

    def _claim(self, id_: str) -> "tuple[str, np.ndarray | None] | None":
        if id_ not in self._claims:
            self._claims[id_] = self._read(id_)
        return self._claims[id_]

    def _read(self, id_: str) -> "tuple[str, np.ndarray | None] | None":
        if self.view.index is None:
            return None
        path = next((one.path for one in self.view.index.by_id(id_) if one.schema.id == id_), None)
        if path is None:
            return None
        try:
            claim = format.claim_of(atomic.read(self.opened.place, path))
        except MemError:
            return None
        encoder = self.opened.encoder
        if encoder is None or not claim:
            return claim, None
        from memcli.index.cache import VectorCache

        return claim, VectorCache(self.opened.place.vectors_folder).vectors(encoder, [claim])[0]


def _exposed(opened: Opened, session: str, said: Iterable[Event]) -> Iterable[tuple[str, int]]:
    """(id, when it was shown): the moment where the open session still tells it, else 0."""
    noted = sessions.load(opened.place, session)
    if noted is not None:
        yield from ((id_, one.as_of) for one in noted.receipts for id_ in one.exposed)
    for event in said:
        if event.kind is Kind.FEEDBACK:
            yield from ((id_, 0) for id_ in _ids(event.data.get("exposed")))
        elif event.kind is Kind.OUTCOME:
            answers = event.data.get("exposed")
            for answer in answers if isinstance(answers, list) else ():
                if isinstance(answer, Mapping):
                    yield from ((id_, 0) for id_ in _ids(answer.get("ids")))


def _ids(value: Any) -> list[str]:  # noqa: ANN401 - what a line of JSON holds
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
