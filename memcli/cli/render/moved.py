"""What went out, and what became of everything that came in."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from memcli.cli.render.text import one_line

if TYPE_CHECKING:
    from memcli.cli.streams import Streams
    from memcli.engine.moving.brought import Brought
    from memcli.engine.moving.exporting import Exported
    from memcli.engine.moving.importing import Imported, ImportRequest

SHOWN: Final = 20  # asserted: memories that a person is shown one by one
_WORDS: Final = {
    "created": "new",
    "reinforced": "known, evidence added",
    "repeated": "known",
    "review": "wait for review",
    "skipped": "stay out, they were removed here",
    "refused": "refused",
    "unchanged": "as they stand here",
    "kept": "stand here otherwise and stay so",
    "left": "left, they need a person's word",
    "taken_over": "have the status that they have there",
}


def exported(counts: "Exported") -> str:
    """One line beside the lines themselves."""
    named = (
        (counts.schemas, "memory", "memories"),
        (counts.tombstones, "removal without a file", "removals without a file"),
        (counts.events, "event", "events"),
        (counts.procedures, "file of a procedure", "files of procedures"),
    )
    told = ((count, one if count == 1 else many) for count, one, many in named if count or one == "memory")
    return "Wrote " + ", ".join(f"{count} {what}" for count, what in told)


def asked(plan: "Imported") -> str:
    """What a person is shown before saying that it counts."""
    counting = [one for one in plan.memories if one.on_trust]
    lines = [f"{one.decision}  {one.status}  {one_line(one.claim)}" for one in islice(counting, SHOWN)]
    more = len(counting) - len(lines)
    return "\n".join([*lines, *([f"and {more} more"] if more else [])])


def imported(streams: "Streams", done: "Imported", request: "ImportRequest") -> None:
    """A line for each memory in a pipe; for a person the numbers, and those that are not as expected."""
    if streams.json:
        streams.answer(_as_json(done, request))
        return
    if streams.at_terminal:
        for line in _summary(done):
            streams.line(line)
        for one in islice((one for one in done.memories if _odd(one)), SHOWN):
            streams.line(
                (one.id, "name"), f"  {_WORDS.get(one.decision, one.decision)}  ", one_line(_why(one))
            )
    else:
        for one in done.memories:
            streams.row(one_line(one.id), one.decision, one.status, one_line(_why(one)))
    for line in done.wrong:
        streams.say(("Passed over: ", "warn"), one_line(line))
    _beside(streams, done, request)


def _summary(done: "Imported") -> Iterator[str]:
    for decision, count in done.counts.items():
        yield f"{count:>6}  {_WORDS.get(decision, decision)}"
    for count, what in (
        (done.tombstones, "removals without a file"),
        (done.events, "events"),
        (done.procedures, "procedures"),
    ):
        if count:
            yield f"{count:>6}  {what}"


def _odd(one: "Brought") -> bool:
    return one.decision in ("skipped", "refused", "kept", "left", "taken_over")


def _why(one: "Brought") -> str:
    return one.error or (f"{one.claim} (as {one.of})" if one.of and one.of != one.id else one.claim)


def _beside(streams: "Streams", done: "Imported", request: "ImportRequest") -> None:
    from memcli.engine.outcome import keeps_own

    for what, count in done.left:
        streams.say(("Left: ", "warn"), f"{count} {what}")
    own = [one for one in done.memories if one.own]
    streams.notices(f"{one.of} was known already and {keeps_own(one.own)}." for one in own[:SHOWN])
    if len(own) > SHOWN:
        streams.notices((f"So do {len(own) - SHOWN} more; --json names them all.",))
    decisions = {one.decision for one in done.memories}
    if "review" in decisions:
        streams.say("A person decides about what waits: mem review")
    if not request.restore and ("left" in decisions or done.left):
        streams.say("A person takes over what was left: mem import at a terminal, or with --yes.")
    if request.dry_run:
        streams.say("Nothing was written.")
    elif done.commit:
        back = " Undo: mem undo" if done.procedures or any(one.changes for one in done.memories) else ""
        streams.say((f"Commit {done.commit[:10]}.{back}", "dim"))
    elif not done.wrong:
        streams.say("Nothing new: everything stands here already, or stays out.")


def _as_json(done: "Imported", request: "ImportRequest") -> dict[str, object]:
    return {
        "format": "mem.import/1",
        "commit": done.commit,
        "dry_run": request.dry_run,
        "restored": request.restore,
        "counts": done.counts,
        "tombstones": done.tombstones,
        "events": done.events,
        "procedures": done.procedures,
        "left": dict(done.left),
        "wrong": list(done.wrong),
        "memories": [_memory(one) for one in done.memories],
    }


def _memory(one: "Brought") -> dict[str, object]:
    return {
        "id": one.id or None,
        "decision": one.decision,
        "status": one.status or None,
        "rule": one.rule or None,
        "score": one.score,
        "of": one.of or None,
        "text": one.claim,
        "error": one.error or None,
        "own": list(one.own),
    }
