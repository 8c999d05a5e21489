"""Eval and gate: how well mem does here, and whether a text needs memory at all."""

from typing import Final

from memcli.cli.grammar import Argument, Option, Verb

# Each part of `mem eval`: the function of its verb, imported when it is asked for.
PARTS: Final = {
    "regret": "memcli.cli.verbs.regrets:regret",
    "gold": "memcli.cli.verbs.gold:gold",
    "gate": "memcli.cli.verbs.gates:gate",
    "retract": "memcli.cli.verbs.clusters:retract",
}
# Options that belong to one part alone.
OF_PART: Final = {
    "suggest": "regret",
}
# Parts that take files after their name.
WITH_FILES: Final = frozenset({"gold", "retract", "gate"})

EVAL: Final = Verb(
    name="eval",
    group="measuring",
    run="memcli.cli.verbs.evaluating:evaluate",
    summary="Measure how well mem does with this store.",
    examples=(
        "mem eval regret",
        "mem eval regret --suggest",
        "mem eval gold",
        "mem eval gate messages.jsonl",
        "mem eval retract clusters.yaml",
    ),
    details=(
        "regret counts what was put aside, held back or gated and then wanted after all; with --suggest it "
        "names the setting that each would ask for, which a person may write into mem.toml: nothing is "
        "changed here. In a pipe: name and value, of a proposal also what it would have let through of what "
        "was wanted and of what was not, with tabs between them. gate puts labelled messages to the gate "
        "(JSON lines with text and needed), and exits 1 where one that needs memory was shut out. "
        "retract measures, on clusters of memories of which a person says what falls with a wrong one, "
        "whether a retraction sends those to review and no others, and which parts of its rule make a "
        "difference; without files on gold/clusters/*.yaml of the store."
    ),
    arguments=(
        Argument("part", "|".join(PARTS), "what to measure", choices=tuple(PARTS), completes="choices"),
        Argument("files", "FILE", "files to measure with", required=False, many=True),
    ),
    options=(Option(("--suggest",), "Name settings that the counts ask for (with regret)."),),
    codes=(0, 1, 2, 4, 5, 6, 9),
    format="mem.eval/1",
)

GATE: Final = Verb(
    name="gate",
    group="measuring",
    run="memcli.cli.verbs.gate:gate",
    summary="Decide whether a text needs memory at all.",
    examples=(
        "mem gate thanks, that works",
        "if mem gate -q - < message.txt; then mem recall - < message.txt; fi",
        "mem gate --json what was the refund window again",
    ),
    details=(
        "Searches as recall does, and says whether anything known comes near the text; thanks and greetings "
        "are not even searched. What is doubtful is to be asked: a text in another language, a store without "
        "vectors, any failure. Exits 0 where the memory is to be asked, 1 where not. In a pipe: yes or no, "
        "the reason and what to ask with tabs between them. recall --gate auto asks this first."
    ),
    arguments=(Argument("text", "TEXT", "the message, in words; - reads it from stdin", many=True),),
    codes=(0, 1, 2, 4, 5, 6, 9),
    format="mem.gate/1",
)

VERBS: Final = (EVAL, GATE)
