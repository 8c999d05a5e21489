"""Recall: a question in words becomes a request, the answer is shown as asked for."""

from collections.abc import Callable

from memcli.cli import moments
from memcli.cli.given import refuse_blank
from memcli.cli.opening import open_for, scope_of
from memcli.cli.render import prompt, recalled
from memcli.cli.render.paths import path_of
from memcli.cli.streams import EMPTY, Streams
from memcli.engine.opened import Opened
from memcli.engine.recalling import recall as engine
from memcli.engine.recalling.answer import Answer, Item
from memcli.engine.recalling.asking import Request
from memcli.engine.recalling.told import as_json
from memcli.engine.task import exposure
from memcli.memory.numerals import counted
from memcli.memory.visibility import Mode

FOUND = "found"


def recall(streams: Streams) -> int:
    """`mem recall`."""
    query = _query(streams)
    fill = _fill(streams)
    opened = open_for(streams)
    request = _request(streams, opened, query)
    answer = _answered(streams, opened, request)
    prompted = streams.call.flag("prompt")
    shown = prompt.fitting(answer, _budget(streams, opened)) if prompted else answer
    receipt = exposure.noted(opened, request, answer, shown, wanted=streams.call.flag("receipt"))
    _warn(streams, opened, answer)
    if fill is not None:
        _each(streams, answer, fill)
        _say_receipt(streams, receipt)
    elif prompted:
        return _prompted(streams, answer, shown, receipt)
    else:
        _show(streams, opened, answer, receipt)
    return 0 if answer.outcome == FOUND else EMPTY


def _answered(streams: Streams, opened: Opened, request: Request) -> Answer:
    """The answer; where the index of another time has to be made first a person sees how far it is."""
    if request.known_at is None:
        return engine.run(opened, request)
    from memcli.cli.render.progress import progress

    with progress(streams, "Reading the record") as report:
        return engine.run(opened, request, report)


def _query(streams: Streams) -> str:
    words = streams.call.texts("query")
    query = streams.read_text() if words == ("-",) else " ".join(words)
    refuse_blank(query, "Say what: mem recall refund window. See all: mem list.")
    return query.strip()


def _request(streams: Streams, opened: Opened, query: str) -> Request:
    call = streams.call
    written = call.text("as_of")
    as_of = None if written is None else moments.read(written, "--as-of", opened.settings.timezone)
    frame, line = _frame(streams, opened, as_of)
    return Request(
        query=query,
        scope=scope_of(streams, opened),
        as_of=as_of,
        mode=Mode(call.text("mode") or Mode.DEFAULT),
        k=call.whole("k"),
        budget=call.whole("budget"),
        floor=call.number("floor"),
        types=call.texts("type"),
        tags=call.texts("tag"),
        evidence=call.text("evidence") or "refs",
        events=call.text("events") or "auto",
        store=call.text("store"),
        known_at=call.text("known_at"),
        gate=call.text("gate") == "auto",
        overhead_tokens=frame,
        line_overhead_tokens=line,
    )


def _frame(streams: Streams, opened: Opened, as_of: int | None) -> tuple[int, int]:
    """What the bundle's frame takes of the budget, and what it takes beside each memory."""
    if not streams.call.flag("prompt"):
        return 0, 0
    moment = opened.now if as_of is None else as_of
    recorded = streams.call.text("known_at") is not None
    return prompt.overhead(opened.name, str(opened.scope), moment, known_at=recorded), prompt.line_overhead()


def _warn(streams: Streams, opened: Opened, answer: Answer) -> None:
    """What the person should know beside the answer."""
    streams.notices((*opened.notices, *answer.notices))
    if answer.as_of > opened.now:
        streams.notices(
            [f"{moments.rfc3339(answer.as_of)} lies ahead: this is what is known now to be true then."]
        )
    if streams.call.flag("paths") or streams.call.flag("null"):
        streams.notices(recalled.without_files(answer))
    if streams.json:
        return
    if answer.outcome != FOUND:
        streams.say(recalled.nothing(answer))


def _fill(streams: Streams) -> Callable[[Answer, Item], bytes] | None:
    """How one memory is printed where each is printed alone, None for the looks of a whole answer."""
    call = streams.call
    end = b"\0" if call.flag("null") else b"\n"
    template = call.text("format")
    if template is not None:
        from memcli.cli.render.template import compiled

        fill = compiled(template)
        return lambda answer, item: fill(recalled.fields(answer, item)).encode() + end
    if call.flag("ids"):
        return lambda _, item: item.schema.id.encode() + end
    if call.flag("paths") or call.flag("null"):
        return lambda answer, item: _path(streams, answer, item, end)
    return None


def _path(streams: Streams, answer: Answer, item: Item, end: bytes) -> bytes:
    """The path of a memory's file; of another time, that at which it stands now, if it does."""
    path = item.path if answer.then is None else item.now
    return b"" if path is None else path_of(streams, answer.root, path) + end


def _each(streams: Streams, answer: Answer, fill: Callable[[Answer, Item], bytes]) -> None:
    for item in answer.items:
        streams.raw(fill(answer, item))
    template = streams.call.text("format")
    if template is None:  # ids and paths are for what can be shown and edited: memories
        return
    from memcli.cli.render.template import compiled

    told = compiled(template)
    end = "\0" if streams.call.flag("null") else "\n"
    for said in answer.said:
        streams.raw((told(recalled.fields_of_turn(answer, said)) + end).encode())


def _prompted(streams: Streams, answer: Answer, shown: Answer, receipt: str | None) -> int:
    lines = prompt.bundle(shown)
    for line in lines:
        streams.text(line + "\n")
    left = len(answer.items) + len(answer.said) - len(shown.items) - len(shown.said)
    if left and not lines:
        streams.say("Not even the best match fits the budget with its frame.")
    elif left:
        streams.say((f"{counted(left, 'match', 'matches')} did not fit the budget with the frame.", "dim"))
    _say_receipt(streams, receipt)
    return 0 if lines else EMPTY


def _budget(streams: Streams, opened: Opened) -> int:
    return streams.call.whole("budget") or opened.settings.budget_tokens


def _say_receipt(streams: Streams, receipt: str | None) -> None:
    """In a session what its feedback will be about; elsewhere the receipt that was asked for."""
    if receipt:
        streams.say((f"Receipt {receipt}", "dim"))


def _show(streams: Streams, opened: Opened, answer: Answer, receipt: str | None) -> None:
    call = streams.call
    if streams.json:
        streams.answer({**as_json(answer, call.text("evidence") or "refs"), "receipt": receipt})
        return
    _listed(streams, opened, answer)
    _say_receipt(streams, receipt)


def _listed(streams: Streams, opened: Opened, answer: Answer) -> None:
    if streams.at_terminal:
        if answer.then is not None and answer.items:
            then, zone = answer.then, opened.settings.timezone
            streams.line(*recalled.as_known(then, answer.commit or "", answer.as_of, zone))
        for pieces in recalled.listed(answer, streams.width, opened.settings.timezone):
            streams.line(*pieces)
        if held := recalled.held_beside(answer):
            streams.say((held, "dim"))
    else:
        for row in recalled.rows(answer):
            streams.row(*row)
