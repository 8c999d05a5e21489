"""Watch and index: the machinery that can be ended and deleted at any moment."""

from typing import Final

from memcli.cli.grammar import TEXT, Argument, Option, Verb

WATCH: Final = Verb(
    name="watch",
    group="machinery",
    run="memcli.cli.verbs.watch:watch",
    summary="Keep the index current and answer at once.",
    examples=("mem watch", "mem watch --detach", "mem watch --status", "mem watch --stop"),
    details=(
        "A resident for this store: an edit saved in any editor is in the answers a moment later, and "
        "recall, show, list and remember are answered without loading anything. Without it they do the "
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

VERBS: Final = (WATCH, SETUP, INDEX)
