"""Observe: what was said, taken in as it was said."""

from typing import Final

from memcli.cli.grammar import TEXT, Argument, Option, Verb
from memcli.cli.words.common import DRY_RUN

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
        "Keeps turns as events and decides nothing: what follows is for mem consolidate. Text is one turn, or "
        "a conversation where its lines begin with user: and assistant:; JSON lines are objects "
        "({role?, text, at?, name?, key?}, and {kind: claim, text, type?, concept?, tags?} for what is worth "
        "keeping). Transcripts of coding agents go to the session that they are of, and from the folder that "
        "they name to its scope; taken in again, only what is new is kept. What looks like a secret is "
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

VERBS: Final = (OBSERVE,)
