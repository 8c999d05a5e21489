"""Receipts verified and replayed, in each of their looks."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece
from memcli.cli.render.receipts import DIGEST, when
from memcli.cli.render.text import glimpse, one_line
from memcli.memory import receipt as rules
from memcli.memory import times

if TYPE_CHECKING:
    from datetime import tzinfo

    from memcli.engine.receipts.finding import Found
    from memcli.engine.receipts.refusing import Refusal
    from memcli.engine.receipts.replaying import Elsewhen, Replayed
    from memcli.engine.receipts.verifying import Verified
    from memcli.memory.receipt import Changed

Line = tuple[Piece, ...]
_LONGEST: Final = 120  # characters of a value that is compared


def verified(found: "Found", done: "Verified") -> Iterator[Line]:
    """For a person: genuine, altered or unproven, and why."""
    styles = {"genuine": "good", "altered": "bad", "unproven": "warn"}
    yield (found.name, "name"), "  ", (done.outcome, styles[done.outcome])
    for one in done.changed:
        yield from _changed(one)
    if done.refusal is not None:
        yield (f"  Not asked again ({done.refusal.why}): {one_line(done.refusal.error.message)}",)


def _changed(one: "Changed") -> Iterator[Line]:
    yield ("  ", (one.key, "strong"))
    yield (("    the receipt says ", "dim"), _short(one.given))
    yield (("    what holds is    ", "dim"), _short(one.holds))


def _short(value: object) -> str:
    text = value if isinstance(value, str) else rules.canonical(value).decode()
    return glimpse(text, _LONGEST)


def verified_rows(found: "Found", done: "Verified") -> Iterator[tuple[str, ...]]:
    """For a pipe: id, outcome, key, what the receipt says, what holds; or the refusal's name and sentence."""
    for one in done.changed:
        yield found.name, done.outcome, one.key, _short(one.given), _short(one.holds)
    if done.refusal is not None:
        yield found.name, done.outcome, done.refusal.why.value, one_line(done.refusal.error.message), ""
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


def _refused(refusal: "Refusal | None") -> dict[str, object]:
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
        told = when(done.given, zone)
        same = f"the same as {told}" if told.startswith("on ") else f"the same again {told}"
        yield ("Equal", "good"), f": {output['bytes']} bytes, {same}."
        if done.since is not None:
            yield (f"  What was not committed then is since {done.since[:DIGEST]}.",)
        return
    yield ("Not equal", "bad"), f": {found.name} says otherwise than {when(done.given, zone)} is answered."
    for one in done.changed:
        yield from _changed(one)


def refused(found: "Found", refusal: "Refusal") -> Line:
    """One of several that could not be asked again."""
    return (found.name, "name"), "  ", (refusal.why.value, "warn"), f"  {one_line(refusal.error.message)}"


def replayed_json(found: "Found", done: "Replayed") -> dict[str, object]:
    """The object of `mem.replayed/1`."""
    return {
        "format": "mem.replayed/1",
        "id": found.name,
        "at": None,
        "equal": done.equal,
        "bytes": done.given.said["output"]["bytes"],
        "changed": [_changed_json(one) for one in done.changed],
        "since": done.since,
        **_refused(done.refusal),
    }


def replayed_at(found: "Found", done: "Elsewhen", zone: "tzinfo") -> Iterator[Line]:
    """For a person: the same, or what both answers show and either alone."""
    commit = str(done.again.said["commit"] or "nothing")[:DIGEST]
    as_of = moments.minute(times.parse(done.again.said["as_of"]), zone)
    if done.same:
        yield ("The same", "good"), f" at {one_line(done.asked)} ({commit}), as of {as_of}."
        return
    yield ("Another answer", "warn"), f" at {one_line(done.asked)} ({commit}), as of {as_of}:"
    before, after = done.given.said["outcome"], done.again.said["outcome"]
    if before != after:
        yield (f"  {one_line(before)} then, {after} there",)
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
