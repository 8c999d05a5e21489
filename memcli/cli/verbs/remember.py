"""Remember: one claim from the command line, or many as JSON lines."""

from dataclasses import replace

from memcli.cli.opening import open_for
from memcli.cli.render import remembered
from memcli.cli.render.progress import progress
from memcli.cli.streams import Streams
from memcli.engine import remember as engine
from memcli.engine.opened import Opened
from memcli.engine.remember import Remembered, Request
from memcli.errors import Refused, Usage
from memcli.memory.tokens import blank

REFUSED = Refused.code


def remember(streams: Streams) -> int:
    """`mem remember`."""
    if streams.call.text("batch") is not None:
        return _batch(streams)
    request = _request(streams)
    opened = open_for(streams, make_own=True)
    request = _with_persons_word(streams, opened, request)
    streams.notices(opened.notices)
    told = len(opened.notices)
    with progress(streams, "Reading") as report:
        answer = engine.run(opened, request, report)
    streams.notices((*opened.notices[told:], *answer.notices))
    _show(streams, answer)
    if answer.code:
        raise Refused(answer.error or "It was not remembered.", answer.hint or "")
    return 0


def _request(streams: Streams) -> Request:
    call = streams.call
    return Request(
        text=_text(streams),
        scope=call.text("scope"),
        type=call.text("type") or "fact",
        concept=call.text("concept") or "",
        tags=call.texts("tag"),
        valid_from=call.text("valid_from"),
        valid_to=call.text("valid_to"),
        occurred_at=call.text("occurred_at"),
        evidence=call.texts("evidence"),
        key=call.text("key") or "",
        supersede_concept=call.flag("supersede_concept"),
        override=call.texts("override"),
        allow_secret=call.flag("allow_secret"),
    )


def _text(streams: Streams) -> str:
    words = streams.call.texts("text")
    text = streams.read_text() if words == ("-",) else " ".join(words)
    if blank(text):
        raise Usage(
            "There is nothing to remember: the text is blank.", "Give the text, or - to read it from stdin."
        )
    return text


def _with_persons_word(streams: Streams, opened: Opened, request: Request) -> Request:
    """The request with whole ids: what was removed, and what looks like a secret, needs a person."""
    if not request.override and not request.allow_secret:
        return request
    from memcli.cli import person
    from memcli.engine import forget

    removed = forget.removed(opened, request.override)
    acts = [
        person.Act(
            "Letting pass what was removed", one.id, one.claim, f"{one.type}  {one.status}  {one.scope}"
        )
        for one in removed
    ]
    if request.allow_secret:
        acts.append(person.Act("Keeping what looks like a secret", "keep", request.text))
    person.word_for(streams, *acts)
    return replace(request, override=tuple(one.id for one in removed))


def _show(streams: Streams, answer: Remembered) -> None:
    if streams.json:
        streams.answer(remembered.as_json(answer))
        return
    if answer.code:
        return
    if streams.at_terminal:
        for pieces in remembered.lines(answer):
            streams.line(*pieces)
    else:
        streams.row(*remembered.row(answer))
    streams.committed(answer.commit)


def _batch(streams: Streams) -> int:
    """Every line its own answer, one commit for those that can be kept."""
    from memcli.cli.batch import requests

    lines = _lines(streams)
    opened = open_for(streams, make_own=True)
    streams.notices(opened.notices)
    told = len(opened.notices)
    asked = requests(lines, streams.call.text("scope"))
    with progress(streams, "Taking in") as report:
        answers = engine.run_batch(opened, asked, report)
    streams.notices(opened.notices[told:])
    for answer in answers if streams.json or not streams.quiet else ():
        streams.answer(remembered.as_json(answer))
    return REFUSED if any(answer.code for answer in answers) else 0


def _lines(streams: Streams) -> str:
    """The JSON lines. Raises Usage where there is nothing to read."""
    source = streams.call.text("batch") or ""
    text = streams.read_source(source, "Name a file of JSON lines, or - for stdin.")
    if not text.strip():
        raise Usage("There is nothing to remember: the batch is empty.", 'A line looks like {"text": "…"}.')
    return text
