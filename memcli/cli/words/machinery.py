"""The machinery: watch, setup, index, consolidate, replay, audit."""

from typing import Final

from memcli.cli.grammar import TEXT, Argument, Option, Verb
from memcli.cli.words.common import DRY_RUN, REASON, YES

WATCH: Final = Verb(
    name="watch",
    group="machinery",
    run="memcli.cli.verbs.watch:watch",
    summary="Keep the index current and answer at once.",
    examples=("mem watch", "mem watch --detach", "mem watch --status", "mem watch --stop"),
    details=(
        "A resident for this store: an edit saved in any editor is in the answers a moment later, and "
        "recall, gate, show, list and remember are answered without loading anything. Without it they do the "
        "same work themselves and print the same. One resident a store; --status exits 1 where there is none."
    ),
    options=(
        Option(("--detach",), "Apart from this terminal; returns once it answers."),
        Option(("--status",), "How the resident stands."),
        Option(("--stop",), "End the resident, wherever it was started."),
    ),
    exclusive=(("detach", "status", "stop"),),
    codes=(0, 1, 2, 4, 5, 6, 8, 9),
    format="mem.watch/1",
)

INDEX: Final = Verb(
    name="index",
    group="machinery",
    run="memcli.cli.verbs.index:index",
    summary="Look after the index.",
    examples=("mem index status", "mem index verify", "mem index rebuild"),
    details=(
        "The index is made from the files and may be deleted at any moment. status compares it with them, "
        "verify reads it whole, rebuild makes it anew beside the old one and then switches."
    ),
    arguments=(
        Argument(
            "act",
            "status|rebuild|verify",
            "what to do",
            choices=("status", "rebuild", "verify"),
            completes="choices",
        ),
    ),
    codes=(0, 2, 4, 5, 6, 8, 9),
    format="mem.index/1",
)

SETUP: Final = Verb(
    name="setup",
    group="machinery",
    run="memcli.cli.verbs.setup:setup",
    summary="Print what starts the resident with your session.",
    examples=("mem setup watch", "mem setup watch --for launchd"),
    details="A unit for systemd, or a property list for launchd; its first lines say where it belongs.",
    arguments=(Argument("what", "watch", "what to set up", choices=("watch",), completes="choices"),),
    options=(
        Option(
            ("--for",),
            "Else what this system has.",
            TEXT,
            "SYSTEM",
            ("systemd", "launchd"),
            completes="choices",
        ),
    ),
    codes=(0, 2, 4, 5, 6, 9),
    format="mem.setup/1",
)

EXPLAIN: Final = Option(("--explain",), "Say of each thing that is done, or is not, why.")

CONSOLIDATE: Final = Verb(
    name="consolidate",
    group="machinery",
    run="memcli.cli.verbs.consolidate:consolidate",
    summary="Turn what was said into what is known.",
    examples=("mem consolidate --dry-run --explain", "mem consolidate", "mem consolidate --if-due"),
    details=(
        "Digests what mem observe took in: claims are believed, staged or archived by how salient they "
        "are, what two sessions said independently is proposed to a person, what is about the same "
        "thing is linked, exact duplicates are put away. One commit, or none where nothing is new. mem "
        "commit and a resident do the same by themselves; --session digests that session alone."
    ),
    options=(
        DRY_RUN,
        EXPLAIN,
        Option(("--as-of",), "Judge as if it were this moment; else now.", TEXT, "TIME"),
        Option(("--if-due",), "Only after enough closed exchanges, or the end of a session."),
    ),
    codes=(0, 2, 4, 5, 6, 8, 9),
    format="mem.consolidate/1",
)

REPLAY: Final = Verb(
    name="replay",
    group="machinery",
    run="memcli.cli.verbs.consolidate:replay",
    summary="Digest again what older rules have digested.",
    examples=("mem replay --dry-run --explain", "mem replay"),
    details=(
        "After an upgrade that changed the rules: exactly the events that were digested under older ones. "
        "The same events give the same ids; what somebody asked to keep stays, and what a person edited is "
        "not touched."
    ),
    options=(
        DRY_RUN,
        EXPLAIN,
        Option(("--as-of",), "Judge as if it were this moment; else now.", TEXT, "TIME"),
    ),
    codes=(0, 2, 4, 5, 6, 8, 9),
    format="mem.consolidate/1",
)

AUDIT: Final = Verb(
    name="audit",
    group="machinery",
    run="memcli.cli.verbs.audit:audit",
    summary="Replay the journal, and name what it does not explain.",
    examples=("mem audit", "mem audit --accept --reason 'edited in the web interface'"),
    details=(
        "Works out from the entries alone what status every memory has, from the first commit on, and "
        "compares that with the files of each commit. A change that no entry states is named with its "
        "commit, author and path; so are signatures that the store demands and that are missing, and a "
        "history that is not the one that was seen before (exit 7). Exit 1 where something is unexplained. "
        "--accept is a person's act: one entry that explains what was shown. In a pipe: what, commit, time, "
        "author, id, path, status before, status, and more in words, with tabs between them."
    ),
    options=(
        Option(("--accept",), "Explain what was found by an entry of your own, after you have seen it."),
        Option(
            ("--signers",),
            "Whose signatures count, in the format of ssh's allowed_signers; else the store's own file.",
            TEXT,
            "FILE",
        ),
        REASON,
        YES,
    ),
    needs=(("reason", "accept"), ("yes", "accept")),
    codes=(0, 1, 2, 4, 5, 6, 7, 8, 9),
    format="mem.audit/1",
)

VERBS: Final = (WATCH, SETUP, INDEX, CONSOLIDATE, REPLAY, AUDIT)
