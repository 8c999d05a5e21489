"""The bundle for a prompt: memories framed as data, each line saying where it comes from.

The danger is a memory that ends the frame, opens one of its own, or starts a line that
looks like ours, and so speaks to the model with our voice. So every memory is one line
that begins with our provenance, and nothing in stored text can spell the frame's tag.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memcli.cli.render.text import one_line, squeezed, visible
from memcli.memory import times
from memcli.memory.scope import WHOLE
from memcli.memory.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.engine.recalling.answer import Answer, Item, Saying

TAG: Final = "memory"
CLOSE: Final = f"</{TAG}>"
EVERY: Final = "*"  # the scope of an answer from all of them
_OPENERS: Final = "<\uff1c\ufe64"  # as a terminal, or compatibility folding, reads it
# The longest provenance that an ordinary line carries: an id, a status, three dates.
_LONGEST: Final = (
    "[7k3p9x2m4q1z constraint, superseded, believed since 2026-07-01, true from 2026-07-01 until 2026-07-01] "
)


def overhead(store: str, scope: str, as_of: int, *, known_at: bool = False) -> int:
    """Tokens of the frame itself, for the engine to pack around; it is longer where it says `known_at`."""
    return estimate_tokens(f"{_head(store, scope, as_of, as_of if known_at else None)}\n{CLOSE}\n")


def line_overhead() -> int:
    """Tokens that the provenance of one line may take."""
    return estimate_tokens(_LONGEST)


def fitting(answer: "Answer", budget: int) -> "Answer":
    """The answer with what its frame has room for within `budget` tokens.

    The engine packs by what a line usually costs; here it is known, and what would not fit is left out.
    """
    spent = overhead(answer.store, answer.scope, answer.as_of, known_at=answer.then is not None)
    kept: set[str] = set()
    for id_, line in _lines(answer):
        cost = estimate_tokens(line)
        if spent + cost <= budget:
            kept.add(id_)
            spent += cost
    return replace(
        answer,
        items=tuple(one for one in answer.items if one.schema.id in kept),
        said=tuple(one for one in answer.said if one.event.id in kept),
    )


def bundle(answer: "Answer") -> list[str]:
    """The lines of the frame, without line ends; nothing where there is no memory in it."""
    known = None if answer.then is None else answer.then.at
    lines = [line for _, line in _lines(answer)]
    return [_head(answer.store, answer.scope, answer.as_of, known), *lines, CLOSE] if lines else []


def _lines(answer: "Answer") -> "Iterator[tuple[str, str]]":
    """(id, line) of everything in the answer, in its order."""
    yield from ((one.schema.id, _line(one, answer.scope)) for one in answer.items)
    yield from ((one.event.id, _said(one)) for one in answer.said)


def _line(item: "Item", scope: str) -> str:
    return f"[{provenance(item, scope)}] {framed(item.schema.claim)}"


def _said(said: "Saying") -> str:
    """A turn, which tells what was said and vouches for nothing."""
    who = f" by {said.subject}" if said.subject else ""
    told = framed(f"{said.event.id} said {times.show_day(said.at)}{who}").replace("]", ")")
    return f"[{told}] {framed(said.event.text)}"


def provenance(item: "Item", scope: str) -> str:
    """What a reader in `scope` must know before believing the line."""
    schema = item.schema
    parts = [f"{schema.id} {schema.type}"]
    if scope != EVERY and str(schema.scope) not in (scope, *WHOLE):
        parts.append(f"let in from {schema.scope}")
    if not schema.live:
        parts.append(str(schema.status))
    if item.since is not None:
        parts.append(f"believed since {times.show_day(item.since)}")
    window = _window(schema.validity.start, schema.validity.end)
    if window:
        parts.append(window)
    if item.doubted:
        parts.append("in doubt since a related one was retracted")
    if item.conflict:
        parts.append(f"in conflict with {' '.join(item.conflict)}")
    return framed(", ".join(parts)).replace("]", ")")


def framed(text: str) -> str:
    """`text` on one line that cannot spell our tag, opening or closing, however it is dressed up."""
    line = squeezed(text)
    return visible(
        "".join(
            "&lt;" if letter in _OPENERS and _spells_tag(line[at + 1 : at + 65]) else letter
            for at, letter in enumerate(line)
        )
    )


def _spells_tag(after: str) -> bool:
    """Whether what follows a `<` reads as our tag to a lenient eye."""
    return "".join(c for c in after.casefold() if c.isalnum()).startswith(TAG)


def _window(start: int | None, end: int | None) -> str:
    since = f"true from {times.show_day(start)}" if start is not None else ""
    until = f"until {times.show_day(end)}" if end is not None else ""
    return " ".join(filter(None, (since, until)))


def _head(store: str, scope: str, as_of: int, known_at: int | None) -> str:
    known = "" if known_at is None else f' known-at="{times.show(known_at)}"'
    return f'<{TAG} store="{_quoted(store)}" scope="{_quoted(scope)}" as-of="{times.show(as_of)}"{known}>'


def _quoted(text: str) -> str:
    return (
        one_line(text).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
    )
