"""Index: the machinery that can be deleted at any moment."""

from typing import Final

from memcli.cli.grammar import Argument, Verb

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

VERBS: Final = (INDEX,)
