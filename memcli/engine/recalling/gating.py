"""The gate in front of an answer: whether a text needs memory, as far as the search for it tells.

It shares the search, and with it the one encoding of the text. Whatever fails in it opens: a
gate that keeps shut by mistake takes away an answer, and nobody would know.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeVar

from memcli.engine import reconcile
from memcli.engine.kept import Elsewhere
from memcli.engine.opened import Opened
from memcli.engine.recalling import asking, recall, searching, wider
from memcli.engine.recalling.answer import Answer, bare
from memcli.engine.recalling.asking import Asked, Request
from memcli.engine.recalling.sayings import Heard
from memcli.engine.recalling.searching import Searched
from memcli.memory import gate
from memcli.memory.gate import Decision, Reason

GATED: Final = "gated"
NOT_SEARCHED: Final = Searched(None, {}, (), ())
_T = TypeVar("_T")


class _Failure(Exception):
    """A stage of the gate that failed; its words are the stage, and what kind of failure it was."""


def run(opened: Opened, request: Request) -> Answer:
    """What the gate decides about a text, as an answer without anything in it.

    Raises Usage for a blank text, Refused for an agent that asks every scope; any failure opens.
    """
    asked = asking.asked(opened, request)
    decided, searched = before(opened, asked), NOT_SEARCHED
    if decided is None:
        try:
            view = _tried("index", lambda: reconcile.freshen(opened))
            searched = _tried("search", lambda: searching.searched(opened, view, asked)[0])
            heard = _tried("search", lambda: recall.listened(opened, view, asked))
            decided = after(opened, asked, searched, heard)
        except _Failure as failure:
            decided = _opened_by(opened, asked, failure)
    return unasked(opened, asked, decided, searched)


def unsearched(opened: Opened, asked: Asked) -> Answer | None:
    """The answer to a text that needs no memory by its words alone; None where it has to be searched."""
    decided = before(opened, asked)
    if decided is None or decided.retrieve:
        return None
    return unasked(opened, asked, decided, NOT_SEARCHED)


def answered(opened: Opened, asked: Asked, searched: Searched, heard: Heard) -> Answer:
    """The answer to `asked` unless it needs none; an empty store has nothing to hold back."""
    decided = before(opened, asked) or after(opened, asked, searched, heard)
    if decided.retrieve or decided.reason is Reason.NO_MEMORIES:
        return replace(recall.filled(opened, asked, searched, heard), gate=decided)
    return unasked(opened, asked, decided, searched)


def before(opened: Opened, asked: Asked) -> Decision | None:
    """What the text alone decides; None where the search has to tell."""
    try:
        return _tried("text", lambda: gate.of_words(asked.request.query.strip()))
    except _Failure as failure:
        return _opened_by(opened, asked, failure)


def after(opened: Opened, asked: Asked, searched: Searched, heard: Heard) -> Decision:
    """What the search decides."""
    try:
        return _tried("decision", lambda: _of_evidence(opened, asked, searched, heard))
    except _Failure as failure:
        return _opened_by(opened, asked, failure)


def unasked(opened: Opened, asked: Asked, decided: Decision, searched: Searched) -> Answer:
    """The answer to a text that needs no memory; it does not say yet which commit it is from."""
    return replace(
        bare(opened, asked, GATED),
        hint=wider.command(asked.request, {}),
        gate=decided,
        below=searching.noted(asked, searched, searched.ranked),
    )


def _of_evidence(opened: Opened, asked: Asked, searched: Searched, heard: Heard) -> Decision:
    return gate.of_evidence(
        asked.request.query.strip(),
        (*searched.ranked, *heard.ranked),
        held=bool(searched.held),
        meant=opened.encoder is not None,
        rules=opened.settings.constants,
    )


def _tried(stage: str, work: Callable[[], _T]) -> _T:
    """What `work` gives. Raises _Failure for whatever fails, but that the store is another one."""
    try:
        return work()
    except Elsewhere:
        raise
    except Exception as error:
        raise _Failure(f"{stage} ({type(error).__name__})") from error


def _opened_by(opened: Opened, asked: Asked, failure: _Failure) -> Decision:
    """The decision where a stage failed: to ask, and to say so."""
    opened.notices.append(f"The gate failed open: its {failure} failed.")
    return Decision(asked.request.query.strip(), Reason.FAILED)
