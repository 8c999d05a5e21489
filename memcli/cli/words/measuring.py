"""Eval and gate: how well mem does here, and whether a text needs memory at all."""

from typing import Final

from memcli.cli.grammar import Argument, Option, Verb

# Each part of `mem eval`: the function of its verb, imported when it is asked for.
PARTS: Final = {
    "regret": "memcli.cli.verbs.regrets:regret",
}
# Options that belong to one part alone.
OF_PART: Final = {
    "suggest": "regret",
}
# Parts that take files after their name.
WITH_FILES: Final = frozenset({"gold", "retract"})

EVAL: Final = Verb(
    name="eval",
    group="measuring",
    run="memcli.cli.verbs.evaluating:evaluate",
    summary="Measure how well mem does with this store.",
    examples=("mem eval regret", "mem eval regret --suggest"),
    details=(
        "regret counts what was put aside, held back or gated and then wanted after all; with --suggest it "
        "names the setting that each would ask for, which a person may write into mem.toml: nothing is "
        "changed here. In a pipe: name and value with a tab between them."
    ),
    arguments=(
        Argument("part", "|".join(PARTS), "what to measure", choices=tuple(PARTS), completes="choices"),
        Argument("files", "FILE", "files to measure with", required=False, many=True),
    ),
    options=(Option(("--suggest",), "Name settings that the counts ask for (with regret)."),),
    codes=(0, 1, 2, 4, 5, 6, 9),
    format="mem.eval/1",
)

VERBS: Final = (EVAL,)
