"""Believed: what the record held at a moment."""

from typing import Final

from memcli.cli.grammar import TEXT, Argument, Option, Verb
from memcli.cli.words.common import OK_IF_EMPTY, ONLY_TAG, ONLY_TYPE

BELIEVED: Final = Verb(
    name="believed",
    group="reading",
    run="memcli.cli.verbs.believed:believed",
    summary="Show what was believed on a day.",
    examples=(
        "mem believed --on 2026-11-30 refund window",
        "mem believed --on 2026-11-30",
        "mem believed --on HEAD~20 --type decision",
    ),
    details=(
        "What the store held at the end of that day and took for true then; a time or a revision of git "
        "names another point. With words what answers them, as mem recall --known-at does; without, all of "
        "it. What is forgotten by now is shown at no time. A history that was rewritten answers nothing "
        "(exit 7). In a pipe: id and claim with a tab between them."
    ),
    arguments=(Argument("query", "QUERY", "what to look for, in words", required=False, many=True),),
    options=(
        Option(("--on",), "The point: a date (its end), a time, or a revision.", TEXT, "DATE"),
        ONLY_TYPE,
        ONLY_TAG,
        OK_IF_EMPTY,
    ),
    codes=(0, 1, 2, 4, 5, 6, 7, 9),
    format="mem.believed/1",
)

VERBS: Final = (BELIEVED,)
