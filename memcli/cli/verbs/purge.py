"""Purge: shown first, agreed to by its digest, and never taken back."""

from typing import TYPE_CHECKING, Final

from memcli.cli import person
from memcli.cli.opening import open_for
from memcli.cli.render import purged
from memcli.cli.render.progress import progress
from memcli.cli.streams import Streams
from memcli.engine.purging import purge as engine
from memcli.engine.purging.planning import Plan, Request
from memcli.errors import Usage
from memcli.surroundings import Permit

if TYPE_CHECKING:
    from memcli.cli.render.paint import Piece
    from memcli.cli.render.progress import Report
    from memcli.engine.opened import Opened

_FEW: Final = 100  # asserted: memories that are indexed in less than a second
_ASK: Final = "Tell the person what should be purged and why; forgetting keeps it out of every answer."


def purge(streams: Streams) -> int:
    """`mem purge`."""
    call = streams.call
    opened = open_for(streams)
    request = Request(call.texts("ids"), call.flag("with_evidence"), call.flag("all_refs"))
    plan = engine.preview(opened, request)
    if call.flag("dry_run"):
        _preview(streams, plan)
        return 0
    expected = call.text("expect") or ""
    engine.refuse(plan, expected or plan.digest)
    _agreed(streams, plan, expected)
    _end_resident(streams, opened)
    done = engine.run(opened, request, expected or plan.digest)
    with progress(streams, "Indexing") as report:
        engine.follow(opened, _only_many(report))
    streams.notices(opened.notices)
    _show(streams, done)
    return 0


def _only_many(report: "Report | None") -> "Report | None":
    """The bar, where there is more to index than anybody waits for."""
    if report is None:
        return None
    shown = report
    return lambda done, whole: shown(done, whole) if whole > _FEW else None


def _show(streams: Streams, done: engine.Purged) -> None:
    if streams.json:
        streams.answer(purged.done_json(done))
        return
    for one in done.plan.memories:
        if streams.at_terminal:
            streams.line("Purged: ", (one.id, "name"), f", {one.status} until now.")
        else:
            streams.row(one.id, "purge", one.status, done.commit)
    for line in purged.remains(done):
        streams.say(*line)


def _preview(streams: Streams, plan: Plan) -> None:
    if streams.json:
        streams.answer(purged.plan_json(plan))
        return
    for line in purged.lines(plan):
        streams.line(*line)


def _agreed(streams: Streams, plan: Plan, expected: str) -> None:
    """A person's word for each memory; one given beforehand counts with the digest of what was looked at."""
    told = "\n".join("".join(_plain(line)) for line in purged.comes_to(plan))
    acts = [
        person.Act(
            "Purging",
            one.id,
            f"{one.claim}\n{told}" if at == 0 else one.claim,
            f"{one.status}  {one.scope}",
            _ASK,
        )
        for at, one in enumerate(one for one in plan.memories if one.asked)
    ]
    if person.allowed(streams, acts[0]) is Permit.GRANTED and not expected:
        raise Usage(
            "mem purge --yes needs --expect: nobody has agreed to what it comes to.",
            f"mem purge --dry-run {' '.join(one.id for one in plan.memories)} shows it.",
        )
    person.word_for(streams, *acts)


def _plain(line: "tuple[Piece, ...]") -> list[str]:
    return [piece if isinstance(piece, str) else piece[0] for piece in line]


def _end_resident(streams: Streams, opened: "Opened") -> None:
    """A resident has the index open and the text in its memory."""
    from memcli.resident import starting

    if starting.stop(opened.place):
        streams.say(
            "The resident was ended, since it held the text in its memory. Start it: mem watch --detach"
        )
