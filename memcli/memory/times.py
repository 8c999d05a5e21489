"""Moments: text that people write, as whole seconds since 1970 in UTC, and back.

The danger here is a parser that guesses: git answers HEAD for a date it cannot read,
and a process's time zone must never change what a file means. So there is one parser,
it takes few forms, and the zone of a time without offset is an argument.
"""

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_FORM = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2})"
    r"(?:[Tt ](?P<clock>\d{2}:\d{2}(?::\d{2})?)(?P<fraction>\.\d{1,9})?"
    r"(?P<offset>[Zz]|[+-]\d{2}:?\d{2})?)?",
    re.ASCII,
)
FORMS = "a date like 2026-07-01 or a time like 2026-07-01T09:30:00Z"


class NotATime(ValueError):
    """The text is not one of the accepted forms, or names a day that does not exist."""


def zone(name: str) -> tzinfo:
    """The zone called `name`; UTC where it is unknown or no zone table is installed."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def parse(text: str, local: tzinfo = UTC, *, end_of_day: bool = False) -> int:
    """Seconds since 1970 of `text`, fractions cut off.

    A bare date is the start of that day in `local` (its last second with `end_of_day`);
    a time without offset is read in `local`, the earlier of two where the clock was set
    back. Raises NotATime.
    """
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise NotATime(f"{text!r} is not a time; write {FORMS}")
    try:
        return _seconds(found, local, end_of_day=end_of_day)
    except (ValueError, OverflowError) as error:
        raise NotATime(f"{text!r} is not a time that exists") from error


def _seconds(found: re.Match[str], local: tzinfo, *, end_of_day: bool) -> int:
    day = date.fromisoformat(found["day"])
    if found["clock"] is None:
        if end_of_day:
            return _epoch(datetime(day.year, day.month, day.day, tzinfo=local) + timedelta(days=1)) - 1
        return _epoch(datetime(day.year, day.month, day.day, tzinfo=local))
    clock = found["clock"] if len(found["clock"]) > 5 else found["clock"] + ":00"  # noqa: PLR2004 - hh:mm
    moment = datetime.fromisoformat(f"{found['day']}T{clock}")
    return _epoch(moment.replace(tzinfo=_offset(found["offset"], local)))


def _offset(text: str | None, local: tzinfo) -> tzinfo:
    if text is None:
        return local
    if text in "Zz":
        return UTC
    sign = -1 if text[0] == "-" else 1
    hours, minutes = int(text[1:3]), int(text[-2:])
    if minutes >= 60:  # noqa: PLR2004 - minutes in an hour
        raise ValueError(text)
    return timezone(sign * timedelta(hours=hours, minutes=minutes))


def _epoch(moment: datetime) -> int:
    return (moment.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)


def show(seconds: int) -> str:
    """`seconds` as RFC 3339 in UTC, like 2026-07-01T00:00:00Z; years 1 to 9999."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)).strftime("%4Y-%m-%dT%H:%M:%SZ")


def show_day(seconds: int) -> str:
    """The day of `seconds` in UTC, like 2026-07-01."""
    return show(seconds)[:10]
