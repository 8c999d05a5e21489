"""Gold sets: what questions must be answered with, as a person writes it down.

One YAML file a set, read like a frontmatter: scalars are text, nothing is constructed, and a
mistake has its line. A key that is not known is a mistake, because a requirement that is spelled
wrong would hold for ever.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from types import MappingProxyType
from typing import Final

from memcli.errors import BadFile
from memcli.memory import times
from memcli.memory.requirement import Required
from memcli.memory.visibility import Mode
from memcli.store import head
from memcli.store.head import Keyed, Listed, NotRead, Text, Value
from memcli.store.problem import Problem

OUTCOMES: Final = ("found", "absent", "withheld", "over_budget", "gated")
EVENTS: Final = ("auto", "only", "none")
_LISTS: Final = ("required", "forbidden", "history-only", "optional", "type", "tag")
_HOW: Final = ("scope", "as-of", "known-at", "mode", "events", "gate", "k", "budget", "floor")
_DIGITS: Final = 10  # of a whole number: below 2^31
_SHARE: Final = re.compile(r"0(?:\.\d+)?|1(?:\.0+)?", re.ASCII)
_CASE: Final = frozenset({"query", "outcome", "expected-empty", "max-items", "why", *_LISTS, *_HOW})
_SET: Final = frozenset({"cases", "about", *_HOW})


@dataclass(frozen=True, slots=True)
class Case:
    """One question and what its answer must be like; `line` is where it stands, `why` for people.

    `as_of` is seconds since 1970; what is not said (None) is as the store has it.
    """

    line: int
    query: str
    required: Required
    scope: str | None = None
    as_of: int | None = None
    known_at: str | None = None
    mode: str = Mode.DEFAULT.value
    events: str = "auto"
    gate: bool = False
    k: int | None = None
    budget: int | None = None
    floor: float | None = None
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    why: str = ""


@dataclass(frozen=True, slots=True)
class GoldSet:
    """The cases of one file; `path` as it was named."""

    path: str
    cases: tuple[Case, ...]


def parse(raw: bytes, path: str, zone: tzinfo) -> GoldSet:
    """The set that a file holds; times without offset are in `zone`. Raises BadFile, naming the line."""
    try:
        block = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise _bad(path, 1, "", "is not UTF-8") from error
    try:
        return _Reader(block, path, zone).whole(head.read(block))
    except NotRead as error:
        raise _bad(path, error.line or head.line_at(block, error.at), error.key, error.what) from error


def _bad(path: str, line: int, key: str, what: str) -> BadFile:
    problem = Problem(path, line, key, what.replace("the frontmatter", "the set"))
    return BadFile(f"{path} is no gold set.", "Correct it; mem eval --help names the keys.", (str(problem),))


@dataclass
class _Reader:
    """Reads one set. Every method raises NotRead at the place of the mistake."""

    block: str
    path: str
    zone: tzinfo
    above: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))

    def whole(self, top: Keyed) -> GoldSet:
        _known(top, _SET)
        self.above = {key: value for key, value in top.members.items() if key in _HOW}
        cases = top.members.get("cases")
        if not isinstance(cases, Listed) or not cases.members:
            raise NotRead(top.start, "cases", "is to be a list of questions")
        return GoldSet(self.path, tuple(self._case(one) for one in cases.members))

    def _case(self, one: Value) -> Case:
        if not isinstance(one, Keyed):
            raise NotRead(one.start, "cases", "each is to have lines `key: value`")
        _known(one, _CASE)
        said = {**self.above, **one.members}
        query = _text(said, "query")
        if not query:
            raise NotRead(one.start, "query", "is missing")
        return Case(
            line=head.line_at(self.block, one.start),
            query=query,
            required=self._required(said, one),
            scope=_text(said, "scope") or None,
            as_of=self._moment(said),
            known_at=_text(said, "known-at") or None,
            mode=_among(said, "mode", tuple(Mode)) or Mode.DEFAULT.value,
            events=_among(said, "events", EVENTS) or "auto",
            gate=_among(said, "gate", ("auto", "off")) == "auto",
            k=_whole(said, "k"),
            budget=_whole(said, "budget"),
            floor=_share(said, "floor"),
            types=_list(said, "type") or (),
            tags=_list(said, "tag") or (),
            why=_text(said, "why"),
        )

    def _required(self, said: Mapping[str, Value], one: Keyed) -> Required:
        made = Required(
            required=_list(said, "required") or (),
            forbidden=_list(said, "forbidden") or (),
            history_only=_list(said, "history-only") or (),
            optional=_list(said, "optional"),
            empty=_among(said, "expected-empty", ("true", "false")) == "true",
            most=_whole(said, "max-items"),
            outcome=_among(said, "outcome", OUTCOMES),
        )
        if made == Required():
            raise NotRead(one.start, "query", "asks for nothing: say what is required, forbidden or empty")
        if made.empty and made.required:
            raise NotRead(one.start, "expected-empty", "contradicts what is required")
        return made

    def _moment(self, said: Mapping[str, Value]) -> int | None:
        written = _text(said, "as-of")
        try:
            return times.parse(written, self.zone) if written else None
        except times.NotATime as error:
            raise NotRead(said["as-of"].start, "as-of", str(error)) from error


def _known(value: Keyed, keys: frozenset[str]) -> None:
    for name, key in value.keys.items():
        if name not in keys:
            raise NotRead(key.start, name, f"is no key here; there are {', '.join(sorted(keys))}")


def _text(said: Mapping[str, Value], key: str) -> str:
    value = said.get(key)
    if value is not None and not isinstance(value, Text):
        raise NotRead(value.start, key, "is to be one text")
    return value.value.strip() if value else ""


def _among(said: Mapping[str, Value], key: str, choices: tuple[str, ...]) -> str:
    word = _text(said, key)
    if word and word not in choices:
        raise NotRead(said[key].start, key, f"{word!r} is not one of {', '.join(choices)}")
    return word


def _list(said: Mapping[str, Value], key: str) -> tuple[str, ...] | None:
    """The texts of a list, of which one alone may stand without a list; None where nothing is said."""
    value = said.get(key)
    if value is None:
        return None
    members = value.members if isinstance(value, Listed) else (value,)
    if not all(isinstance(one, Text) for one in members):
        raise NotRead(value.start, key, "is to be a list of texts")
    return tuple(one.value.strip() for one in members if isinstance(one, Text) and one.value.strip())


def _whole(said: Mapping[str, Value], key: str) -> int | None:
    word = _text(said, key)
    if word and not (word.isascii() and word.isdigit() and len(word) < _DIGITS):
        raise NotRead(said[key].start, key, f"{word!r} is no whole number")
    return int(word) if word else None


def _share(said: Mapping[str, Value], key: str) -> float | None:
    word = _text(said, key)
    if word and not _SHARE.fullmatch(word):
        raise NotRead(said[key].start, key, f"{word!r} is no number from 0 to 1")
    return float(word) if word else None
