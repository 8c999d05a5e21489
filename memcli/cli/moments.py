"""Moments between people and the engine: text that they type, and text that they read.

A date that cannot be read is refused, never guessed: an answer for another moment than the
one asked about would look right.
"""

from datetime import UTC, datetime, timedelta, tzinfo

from memcli.errors import Usage
from memcli.memory import times

ALWAYS = "–"  # noqa: RUF001 - unbounded, as the tables show it
_MIDNIGHT = "00:00"


def read(text: str, option: str, zone: tzinfo, *, end_of_day: bool = False) -> int:
    """Seconds since 1970 of what was typed after `option`; of a date its first or last. Raises Usage."""
    try:
        return times.parse(text, zone, end_of_day=end_of_day)
    except times.NotATime as error:
        raise Usage(
            f"{option}: {error}.", "Relative times are not read: what was meant must be certain."
        ) from error


def minute(seconds: int, zone: tzinfo = UTC) -> str:
    """Like 2026-11-30 09:12, in `zone`."""
    return _at(seconds, zone).strftime("%Y-%m-%d %H:%M")


def bound(seconds: int | None, zone: tzinfo = UTC) -> str:
    """A bound of validity: its day, with the time where it is not midnight; a dash where unbounded."""
    if seconds is None:
        return ALWAYS
    day, clock = minute(seconds, zone).split()
    return day if clock == _MIDNIGHT else f"{day} {clock}"


def rfc3339(seconds: int | None) -> str | None:
    """Like 2026-07-01T00:00:00Z, None where unbounded."""
    return None if seconds is None else times.show(seconds)


def _at(seconds: int, zone: tzinfo) -> datetime:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    try:
        return moment.astimezone(zone)
    except OverflowError:  # the first or last hours of the calendar
        return moment
