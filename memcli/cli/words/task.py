"""Recall and remember: what people, scripts and agents do all day."""

from typing import Final

from memcli.cli.grammar import COUNT, NUMBER, TEXT, Argument, Option, Verb
from memcli.cli.words.common import LOOKS, OK_IF_EMPTY, ONLY_TAG, ONLY_TYPE, TYPES, YES

RECALL: Final = Verb(
    name="recall",
    group="the task cycle",
    run="memcli.cli.verbs.recall:recall",
    summary="Find what is known about something.",
    examples=(
        "mem recall how long can customers send things back",
        "mem recall deploy day | cut -f3",
        'mem recall "refund window" --prompt',
        "$EDITOR $(mem recall -l refund)",
        "mem recall refund window --known-at 2026-11-30",
    ),
    details=(
        "Prints the memories that answer the words, best first: at a terminal with why each was chosen, in a "
        "pipe id, score and claim with tabs between them. Nothing found and everything held back are told "
        "apart; both exit 1. Reads and changes nothing."
    ),
    arguments=(Argument("query", "QUERY", "what to look for, in words; - reads it from stdin", many=True),),
    options=(
        Option(("-k",), "At most so many memories (default 8).", COUNT, "N"),
        Option(("--budget",), "At most so many tokens (default 800).", COUNT, "TOKENS"),
        Option(
            ("--mode",),
            "Which statuses: default (active), wide (also staged and waiting for review), "
            "history (also what no longer counts).",
            TEXT,
            "MODE",
            ("default", "wide", "history"),
        ),
        Option(
            ("--as-of",), "What was true in the world then; a date is the start of that day.", TEXT, "TIME"
        ),
        Option(
            ("--known-at",),
            "As the store stood then: a date (the end of that day), a time or a revision of git. Without "
            "--as-of the question is about the world at that moment too.",
            TEXT,
            "TIME|REV",
        ),
        Option(
            ("--floor",), "Hold back what matches less, from 0 to 1; 0 shows what was withheld.", NUMBER, "S"
        ),
        ONLY_TYPE,
        ONLY_TAG,
        *LOOKS,
        Option(
            ("--prompt",),
            "A bundle for a prompt: framed as data, provenance on every line, within the budget.",
        ),
        Option(
            ("--evidence",),
            "What each rests on: none, refs (ids of events) or full (with quotes).",
            TEXT,
            "HOW",
            ("none", "refs", "full"),
        ),
        Option(
            ("--events",),
            "What was said, beside memories: auto adds turns that say what no memory shown carries, only "
            "searches nothing else, none leaves them out (default auto). A turn is no memory: --ids and -l "
            "leave it out.",
            TEXT,
            "HOW",
            ("auto", "only", "none"),
        ),
        Option(
            ("--gate",),
            "Decide first whether this text needs memory at all (auto); whatever is doubtful is asked, and "
            "any failure too (default off).",
            TEXT,
            "HOW",
            ("auto", "off"),
        ),
        Option(
            ("--receipt",),
            "Write down what was asked and answered; mem receipt verifies it and asks again (default: in a "
            "session).",
        ),
        OK_IF_EMPTY,
    ),
    exclusive=(
        ("json", "paths", "ids", "format", "prompt"),
        ("quiet", "paths", "ids", "format", "prompt"),
        ("null", "prompt"),
        ("null", "json"),
        ("null", "quiet"),
    ),
    codes=(0, 1, 2, 4, 5, 6, 7, 9),
    format="mem.recall/1",
)

REMEMBER: Final = Verb(
    name="remember",
    group="the task cycle",
    run="memcli.cli.verbs.remember:remember",
    summary="Keep a claim, in the words it is given.",
    examples=(
        'mem remember "The refund window is 30 days." --concept "refund window"',
        'mem remember "It is 14 days since 1 July." --concept "refund window" --supersede-concept',
        "mem remember -- '-j4 is the fastest build here'",
        "mem remember --batch - < claims.jsonl",
    ),
    details=(
        "Says what was decided and why: created, reinforced (it was there), superseded, put to review, or "
        "skipped because it says again what was forgotten. With --batch each line of stdin is a JSON object "
        "({text, scope?, type?, concept?, tags?, valid_from?, valid_to?, occurred_at?, evidence?, key?}); "
        "every line gets one line of JSON as its answer and the batch is one commit. The first remember with "
        "no store anywhere makes your own store and says so."
    ),
    arguments=(
        Argument(
            "text",
            "TEXT",
            "what to remember; - reads it from stdin, and text that begins with a dash goes after --",
            many=True,
            unless="batch",
        ),
    ),
    options=(
        Option(("--type",), "What kind of claim (default fact).", TEXT, "TYPE", TYPES),
        Option(("--concept",), "A short key of what the claim is about.", TEXT, "CONCEPT"),
        Option(("--tag",), "A label; may be repeated.", TEXT, "TAG", repeated=True),
        Option(("--valid-from",), "True from then on; a date is the start of that day.", TEXT, "TIME"),
        Option(("--valid-to",), "True until then.", TEXT, "TIME"),
        Option(("--occurred-at",), "When it was said or happened.", TEXT, "TIME"),
        Option(
            ("--evidence",), "The id of an event it rests on; may be repeated.", TEXT, "EVENT", repeated=True
        ),
        Option(
            ("--key",), "Idempotency key: the same key and text give the first answer again.", TEXT, "KEY"
        ),
        Option(("--supersede-concept",), "Replace the active claim of the same concept, in one commit."),
        Option(
            ("--override",),
            "Let it pass although this removed memory says it; a person's act, may be repeated.",
            TEXT,
            "ID",
            repeated=True,
            completes="ids",
        ),
        Option(("--allow-secret",), "Keep text that looks like a credential; a person's act."),
        YES,
        Option(("--batch",), "Read claims as JSON lines from FILE, or stdin with -.", TEXT, "FILE"),
    ),
    exclusive=tuple(
        ("batch", name)
        for name in (
            "type",
            "concept",
            "tag",
            "valid_from",
            "valid_to",
            "occurred_at",
            "evidence",
            "key",
            "supersede_concept",
            "override",
            "allow_secret",
        )
    ),
    needs=(("supersede_concept", "concept"),),
    codes=(0, 2, 3, 4, 5, 6, 8, 9),
    format="mem.remember/1",
)

VERBS: Final = (RECALL, REMEMBER)
