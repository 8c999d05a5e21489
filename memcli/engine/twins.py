"""What remains of a memory that a person takes out, and what says the same word for word and still counts.

The guard holds back what comes later. A memory of another concept, or of a scope that is seen
from here, may say the same already: then the words are still answered, and whoever believes
them gone has to be told.
"""

from collections.abc import Iterator
from typing import Final

from memcli.engine.opened import Opened
from memcli.engine.view import View
from memcli.errors import MemError
from memcli.memory import claim
from memcli.memory.schema import Schema
from memcli.memory.tokens import stems
from memcli.memory.visibility import Viewer
from memcli.store import atomic, format

_EVENTS_KEEP: Final = "The events that it rests on keep what was said."


def remains(opened: Opened, view: View, removed: Schema, keeps: str, verb: str) -> tuple[str, ...]:
    """Where the text still stands, in sentences of which `keeps` is the first; `verb` took the memory out."""
    kept = (_EVENTS_KEEP,) if removed.evidence else ()
    return (keeps, *kept, *_told(opened, view, removed, verb))


def _told(opened: Opened, view: View, removed: Schema, verb: str) -> tuple[str, ...]:
    """A sentence for each that says the same; `verb` is the command that would take it out too."""
    return tuple(
        f"{one.id} in {one.scope} says the same and goes on counting. To take it out too: mem {verb} {one.id}"
        for one in _of(opened, view, removed)
    )


def _of(opened: Opened, view: View, removed: Schema) -> Iterator[Schema]:
    asked = tuple(dict.fromkeys(stems(removed.claim)))
    if view.index is None or not asked:
        return
    hits = view.index.words(Viewer(removed.scope.seen, opened.now), asked)
    paths = [path for path, counts in zip(hits.paths, hits.counts, strict=True) if min(counts) > 0]
    for one in view.index.take(paths):
        if one.schema.id != removed.id and _says(opened, one.path, removed.claim):
            yield one.schema


def _says(opened: Opened, path: str, text: str) -> bool:
    try:
        said = format.claim_of(atomic.read(opened.place, path))
    except MemError:
        return False
    return claim.normalise(said) == claim.normalise(text)
