"""The grammar of one command line: what verbs, arguments and options are, and a call of one.

Two readers build a `Call`, the light one (`parse`) and typer's (`typer_app`). They split
words alike and leave what a value means to `settle`, so that a bad value, a missing
argument and a contradiction are told the same way whoever read them. They are named tuples
because every call makes these classes, and a frozen dataclass takes half a millisecond.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from memcli.errors import Usage

FLAG: Final = "flag"
TEXT: Final = "text"
COUNT: Final = "count"  # a whole number from 1
NUMBER: Final = "number"  # a number from 0 to 1

_PATHS: Final = ("PATH", "FILE", "DIR")  # what takes a name of the file system, by its metavar
# By their metavars: free text, and what is refused further down with a sentence of its own when it is blank.
_SAYS_SO: Final = ("TEXT", "TEMPLATE", "TIME", "TIME|REV", "DATE", "DIGEST")
_BLANK_OPTIONS: Final = (*_SAYS_SO, "PATH")
_BLANK_ARGUMENTS: Final = (*_SAYS_SO, "ID", "OLD", "NEW", "QUERY", "WORDS")
_SHOWN: Final = 60  # characters of a wrong value

Value = str | bool | int | float | tuple[str, ...] | None


class Argument(NamedTuple):
    """One place after the verb; `many` takes all that follow.

    `unless` names a flag that stands in for it; `completes` is what a shell may offer:
    ids, scopes, verbs or nothing.
    """

    name: str
    metavar: str
    help: str
    required: bool = True
    many: bool = False
    choices: tuple[str, ...] = ()
    unless: str = ""
    completes: str = ""

    @property
    def place(self) -> str:
        """How a usage line shows it: what may be left out in brackets."""
        name = f"{self.metavar}..." if self.many else self.metavar
        return name if self.required and not self.unless else f"[{name}]"


class Option(NamedTuple):
    """One option; its first flag, without dashes, names its value in a call."""

    flags: tuple[str, ...]
    help: str
    kind: str = FLAG
    metavar: str = ""
    choices: tuple[str, ...] = ()
    repeated: bool = False
    completes: str = ""

    @property
    def name(self) -> str:
        """The key of its value, like `as_of` for `--as-of`."""
        return self.flags[0].lstrip("-").replace("-", "_")

    @property
    def empty(self) -> Value:
        """What its value is when nobody gave it."""
        if self.kind == FLAG:
            return False
        return () if self.repeated else None


class Verb(NamedTuple):
    """One verb: `run` is `module:function`, imported only when it is called.

    Of each row of `exclusive` at most one option may be given; `needs` pairs an option with
    another that it makes no sense without; `format` names the JSON that it answers with.
    """

    name: str
    group: str
    run: str
    summary: str
    examples: tuple[str, ...]
    details: str = ""
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    exclusive: tuple[tuple[str, ...], ...] = ()
    needs: tuple[tuple[str, str], ...] = ()
    codes: tuple[int, ...] = ()
    format: str = ""


class Call(NamedTuple):
    """A well-formed command line: a verb with a value for every argument and option."""

    verb: Verb
    values: Mapping[str, Value]

    def flag(self, name: str) -> bool:
        """Whether the flag was given; False where the verb has no such flag."""
        return self.values.get(name) is True

    def text(self, name: str) -> str | None:
        """The text of an option or single argument, None when not given."""
        value = self.values.get(name)
        return value if isinstance(value, str) else None

    def texts(self, name: str) -> tuple[str, ...]:
        """All texts of a repeated option or of an argument that takes many."""
        value = self.values.get(name)
        return value if isinstance(value, tuple) else ()

    def whole(self, name: str) -> int | None:
        """The whole number of a COUNT option, None when not given."""
        value = self.values.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def number(self, name: str) -> float | None:
        """The number of a NUMBER option, None when not given."""
        value = self.values.get(name)
        return value if isinstance(value, float) else None


def is_option(word: str) -> bool:
    """Whether `word` asks to be read as an option: a letter or digit follows its dash or dashes.

    So `- buy milk`, `->method(` and a lone `-` are text.
    """
    rest = word[2:] if word.startswith("--") else word[1:]
    return word.startswith("-") and rest[:1].isascii() and rest[:1].isalnum()


def settle(verb: Verb, common: Sequence[Option], given: Mapping[str, Sequence[str]]) -> Call:
    """The call that the words amount to; `given` holds every value as written, flags as "".

    Raises Usage.
    """
    values: dict[str, Value] = {}
    for argument in verb.arguments:
        values[argument.name] = _placed(verb, argument, given)
    for option in (*common, *verb.options):
        written = given.get(option.name, ())
        values[option.name] = _valued(verb, option, written) if written else option.empty
    _refuse_contradictions(verb, common, values)
    return Call(verb, values)


def _placed(verb: Verb, argument: Argument, given: Mapping[str, Sequence[str]]) -> Value:
    words = tuple(given.get(argument.name, ()))
    if argument.unless and argument.unless in given:
        if words:
            both = f"{argument.metavar} or --{argument.unless}"
            raise Usage(f"mem {verb.name} takes {both}, not both.", _help_of(verb))
        return ()
    if not words and argument.required:
        raise Usage(f"mem {verb.name} needs {argument.metavar}: {argument.help}.", _help_of(verb))
    for word in words:
        _utf8(argument.metavar, argument.metavar, word)
        _among(argument.metavar, word, argument.choices)
        if argument.metavar not in _BLANK_ARGUMENTS:
            _not_blank(argument.metavar, argument.metavar, word)
    if argument.many:
        return words
    return words[0] if words else None


def _valued(verb: Verb, option: Option, written: Sequence[str]) -> Value:
    if option.kind == FLAG:
        return True
    counted = written if option.repeated else written[-1:]  # the last one holds, as everywhere
    for word in counted:
        _utf8(option.flags[0], option.metavar, word)
        _among(option.flags[0], word, option.choices)
        if option.kind == TEXT and option.metavar not in _BLANK_OPTIONS:
            _not_blank(option.flags[0], option.metavar, word)
    if option.kind == COUNT:
        return _count(verb, option, counted[-1])
    if option.kind == NUMBER:
        return _number(verb, option, counted[-1])
    return tuple(counted) if option.repeated else counted[-1]


def _utf8(place: str, metavar: str, word: str) -> None:
    """Text must be UTF-8; a path is whatever the file system calls it, which no NUL can be part of."""
    if "\0" in word:
        raise Usage(f"{place} holds a NUL character.", "Leave it out.")
    if metavar in _PATHS or word.isascii():
        return
    try:
        word.encode()
    except UnicodeEncodeError as error:
        raise Usage(
            f"{place} is not UTF-8 after {word[: error.start][-_SHOWN:]!r}.",
            "Convert it first, for example with iconv.",
        ) from error


def _quoted(word: str) -> str:
    """A wrong value as a message shows it."""
    return repr(word if len(word) <= _SHOWN else word[:_SHOWN] + "…")


def _among(place: str, word: str, choices: tuple[str, ...]) -> None:
    if choices and word not in choices:
        raise Usage(f"{place} cannot be {_quoted(word)}.", f"Choose {', '.join(choices)}.")


def _not_blank(place: str, metavar: str, word: str) -> None:
    """What names something must name it: a blank one (an unset variable) would count as not given."""
    if not (word if metavar in _PATHS else word.strip()):
        raise Usage(f"{place} is blank.", "Give it a value, or leave it out.")


def _count(verb: Verb, option: Option, word: str) -> int:
    if not (word.isascii() and word.isdigit()) or len(word) > 9 or int(word) < 1:  # noqa: PLR2004 - below 2^31
        raise Usage(
            f"{option.flags[0]} cannot be {_quoted(word)}: it is a whole number from 1.", _help_of(verb)
        )
    return int(word)


def _number(verb: Verb, option: Option, word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:  # which nan is not either
        raise Usage(
            f"{option.flags[0]} cannot be {_quoted(word)}: it is a number from 0 to 1.", _help_of(verb)
        )
    return value


def _refuse_contradictions(verb: Verb, common: Sequence[Option], values: Mapping[str, Value]) -> None:
    flags = {option.name: option.flags[0] for option in (*common, *verb.options)}
    for rivals in (("quiet", "verbose"), *verb.exclusive):
        both = [flags.get(name, name) for name in rivals if values.get(name)]
        if len(both) > 1:
            raise Usage(f"{' and '.join(both)} contradict each other.", _help_of(verb))
    for name, other in verb.needs:
        if values.get(name) and not values.get(other):
            raise Usage(f"{flags[name]} goes only with {flags[other]}.", _help_of(verb))


def _help_of(verb: Verb) -> str:
    return f"See mem {verb.name} --help."
