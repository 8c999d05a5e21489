"""Receipts in each of their looks: listed, shown, verified, replayed, compared."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.tables import Cell
from memcli.cli.render.text import one_line
from memcli.engine.receipts.comparing import Became
from memcli.memory import receipt as rules
from memcli.memory import times
from memcli.memory.constants import SCALE

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.receipts.comparing import Compared, Fate
    from memcli.engine.receipts.finding import Found
    from memcli.engine.receipts.replaying import Elsewhen, Replayed
    from memcli.engine.receipts.unsaid import Unsaid
    from memcli.engine.receipts.verifying import Verified
    from memcli.memory.receipt import Changed, Receipt

Line = tuple[Piece, ...]
HEADS: Final = ("", "as of", "scope", "outcome", "", "")
STYLE: Final = {
    Became.STABLE: "good",
    Became.RESTORED: "good",
    Became.FORGOTTEN: "bad",
    Became.RETRACTED: "bad",
    Became.GONE: "bad",
}
_LONGEST: Final = 120  # characters of a value that is compared
_DIGEST: Final = 12  # characters of a digest that a person reads


def listed(found: "Found", veil: "Unsaid", zone: "tzinfo") -> tuple[Cell, ...]:
    """One receipt in a table."""
    said = found.receipt.said
    return (
        (found.name, "name"),
        moments.minute(times.parse(said["as_of"]), zone),
        one_line(said["scope"]),
        _outcome(said),
        _many(said),
        one_line(veil.told(said["query"])),
    )


def _outcome(said: Mapping[str, Any]) -> str:
    return one_line(str(said["outcome"]))


def _many(said: Mapping[str, Any]) -> str:
    return f"{len(said['selected'])} shown"


def listed_row(found: "Found", veil: "Unsaid") -> tuple[str, ...]:
    """One receipt in a pipe: id, as of, scope, outcome, how many were shown, question."""
    said = found.receipt.said
    cells = (said["as_of"], said["scope"], said["outcome"], str(len(said["selected"])))
    return (found.name, *(one_line(str(cell)) for cell in cells), one_line(veil.told(said["query"])))


def listed_json(found: "Found", veil: "Unsaid") -> dict[str, object]:
    """One receipt of `mem.receipts/1`."""
    said = found.receipt.said
    return {
        "id": found.name,
        "as_of": said["as_of"],
        "scope": said["scope"],
        "of": said["of"],
        "outcome": said["outcome"],
        "shown": len(said["selected"]),
        "query": veil.told(said["query"]),
        "commit": said["commit"],
        "session": said["session"],
        "shared": found.kept.shared,
    }


def shown_json(found: "Found", veil: "Unsaid") -> dict[str, object]:
    """The receipt itself, `mem.receipt/1`; a question that says what is forgotten is left out."""
    said = dict(found.receipt.said)
    uncommitted = [veil.path(path) for path in said["uncommitted"]]
    return said | {"query": veil.told(said["query"]), "uncommitted": uncommitted}


def spelled(found: "Found", veil: "Unsaid") -> str:
    """The bytes of its file, where nothing of it has to be left out."""
    return rules.canonical(shown_json(found, veil)).decode()


def shown(found: "Found", veil: "Unsaid", zone: "tzinfo") -> Iterator[Line]:
    """A receipt for a person."""
    said = found.receipt.said
    yield (found.name, "name"), f"  {said['of']}, {one_line(said['scope'])}, {said['mode']}"
    yield (one_line(veil.told(said["query"])),)
    yield (("  as of      ", "dim"), moments.minute(times.parse(said["as_of"]), zone))
    if said["known_at"]:
        yield (("  known at   ", "dim"), moments.minute(times.parse(said["known_at"]), zone))
    yield (("  commit     ", "dim"), str(said["commit"] or "none")[:_DIGEST])
    if said["uncommitted"]:
        yield (
            ("  not saved  ", "warn"),
            ", ".join(one_line(veil.path(path)) for path in said["uncommitted"]),
        )
    yield (
        ("  engine     ", "dim"),
        f"{said['engine']['encoder'] or 'words only'}, {said['engine']['logic']}",
    )
    yield (("  outcome    ", "dim"), f"{said['outcome']}, {said['withheld'].get('count', 0)} held back")
    yield (
        ("  output     ", "dim"),
        f"{said['output']['bytes']} bytes, sha256 {said['output']['sha256'][:_DIGEST]}",
    )
    for one in found.receipt.selected:
        yield (
            f"  {one['rank']:>2}  ",
            (one_line(one["id"]), "name"),
            f"  match {one['match'] / SCALE:.2f}  {one['kind']}",
        )


def verified(found: "Found", done: "Verified") -> Iterator[Line]:
    """For a person: genuine, altered or unproven, and why."""
    styles = {"genuine": "good", "altered": "bad", "unproven": "warn"}
    yield (found.name, "name"), "  ", (done.outcome, styles[done.outcome])
    for one in done.changed:
        yield from _changed(one)
    if done.refusal is not None:
        yield (f"  Not asked again ({done.refusal.why}): {done.refusal.error.message}",)


def _changed(one: "Changed") -> Iterator[Line]:
    yield ("  ", (one.key, "strong"))
    yield (("    the receipt says ", "dim"), _short(one.given))
    yield (("    what holds is    ", "dim"), _short(one.holds))


def _short(value: object) -> str:
    text = value if isinstance(value, str) else rules.canonical(value).decode()
    return one_line(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\u2026")


def verified_rows(found: "Found", done: "Verified") -> Iterator[tuple[str, ...]]:
    """For a pipe: id, outcome, key, what the receipt says, what holds; or the refusal's name and sentence."""
    for one in done.changed:
        yield found.name, done.outcome, one.key, _short(one.given), _short(one.holds)
    if done.refusal is not None:
        yield found.name, done.outcome, done.refusal.why.value, done.refusal.error.message, ""
    if not done.changed and done.refusal is None:
        yield found.name, done.outcome, "", "", ""


def verified_json(found: "Found", done: "Verified") -> dict[str, object]:
    """The object of `mem.verified/1`."""
    return {
        "format": "mem.verified/1",
        "id": found.name,
        "outcome": done.outcome,
        "changed": [_changed_json(one) for one in done.changed],
        **_refused(done.refusal),
    }


def _changed_json(one: "Changed") -> dict[str, object]:
    return {"key": one.key, "receipt": one.given, "here": one.holds}


def _refused(refusal: Any) -> dict[str, object]:  # noqa: ANN401 - a Refusal or None
    if refusal is None:
        return {"refused": None}
    return {
        "refused": refusal.why.value,
        "message": refusal.error.message,
        "details": list(refusal.error.details),
    }


def replayed(found: "Found", done: "Replayed", zone: "tzinfo") -> Iterator[Line]:
    """For a person: equal, or where not."""
    output = done.given.said["output"]
    if done.equal:
        yield ("Equal", "good"), f": {output['bytes']} bytes, the same as {_when(done.given, zone)}."
        return
    yield ("Not equal", "bad"), f": {found.name} says otherwise than {_when(done.given, zone)} is answered."
    for one in done.changed:
        yield from _changed(one)


def _when(given: "Receipt", zone: "tzinfo") -> str:
    day = moments.minute(times.parse(given.said["as_of"]), zone).split()[0]
    return f"as of {day}" if given.said["asked"]["as_of"] else f"on {day}"


def replayed_json(found: "Found", done: "Replayed") -> dict[str, object]:
    """The object of `mem.replayed/1`."""
    return {
        "format": "mem.replayed/1",
        "id": found.name,
        "at": None,
        "equal": done.equal,
        "bytes": done.given.said["output"]["bytes"],
        "changed": [_changed_json(one) for one in done.changed],
        **_refused(done.refusal),
    }


def replayed_at(found: "Found", done: "Elsewhen", zone: "tzinfo") -> Iterator[Line]:
    """For a person: the same, or what both answers show and either alone."""
    commit = str(done.again.said["commit"] or "nothing")[:_DIGEST]
    as_of = moments.minute(times.parse(done.again.said["as_of"]), zone)
    if done.same:
        yield ("The same", "good"), f" at {one_line(done.asked)} ({commit}), as of {as_of}."
        return
    yield ("Another answer", "warn"), f" at {one_line(done.asked)} ({commit}), as of {as_of}:"
    before, after = done.given.said["outcome"], done.again.said["outcome"]
    if before != after:
        yield (f"  {before} then, {after} there",)
    for word, ids in (("both", done.both), ("then", done.before), ("there", done.after)):
        for id_ in ids:
            yield (f"  {word:<6}", "dim"), (one_line(id_), "name")
    if not (done.before or done.after):
        yield (f"  {found.name} shows them as they read then, or in another order.",)


def replayed_at_json(found: "Found", done: "Elsewhen") -> dict[str, object]:
    """The object of `mem.replayed/1`, asked of another state."""
    return {
        "format": "mem.replayed/1",
        "id": found.name,
        "at": done.asked,
        "commit": done.again.said["commit"],
        "as_of": done.again.said["as_of"],
        "equal": done.same,
        "outcome": done.again.said["outcome"],
        "both": list(done.both),
        "before": list(done.before),
        "after": list(done.after),
        "selected": list(done.again.selected),
        "refused": None,
    }


def compared(done: "Compared", zone: "tzinfo") -> Iterator[Line]:
    """For a person: what became of each, then what is new."""
    if done.same:
        yield ("Everything", "good"), f" is as it was {_when(done.receipt, zone)}, and nothing is new."
    for one in done.fates:
        yield from _fate(one, one.became.value, STYLE.get(one.became, "warn"), zone)
    for one in done.new:
        yield from _fate(one, "new", "strong", zone)


def _fate(one: "Fate", word: str, style: str, zone: "tzinfo") -> Iterator[Line]:
    by = f" by {one.by}" if one.by else ""
    keys = f": {', '.join(one.keys)}" if one.keys and one.became is Became.EDITED else ""
    behind = "" if one.now or one.became is not Became.STABLE else "  (not among an answer today)"
    yield (word, style), f"{by}{keys}  ", (one_line(one.id), "name"), behind
    yield (f"  {one_line(one.claim)}" if one.claim else "  (its text is not told)",)
    if one.entry is not None:
        entry = one.entry
        why = f'  "{one_line(entry.reason)}"' if entry.reason else ""
        when = moments.minute(entry.at, zone)
        yield ((f"  {when}  {entry.op}  {one_line(entry.actor)}  {entry.commit[:_DIGEST]}{why}", "dim"),)


def compared_rows(done: "Compared") -> Iterator[tuple[str, ...]]:
    """For a pipe: what became of it, id, earlier rank, rank, successor, commit, actor, claim."""
    for became, one in _all(done):
        yield (
            became,
            one_line(one.id),
            "" if one.rank is None else str(one.rank),
            "" if one.now is None else str(one.now),
            one.by,
            one.entry.commit if one.entry else "",
            one_line(one.entry.actor) if one.entry else "",
            one_line(one.claim),
        )


def _all(done: "Compared") -> Iterator[tuple[str, "Fate"]]:
    yield from ((one.became.value, one) for one in done.fates)
    yield from (("new", one) for one in done.new)


def compared_json(done: "Compared") -> dict[str, object]:
    """The object of `mem.fates/1`."""
    return {
        "format": "mem.fates/1",
        "id": done.receipt.id,
        "as_of": moments.rfc3339(done.as_of),
        "outcome": {"before": done.receipt.said["outcome"], "now": done.outcome},
        "same": done.same,
        "selected": [_fate_json(became, one) for became, one in _all(done) if became != "new"],
        "new": [_fate_json(became, one) for became, one in _all(done) if became == "new"],
    }


def _fate_json(became: str, one: "Fate") -> dict[str, object]:
    entry = one.entry
    return {
        "kind": one.kind,
        "id": one.id,
        "became": became,
        "by": one.by or None,
        "keys": list(one.keys),
        "rank": {"before": one.rank, "now": one.now},
        "text": one.claim or None,
        "commit": entry.commit if entry else None,
        "at": moments.rfc3339(entry.at) if entry else None,
        "actor": entry.actor if entry else None,
        "op": entry.op if entry else None,
        "reason": entry.reason or None if entry else None,
    }
