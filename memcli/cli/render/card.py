"""One memory of the queue as a person decides about it: why it waits, what it says, what stands behind it."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from memcli.cli import moments
from memcli.cli.render.paint import Piece, bare
from memcli.cli.render.text import one_line
from memcli.cli.render.width import cells, cut
from memcli.memory import unseen
from memcli.memory.numerals import counted
from memcli.memory.reviewing import DECISIONS, Why
from memcli.memory.schema import Origin, Trust

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.reviewing.background import Background, Beside, Line
    from memcli.engine.reviewing.queue import Waiting

KEYS: Final = {
    "accept": "a",
    "edit": "e",
    "reject": "r",
    "supersede": "s",
    "forget": "f",
    "reopen": "o",  # other keys than accept and reject: a report is about a memory that is out already
    "leave": "l",
}
_OFFERED: Final = {"supersede": "[s]upersede …", "reopen": "re[o]pen", "leave": "[l]eave out"}
_OTHERS: Final = "[?] why  [n]ext  [q]uit"
_OTHERS_AND_UNDO: Final = "[?]  [n]ext  [u]ndo  [q]uit"  # the line still fits 80 columns
_WEEK_S: Final = 7 * 86_400
_INDENT: Final = "  "
_BECAUSE: Final = {
    Why.REPORTED: "Somebody who worked with it reported that it no longer holds; it was taken out at once. "
    "Reopen, and it counts again as before; leave it out, and the report stands.",
    Why.SAID_AGAIN: "It came by a merge, a pull or an editor and says what a person took out. Accepting "
    "lets it past for good; rejecting archives it.",
    Why.HELD_HERE: "It counts in its own scope and everywhere else, but says what was taken out here. "
    "Accepting lets it be seen here too.",
    Why.NEWER_EVIDENCE: "It says again what was taken out, but rests on something that was said later. "
    "Accepting lets it past for good.",
    Why.RESEMBLES: "It comes near to what a person took out, not near enough to be sure. Accepting lets it "
    "past for good; after rejecting it whoever says it again is skipped.",
    Why.CONFLICT: "Both count, and speak of one concept at the same time. Superseding closes the other one "
    "where this one begins.",
    Why.CONTAMINATED: "It is linked with something that was retracted, and may be wrong for the same reason.",
    Why.PROPOSAL: "Nobody remembered it on purpose: it is the most central sentence of what was said, or it "
    "came from a source that must not be believed unseen.",
    Why.STAGED: "It was too weak to believe when it came. It counts as soon as a later session says it too; "
    "else it is given up.",
    Why.UNMERGED: "Both sides of a merge changed this file. Until that is resolved it answers nothing.",
}


class Looks(NamedTuple):
    """What the looks depend on: columns, the zone of the days, the moment (seconds since 1970)."""

    width: int
    zone: "tzinfo"
    now: int


def lines(
    one: "Waiting", behind: "Background", place: tuple[int, int], looks: Looks
) -> Iterator[tuple[Piece, ...]]:
    """The card, up to its keys; `place` is its number and how many there are."""
    yield ()
    yield _head(one, behind, place, looks)
    yield from _claim(one, looks.width)
    yield from _unseen(one)
    for line in behind.said:
        yield _said(line, looks)
    if behind.events > len(behind.said):
        yield ((f"{_INDENT}… and {behind.events - len(behind.said)} more", "dim"),)
    for each in behind.beside:
        yield from _beside(each, looks.width)


def _head(one: "Waiting", behind: "Background", place: tuple[int, int], looks: Looks) -> tuple[Piece, ...]:
    before: tuple[Piece, ...] = (
        (f"{place[0]} of {place[1]}", "dim"),
        "  ",
        (_headline(one, behind, looks.zone), "warn"),
    )
    gap = max(looks.width - cells(bare(before)) - cells(one.scope) - 1, 2)
    return (*before, " " * gap, (one_line(one.scope), "dim"))


def _headline(one: "Waiting", behind: "Background", zone: "tzinfo") -> str:
    schema = one.schema
    if one.why is Why.PROPOSAL and schema is not None and schema.trust is Trust.UNTRUSTED:
        return "from a source that is not trusted"
    if one.why is Why.REPORTED and schema is not None:
        return f"reported {schema.stale_reason or schema.status}" + (f" by {behind.by}" if behind.by else "")
    until = "" if one.until is None else f" until {moments.bound(one.until, zone)}"
    turns = f"{counted(behind.sessions, 'session')} ({counted(behind.events, 'turn')})"
    rests = f" from {turns}" if behind.events else ""
    return {
        Why.PROPOSAL: f"proposed{rests}",
        Why.STAGED: f"staged{until}",
        Why.RESEMBLES: "resembles what was removed",
        Why.NEWER_EVIDENCE: "says again what was removed, with newer evidence",
        Why.SAID_AGAIN: "says again what was removed",
        Why.HELD_HERE: "withheld here for what was removed here",
        Why.CONTAMINATED: "linked with what was retracted",
        Why.UNMERGED: "in conflict after a merge",
    }.get(one.why, _conflict(one))


def _conflict(one: "Waiting") -> str:
    concept = f": {one_line(one.schema.concept)}" if one.schema and one.schema.concept else ""
    return f"{len(one.of) + 1} claims of one concept{concept}"


def _claim(one: "Waiting", width: int) -> Iterator[tuple[Piece, ...]]:
    """The claim in quotes; a longer one as it stands."""
    if one.schema is None:
        yield ((one.claim, "strong"),)
        return
    told = one.claim.splitlines()
    quoted = f'"{one.claim}"'
    if len(told) == 1 and cells(f"{one.schema.id}  {quoted}") <= width:
        yield (one.schema.id, "name"), "  ", (quoted, "strong")
        return
    yield ((one.schema.id, "name"),)
    lines = _wrapped(quoted, width) if len(told) == 1 else told
    yield from (((line, "strong"),) for line in lines)


def _unseen(one: "Waiting") -> Iterator[tuple[Piece, ...]]:
    """What no reader sees in what a person is about to decide on."""
    schema = one.schema
    said = "" if schema is None else f"{schema.title}\n{schema.claim}\n{schema.detail}\n{schema.concept}"
    if character := unseen.first(said):
        yield ((f"{_INDENT}Beware: {unseen.told(character)}", "warn"),)


def _wrapped(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width`, cut between words; as it is where letters are not columns."""
    from textwrap import wrap

    return wrap(text, width, break_long_words=False, break_on_hyphens=False) if text.isascii() else [text]


def _said(line: "Line", looks: Looks) -> tuple[Piece, ...]:
    who = "" if ":" in line.who else f"{one_line(line.who)}: "
    day = _day(line.at, looks.zone, looks.now)
    room = looks.width - len(_INDENT) - cells(day) - 2
    return _INDENT, (day, "dim"), "  ", cut(f"{who}{one_line(line.text)}", max(room, 1))


def _day(at: int, zone: "tzinfo", now: int) -> str:
    """The day of the week within the last one, else the date."""
    if not 0 <= now - at < _WEEK_S:
        return moments.minute(at, zone).split()[0]
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=at)).astimezone(zone).strftime("%a")


def _beside(one: "Beside", width: int) -> Iterator[tuple[Piece, ...]]:
    near = "" if one.cosine is None else f"near {one.cosine:.2f} "
    told = f"{near}{one.status}" + (f" {one.removed}" if one.removed else "")
    head = f"{_INDENT}{one.id}  {told}"
    if not one.claim:
        yield _INDENT, (one.id, "name"), (f"  {told}", "dim")
        return
    claim = one_line(one.claim)
    room = width - cells(head) - 2
    if cells(claim) <= room:
        yield _INDENT, (one.id, "name"), (f"  {told}  ", "dim"), claim
        return
    yield _INDENT, (one.id, "name"), (f"  {told}", "dim")
    yield _INDENT * 2, cut(claim, max(width - 2 * len(_INDENT), 1))


def prompt(why: Why, *, undo: bool) -> str:
    """The keys of this card, as they are offered; `undo` where there is a decision to take back."""
    told = [_offered(word) for word in DECISIONS[why]]
    return "  ".join([*told, _OTHERS_AND_UNDO if undo else _OTHERS])


def _offered(word: str) -> str:
    return _OFFERED.get(word, f"[{word[0]}]{word[1:]}")


def because(one: "Waiting", behind: "Background", width: int) -> Iterator[tuple[Piece, ...]]:
    """Why it waits, at length, and what else is known of it."""
    yield from (((line, "dim"),) for line in _wrapped(_BECAUSE[one.why], width))
    if behind.reason:
        yield ("reason  ", "dim"), one_line(behind.reason)
    schema = one.schema
    if schema is not None:
        origin = "a person" if schema.origin is Origin.HUMAN else f"the {schema.origin}"
        about = f"{schema.type}, {schema.status}, said by {origin}, {schema.trust}"
        yield ("what    ", "dim"), about, f", confidence {schema.confidence:.2f}"
        yield from ((("concept ", "dim"), one_line(schema.concept)) for _ in range(bool(schema.concept)))
    yield ("file    ", "dim"), one.path


def closing(decided: int, left: int) -> Sequence[Piece]:
    """What there was, at the end."""
    each = "in a commit of its own" if decided == 1 else "each its own commit"
    told = f"{counted(decided, 'decision')}, {each}." if decided else "Nothing was decided."
    rest = f" {left} left for another time." if left else ""
    return (f"{told}{rest}",)
