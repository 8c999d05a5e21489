"""The text of a commit: composed from values, and read back as the same values.

The danger is text that a memory holds: a claim or a reason must never become a trailer,
end the message early or hide in control characters. So everything is folded to printable
lines, and a body line that git or this module could take for something else is indented.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

CUT: Final = 60  # characters of a claim in a subject (FORMAT section 5)
_TRAILERS: Final = re.compile(r"(?:\A|\n[ \t]*\n)(Mem-Op: .*(?:\n.+)*)")
_MOVE_WORDS: Final = 3  # of a trailer `Mem-Stage`, before the counts
_LINE: Final = re.compile(r"(Mem-[A-Za-z-]+): ?(.*)")
_SUBJECT: Final = re.compile(r"mem [^:\n]+: (.*)")
# Body lines that end a message (`git am` cuts at these), are stripped as comments, or look like trailers.
_RISKY: Final = re.compile(r"(?:mem-|signed-off-by|-|#|diff |index:|from |\()", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Change:
    """A schema made (`prior` is `none`) or changed in status by one operation."""

    id: str
    prior: str
    status: str


@dataclass(frozen=True, slots=True)
class Move:
    """That a schema may travel as far as `stage` from now on, and the counts that say so."""

    id: str
    prior: str
    stage: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """What one operation did, to what, on whose word and by which rule; empty = not said."""

    op: str
    claim: str = ""
    reason: str = ""
    changes: tuple[Change, ...] = ()
    actor: str = ""
    rule: str = ""
    score: float | None = None
    session: str = ""
    logic: str = ""
    tx: str = ""
    moves: tuple[Move, ...] = ()


def compose(message: Message) -> str:
    """The text of the commit, ending in one newline (FORMAT section 5)."""
    claim = cut(message.claim)
    parts = [f"mem {_line(message.op)}" + (f": {claim}" if claim else "")]
    body = _body(message.reason)
    if body:
        parts.append(body)
    parts.append("\n".join(f"{name}: {_line(value)}" for name, value in _trailers(message)))
    return "\n\n".join(parts) + "\n"


def cut(claim: str) -> str:
    """`claim` as one line of at most CUT characters."""
    line = _line(claim)
    return line if len(line) <= CUT else line[: CUT - 1].rstrip() + "\N{HORIZONTAL ELLIPSIS}"


def read(text: str) -> Message | None:
    """The values that `text` was composed from, or None where it is no commit of ours.

    `claim` is what the subject shows of it; `reason` is one line. Lines that other tools
    add to the trailers or after them (Signed-off-by, cherry picked from) are passed over.
    """
    lines = trailers(text)
    if not lines:
        return None
    said = dict(lines)
    subject = _SUBJECT.match(text.partition("\n")[0])
    return Message(
        op=said["Mem-Op"],
        claim=subject[1] if subject else "",
        reason=said.get("Mem-Reason", ""),
        changes=changes(lines),
        actor=said.get("Mem-Actor", ""),
        rule=said.get("Mem-Rule", ""),
        score=_number(said.get("Mem-Score", "")),
        session=said.get("Mem-Session", ""),
        logic=said.get("Mem-Logic", ""),
        tx=said.get("Mem-Tx", ""),
        moves=tuple(_moves(lines)),
    )


def trailers(text: str) -> list[tuple[str, str]]:
    """Our trailers in order, from the last paragraph that begins with one; empty without."""
    found = _TRAILERS.findall(text)
    if not found:
        return []
    lines = (_LINE.fullmatch(line.rstrip()) for line in found[-1].split("\n"))
    return [(line[1], line[2]) for line in lines if line]


def changes(lines: list[tuple[str, str]]) -> tuple[Change, ...]:
    """The changes that `lines` state; an id whose statuses are missing counts as not stated."""
    found = []
    for (first, id_), (second, prior), (third, status) in zip(lines, lines[1:], lines[2:], strict=False):
        if (first, second, third) == ("Mem-Id", "Mem-Prior-Status", "Mem-Status"):
            found.append(Change(id_, prior, status))
    return tuple(found)


def _moves(lines: list[tuple[str, str]]) -> Iterator[Move]:
    for name, said in lines:
        words = said.split(" ", 3)
        if name == "Mem-Stage" and len(words) >= _MOVE_WORDS:
            yield Move(words[0], words[1], words[2], words[3] if len(words) > _MOVE_WORDS else "")


def _trailers(message: Message) -> list[tuple[str, str]]:
    lines = [("Mem-Op", message.op)]
    for change in message.changes:
        lines += [("Mem-Id", change.id), ("Mem-Prior-Status", change.prior), ("Mem-Status", change.status)]
    lines += [("Mem-Stage", f"{one.id} {one.prior} {one.stage} {one.why}") for one in message.moves]
    score = "" if message.score is None else f"{message.score:.4f}"
    rest = [
        ("Mem-Actor", message.actor),
        ("Mem-Reason", message.reason),
        ("Mem-Rule", message.rule),
        ("Mem-Score", score),
        ("Mem-Session", message.session),
        ("Mem-Logic", message.logic),
        ("Mem-Tx", message.tx),
    ]
    return lines + [(name, value) for name, value in rest if value]


def _line(text: str) -> str:
    """`text` on one line, without control, format or unpaired characters."""
    return " ".join("".join(_plain(char) for char in text).split())


def _plain(char: str) -> str:
    # U+200C and U+200D join letters in some scripts and emoji; other invisible characters only hide text.
    return char if char.isprintable() or char in "\u200c\u200d" else " "


def _body(reason: str) -> str:
    lines = [_line(line) for line in reason.splitlines()]
    return "\n".join(f" {line}" if _RISKY.match(line) else line for line in lines).strip("\n")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
