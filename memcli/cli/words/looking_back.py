"""History, timeline, diff and blame: the past, told in claims."""

from typing import Final

from memcli.cli.grammar import TEXT, Argument, Option, Verb
from memcli.cli.words.common import LIMIT, OK_IF_EMPTY

HISTORY: Final = Verb(
    name="history",
    group="reading",
    run="memcli.cli.verbs.looking_back:history",
    summary="Show every recorded state of a memory, with both times.",
    examples=("mem history k3v9", "mem history k3v9 --json"),
    details=(
        "Left when it was recorded, then from when until when it was held to be true; below, as a grid, "
        "what was known when about which time. A state that is not saved yet comes last, and a memory "
        "whose file is gone still has its history. In a pipe: recorded, true from, true until, status, "
        "actor, act and claim with tabs between them."
    ),
    arguments=(Argument("id", "ID", "the memory, by four or more characters of its id", completes="ids"),),
    codes=(0, 2, 3, 4, 5, 6, 7, 9),
    format="mem.history/1",
)

TIMELINE: Final = Verb(
    name="timeline",
    group="reading",
    run="memcli.cli.verbs.looking_back:timeline",
    summary="Show what changed when, or what held at each time.",
    examples=(
        "mem timeline refund window",
        "mem timeline --active --concept 'refund window'",
        "mem timeline --active --known-at 2026-07-20",
        "mem timeline --from 2026-11-01 --to 2026-12-01",
    ),
    details=(
        "What happened to memories, in the order in which it was recorded, and what was said about it. "
        "Words choose the memories that ever held all of them; without any, all of the scope. With "
        "--active the world's time instead: each claim with the time in which it is the answer, as it is "
        "known now, or was at --known-at. What is forgotten is named without its text, and for an agent "
        "left out. In a pipe: recorded, what happened, id, status, actor and claim with tabs between "
        "them; with --active true from, true until, id, status and claim."
    ),
    arguments=(Argument("query", "QUERY", "words of the memories", required=False, many=True),),
    options=(
        Option(("--concept",), "Only claims about this concept.", TEXT, "CONCEPT"),
        Option(("--active",), "Show what held at each time instead of what changed."),
        Option(
            ("--known-at",),
            "With --active, as it was known then: a date (its end), a time, or a revision.",
            TEXT,
            "TIME",
        ),
        Option(("--from",), "Only from then on; a date is the start of that day.", TEXT, "TIME"),
        Option(("--to",), "Only until then; a date is the end of that day.", TEXT, "TIME"),
        Option(
            ("--events",),
            "What was said: auto adds what has the words and no shown memory rests on; or only, none.",
            TEXT,
            "HOW",
            ("auto", "only", "none"),
        ),
        LIMIT,
        OK_IF_EMPTY,
    ),
    exclusive=(("active", "events"),),
    needs=(("known_at", "active"),),
    codes=(0, 1, 2, 4, 5, 6, 7, 9),
    format="mem.timeline/1",
)

DIFF: Final = Verb(
    name="diff",
    group="reading",
    run="memcli.cli.verbs.looking_back:diff",
    summary="Show what differs between two states of the store, in claims instead of lines.",
    examples=("mem diff", "mem diff 2026-11-30", "mem diff HEAD~5 HEAD", "mem diff 2026-11-30..2026-12-31"),
    details=(
        "A revision, a time, or a date, which is the end of that day. One is compared with the files as "
        "they are, saved or not; none means the last commit. In a pipe: what happened, id, earlier status, "
        "status, the keys that differ, actor, earlier claim and claim with tabs between them."
    ),
    arguments=(Argument("places", "REV", "a revision, a date or a time", required=False, many=True),),
    options=(OK_IF_EMPTY,),
    codes=(0, 1, 2, 4, 5, 6, 7, 9),
    format="mem.diff/1",
)

BLAME: Final = Verb(
    name="blame",
    group="reading",
    run="memcli.cli.verbs.looking_back:blame",
    summary="Show whose word each line of a memory is, and since when.",
    examples=("mem blame k3v9", "mem blame k3v9 --json"),
    details=(
        "A person's, an agent's, the consolidator's, or not saved yet. In a pipe: line, recorded, whose, "
        "actor, act, commit and text with tabs between them."
    ),
    arguments=(Argument("id", "ID", "the memory, by four or more characters of its id", completes="ids"),),
    codes=(0, 2, 3, 4, 5, 6, 7, 9),
    format="mem.blame/1",
)

VERBS: Final = (HISTORY, TIMELINE, DIFF, BLAME)
