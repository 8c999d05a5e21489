"""Stops a credential before it becomes a file and, for ever, a git object.

The answer is the name of a pattern, never the value, so that it can be shown and logged. A
refusal of ordinary text would teach people to override, so what is only shaped like one
passes: `<token>`, `${VAR}`, `xxxx`, names made of words. Those patterns of detect-secrets
that hardly ever err are asked as well; to import them costs 110 ms, so only about text
that holds a long run of letters and digits.
"""

import binascii
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from memcli.store.secret_shapes import (
    ASSIGNED,
    ASSIGNED_HINTS,
    BASIC,
    BASIC_HINT,
    PRIVATE_KEY,
    SHAPES,
    Shape,
)

# What stands in place of a value: brackets, variables, masks, and words that say so.
_PLACEHOLDER: Final = (
    r"(?i)<[^<>]*>|\{[^{}]*\}|\[[^\[\]]*\]|^\$\(?\w+\)?$|^%\w+%?$|^%\(\w+\)s$|^([x*.#_-])\1+$|x{5}|\*{3}|\.{3}|\u2026|\u2022{2}"
    r"|your|redacted|placeholder|change[_-]?me|replace[_-]?(?:me|this|with)|insert[_-]"
)
_PART: Final = r"(?:[A-Za-z]+\d{0,4}|[vV]?\d{1,6})"
_MADE_OF_WORDS: Final = rf"{_PART}(?:[._/:-]{{1,3}}{_PART})*"
_HARMLESS: Final = r"(?i)[~/.]|[a-z]+://|(?:sha\d{1,3}|md5|argon2\w*|p?bkdf2|scrypt|bcrypt|base\d\d|utf\d+)\b"
_SHORTEST_KEY: Final = 12
_MASK: Final = "[secret:{}]"
_ROUNDS: Final = 3  # asserted: taking one out can bring another to light, hardly ever a third

_LONG: Final = r"[A-Za-z0-9_-]{20,}|[A-Za-z0-9+/=]{40,}"
_BEFORE: Final = 80  # characters in which a vendor's name may stand before its key
_AFTER: Final = 60
_PIECE: Final = 2000  # no pattern is asked about more at a time: some search in quadratic time
_PLUGINS: Final = (
    ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"),
    ("cloudant", "CloudantDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("ibm_cloud_iam", "IbmCloudIamDetector"),
    ("ibm_cos_hmac", "IbmCosHmacDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("softlayer", "SoftlayerDetector"),
    ("telegram_token", "TelegramBotTokenDetector"),
)


def find(text: str) -> str | None:
    """The name of the pattern by which `text` holds a likely credential, or None."""
    return next((one.name for one in _all(text)), None)


def masked(text: str) -> tuple[str, tuple[str, ...]]:
    """`text` with `[secret:PATTERN]` in place of each likely credential, and the names of the patterns.

    What still looks like one then goes as a whole: a text is worth less than a secret costs.
    """
    names: list[str] = []
    for _ in range(_ROUNDS):
        found = sorted(_all(text), key=lambda one: (one.start, -one.end))
        if not found:
            return text, tuple(names)
        kept, end = [], 0
        for one in found:
            if one.start >= end:
                kept += [text[end : one.start], _MASK.format(one.name)]
                names.append(one.name)
            end = max(end, one.end)
        text = "".join(kept) + text[end:]
    left = find(text)
    return (text, tuple(names)) if left is None else (_MASK.format(left), (*names, left))


class _Found(NamedTuple):
    """Where in a text a likely credential stands, and by which pattern."""

    name: str
    start: int
    end: int


def _all(text: str) -> Iterator[_Found]:
    lowered = text.lower()
    for shape in SHAPES:
        if any(hint in lowered for hint in shape.hints):
            yield from _held(shape, text)
    if BASIC_HINT in lowered:
        for found in re.finditer(BASIC, text):
            if _is_basic(found[1]):
                yield _Found("basic-authorization", *found.span(1))
    if any(hint in lowered for hint in ASSIGNED_HINTS):
        for found in re.finditer(ASSIGNED, text):
            if _is_assigned(found):
                yield _Found("assigned-password" if found["password"] else "assigned-key", *_assigned(found))
    yield from _of_library(text)


def _held(shape: Shape, text: str) -> Iterator[_Found]:
    for found in re.finditer(shape.pattern, text):
        group = "value" if "value" in found.re.groupindex else 0
        value, (start, end) = found[group], found.span(group)
        if not _stands_in(value) and (not shape.run or _has_run(value, shape.run)):
            yield _Found(shape.name, start, _end_of_key(text, end) if shape.name == PRIVATE_KEY else end)


def _end_of_key(text: str, end: int) -> int:
    """Where a key that begins with its header ends: after its last line, or with the text."""
    last = re.compile(r"-----END [A-Z0-9 ]{0,60}-----").search(text, end)
    return last.end() if last else len(text)


def _assigned(found: re.Match[str]) -> tuple[int, int]:
    return next(found.span(group) for group in ("double", "single", "bare") if found[group])


def _stands_in(value: str) -> bool:
    """Whether it is a placeholder."""
    return re.search(_PLACEHOLDER, value) is not None


def _has_run(value: str, length: int) -> bool:
    return any(_mixed(run) for run in re.findall(rf"[A-Za-z0-9]{{{length},}}", value))


def _mixed(value: str) -> bool:
    """Whether it has letters and digits, as what is drawn at random nearly always has."""
    return re.search(r"[A-Za-z]", value) is not None and re.search(r"\d", value) is not None


def _is_basic(encoded: str) -> bool:
    """Whether it decodes to `user:password`, as a word after `basic` hardly can."""
    try:
        user, colon, password = binascii.a2b_base64(encoded).decode().partition(":")
    except ValueError:
        return False
    return bool(user and colon and password) and not _stands_in(password)


def _is_assigned(found: re.Match[str]) -> bool:
    """Whether what a telling name gets is a secret, and not a name, a path, a call, an algorithm."""
    value = found["double"] or found["single"] or found["bare"]
    if not _mixed(value) or _stands_in(value) or re.match(_HARMLESS, value):
        return False
    made_of_words = re.fullmatch(_MADE_OF_WORDS, value) is not None
    if found["password"]:
        return not made_of_words or re.search(r"[._/:-]", value) is None
    return len(value) >= _SHORTEST_KEY and not made_of_words


def _of_library(text: str) -> Iterator[_Found]:
    """What detect-secrets' patterns find, wherever it stands in the text."""
    for piece in _pieces(text):
        for plugin in _plugins():
            for value in plugin.analyze_string(piece):
                if _mixed(value) and not _stands_in(value) and _alone(value, piece):
                    name = plugin.secret_type.lower().replace(" ", "-")
                    yield from (_Found(name, *one.span()) for one in re.finditer(re.escape(value), text))


def _pieces(text: str) -> Iterator[str]:
    """What stands around the long runs in `text`, cut into overlapping pieces where it is long."""
    for start, end in _windows(text):
        for cut in range(start, max(end - _BEFORE, start + 1), _PIECE - _BEFORE - _AFTER):
            yield text[cut : min(cut + _PIECE, end)]


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """Where there are long runs, with what stands around them; those that overlap are one."""
    start = end = 0
    for found in re.finditer(_LONG, text):
        if not _mixed(found[0]):
            continue
        if found.start() - _BEFORE > end:
            if end:
                yield start, end
            start = found.start() - _BEFORE
        end = min(found.end() + _AFTER, len(text))
    if end:
        yield start, end


@cache
def _plugins() -> tuple[Any, ...]:
    from importlib import import_module

    return tuple(getattr(import_module(f"detect_secrets.plugins.{name}"), kind)() for name, kind in _PLUGINS)


def _alone(value: str, piece: str) -> bool:
    """Whether it stands by itself, not as a part of something longer, like a hash."""
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", piece) is not None
