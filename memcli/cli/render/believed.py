"""What was believed, in each of its looks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcli.cli import moments
from memcli.cli.render import memories, recalled
from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.recalling.answer import Answer, Then
    from memcli.engine.recorded.believed import Believed


@dataclass(frozen=True, slots=True)
class Page:
    """What is shown of either: where it is from, and (id, claim) of each."""

    then: "Then"
    commit: str
    as_of: int
    rows: tuple[tuple[str, str], ...]


def of_answer(found: "Answer", then: "Then") -> Page:
    """The page of an answer from the record at `then`."""
    rows = tuple((one.schema.id, one_line(one.schema.claim)) for one in found.items)
    return Page(then, found.commit or "", found.as_of, rows)


def of_list(found: "Believed") -> Page:
    """The page of all that was believed."""
    rows = tuple((one.id, one_line(one.claim)) for one in found.items)
    return Page(found.then, found.commit or "", found.as_of, rows)


def page(found: Page, zone: "tzinfo") -> Iterator[tuple[Piece, ...]]:
    """Lines for a person: when, then each claim."""
    yield recalled.as_known(found.then, found.commit, found.as_of, zone)
    for id_, claim in found.rows:
        yield (id_, "name"), f"  {claim}"


def nothing(found: "Answer") -> str:
    """One sentence on why there is no answer."""
    return recalled.nothing(found)


def answer_json(found: "Answer") -> dict[str, object]:
    """The object of `mem.believed/1` for a question: that of recall."""
    from memcli.engine.recalling.told import as_json

    return as_json(found, "refs") | {"format": "mem.believed/1"}


def list_json(found: "Believed") -> dict[str, object]:
    """The object of `mem.believed/1` without a question."""
    then = found.then
    told: dict[str, object] = {
        "format": "mem.believed/1",
        "outcome": "found" if found.items else "absent",
        "query": None,
        "scope": found.scope,
        "as_of": moments.rfc3339(found.as_of),
        "known_at": {
            "commit": found.commit,
            "dirty": False,
            "asked": then.asked,
            "at": moments.rfc3339(then.at),
        },
        "items": [memories.listed_json(one) for one in found.items],
    }
    return told | ({"notices": [then.nothing]} if then.nothing else {})
