"""An answer of recall in each of its looks: for a person, a pipe, a program, a prompt."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece, bare
from memcli.cli.render.paths import absolute
from memcli.cli.render.text import one_line
from memcli.engine.recalling.told import EVENT

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.recalling.answer import Answer, Item, Saying, Then, Withheld

WIDEST: Final = 100  # columns, asserted: on a wider line the eye loses the match that belongs to an id


def listed(answer: "Answer", width: int, zone: "tzinfo") -> Iterator[tuple[Piece, ...]]:
    """Lines for a person: each memory with its match, then its claim, then why it was chosen."""
    for place, item in enumerate(answer.items):
        if place:
            yield ()
        yield _head(item, min(width, WIDEST))
        yield (one_line(item.schema.claim),)
        yield ((f"  {'; '.join(_why(item, zone))}", "dim"),)
    for place, said in enumerate(answer.said):
        if place or answer.items:
            yield ()
        yield from _heard(said, min(width, WIDEST), zone)


def _heard(said: "Saying", width: int, zone: "tzinfo") -> Iterator[tuple[Piece, ...]]:
    """A turn for a person: that it was said, when, by whom, and what."""
    who = f" by {one_line(said.subject)}" if said.subject else ""
    left: tuple[Piece, ...] = (
        (said.event.id, "name"),
        f"  said {moments.bound(said.at, zone).split()[0]}{who}  {said.event.scope}",
    )
    match = f"{said.match:.2f}"
    yield (*left, " " * max(width - len(bare(left)) - len(match), 2), (match, "strong"))
    yield (one_line(said.event.text),)
    yield ((f"  {_signals(said) or 'by what stands beside it'}; not a memory", "dim"),)


def _head(item: "Item", width: int) -> tuple[Piece, ...]:
    schema = item.schema
    standing = () if schema.live else ("  ", (str(schema.status), "warn"))
    left: tuple[Piece, ...] = ((schema.id, "name"), f"  {schema.type}", *standing, f"  {schema.scope}")
    match = f"{item.match:.2f}"
    gap = max(width - len(bare(left)) - len(match), 2)
    return (*left, " " * gap, (match, "strong"))


def _why(item: "Item", zone: "tzinfo") -> Iterator[str]:
    yield _signals(item) or "by its id"
    if item.via != "direct":
        yield f"via {item.via}"
    if item.since is not None:
        yield f"believed since {moments.bound(item.since, zone).split()[0]}"
    validity = item.schema.validity
    if validity.start is not None:
        yield f"true from {moments.bound(validity.start, zone)}"
    if validity.end is not None:
        yield f"until {moments.bound(validity.end, zone)}"
    if item.doubted:
        left = short(item.confidence or 0.0)
        yield f"confidence {left} of {short(item.schema.confidence)} after a retraction"
    if item.conflict:
        yield f"conflict {' '.join(item.conflict)}"


def _signals(found: "Item | Saying") -> str:
    signals = [f"by meaning {short(found.vector)}"] if found.vector > 0 else []
    if found.lexical > 0:
        signals.append(f"words {short(found.lexical)}" if signals else f"by words {short(found.lexical)}")
    return ", ".join(signals)


def short(share: float) -> str:
    """A share as people write it: .74, 1.0."""
    text = f"{share:.2f}"
    return text[1:] if text.startswith("0.") else text


def rows(answer: "Answer") -> Iterator[tuple[str, str, str]]:
    """Lines for a pipe: id, score, claim."""
    for item in answer.items:
        yield item.schema.id, f"{item.score:.4f}", one_line(item.schema.claim)
    for said in answer.said:
        yield said.event.id, f"{said.score:.4f}", one_line(said.event.text)


def fields(answer: "Answer", item: "Item") -> Mapping[str, str]:
    """What `--format` can name."""
    schema = item.schema
    return {
        "id": schema.id,
        "score": f"{item.score:.4f}",
        "match": f"{item.match:.4f}",
        "text": one_line(schema.claim),
        "type": str(schema.type),
        "scope": str(schema.scope),
        "status": str(schema.status),
        "stage": schema.stage.word,
        "path": absolute(answer.root, item.path),
        "concept": one_line(schema.concept),
        "tags": one_line(",".join(schema.tags)),
        "from": moments.rfc3339(schema.validity.start) or "",
        "to": moments.rfc3339(schema.validity.end) or "",
    }


def fields_of_turn(answer: "Answer", said: "Saying") -> Mapping[str, str]:
    """The same of a turn; what only memories have is empty."""
    told = dict.fromkeys(("status", "stage", "concept", "tags", "to"), "")
    return told | {
        "id": said.event.id,
        "score": f"{said.score:.4f}",
        "match": f"{said.match:.4f}",
        "text": one_line(said.event.text),
        "type": EVENT,
        "scope": str(said.event.scope),
        "path": absolute(answer.root, said.path),
        "from": moments.rfc3339(said.at) or "",
    }


def nothing(answer: "Answer") -> str:
    """One sentence on why there is no answer; nothing there and held back are not the same."""
    if answer.then is not None and answer.then.nothing:
        return answer.then.nothing
    if answer.outcome == "absent":
        return "Nothing matches." if answer.scope == "*" else f"Nothing in {answer.scope} matches."
    if answer.gate is not None and answer.outcome == "gated":
        from memcli.cli.render import gate

        return f"This needs no memory: {gate.because(answer.gate)}. Ask anyway: {answer.hint}"
    held = answer.withheld
    more = f" Show them: {answer.hint}" if answer.hint else ""
    if answer.outcome == "over_budget":
        return f"Not even the best match fits the budget.{more}"
    return f"{_held_back(held)}.{more}"


def held_beside(answer: "Answer") -> str:
    """What was held back beside an answer that was found, empty when nothing was."""
    found = answer.items or answer.said
    return f"{_held_back(answer.withheld)}." if found and answer.withheld.count else ""


def _held_back(held: "Withheld") -> str:
    many = "1 match was" if held.count == 1 else f"{held.count} matches were"
    best = "" if held.top_score is None else f"best {held.top_score:.2f}"
    by = {reason: count for reason, count in held.by.items() if count}
    if by.keys() == {"floor"}:
        return f"{many} held back ({best}, floor {held.threshold:.2f})"
    why = ", ".join(reason if len(by) == 1 else f"{reason} {count}" for reason, count in by.items())
    return f"{many} held back by {why}" + (f" ({best})" if best else "")


def as_known(then: "Then", commit: str, as_of: int, zone: "tzinfo") -> tuple[Piece, ...]:
    """The line above an answer from the record: when that was, and what it says of the world."""
    day, _, clock = moments.minute(then.at, zone).partition(" ")
    known = f"the end of {day}" if then.asked.strip() == day and clock == "23:59" else f"{day} {clock}"
    world = "true then" if as_of == then.at else f"true {moments.bound(as_of, zone)}"
    return ((f"As known at {known} (commit {commit[:7]}), {world}:", "dim"),)


def without_files(answer: "Answer") -> Iterator[str]:
    """What to say where paths are asked for of memories that no file holds any more."""
    gone = [item.schema.id for item in answer.items if answer.then is not None and item.now is None]
    if gone:
        yield f"{len(gone)} of them have no file any more: {' '.join(gone)}."
