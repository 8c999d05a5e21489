"""Receipt: what was asked and answered, verified, asked again, and compared with today."""

from typing import Final

from memcli.cli.grammar import TEXT, Argument, Option, Verb
from memcli.cli.words.common import LIMIT, OK_IF_EMPTY

ACTIONS: Final = ("list", "show", "verify", "diff", "replay")

RECEIPT: Final = Verb(
    name="receipt",
    group="reading",
    run="memcli.cli.verbs.receipts:receipt",
    summary="Look at what was answered before: verify it, ask it again, see what became of it.",
    examples=(
        "mem receipt list",
        "mem receipt verify r_4kx2",
        "mem receipt replay r_4kx2",
        "mem receipt replay r_4kx2 --at HEAD",
        "mem receipt diff r_4kx2",
    ),
    details=(
        "mem recall --receipt writes one, and in a session every answer has one. It holds the question, both "
        "times, the commit, settings and engine that it was answered by, and the ids that were shown, but no "
        "text of a memory; its id is the hash of all that. verify says whether it is what it was given as "
        "(exit 4 where it was altered). replay asks the same question of the same commit and compares the "
        "answer to the byte, or says by name why that cannot be: altered, uncommitted, history, encoder, "
        "engine, settings, forgotten, masked, stale. With --at it asks the store as it stood at another "
        "point (exit 1 where the answer is another one). diff says what became of each memory that was "
        "shown, by which commit of whom, and what an answer today shows besides. In a pipe: id, as of, "
        "scope, outcome, how many were shown, and the question with tabs between them; of diff what "
        "became of it, id, earlier rank, rank, successor, commit, actor and claim."
    ),
    arguments=(
        Argument("action", "ACTION", ", ".join(ACTIONS), choices=ACTIONS),
        Argument(
            "receipts",
            "RECEIPT",
            "which receipts, by r_ and four characters or more",
            required=False,
            many=True,
            completes="kept_receipts",
        ),
    ),
    options=(
        Option(("--at",), "Replay at a revision, a time, or a date (the end of that day).", TEXT, "REV"),
        LIMIT,
        OK_IF_EMPTY,
    ),
    codes=(0, 1, 2, 3, 4, 5, 6, 7, 9),
    format="mem.receipts/1",
)

VERBS: Final = (RECEIPT,)
