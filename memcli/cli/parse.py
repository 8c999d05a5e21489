"""The light reader: a well-formed command line without typer, which costs more than `mem show`.

It knows the same splitting rules as typer. What it cannot read it leaves to typer (None):
help, unknown options and verbs, an option without its value, a word too many. A property
test holds the two readers equal.
"""

from collections.abc import Sequence

from memcli.cli import words
from memcli.cli.grammar import FLAG, Call, Option, Verb, is_option, settle


class _Unreadable(Exception):
    """These words are typer's to explain."""


def parse(argv: Sequence[str]) -> Call | None:
    """The call that `argv` (without the program) makes, None where typer must read it. Raises Usage."""
    given: dict[str, list[str]] = {}
    common = {flag: option for option in words.COMMON for flag in option.flags}
    try:
        before = _Walk(common, given)
        verb_at = before.to_verb(argv)
        verb = words.find(argv[verb_at])
        if verb is None:
            return None
        own = {flag: option for option in verb.options for flag in option.flags}
        after = _Walk({**common, **own}, given)
        _place(verb, after.to_end(argv, verb_at + 1), given)
    except _Unreadable:
        return None
    return settle(verb, words.COMMON, given)


class _Walk:
    """One pass over words with the options that may stand there."""

    def __init__(self, options: dict[str, Option], given: dict[str, list[str]]) -> None:
        self._options = options
        self._given = given

    def to_verb(self, argv: Sequence[str]) -> int:
        """The place of the verb, options before it taken."""
        at = 0
        while at < len(argv) and is_option(argv[at]):
            at = self._option(argv, at)
        if at < len(argv) and argv[at] == "--":
            at += 1
        if at == len(argv):
            raise _Unreadable
        return at

    def to_end(self, argv: Sequence[str], at: int) -> list[str]:
        """The words that are no options, which may stand among them."""
        plain: list[str] = []
        while at < len(argv):
            if argv[at] == "--":
                return plain + list(argv[at + 1 :])
            if is_option(argv[at]):
                at = self._option(argv, at)
            else:
                plain.append(argv[at])
                at += 1
        return plain

    def _option(self, argv: Sequence[str], at: int) -> int:
        word = argv[at]
        if word.startswith("--"):
            flag, equals, value = word.partition("=")
            option = self._known(flag)
            if option.kind == FLAG:
                return self._take_flag(option, at) if not equals else self._fail()
            return self._take(option, value, at) if equals else self._take_next(option, argv, at)
        return self._short(argv, at)

    def _short(self, argv: Sequence[str], at: int) -> int:
        """`-k5`, `-k 5`, `-l0`: letters until one takes the rest, or the next word, as its value."""
        word = argv[at]
        for place in range(1, len(word)):
            option = self._known("-" + word[place])
            if option.kind != FLAG:
                rest = word[place + 1 :]
                return self._take(option, rest, at) if rest else self._take_next(option, argv, at)
            self._take_flag(option, at)
        return at + 1

    def _known(self, flag: str) -> Option:
        option = self._options.get(flag)
        if option is None:
            raise _Unreadable
        return option

    def _take_flag(self, option: Option, at: int) -> int:
        return self._take(option, "", at)

    def _take_next(self, option: Option, argv: Sequence[str], at: int) -> int:
        if at + 1 == len(argv):
            raise _Unreadable
        self._take(option, argv[at + 1], at)
        return at + 2

    def _take(self, option: Option, value: str, at: int) -> int:
        self._given.setdefault(option.name, []).append(value)
        return at + 1

    def _fail(self) -> int:
        raise _Unreadable


def _place(verb: Verb, plain: list[str], given: dict[str, list[str]]) -> None:
    """Put the plain words into the verb's arguments, in order."""
    rest = plain
    for argument in verb.arguments:
        taken = len(rest) if argument.many else 1
        if rest[:taken]:
            given[argument.name] = rest[:taken]
        rest = rest[taken:]
    if rest:
        raise _Unreadable
