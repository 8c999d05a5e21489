"""Numbers, dates and measures in a text, in one spelling, so that "14 days" is never "30 days".

Vectors hardly see a number: a claim and its update often lie closer together than a claim
and its paraphrase. So whatever is counted, dated or measured is read out of the text and
compared by value: `fourteen days`, `14-day` and `two weeks` agree, `14 days` and `14 weeks`
do not. English number words; digits of any script.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from memcli.memory.tokens import spelled_out

_SMALL_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_ORDINAL_WORDS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL: Final[Mapping[str, int]] = MappingProxyType(
    {word: n for n, word in enumerate(_SMALL_WORDS.split())}
    | {word: n for n, word in enumerate(_ORDINAL_WORDS.split())}
    | {"dozen": 12, "twice": 2, "thrice": 3},
)
_TENS: Final[Mapping[str, int]] = MappingProxyType(
    {word: 10 * n for n, word in enumerate(_TEN_WORDS.split(), start=2)}
    | {word[:-1] + "ieth": 10 * n for n, word in enumerate(_TEN_WORDS.split(), start=2)},
)
_SCALES: Final[Mapping[str, int]] = MappingProxyType(
    {
        "hundred": 100,
        "thousand": 1000,
        "k": 1000,
        "million": 10**6,
        "m": 10**6,
        "billion": 10**9,
        "bn": 10**9,
    },
)
_MONTH_WORDS = "january february march april may june july august september october november december"
_MONTHS: Final[Mapping[str, str]] = MappingProxyType(
    {word: word for word in _MONTH_WORDS.split()}
    | {word[:3]: word for word in _MONTH_WORDS.split()}
    | {"sept": "september"},
)
_DAY_WORDS = "monday tuesday wednesday thursday friday saturday sunday"
_DAYS: Final[Mapping[str, str]] = MappingProxyType(
    {word: word for word in _DAY_WORDS.split()}
    | {word + "s": word for word in _DAY_WORDS.split()}
    | {word[:3]: word for word in _DAY_WORDS.split()}
    | {"tues": "tuesday", "thur": "thursday", "thurs": "thursday"},
)
_AMBIGUOUS_WORDS = "may march august mar sun sat wed dec oct jan"
_LEADING_WORDS = (
    "in since until till by from of last next early late before after every each to through on this"
)
# Words that are also a verb, a modal or a star: a month or day only beside a number or after a leading word.
_AMBIGUOUS: Final = frozenset(_AMBIGUOUS_WORDS.split())
_BEFORE: Final = frozenset(_LEADING_WORDS.split())
# Unit as written -> (unit, its measure, how many of the measure); the measure "" converts to nothing.
_UNIT_TABLE: Final = """
second seconds sec secs s = second time 1
minute minutes min mins = minute time 60
hour hours hr hrs h = hour time 3600
day days d = day time 86400
week weeks wk wks = week time 604800
month months = month months 1
year years yr yrs = year months 12
ms millisecond milliseconds = ms time 0.001
percent pct % = % share 1
$ usd dollar dollars = $ dollars 1
€ eur euro euros = € euros 1
£ gbp pound pounds = £ pounds 1
kb kib = kb bytes 1
mb mib = mb bytes 1000
gb gib = gb bytes 1000000
tb tib = tb bytes 1000000000
km kilometres kilometers = km metres 1000
metre metres meter meters = metre metres 1
mile miles = mile miles 1
kg kilos kilograms = kg grams 1000
"""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit with the measure that it converts to."""

    name: str
    measure: str
    factor: Decimal


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with its unit ("" where none is said); weekdays, months and clock times are values too."""

    value: str
    unit: str = ""

    def __str__(self) -> str:
        """One spelling for equal measures, like `1209600 time` for two weeks."""
        unit = _NAMED.get(self.unit)
        return f"{_plain(Decimal(self.value) * unit.factor)} {unit.measure}" if unit else self.value

    def agrees(self, other: "Quantity") -> bool:
        """Whether both may mean the same: equal measures, or equal values where one names no unit."""
        if self.value == other.value and (self.unit == other.unit or not self.unit or not other.unit):
            return True
        return bool(self.unit and other.unit) and str(self) == str(other)


def _units() -> Iterator[tuple[str, Unit]]:
    for line in _UNIT_TABLE.strip().splitlines():
        spellings, _, meaning = line.partition(" = ")
        name, measure, factor = meaning.split()
        for spelling in spellings.split():
            yield spelling, Unit(name, measure, Decimal(factor))


_UNITS: Final[Mapping[str, Unit]] = MappingProxyType(dict(_units()))
_NAMED: Final[Mapping[str, Unit]] = MappingProxyType({unit.name: unit for unit in _UNITS.values()})

_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})(?:[Tt ](?=\d{2}:\d{2}))?")
_HALF_DAY = re.compile(r"(?i)\b([ap])\. ?m\b\.?")
_TOKEN = re.compile(
    r"(?P<sign>(?<![\w.)])-)?(?<![A-Za-z0-9_])(?:[vV](?=\d))?(?P<digits>\d+(?:[.:]\d+)*)"
    r"(?P<tail>[A-Za-z]+)?(?![A-Za-z0-9_])"
    r"|(?P<word>[^\W\d_]+)|(?P<mark>[%$€£])",
)


def numbers(text: str) -> frozenset[Quantity]:
    """Everything counted, dated or measured in `text`, each once."""
    plain = _HALF_DAY.sub(r"\1m", _ISO.sub(_spelled_date, spelled_out(text)))
    tokens = list(_TOKEN.finditer(plain))
    return frozenset(_read(tokens))


def lacking(one: frozenset[Quantity], other: frozenset[Quantity]) -> frozenset[Quantity]:
    """The quantities of `one` that nothing in `other` agrees with."""
    return frozenset(q for q in one if not any(q.agrees(p) for p in other))


def _spelled_date(found: re.Match[str]) -> str:
    month = int(found[2])
    if not 1 <= month <= 12:  # noqa: PLR2004 - months of a year
        return found[0]
    return f"{int(found[3])} {_MONTH_WORDS.split()[month - 1].title()} {found[1]} "


def _read(tokens: Sequence[re.Match[str]]) -> Iterator[Quantity]:
    at = 0
    while at < len(tokens):
        name = _calendar_name(tokens, at)
        value, after = (None, at + 1) if name else _value(tokens, at)
        if name:
            yield Quantity(name)
        if value is not None:
            quantity, after = _measured(tokens, at, value, after)
            yield quantity
        at = after


def _calendar_name(tokens: Sequence[re.Match[str]], at: int) -> str:
    """The weekday or month that token `at` names, or "" where it is another word."""
    word = tokens[at]["word"] or ""
    known = _DAYS.get(word.lower()) or _MONTHS.get(word.lower()) or ""
    if not known or (len(word) > 3 and word.lower() not in _AMBIGUOUS):  # noqa: PLR2004 - an abbreviation
        return known
    beside = [tokens[i] for i in (at - 1, at + 1) if 0 <= i < len(tokens)]
    if any(token["digits"] for token in beside):
        return known
    led = at > 0 and (tokens[at - 1]["word"] or "").lower() in _BEFORE
    return known if word[0].isupper() and led else ""


def _value(tokens: Sequence[re.Match[str]], at: int) -> tuple[str | None, int]:
    """The number that begins at token `at` and the token after it."""
    if tokens[at]["digits"]:
        return _of_digits(tokens, at)
    return _of_words(tokens, at)


def _of_digits(tokens: Sequence[re.Match[str]], at: int) -> tuple[str | None, int]:
    token = tokens[at]
    digits, tail = token["digits"], (token["tail"] or "").lower()
    if ":" in digits or tail in ("am", "pm") or _word(tokens, at + 1) in ("am", "pm"):
        return _clock(tokens, at)
    if digits.count(".") > 1:
        return ".".join(str(int(part)) for part in digits.split(".")), at + 1
    value = Decimal(digits) * (-1 if token["sign"] else 1)
    if tail and tail not in _UNITS and tail not in _SCALES and tail not in ("st", "nd", "rd", "th", "x"):
        return None, at + 1
    if tail in _SCALES and tail not in _UNITS:
        return _plain(value * _SCALES[tail]), at + 1
    scale = "" if tail else _word(tokens, at + 1)
    if scale in _SCALES and len(scale) > 1:
        return _plain(value * _SCALES[scale]), at + 2
    return _plain(value), at + 1


def _clock(tokens: Sequence[re.Match[str]], at: int) -> tuple[str | None, int]:
    half, after = (tokens[at]["tail"] or "").lower(), at + 1
    if not half and _word(tokens, after) in ("am", "pm"):
        half, after = _word(tokens, after), after + 1
    parts = [int(part) for part in re.split(r"[.:]", tokens[at]["digits"])] + [0]
    hour = parts[0] % 12 + (12 if half == "pm" else 0) if half in ("am", "pm") else parts[0]
    return f"{hour}:{parts[1]:02d}", after


def _of_words(tokens: Sequence[re.Match[str]], at: int) -> tuple[str | None, int]:
    """A number in words, like `two hundred and five` or `twenty-first`."""
    total, last, after = 0, 0, at
    while after < len(tokens) and (step := _step(tokens, after, at, last)) is not None:
        grows, number = step
        total = total - last + max(last, 1) * number if grows else total + number
        last = total if grows else (last + number if last >= 20 else number)  # noqa: PLR2004 - twenty and one
        after += 1
    return (str(total), after) if after > at else (None, at + 1)


def _step(tokens: Sequence[re.Match[str]], after: int, start: int, last: int) -> tuple[bool, int] | None:
    word = _word(tokens, after)
    if word in _SCALES and len(word) > 1 and (after > start):
        return True, _SCALES[word]
    if word in _TENS and (after == start or last >= 100):  # noqa: PLR2004 - two hundred twenty
        return False, _TENS[word]
    if word in _SMALL and (after == start or 20 <= last < 100 or last >= 100):  # noqa: PLR2004 - as above
        return (False, _SMALL[word]) if after > start or _counts(tokens, after) else None
    return None


def _counts(tokens: Sequence[re.Match[str]], at: int) -> bool:
    """Whether a small number word is a number here: `one` and `second` are often something else."""
    word, before, following = _word(tokens, at), _word(tokens, at - 1), _word(tokens, at + 1)
    if word == "one":
        return (
            before not in ("no", "any", "some", "every", "each", "this", "that", "the")
            and following != "another"
        )
    if word == "second":
        return before in ("the", "every", "our", "its", "their")
    return True


def _measured(tokens: Sequence[re.Match[str]], at: int, value: str, after: int) -> tuple[Quantity, int]:
    """`value` with the unit that stands in its tail, after it, or before it like a currency."""
    tail = (tokens[at]["tail"] or "").lower()
    if tail in _UNITS:
        return Quantity(value, _UNITS[tail].name), after
    written = _word(tokens, after)
    if written in _UNITS and ":" not in value and (len(written) > 1 or not written.isalpha()):
        return Quantity(value, _UNITS[written].name), after + 1
    mark = tokens[at - 1]["mark"] if at else None
    return Quantity(value, _UNITS[mark].name if mark else ""), after


def _word(tokens: Sequence[re.Match[str]], at: int) -> str:
    return (tokens[at]["word"] or tokens[at]["mark"] or "").lower() if 0 <= at < len(tokens) else ""


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}" if value else "0"
