"""Regrets, for a person, a program and a pipe."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memcli.cli.render.paint import Piece

if TYPE_CHECKING:
    from memcli.engine.evaluating.regrets import Regrets


def lines(found: "Regrets") -> Iterator[tuple[Piece, ...]]:
    """One line a kind of regret."""
    yield ("discarded   ", "dim"), f"{found.discard.wanted} of {found.discard.of} were wanted again"


def rows(found: "Regrets") -> Iterator[tuple[str, str]]:
    """Name and value."""
    yield "regret.discard", f"{found.discard.wanted}/{found.discard.of}"


def as_json(found: "Regrets") -> dict[str, object]:
    """The object of `mem.eval/1` for this part."""
    return {
        "format": "mem.eval/1",
        "part": "regret",
        "scope": found.scope,
        "discard": {"wanted": found.discard.wanted, "of": found.discard.of},
    }
