"""What an audit found, for a person, a pipe or a program; of other scopes no path, which has their words."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line
from memcli.engine.auditing.findings import Finding, Sort
from memcli.memory import times
from memcli.memory.numerals import counted
from memcli.memory.schema import GONE

if TYPE_CHECKING:
    from memcli.engine.auditing.audit import Accepted, Audit, Replaced
    from memcli.engine.auditing.masking import Looks
    from memcli.engine.journaling import Line

_SHOWN: Final = 20  # asserted: findings that a person is shown before being asked; the rest are counted
_TEXTS: Final = {
    Sort.STATUS: "no entry says so",
    Sort.TEXT: "by a commit that mem did not make",
    Sort.UNTRUE: "an entry says so, and its files do not",
    Sort.DIFFERS: "the entries come to the first, the file says the second",
    Sort.LINES: "lines that were committed are gone",
    Sort.UNSIGNED: "a signature is demanded, and there is none",
    Sort.SIGNATURE: "its signature does not count",
}


def shown(found: "Audit", looks: "Looks") -> Iterator[tuple[Piece, ...]]:
    """Lines for a person: what history was replaced, then each finding with its commit below it."""
    yield from _replaced(found, looks)
    for one in found.findings:
        yield from _lines(looks.of(one), looks)


def _lines(one: Finding, looks: "Looks") -> Iterator[tuple[Piece, ...]]:
    zone = looks.opened.settings.timezone
    yield (f"{one.sort.value:<9} ", "warn"), (one.id or "-", "name"), "  ", (_turn(one), "strong")
    why = one.why if one.why and one.sort is not Sort.TEXT else _TEXTS[one.sort]
    yield (
        " " * 10,
        (f"{moments.minute(one.at, zone)}  {one.commit[:10]}  {one_line(one.author)}: {why}", "dim"),
    )
    if one.path:
        yield " " * 10, (one_line(one.path), "dim")


def _turn(one: Finding) -> str:
    if one.sort in (Sort.TEXT, Sort.LINES):
        return one.why
    return f"{one.prior} → {one.status}" if one.prior or one.status else one.why


def _replaced(found: "Audit", looks: "Looks") -> Iterator[tuple[Piece, ...]]:
    old = found.replaced
    if old is None:
        return
    yield ("rewritten ", "bad"), f"HEAD no longer holds {old.head[:10]}, which was seen before."
    for entry in old.lost[:_SHOWN]:
        when = moments.minute(entry.at, looks.opened.settings.timezone)
        ids = ", ".join(id_ for id_, _, _ in entry.changes)
        yield (
            " " * 10,
            (f"gone: {when}  {entry.commit[:10]}  {entry.op}  {one_line(entry.actor)}  {ids}", "dim"),
        )
    if len(old.lost) > _SHOWN:
        yield " " * 10, (f"and {len(old.lost) - _SHOWN} more", "dim")


def asked(found: "Audit", looks: "Looks") -> str:
    """What a person is shown before being asked to accept it."""
    some = list(found.findings[:_SHOWN])
    lines = ["".join(_plain(piece) for piece in pieces) for pieces in _replaced(found, looks)]
    lines += [
        "".join(_plain(piece) for piece in pieces) for one in some for pieces in _lines(looks.of(one), looks)
    ]
    more = len(found.findings) - len(some)
    return "\n".join([*lines, *([f"and {more} more: mem audit shows them all"] if more else [])])


def _plain(piece: Piece) -> str:
    return piece if isinstance(piece, str) else piece[0]


def rows(found: "Audit", looks: "Looks") -> Iterator[tuple[str, ...]]:
    """Rows for a pipe."""
    if found.replaced:
        yield (
            "rewritten",
            found.replaced.head,
            "",
            "",
            "",
            "",
            "",
            "",
            f"{len(found.replaced.lost)} entries are gone",
        )
    for one in map(looks.of, found.findings):
        when = str(moments.rfc3339(one.at))
        why = one.why or _TEXTS[one.sort]
        cells = (one.sort.value, one.commit, when, one.author, one.id, one.path, one.prior, one.status, why)
        yield tuple(one_line(cell) for cell in cells)


def summary(found: "Audit") -> str:
    """One sentence on how it ended."""
    parts = counted(found.entries, "entry", "entries"), counted(found.commits, "commit", "commits")
    whole = f"{' in '.join(parts)}, {counted(found.memories, 'memory', 'memories')}"
    if found.replaced:
        return f"{whole}: history was rewritten. A person accepts it with mem audit --accept."
    if found.findings:
        some = counted(len(found.findings), "thing is", "things are")
        how = "mem save, one by one" if all(map(_returned, found.findings)) else "mem audit --accept"
        return f"{whole}: {some} not explained. A person explains them with {how}."
    return f"{whole}: the journal explains everything" + (" since then." if found.cut is not None else ".")


def notices(found: "Audit") -> Iterator[str]:
    """What an audit could not look at."""
    if found.cut is not None:
        yield f"History is cut at {times.show(found.cut)} (a shallow clone): no audit of what came before."
    if found.uncommitted:
        some = counted(len(found.uncommitted), "file has", "files have")
        yield f"{some} edits that no commit holds yet; `mem save` makes entries of them."


def as_json(found: "Audit", looks: "Looks") -> dict[str, object]:
    """The object of `mem.audit/1`."""
    old = found.replaced
    return {
        "format": "mem.audit/1",
        "clean": found.clean,
        "head": found.head,
        "commits": found.commits,
        "entries": found.entries,
        "memories": found.memories,
        "explained": found.explained,
        "findings": _findings(found.findings, looks),
        "replaced": None if old is None else _replaced_json(old),
        "signatures": {"demanded": found.signed.demanded, "good": found.signed.good},
        "cut": moments.rfc3339(found.cut),
        "uncommitted": len(found.uncommitted),
    }


def _replaced_json(old: "Replaced") -> dict[str, object]:
    return {"head": old.head, "lost": [_entry(one) for one in old.lost], "gained": old.gained}


def _entry(one: "Line") -> dict[str, object]:
    changes = [{"id": id_, "prior_status": prior, "status": now} for id_, prior, now in one.changes]
    at = moments.rfc3339(one.at)
    return {"commit": one.commit, "at": at, "op": one.op, "actor": one.actor, "changes": changes}


def _findings(found: Sequence[Finding], looks: "Looks") -> list[dict[str, object]]:
    return [
        {
            "sort": one.sort.value,
            "commit": one.commit,
            "at": moments.rfc3339(one.at),
            "author": one.author,
            "id": one.id or None,
            "path": one.path or None,
            "prior_status": one.prior or None,
            "status": one.status or None,
            "why": one.why or _TEXTS[one.sort],
        }
        for one in map(looks.of, found)
    ]


def accepted(done: "Accepted") -> str:
    """For a person: what was accepted."""
    count = len(done.before.findings) - len(done.left)
    said = "Accepted the history that stands here" if done.before.replaced else "Accepted"
    some = counted(count, "thing is", "things are")
    return f"{said}: {some} explained by this entry." if count else f"{said}."


def left(done: "Accepted", looks: "Looks") -> Iterator[tuple[Piece, ...]]:
    """What acceptance does not settle."""
    for one in done.left:
        yield from _lines(looks.of(one), looks)
    if any(map(_returned, done.left)):
        yield ("What was removed is not brought back like this: ", "mem save lets a person confirm it.")


def _returned(one: Finding) -> bool:
    return one.sort is Sort.DIFFERS and one.status != GONE


def accepted_json(done: "Accepted", looks: "Looks") -> dict[str, object]:
    """The object of `mem.audit/1` after `--accept`."""
    return {**as_json(done.before, looks), "accepted": done.commit, "left": _findings(done.left, looks)}
