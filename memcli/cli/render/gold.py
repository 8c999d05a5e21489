"""How the cases of gold sets were answered: what falls short first, then the counts."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line

if TYPE_CHECKING:
    from memcli.engine.evaluating.gold import Asked, Judged


def lines(asked: "Sequence[Asked]") -> Iterator[tuple[Piece, ...]]:
    """For a person: each case that does not hold, and one line a set."""
    for one in asked:
        for case in (case for case in one.cases if case.short):
            yield (f"{one.path}:{case.case.line}  ", "dim"), (one_line(case.case.query), "strong")
            for what in case.short:
                yield f"  {one_line(what)}", ""
        mark = ("ok", "name") if one.held == len(one.cases) else ("failed", "warn")
        yield mark, f"  {one.held} of {len(one.cases)} hold  ", (one.path, "dim")


def rows(asked: "Sequence[Asked]") -> Iterator[tuple[str, ...]]:
    """One row a case: ok or failed, where it stands, the question, and how it falls short."""
    for one in asked:
        for case in one.cases:
            short = "; ".join(one_line(what) for what in case.short)
            place = f"{one.path}:{case.case.line}"
            yield "failed" if case.short else "ok", place, one_line(case.case.query), short


def as_json(asked: "Sequence[Asked]") -> dict[str, object]:
    """The object of `mem.eval/1` for this part."""
    return {
        "format": "mem.eval/1",
        "part": "gold",
        "held": sum(one.held for one in asked),
        "of": sum(len(one.cases) for one in asked),
        "sets": [{"path": one.path, "cases": [_case(case) for case in one.cases]} for one in asked],
    }


def _case(case: "Judged") -> dict[str, object]:
    return {
        "line": case.case.line,
        "query": case.case.query,
        "ok": not case.short,
        "short": list(case.short),
        "outcome": case.outcome,
        "items": list(case.ids),
    }
