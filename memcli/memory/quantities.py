"""Numbers, dates and measures in a text, in one spelling, so that "14 days" is never "30 days".

Vectors hardly see a number: a claim and its update often lie closer together than a claim
and its paraphrase. So whatever is counted, dated or measured is read out of the text and
compared by value: `fourteen days`, `14-day` and `two weeks` agree, `14 days` and `14 weeks`
do not. English number words; digits of any script.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from memcli.memory.tokens import spelled_out
from memcli.memory.units import UNITS, Quantity, plain

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
_HALVES: Final = ("am", "pm")
_TAILS: Final = frozenset((*UNITS, *_SCALES, "st", "nd", "rd", "th", "x"))
_LONGEST: Final = 24  # characters; asserted: longer runs of digits are names, not amounts
_MEASURABLE = re.compile(r"-?\d{1,40}(?:\.\d{1,40})?")
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})(?:[Tt ](?=\d{2}:\d{2}))?")
_HALF_DAY = re.compile(r"(?i)\b([ap])\. ?m\b\.?")
_TOKEN = re.compile(
    r"(?P<sign>(?<![\w.)])-)?(?<![A-Za-z0-9_])(?:[vV](?=\d))?(?P<digits>\d+(?:[.:]\d+)*)"
    r"(?P<tail>[A-Za-z]+)?(?![A-Za-z0-9_])"
    r"|(?P<word>[^\W\d_]+)|(?P<mark>[%$€£])",
)


def numbers(text: str) -> frozenset[Quantity]:
    """Everything counted, dated or measured in `text`, each once."""
    return frozenset(in_order(text))


def in_order(text: str) -> tuple[Quantity, ...]:
    """Everything counted, dated or measured in `text`, as it stands there."""
    return tuple(one for one in _read(text) if isinstance(one, Quantity))


def counts(word: str) -> bool:
    """Whether a folded word is a part of a number, a date or an hour."""
    named = any(word in known for known in (_SMALL, _TENS, _SCALES, _MONTHS, _DAYS, _HALVES))
    return named or word[:1].isdigit()


def exchanged(one: str, other: str) -> bool:
    """Whether the words are the same and another number stands in some place: "table 3 seats 4"."""
    ours, theirs = list(_read(one)), list(_read(other))
    if len(ours) != len(theirs):
        return False
    differing = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b]
    numbers = [(a, b) for a, b in differing if isinstance(a, Quantity) and isinstance(b, Quantity)]
    return len(numbers) == len(differing) and not all(a.agrees(b) for a, b in numbers)


def lacking(one: frozenset[Quantity], other: frozenset[Quantity]) -> frozenset[Quantity]:
    """The quantities of `one` that nothing in `other` agrees with."""
    return frozenset(q for q in one if not any(q.agrees(p) for p in other))


def _spelled_date(found: re.Match[str]) -> str:
    month = int(found[2])
    if not 1 <= month <= 12:  # noqa: PLR2004 - months of a year
        return found[0]
    return f"{int(found[3])} {_MONTH_WORDS.split()[month - 1].title()} {found[1]} "


def _read(text: str) -> Iterator[Quantity | str]:
    """The quantities of `text` and the words between them."""
    tokens = list(_TOKEN.finditer(_HALF_DAY.sub(r"\1m", _ISO.sub(_spelled_date, spelled_out(text)))))
    at = 0
    while at < len(tokens):
        name = _calendar_name(tokens, at)
        value, after = (None, at + 1) if name else _value(tokens, at)
        if value is not None:
            quantity, after = _measured(tokens, at, value, after)
            yield quantity
        else:
            yield Quantity(name) if name else tokens[at][0].lower()
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
    if len(digits) > _LONGEST:
        return digits, at + 1
    if ":" in digits or tail in _HALVES or _word(tokens, at + 1) in _HALVES:
        return _clock(tokens, at)
    if digits.count(".") > 1:
        return ".".join(str(int(part)) for part in digits.split(".")), at + 1
    if tail and tail not in _TAILS:
        return None, at + 1
    return _scaled(tokens, at, Decimal(digits) * (-1 if token["sign"] else 1))


def _scaled(tokens: Sequence[re.Match[str]], at: int, value: Decimal) -> tuple[str, int]:
    """`value` with the scale in its tail (`10k`) or in the next word (`1.5 million`)."""
    tail = (tokens[at]["tail"] or "").lower()
    if tail in _SCALES and tail not in UNITS:
        return plain(value * _SCALES[tail]), at + 1
    scale = "" if tail else _word(tokens, at + 1)
    if scale in _SCALES and len(scale) > 1:
        return plain(value * _SCALES[scale]), at + 2
    return plain(value), at + 1


def _clock(tokens: Sequence[re.Match[str]], at: int) -> tuple[str | None, int]:
    half, after = (tokens[at]["tail"] or "").lower(), at + 1
    if not half and _word(tokens, after) in _HALVES:
        half, after = _word(tokens, after), after + 1
    parts = [int(part) for part in re.split(r"[.:]", tokens[at]["digits"])] + [0]
    hour = parts[0] % 12 + (12 if half == "pm" else 0) if half in _HALVES else parts[0]
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
    if not _MEASURABLE.fullmatch(value):
        return Quantity(value), after
    tail = (tokens[at]["tail"] or "").lower()
    if tail in UNITS:
        return Quantity(value, UNITS[tail].name), after
    written = _word(tokens, after)
    if written in UNITS and (len(written) > 1 or not written.isalpha()):
        return Quantity(value, UNITS[written].name), after + 1
    mark = tokens[at - 1]["mark"] if at else None
    return Quantity(value, UNITS[mark].name if mark else ""), after


def _word(tokens: Sequence[re.Match[str]], at: int) -> str:
    return (tokens[at]["word"] or tokens[at]["mark"] or "").lower() if 0 <= at < len(tokens) else ""
