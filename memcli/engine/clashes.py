"""Which believed claims clash with others: of one scope and concept, and true at a common moment.

Read off the files, because a memory must be shown whole where neither index nor model can be
loaded. Only a file that holds the words of a concept is taken apart.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memcli.engine import counting, filing
from memcli.engine.opened import Opened
from memcli.engine.standing import Confirmed
from memcli.errors import Exhausted, MemError
from memcli.memory.schema import Schema, Status, fold_concept
from memcli.store import atomic
from memcli.store.scan import Scan


def of(
    opened: Opened, seen: Scan, schemas: Iterable[Schema], confirmed: Confirmed
) -> Mapping[str, tuple[str, ...]]:
    """Id of each of `schemas`, which are believed, → ids of those that clash with it, in order."""
    asked = [one for one in schemas if one.topic]
    if not asked:
        return {}
    concepts = [topic[1].split() for topic in {one.topic for one in asked} if topic]
    others = list(_believed(opened, seen, concepts, confirmed))
    return {one.id: tuple(sorted({other.id for other in others if _clash(one, other)})) for one in asked}


def _clash(one: Schema, other: Schema) -> bool:
    return one.id != other.id and one.topic == other.topic and one.validity.overlaps(other.validity)


def _believed(
    opened: Opened, seen: Scan, concepts: Sequence[Sequence[str]], confirmed: Confirmed
) -> Iterator[Schema]:
    """What counts in the store and holds the words of one of `concepts`."""
    for file in seen.files:
        schema = None if file.path in confirmed.withheld else _about(opened, file.path, concepts)
        if schema and counting.effective(schema.id, schema.status, confirmed) is Status.ACTIVE:
            yield schema


def _about(opened: Opened, path: str, concepts: Sequence[Sequence[str]]) -> Schema | None:
    """What the file says, None where it is gone, set aside, or says none of `concepts`. Raises Exhausted."""
    try:
        raw = atomic.read(opened.place, path)
    except Exhausted:
        raise
    except MemError:
        return None
    return filing.understand(opened, path, raw).schema if _may_say(raw, concepts) else None


def _may_say(raw: bytes, concepts: Sequence[Sequence[str]]) -> bool:
    """Whether one of `concepts`, as folded words, may stand there; YAML can hide one behind a backslash."""
    if b"\\" in raw:
        return True
    text = fold_concept(raw.decode("utf-8", "replace"))
    return any(all(word in text for word in concept) for concept in concepts)
