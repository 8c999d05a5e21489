"""Forget, supersede, reopen, review, stage, undo, purge: what changes whether a memory counts."""

from typing import Final

from memcli.cli.grammar import TEXT, Argument, Option, Verb
from memcli.cli.words.common import DRY_RUN, FROM_STDIN, IDS, OK_IF_EMPTY, REASON, YES

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
        "question returns it, and whatever says it again is skipped. Another memory that says the same "
        "already goes on counting, and is named. The text stays in the git history, and mem says so."
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
    codes=(0, 2, 3, 4, 5, 6, 7, 8, 9),
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
        "question about a moment before the switch still gets the old claim. A text that another memory has "
        "already makes no second one: it is refused, and the command that replaces by that one is named."
    ),
    arguments=(
        Argument("old", "OLD", "the memory that was right until now", completes="ids"),
        Argument("new", "NEW", "the memory that replaces it", unless="with", completes="ids"),
    ),
    options=(
        Option(("--with",), "Remember this text as the new claim (- is stdin).", TEXT, "TEXT"),
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

REOPEN: Final = Verb(
    name="reopen",
    group="the lifecycle",
    run="memcli.cli.verbs.lifecycle:reopen",
    summary="Let a stale, archived or superseded memory count again; a person's act.",
    examples=("mem reopen k3v9", 'mem reopen k3v9 --reason "the report was wrong"'),
    details=(
        "Gives the file its earlier bytes and status back where nothing was edited since, else its earlier "
        "status and window. What was given up because nothing resonated counts from now on."
    ),
    arguments=(_IDS,),
    options=(REASON, YES, *FROM_STDIN),
    needs=(("null", "stdin"),),
    codes=(0, 2, 3, 4, 5, 6, 8, 9),
    format="mem.act/1",
)

REVIEW: Final = Verb(
    name="review",
    group="the lifecycle",
    run="memcli.cli.verbs.review:review",
    summary="Decide about what waits for a person.",
    examples=(
        "mem review",
        "mem review list",
        "mem review accept 7k3p",
        "mem review --edit",
    ),
    details=(
        "Goes through the queue at a terminal, one key a decision and one commit each: what was reported, "
        "what resembles something removed, conflicts of one concept, proposals, staged memories. With --edit "
        "the whole queue is one text in your editor, and what it says when closed is what shall be; it is "
        "shown as a plan first. Anybody may read the queue (list, or in a pipe); deciding is a person's act. "
        "In a pipe: id, why, status, scope and claim with tabs between them."
    ),
    arguments=(
        Argument(
            "action",
            "ACTION",
            "list the queue, or accept or reject the memories that follow",
            required=False,
            choices=("list", "accept", "reject"),
        ),
        Argument("named", "ID", "which memories", required=False, many=True, completes="ids"),
    ),
    options=(
        Option(("--edit",), "Decide about the whole queue as one text in your editor."),
        DRY_RUN,
        IDS,
        REASON,
        YES,
        OK_IF_EMPTY,
    ),
    exclusive=(("edit", "ids"), ("edit", "json")),
    needs=(("dry_run", "edit"),),
    codes=(0, 1, 2, 3, 4, 5, 6, 8, 9),
    format="mem.review/1",
)

STAGE: Final = Verb(
    name="stage",
    group="the lifecycle",
    run="memcli.cli.verbs.staging:stage",
    summary="Look after staged memories, and say how far a memory may travel.",
    examples=(
        "mem stage list",
        "mem stage sweep --dry-run",
        "mem stage promote 7k3p",
        "mem stage drop 7k3p",
        "mem stage pin k3v9 portable",
    ),
    details=(
        "A staged memory is too weak to believe. It counts once a later session says it too, or by promote, "
        "a person's act. It is archived by sweep when nothing did for some days, or by drop, a person's act. "
        "pin fixes the reach of any memory: scoped, portable, contextual or global; a person's act too. In a "
        "pipe: id, status, until when, scope and claim with tabs between them."
    ),
    arguments=(
        Argument(
            "action",
            "ACTION",
            "list, sweep, promote, drop or pin",
            choices=("list", "sweep", "promote", "drop", "pin"),
        ),
        Argument(
            "ids",
            "ID",
            "which memories; after pin an id and a stage",
            required=False,
            many=True,
            completes="ids",
        ),
    ),
    options=(
        Option(("--as-of",), "Sweep as of that moment instead of now.", TEXT, "TIME"),
        DRY_RUN,
        REASON,
        YES,
        OK_IF_EMPTY,
    ),
    codes=(0, 1, 2, 3, 4, 5, 6, 8, 9),
    format="mem.stage/1",
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

PURGE: Final = Verb(
    name="purge",
    group="the lifecycle",
    run="memcli.cli.verbs.purge:purge",
    summary="Take what a memory said out of files and history, for good; a person's act.",
    examples=(
        "mem purge b2c4 --dry-run",
        "mem purge b2c4",
        "mem purge b2c4 --yes --expect 3f9a0c71d2e4",
    ),
    details=(
        "Forgetting keeps the text in the history of git; this rewrites that history, so commits get new ids "
        "and every clone has to follow. Shows first what goes and what stays, with a digest of it; --expect "
        "carries out that and nothing else. Events lose each passage that says it word for word. What is "
        "left is a mark that lets mem know the very words again, and no more: a paraphrase is no longer "
        "caught. It cannot be taken back."
    ),
    arguments=(_IDS._replace(unless=""),),
    options=(
        DRY_RUN,
        Option(
            ("--expect",), "Only if it comes to what the preview with this digest showed.", TEXT, "DIGEST"
        ),
        Option(("--with-evidence",), "Take the whole text of the events that only this memory rests on."),
        Option(("--all-refs",), "Rewrite other branches, tags and stashes that hold it, too."),
        YES,
    ),
    exclusive=(("dry_run", "yes"),),
    codes=(0, 2, 3, 4, 5, 6, 7, 8, 9),
    format="mem.purge/1",
)

VERBS: Final = (FORGET, UNFORGET, SUPERSEDE, REOPEN, REVIEW, STAGE, UNDO, PURGE)
