"""Receipts listed and shown, in each of their looks."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.tables import Cell
from memcli.cli.render.text import one_line
from memcli.memory import receipt as rules
from memcli.memory import times
from memcli.memory.constants import SCALE

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.receipts.finding import Found
    from memcli.engine.receipts.unsaid import Unsaid
    from memcli.memory.receipt import Receipt

Line = tuple[Piece, ...]
HEADS: Final = ("", "as of", "scope", "outcome", "", "")
_UNSAVED: Final = "not saved"
DIGEST: Final = 12  # characters of a digest that a person reads


def listed(found: "Found", veil: "Unsaid", zone: "tzinfo") -> tuple[Cell, ...]:
    """One receipt in a table."""
    said = found.receipt.said
    return (
        (found.name, "name"),
        moments.minute(times.parse(said["as_of"]), zone),
        one_line(said["scope"]),
        _outcome(said),
        _many(said),
        one_line(veil.told(said["query"])),
    )


def _outcome(said: Mapping[str, Any]) -> str:
    return one_line(str(said["outcome"]))


def _many(said: Mapping[str, Any]) -> str:
    return f"{len(said['selected'])} shown"


def listed_row(found: "Found", veil: "Unsaid") -> tuple[str, ...]:
    """One receipt in a pipe: id, as of, scope, outcome, how many were shown, question."""
    said = found.receipt.said
    cells = (said["as_of"], said["scope"], said["outcome"], str(len(said["selected"])))
    return (found.name, *(one_line(str(cell)) for cell in cells), one_line(veil.told(said["query"])))


def listed_json(found: "Found", veil: "Unsaid") -> dict[str, object]:
    """One receipt of `mem.receipts/1`."""
    said = found.receipt.said
    return {
        "id": found.name,
        "as_of": said["as_of"],
        "scope": said["scope"],
        "of": said["of"],
        "outcome": said["outcome"],
        "shown": len(said["selected"]),
        "query": veil.told(said["query"]),
        "commit": said["commit"],
        "session": said["session"],
        "shared": found.kept.shared,
    }


def shown_json(found: "Found", veil: "Unsaid") -> dict[str, object]:
    """The receipt itself, `mem.receipt/1`; a question that says what is forgotten is left out."""
    said = dict(found.receipt.said)
    uncommitted = [veil.path(path) for path in said["uncommitted"]]
    return said | {"query": veil.told(said["query"]), "uncommitted": uncommitted}


def spelled(found: "Found", veil: "Unsaid") -> str:
    """The bytes of its file, where nothing of it has to be left out."""
    return rules.canonical(shown_json(found, veil)).decode()


def shown(found: "Found", veil: "Unsaid", zone: "tzinfo") -> Iterator[Line]:
    """A receipt for a person. It may come with a received store, so its texts are data like any other."""
    said = found.receipt.said
    yield (found.name, "name"), f"  {said['of']}, {one_line(said['scope'])}, {said['mode']}"
    yield (one_line(veil.told(said["query"])),)
    for name, value in _facts(said, veil, zone):
        yield (f"  {name:<11}", "warn" if name == _UNSAVED else "dim"), one_line(value)
    for one in found.receipt.selected:
        yield (
            f"  {one['rank']:>2}  ",
            (one_line(one["id"]), "name"),
            f"  match {one['match'] / SCALE:.2f}  {one_line(one['kind'])}",
        )


def _facts(said: Mapping[str, Any], veil: "Unsaid", zone: "tzinfo") -> Iterator[tuple[str, str]]:
    yield "as of", moments.minute(times.parse(said["as_of"]), zone)
    if said["known_at"]:
        yield "known at", moments.minute(times.parse(said["known_at"]), zone)
    yield "commit", (said["commit"] or "none")[:DIGEST]
    if said["uncommitted"]:
        yield _UNSAVED, ", ".join(veil.path(path) for path in said["uncommitted"])
    yield "engine", f"{said['engine']['encoder'] or 'words only'}, rules {said['engine']['logic']}"
    yield "outcome", f"{said['outcome']}, {said['withheld'].get('count', 0)} held back"
    yield "output", f"{said['output']['bytes']} bytes, sha256 {said['output']['sha256'][:DIGEST]}"


def when(given: "Receipt", zone: "tzinfo") -> str:
    """The day of its answer, as asked for or as it was then."""
    day = moments.minute(times.parse(given.said["as_of"]), zone).split()[0]
    return f"as of {day}" if given.said["asked"]["as_of"] else f"on {day}"
