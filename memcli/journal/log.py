"""Reads what `git log -z` writes, token by token, so that no name and no message can break it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from memcli.journal.process import Git

_TWO_PATHS: Final = "RC"  # a rename or a copy names where it came from and where it went


@dataclass(frozen=True, slots=True)
class Touched:
    """A file that a commit changed: its blob afterwards (zeros: removed) and its path in the repository.

    `before` is its blob in the first parent (zeros: not there), `mode` as git writes it, like `100644`,
    and `mode_before` the one in the first parent.
    """

    blob: str
    path: str
    before: str = ""
    mode: str = ""
    mode_before: str = ""


@dataclass(frozen=True, slots=True)
class Logged:
    """One commit: the text that the format gave, and what it touched where `--raw` asked for that."""

    text: str
    touched: tuple[Touched, ...]


def walk(git: Git, form: str, *words: str, given: bytes = b"") -> Iterator[Logged]:
    """The commits that `git log` lists for `words`, each as `form` (a pretty format) shows it."""
    out = git.read(
        "log",
        "-z",
        "--no-abbrev",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        "--encoding=UTF-8",
        f"--format=tformat:%x01{form}",
        *words,
        given=given,
    )
    return _commits(out.decode("utf-8", "surrogateescape").split("\0"))


def _commits(tokens: list[str]) -> Iterator[Logged]:
    text: str | None = None
    touched: list[Touched] = []
    rest = iter(tokens)
    for token in rest:
        if token.lstrip("\n").startswith(":"):
            touched.append(_touched(token.lstrip("\n"), rest))
        elif token.startswith("\x01"):
            if text is not None:
                yield Logged(text, tuple(touched))
            text, touched = token[1:], []
    if text is not None:
        yield Logged(text, tuple(touched))


def _touched(stated: str, rest: Iterator[str]) -> Touched:
    """`stated` is `:mode mode blob blob letter`, or with one more colon, mode and blob for each parent."""
    parents = len(stated) - len(stated.lstrip(":"))
    words = stated.split(" ")
    if words[-1][:1] in _TWO_PATHS and parents == 1:
        next(rest)
    modes = words[parents], words[0].lstrip(":")
    return Touched(words[2 * parents + 1], next(rest), words[parents + 1], *modes)
