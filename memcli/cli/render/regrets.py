"""Regrets and what they propose, for a person, a program and a pipe."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memcli.cli.render.paint import Piece

if TYPE_CHECKING:
    from memcli.engine.evaluating.regrets import Regrets
    from memcli.memory.regret import Proposal, Regret

_KINDS: Final = (
    ("discard", "discarded", "put aside as too weak, then said again or revived"),
    ("abstain", "held back", "below the floor, then shown and used in the same session"),
    ("gate", "gated", "said to need no memory, then asked for in the same session"),
)
_NAME: Final = 12  # columns of a name


def lines(found: "Regrets", *, suggest: bool) -> Iterator[tuple[Piece, ...]]:
    """One line a kind of regret, then what would have held."""
    counts = _counts(found)
    for key, name, meaning in _KINDS:
        one = counts[key]
        met = f", {found.met} asked about meanwhile" if key == "discard" and found.met else ""
        yield (f"{name:<{_NAME}}", "dim"), f"{one.wanted} of {one.of}{met}", (f"  {meaning}", "dim")
    if not suggest:
        return
    for proposal in found.proposals:
        yield (_suggested(proposal),)
    if not found.proposals:
        yield (("Nothing is proposed: too little was wanted again to tell it from chance.", "dim"),)


def _counts(found: "Regrets") -> "dict[str, Regret]":
    return {"discard": found.discard, "abstain": found.abstain.regret, "gate": found.gate.regret}


def _suggested(one: "Proposal") -> str:
    gained = f"shows {one.regained} of {one.wanted} that were wanted"
    return f"{one.key} = {one.to:g} (now {one.now:g}) {gained}, and {one.beside} of {one.left} that were not."


def rows(found: "Regrets", *, suggest: bool) -> Iterator[tuple[str, ...]]:
    """Name and value; of a proposal also what it would have let through."""
    for key, one in _counts(found).items():
        yield f"regret.{key}", f"{one.wanted}/{one.of}"
        if key == "discard":
            yield "regret.met", str(found.met)
    for proposal in found.proposals if suggest else ():
        let = (f"{proposal.regained}/{proposal.wanted}", f"{proposal.beside}/{proposal.left}")
        yield proposal.key, f"{proposal.to:g}", *let


def as_json(found: "Regrets", *, suggest: bool) -> dict[str, object]:
    """The object of `mem.eval/1` for this part."""
    told: dict[str, object] = {"format": "mem.eval/1", "part": "regret", "scope": found.scope}
    told |= {key: {"wanted": one.wanted, "of": one.of} for key, one in _counts(found).items()}
    told["discard"] = {"wanted": found.discard.wanted, "of": found.discard.of, "met": found.met}
    if suggest:
        told["proposals"] = [_proposal(one) for one in found.proposals]
    return told


def _proposal(one: "Proposal") -> dict[str, object]:
    return {
        "key": one.key,
        "now": one.now,
        "to": one.to,
        "regained": one.regained,
        "wanted": one.wanted,
        "beside": one.beside,
        "left": one.left,
    }
