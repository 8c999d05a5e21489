"""The reference of the command line as markdown, made from the declarations.

`python -m memcli.cli.reference > docs/cli.md`; a test compares the two.
"""

import sys
from collections.abc import Iterator

from memcli.cli import words
from memcli.cli.grammar import FLAG, Option, Verb

CODES = {
    0: "done; for recall, list and log: something was found",
    1: "nothing found (absent, withheld, over budget, gated)",
    2: "the command line is wrong",
    3: "no such memory, or several match (they are listed)",
    4: "a file does not fit the format (`path:line: key: what`)",
    5: "refused: a person's act, a secret, skipped as removed",
    6: "index, encoder, git or editor unavailable; files are unharmed",
    7: "history was rewritten or cut; the question can't be answered from it",
    8: "try again: busy, changed underneath, a merge in progress on that file",
    9: "no store here",
    70: "a bug; a log is written and its path printed",
    130: "interrupted",
    141: "the reader closed the pipe (silent)",
}

_INTRODUCTION = """\
# The command line

<!-- Made by `python -m memcli.cli.reference > docs/cli.md`. -->

`mem VERB [ARGUMENTS] [OPTIONS]`. Results go to stdout, everything else to stderr. At a
terminal the answer is laid out for reading; in a pipe it is one line a memory with tabs
between the cells; with `--json` it is one JSON object whose `format` names it, and for
several ids one a line. Formats only ever gain keys within a number.

Words that begin with a dash and a letter or digit are options; put `--` before text that
does, or give the text on stdin with `-`. A single argument cannot hold more than about
128 KiB on Linux; longer text goes through stdin too.
"""


def lines() -> Iterator[str]:
    """The reference, line by line."""
    yield _INTRODUCTION
    yield from _options("## Before or after any verb", words.COMMON)
    for group in words.GROUPS:
        yield f"## {group.capitalize()}\n"
        for verb in words.all_verbs():
            if verb.group == group:
                yield from _verb(verb)
    yield "## Exit codes\n"
    yield "| code | meaning |\n|---|---|"
    for code, meaning in CODES.items():
        yield f"| {code} | {meaning} |"
    yield (
        "\nAn error is one sentence that names the thing, then `Hint:` with what to do. With `--json` it is\n"
        '`{"format": "mem.error/1", "code": …, "message": …, "hint": …}` on stderr.'
    )


def _verb(verb: Verb) -> Iterator[str]:
    yield f"### mem {verb.name}\n"
    yield "```sh"
    yield from verb.examples
    yield "```\n"
    yield f"{verb.summary} {verb.details}".rstrip() + "\n"
    usage = " ".join(("mem", verb.name, *(one.place for one in verb.arguments)))
    yield f"`{usage} [OPTIONS]`\n"
    if verb.arguments:
        yield "| argument | |\n|---|---|"
        for argument in verb.arguments:
            yield f"| `{_cell(argument.metavar)}` | {_cell(argument.help)} |"
        yield ""
    if verb.options:
        yield from _options("", verb.options)
    answers = f" With `--json`: `{verb.format}`." if verb.format else ""
    yield f"Exit codes: {', '.join(map(str, verb.codes))}.{answers}\n"


def _options(head: str, options: tuple[Option, ...]) -> Iterator[str]:
    if head:
        yield f"{head}\n"
    yield "| option | |\n|---|---|"
    for option in options:
        value = "" if option.kind == FLAG else f" {'|'.join(option.choices) or option.metavar}"
        flags = ", ".join(f"`{_cell(flag + value)}`" for flag in option.flags)
        yield f"| {flags} | {_cell(option.help)} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def main() -> None:
    """Print the reference."""
    sys.stdout.write("\n".join(lines()) + "\n")


if __name__ == "__main__":
    main()
