"""What was decided about a claim, said so that a person can disagree."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memcli.cli.render.paint import Piece
from memcli.cli.render.text import glimpse

if TYPE_CHECKING:
    from memcli.engine.remember import Remembered

ECHOED: Final = 400  # characters of a claim that are said back; asserted: its writer knows the rest
_SAID: Final = {
    "created": "Remembered in",
    "reinforced": "Known already in",
    "repeated": "Remembered before under this key in",
    "superseded": "Remembered in",
    "review": "Put to review in",
}


def lines(answer: "Remembered") -> Iterator[tuple[Piece, ...]]:
    """For a person: the decision and its reason, then the claim."""
    said = _SAID.get(answer.decision, f"{answer.decision.capitalize()} in")
    yield f"{said} {answer.scope}  ", (answer.id or "", "name"), (_why(answer), "dim")
    yield (glimpse(answer.claim, ECHOED),)
    if answer.superseded:
        yield f"Superseded {', '.join(answer.superseded)} by {answer.id}.", ""


def _why(answer: "Remembered") -> str:
    """The rule and the score, where something else than the plain way was taken."""
    if answer.decision in ("created", "superseded"):
        return ""
    score = f" {answer.score:.2f}" if answer.score is not None else ""
    of = f", of {answer.of}" if answer.of and answer.of != answer.id else ""
    return f"  ({answer.rule}{score}{of})"


def row(answer: "Remembered") -> tuple[str, str, str]:
    """For a pipe: id, decision, the beginning of the claim."""
    return answer.id or "", answer.decision, glimpse(answer.claim, ECHOED)


def as_json(answer: "Remembered") -> dict[str, object]:
    """The object of `mem.remember/1`; a refused line of a batch says why in `error`."""
    from memcli.cli.render.strict_json import number

    told: dict[str, object] = {
        "format": "mem.remember/1",
        "id": answer.id,
        "path": answer.path,
        "decision": answer.decision,
        "rule": answer.rule,
        "score": number(answer.score),
        "superseded": list(answer.superseded),
        "commit": answer.commit,
        "scope": answer.scope,
        "status": answer.status,
        "of": answer.of,
    }
    if answer.error:
        told["error"] = {"code": answer.code, "message": answer.error, "hint": answer.hint}
    if answer.notices:
        told["notices"] = list(answer.notices)
    return told
