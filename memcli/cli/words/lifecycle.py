"""Forget, unforget, supersede and undo: what changes whether a memory counts."""

from typing import Final

from memcli.cli.grammar import TEXT, Argument, Option, Verb
from memcli.cli.words.common import DRY_RUN, FROM_STDIN, REASON, YES

_IDS: Final = Argument(
    "ids",
    "ID",
    "the memory, by four or more characters of its id",
    many=True,
    unless="stdin",
    completes="ids",
)

FORGET: Final = Verb(
    name="forget",
    group="the lifecycle",
    run="memcli.cli.verbs.lifecycle:forget",
    summary="Forget a memory and hold it forgotten; a person's act.",
    examples=("mem forget b2c4", 'mem forget b2c4 --reason "wrong customer"'),
    details=(
        "Shows the memory, asks for its id on the terminal, marks the file and commits. From then on no "
        "question returns it, and whatever says it again is skipped. The text stays in the git history, and "
        "mem says so."
    ),
    arguments=(_IDS,),
    options=(REASON, YES, *FROM_STDIN),
    needs=(("null", "stdin"),),
    codes=(0, 2, 3, 4, 5, 6, 8, 9),
    format="mem.act/1",
)

UNFORGET: Final = Verb(
    name="unforget",
    group="the lifecycle",
    run="memcli.cli.verbs.lifecycle:unforget",
    summary="Take a forgotten memory back as it was; a person's act.",
    examples=("mem unforget b2c4",),
    details="Gives the file its earlier bytes and status back, by a new commit.",
    arguments=(_IDS,),
    options=(REASON, YES, *FROM_STDIN),
    needs=(("null", "stdin"),),
    codes=(0, 2, 3, 4, 5, 6, 8, 9),
    format="mem.act/1",
)

SUPERSEDE: Final = Verb(
    name="supersede",
    group="the lifecycle",
    run="memcli.cli.verbs.lifecycle:supersede",
    summary="Replace a memory that was right until now.",
    examples=(
        'mem supersede k3v9 --with "The refund window is 14 days." --from 2026-07-01',
        "mem supersede k3v9 p7q2",
    ),
    details=(
        "Closes the old claim's validity where the new one's begins and links both, in one commit. A "
        "question about a moment before the switch still gets the old claim."
    ),
    arguments=(
        Argument("old", "OLD", "the memory that was right until now", completes="ids"),
        Argument("new", "NEW", "the memory that replaces it", unless="with", completes="ids"),
    ),
    options=(
        Option(("--with",), "Remember this text as the new claim.", TEXT, "TEXT"),
        Option(
            ("--from",),
            "When the new one begins to be true (default: its own start, else now).",
            TEXT,
            "TIME",
        ),
        REASON,
    ),
    codes=(0, 2, 3, 4, 5, 6, 8, 9),
    format="mem.supersede/1",
)

UNDO: Final = Verb(
    name="undo",
    group="the lifecycle",
    run="memcli.cli.verbs.lifecycle:undo",
    summary="Take back your last act by a new commit.",
    examples=("mem undo", "mem undo --dry-run"),
    details="Reverses the last act of the same actor. A forget is taken back by a person only.",
    options=(DRY_RUN, YES),
    codes=(0, 2, 3, 4, 5, 6, 7, 8, 9),
    format="mem.undo/1",
)

VERBS: Final = (FORGET, UNFORGET, SUPERSEDE, UNDO)
