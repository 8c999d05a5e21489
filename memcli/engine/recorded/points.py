"""A point of the record: the commit that held at a moment, or that a revision names.

The danger is a guess. git reads `yesterday` as a date and a word it does not know as HEAD, so
its date parser is never asked; a date means the end of that day in the store's zone, whatever
the process's; and a history that was rewritten answers nothing until a person accepts it.
"""

import re
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Final

from memcli.engine.opened import Opened
from memcli.engine.recorded import line
from memcli.errors import HistoryCut, NothingKnown, Usage
from memcli.journal import seen
from memcli.journal.lineage import Lineage
from memcli.journal.repository import Journal
from memcli.memory import times

OPTION: Final = "--known-at"
_FORMS: Final = f"Write {times.FORMS}, or a revision; relative times are not read."
_DATED: Final = re.compile(r"\d{1,6}|\d{4}-.*|.*:/.*|.*\^\{/.*", re.DOTALL)  # no revision that may be meant
_REFLOG: Final = re.compile(r"@\{(?!-?\d+\}|u\}|upstream\}|push\})")  # what git would read as a date


@dataclass(frozen=True, slots=True)
class Point:
    """The `commit` that held, what was `asked`, and the moment `at` in seconds since 1970.

    `at` is the moment that was asked for, never ahead of now, or at which the revision was
    recorded; `position` is where the commit stands on the lineage of HEAD, None where it
    is on another line. `ahead`: what was asked for has not come yet.
    """

    commit: str
    at: int
    asked: str
    position: int | None = None
    ahead: bool = False


class Early(NothingKnown):
    """The moment `at`, in seconds since 1970, lies before the first commit."""

    def __init__(self, message: str, at: int, hint: str = "") -> None:
        super().__init__(message, hint)
        self.at = at


def resolve(opened: Opened, text: str, option: str = OPTION) -> Point:
    """The point that `text` means: a date (the end of that day), a time, or a revision.

    Raises Usage for what is none of these, Early for a moment before the first commit,
    HistoryCut where history was rewritten or does not reach back so far.
    """
    moment = _moment(text, opened.settings.timezone, option)
    journal = opened.journal
    refuse_rewritten(journal)
    found = line.current(opened)
    if found is None:
        at = opened.now if moment is None else moment
        raise Early("The journal is empty: nothing was known yet.", at, "`mem save` commits what is there.")
    if moment is not None:
        return _held(opened, found, moment, text)
    commit = _named(journal, text, option)
    position = found.position(commit)
    return Point(commit, _recorded(journal, commit, found, position), text, position)


def refuse_rewritten(journal: Journal) -> None:
    """Raise HistoryCut where HEAD no longer descends from the head that was last seen."""
    old = seen.rewritten(journal)
    if old is not None:
        raise HistoryCut(
            f"History was rewritten: it no longer holds {old[:12]}, which was seen last.",
            "A person looks at it and accepts it with `mem audit --accept`.",
        )


def _moment(text: str, zone: tzinfo, option: str) -> int | None:
    """The moment that `text` names, None where it can only be a revision. Raises Usage."""
    try:
        return times.parse(text, zone, end_of_day=True)
    except times.NotATime as error:
        if not text.strip() or _DATED.fullmatch(text) or _REFLOG.search(text):
            raise Usage(f"{option}: {error}.", _FORMS) from error
    return None


def _named(journal: Journal, text: str, option: str) -> str:
    try:
        return journal.resolve(text)
    except Usage as error:
        raise Usage(f"{option}: {text!r} is no time and names no commit here.", _FORMS) from error


def _recorded(journal: Journal, commit: str, found: Lineage, position: int | None) -> int:
    if position is not None:
        return found.moments[position]
    from memcli.journal import history

    return history.record_time(journal, commit)


def _held(opened: Opened, found: Lineage, moment: int, text: str) -> Point:
    position = found.until(moment)
    if position is None:
        raise _before(opened, found, moment)
    ahead = moment > opened.now
    return Point(found.commits[position], min(moment, opened.now), text, position, ahead)


def _before(opened: Opened, found: Lineage, moment: int) -> Early | HistoryCut:
    first, at = found.commits[0], found.moments[0]
    day = _day(at, opened.settings.timezone)
    if first in opened.journal.boundary():
        return HistoryCut(
            f"History is cut at {day} (a shallow clone): what was known before is not here.",
            "Fetch the rest with `git fetch --unshallow`.",
        )
    return Early(f"History begins on {day} (commit {first[:7]}): nothing was known before.", moment)


def _day(moment: int, zone: tzinfo) -> str:
    return datetime.fromtimestamp(moment, zone).date().isoformat()
