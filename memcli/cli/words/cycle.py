"""Activate, feedback, commit and observe: a task from its beginning to its end."""

from typing import Final

from memcli.cli.grammar import TEXT, Argument, Option, Verb
from memcli.cli.words.common import DRY_RUN

ACTIVATE: Final = Verb(
    name="activate",
    group="the task cycle",
    run="memcli.cli.verbs.cycle:activate",
    summary="Begin a task: a session, and what is known for it.",
    examples=(
        'mem activate --task "Fix refund email" --goal "right number of days in the template"',
        'mem activate --task "Go on with the invoices" --continuity c_7k3p9x2m4q1z --json',
    ),
    details=(
        "Opens a session for this scope, folder and actor, to which the commands that follow belong by "
        "themselves, and lays out the working set: memories that answer the task, warnings apart, "
        "procedures that fit. A scope without memories is said to be a cold start, and one that looks like "
        "a spelling of another is pointed out. In a pipe: kind, id and text with tabs between them."
    ),
    options=(
        Option(("--task",), "What is to be done, in the words it was given.", TEXT, "TEXT"),
        Option(("--goal",), "What shall be so in the end.", TEXT, "TEXT"),
        Option(("--continuity",), "Go on with this longer effort.", TEXT, "ID"),
    ),
    codes=(0, 2, 4, 5, 6, 8, 9),
    format="mem.activate/1",
)

FEEDBACK: Final = Verb(
    name="feedback",
    group="the task cycle",
    run="memcli.cli.verbs.cycle:feedback",
    summary="Say which memories were of use, and which no longer hold.",
    examples=(
        "mem feedback r_4kx2 --used k3v9 --irrelevant p7q2 --coverage complete",
        "mem feedback --stale k3v9 --reason outdated --superseded-by p7q2",
        "mem feedback --procedure release-notes:helped",
        "mem feedback --coverage partial",
    ),
    details=(
        "Only what the session was shown can be spoken of; without a receipt it is about all of that. A "
        "memory reported stale is closed at once in one commit, waits in mem review for a person to agree, "
        "and can be reopened. The rest counts from the next consolidation on. Complete coverage speaks of "
        "every memory, partial leaves the others unknown. The n-th --reason and --superseded-by go with the "
        "n-th --stale; a single one goes with all."
    ),
    arguments=(
        Argument(
            "receipt",
            "RECEIPT",
            "the answer it is about, as recall or activate named it",
            required=False,
            completes="receipts",
        ),
    ),
    options=(
        Option(("--used",), "It helped; may be repeated.", TEXT, "ID", repeated=True, completes="shown"),
        Option(
            ("--irrelevant",),
            "It was beside the point; may be repeated.",
            TEXT,
            "ID",
            repeated=True,
            completes="shown",
        ),
        Option(
            ("--stale",),
            "It no longer holds; may be repeated.",
            TEXT,
            "ID",
            repeated=True,
            completes="shown",
        ),
        Option(
            ("--reason",),
            "Why it no longer holds.",
            TEXT,
            "WHY",
            ("contradicted", "outdated", "unsupported", "withdrawn"),
            repeated=True,
        ),
        Option(
            ("--superseded-by",),
            "The active memory of its scope that replaces it.",
            TEXT,
            "ID",
            repeated=True,
            completes="ids",
        ),
        Option(
            ("--procedure",),
            "What following a procedure came to: helped, no-effect, harmed or unknown; may be repeated.",
            TEXT,
            "NAME:EFFECT",
            repeated=True,
        ),
        Option(
            ("--coverage",),
            "Whether this speaks of everything that was shown.",
            TEXT,
            "HOW",
            ("complete", "partial"),
        ),
        Option(("--refines",), "Take the place of this earlier feedback.", TEXT, "EVENT"),
        Option(("--occurred-at",), "When it was so.", TEXT, "TIME"),
        Option(("--shadow",), "Keep what is said and apply nothing of it."),
    ),
    needs=(("reason", "stale"), ("superseded_by", "stale"), ("stale", "reason")),
    codes=(0, 2, 3, 4, 5, 6, 8, 9),
    format="mem.feedback/1",
)

COMMIT: Final = Verb(
    name="commit",
    group="the task cycle",
    run="memcli.cli.verbs.cycle:commit",
    summary="End a task: its session is closed and consolidated.",
    examples=(
        'mem commit --outcome done --verification "template test passes"',
        "mem commit --outcome failed --procedure SKILL.md",
    ),
    details=(
        "Closes the session of this scope, folder and actor; what was said in it becomes history. Every "
        "memory that it was shown needs feedback first, or partial coverage: what lacks it is listed, and "
        "the command can be repeated. Outside a session it changes nothing: mem save commits files."
    ),
    options=(
        Option(
            ("--outcome",),
            "How it ended (default done).",
            TEXT,
            "HOW",
            ("done", "failed", "partial"),
        ),
        Option(("--goal",), "What should be so in the end, where activate did not say.", TEXT, "TEXT"),
        Option(("--verification",), "How it was seen that it is so.", TEXT, "TEXT"),
        Option(
            ("--procedure",),
            "Keep this SKILL.md as a procedure (- is stdin); of a failed task it becomes a warning.",
            TEXT,
            "FILE",
        ),
    ),
    codes=(0, 2, 4, 5, 6, 8, 9),
    format="mem.commit/1",
)

OBSERVE: Final = Verb(
    name="observe",
    group="the task cycle",
    run="memcli.cli.verbs.observe:observe",
    summary="Take in what was said, as it was said.",
    examples=(
        'echo "We ship on Tuesdays because of the tax office." | mem observe -',
        "mem observe - < conversation.jsonl",
        "mem observe --from claude-code ~/.claude/projects",
        "mem observe --from codex ~/.codex/sessions",
    ),
    details=(
        "Keeps turns as events and decides nothing: what follows is for mem consolidate. Text is one turn, "
        "or a conversation where its lines begin with user: and assistant:; JSON lines are objects ({role?, "
        "text, at?, name?, key?}, and {kind: claim, text, type?, concept?, tags?} for what is worth "
        "keeping). Transcripts of coding agents go to the session that they are of, and from the folder "
        "that they name to its scope; taken in again, only what is new is kept. What looks like a secret is "
        "replaced. The lines are on the disk when this returns; the session's end, mem consolidate or mem "
        "save commits them."
    ),
    arguments=(Argument("source", "PATH", "what to read: a file, with --from also a folder; - is stdin"),),
    options=(
        Option(
            ("--from",),
            "Whose transcripts they are.",
            TEXT,
            "CLIENT",
            ("claude-code", "codex"),
            completes="choices",
        ),
        Option(
            ("--role",),
            "Who speaks in plain text (default user).",
            TEXT,
            "ROLE",
            ("user", "assistant", "system", "tool"),
        ),
        Option(("--name",), "The speaker's name, in plain text.", TEXT, "NAME"),
        Option(("--at",), "When plain text was said.", TEXT, "TIME"),
        Option(
            ("--key",),
            "Idempotency key of plain text: the same key and text are kept once.",
            TEXT,
            "KEY",
        ),
        DRY_RUN,
    ),
    exclusive=(("from", "role"), ("from", "name"), ("from", "at"), ("from", "key")),
    needs=(("dry_run", "from"),),
    codes=(0, 2, 4, 5, 6, 8, 9),
    format="mem.observe/1",
)

VERBS: Final = (ACTIVATE, FEEDBACK, COMMIT, OBSERVE)
