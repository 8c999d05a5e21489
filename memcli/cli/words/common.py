"""Options that every verb takes, before it or after it, and those that several share."""

from typing import Final

from memcli.cli.grammar import COUNT, TEXT, Option

COMMON: Final = (
    Option(
        ("--store",),
        "The store to use; else MEM_STORE, the nearest folder upwards with a mem.toml, "
        "the worktree linked to this repository, your own store.",
        TEXT,
        "PATH",
    ),
    Option(
        ("--scope",),
        "Whose memories: kind:id, global or user; else what the working directory says. "
        "'*' is every scope, for a person.",
        TEXT,
        "KIND:ID",
        completes="scopes",
    ),
    Option(
        ("--actor",),
        "Who acts: human:NAME or agent:NAME; else MEM_ACTOR, else git's user.name.",
        TEXT,
        "WHO",
    ),
    Option(("--session",), "The session this belongs to; else MEM_SESSION.", TEXT, "ID"),
    Option(("--json",), "Answer with one JSON object on stdout; errors are JSON on stderr."),
    Option(
        ("--color",),
        "When to colour: auto looks at the terminal and NO_COLOR.",
        TEXT,
        "WHEN",
        ("auto", "always", "never"),
    ),
    Option(("--no-daemon",), "Do the work in this process, whatever runs in the background."),
    Option(("--quiet", "-q"), "Print nothing but errors (and --json's answer): the exit code tells."),
    Option(("--verbose", "-v"), "Say more: where the store is and how its scope was found."),
)

OK_IF_EMPTY: Final = Option(("--ok-if-empty",), "Exit 0 instead of 1 when nothing was found.")
IDS: Final = Option(("--ids",), "Print ids only, one a line.")
PATHS: Final = Option(("--paths", "-l"), "Print absolute paths only, one a line.")
NUL: Final = Option(("--null", "-0"), "End each path or id with NUL instead of a new line.")
FORMAT: Final = Option(
    ("--format",),
    r"A line for each: fields in braces (id, score, match, text, type, scope, status, stage, path, concept, "
    r"tags, from, to), \t \n \0 \\ as in C, {{ and }} for braces.",
    TEXT,
    "TEMPLATE",
)
LOOKS: Final = (PATHS, NUL, IDS, FORMAT)  # what a list of memories can look like beside --json
ONE_LOOK: Final = ("json", "paths", "ids", "format", "quiet")

STDIN: Final = Option(("--stdin",), "Read the ids from stdin, one a line.")
STDIN_NUL: Final = Option(("--null", "-0"), "The ids on stdin end with NUL.")
FROM_STDIN: Final = (STDIN, STDIN_NUL)
REASON: Final = Option(("--reason",), "Why: kept in the journal.", TEXT, "TEXT")
YES: Final = Option(
    ("--yes",),
    "Do not ask. Counts only with MEM_ACTOR=human:NAME set and no agent around.",
)
DRY_RUN: Final = Option(("--dry-run",), "Say what would be done and do nothing.")
TYPES: Final = (
    "fact",
    "preference",
    "decision",
    "constraint",
    "instruction",
    "lesson",
    "warning",
    "open_question",
    "task",
    "artifact",
)
STATUSES: Final = (
    "staged",
    "active",
    "needs_review",
    "superseded",
    "stale",
    "retracted",
    "archived",
    "forgotten",
)
ACTS: Final = (
    "init",
    "remember",
    "consolidate",
    "replay",
    "supersede",
    "forget",
    "unforget",
    "retract",
    "unretract",
    "archive",
    "reopen",
    "accept",
    "reject",
    "promote",
    "drop",
    "sweep",
    "pin",
    "undo",
    "purge",
    "add",
    "edit",
    "move",
    "delete",
    "bury",
    "capture",
    "feedback",
    "commit",
    "observe",
    "import",
    "sync",
    "audit",
    "receipt",
)
ONLY_TYPE: Final = Option(("--type",), "Only this type; may be repeated.", TEXT, "TYPE", TYPES, repeated=True)
ONLY_TAG: Final = Option(
    ("--tag",), "Only with this tag; repeated, with all of them.", TEXT, "TAG", repeated=True
)
LIMIT: Final = Option(("--limit", "-n"), "At most so many.", COUNT, "N")
