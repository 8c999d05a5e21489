"""How well a retraction finds who falls with it, for a person, a program and a pipe."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memcli.cli.render.paint import Piece
from memcli.cli.render.strict_json import number

if TYPE_CHECKING:
    from memcli.memory.chances import Share
    from memcli.memory.clusters import Measured, Without

_NAME: Final = 11  # columns of a name
_VERDICTS: Final = {
    "helps": "measured: it helps",
    "harms": "measured: without it more is decided right",
    "asserted": "no more than chance: it stays asserted",
}


def lines(found: "Measured") -> Iterator[tuple[Piece, ...]]:
    """Who is looked at, then what each part of the rule is worth."""
    yield ((f"{found.clusters} clusters, as one store", "strong"),)
    yield (f"{'fall':<{_NAME}}", "dim"), f"{_share(found.fall)} sent to review"
    yield (f"{'stand':<{_NAME}}", "dim"), f"{_share(found.stand)} sent to review"
    yield (f"{'strangers':<{_NAME}}", "dim"), f"{found.strangers} of other clusters sent to review"
    yield (
        (f"{'ordered':<{_NAME}}", "dim"),
        f"{_share(found.ordered)} pairs where what falls loses more",
    )
    yield ((f"{'':<{_NAME}}what is decided worse and better, where the rule has", "dim"),)
    for one in found.parts:
        told = f"{one.change}: {one.gained} worse, {one.lost} better"
        verdict = f"  {_VERDICTS[one.verdict]} (p {one.chance:.3f})"
        yield (f"{one.part:<{_NAME}}", "dim"), told, (verdict, "dim")


def _share(one: "Share") -> str:
    return f"{one.hits} of {one.of} ({one.low:.0%} to {one.high:.0%})"


def rows(found: "Measured") -> Iterator[tuple[str, ...]]:
    """The same for a pipe: a share with its hits and its number, a part with what it gained and lost."""
    for name, one in (("fall", found.fall), ("stand", found.stand), ("ordered", found.ordered)):
        yield name, str(one.hits), str(one.of)
    yield "strangers", str(found.strangers)
    for part in found.parts:
        yield part.part, part.change, str(part.gained), str(part.lost), part.verdict


def as_json(found: "Measured") -> dict[str, object]:
    """The object of `mem.eval/1` for retractions."""
    return {
        "format": "mem.eval/1",
        "part": "retract",
        "clusters": found.clusters,
        "fall": _share_json(found.fall),
        "stand": _share_json(found.stand),
        "strangers": found.strangers,
        "ordered": _share_json(found.ordered),
        "parts": [_part_json(one) for one in found.parts],
    }


def _share_json(one: "Share") -> dict[str, object]:
    return {"hits": one.hits, "of": one.of, "low": number(one.low), "high": number(one.high)}


def _part_json(one: "Without") -> dict[str, object]:
    return {
        "part": one.part,
        "without": one.change,
        "gained": one.gained,
        "lost": one.lost,
        "chance": number(one.chance),
        "verdict": one.verdict,
    }
