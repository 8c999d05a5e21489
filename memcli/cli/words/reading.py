"""Show, list, log and skills: reading without the index."""

from typing import Final

from memcli.cli.grammar import TEXT, Argument, Option, Verb
from memcli.cli.words.common import (
    ACTS,
    FROM_STDIN,
    LIMIT,
    LOOKS,
    OK_IF_EMPTY,
    ONE_LOOK,
    ONLY_TAG,
    ONLY_TYPE,
    STATUSES,
)

SHOW: Final = Verb(
    name="show",
    group="reading",
    run="memcli.cli.verbs.reading:show",
    summary="Show a memory whole.",
    examples=("mem show k3v9", "mem show k3v9 --why", "mem recall --ids refund | mem show --stdin"),
    details=(
        "At a terminal laid out for reading; in a pipe the file as it is, byte for byte. With --why the "
        "evidence for its stage instead: how far it may travel, and which use earned that. In a pipe: id, "
        "stage, stage earned by use, reason, and the counts with tabs between them."
    ),
    arguments=(
        Argument(
            "ids",
            "ID",
            "the memory, by four or more characters of its id",
            many=True,
            unless="stdin",
            completes="ids",
        ),
    ),
    options=(Option(("--why",), "Show why it may travel as far as it does."), *FROM_STDIN),
    needs=(("null", "stdin"),),
    codes=(0, 2, 3, 4, 5, 6, 9),
    format="mem.show/1",
)

LIST: Final = Verb(
    name="list",
    group="reading",
    run="memcli.cli.verbs.reading:list_",
    summary="List memories by scope.",
    examples=(
        "mem list",
        "mem list --type constraint --tag billing",
        "mem list --status forgotten",
        "mem list -0 | xargs -0 wc",
    ),
    details=(
        "Those that count, of the scope and of those it sees (global, user). In a pipe: id, status, type, "
        "scope and claim with tabs between them."
    ),
    options=(
        Option(("--status",), "Only this status; may be repeated.", TEXT, "STATUS", STATUSES, repeated=True),
        ONLY_TYPE,
        ONLY_TAG,
        Option(("--concept",), "Only claims about this concept.", TEXT, "CONCEPT"),
        *LOOKS,
        OK_IF_EMPTY,
    ),
    exclusive=(ONE_LOOK[:-1], ONE_LOOK[1:], ("null", "json"), ("null", "quiet")),
    codes=(0, 1, 2, 4, 5, 6, 9),
    format="mem.list/1",
)

LOG: Final = Verb(
    name="log",
    group="reading",
    run="memcli.cli.verbs.reading:log",
    summary="Show what was done to the memories: the journal, newest first.",
    examples=("mem log", "mem log k3v9", "mem log --op forget", "mem log --since 2026-11-01 --json"),
    details=(
        "One line an act, read from git. Commits made with plain git show as edit. In a pipe: time, act, id, "
        "earlier status, status, actor, reason, claim, rule and score with tabs between them."
    ),
    arguments=(
        Argument("ids", "ID", "only acts on this memory", required=False, many=True, completes="ids"),
    ),
    options=(
        Option(("--op",), "Only this act.", TEXT, "ACT", ACTS),
        Option(("--by",), "Only acts of this actor, like human:ana.", TEXT, "WHO"),
        Option(("--since",), "Only from then on; a date is the start of that day.", TEXT, "TIME"),
        LIMIT,
        OK_IF_EMPTY,
    ),
    codes=(0, 1, 2, 3, 4, 5, 6, 9),
    format="mem.log/1",
)

SKILLS: Final = Verb(
    name="skills",
    group="reading",
    run="memcli.cli.verbs.skills:skills",
    summary="List, match and show procedures: how something was done before.",
    examples=(
        "mem skills list",
        "mem skills match write the release notes",
        "mem skills show release-notes --file references/template.md",
    ),
    details=(
        "Procedures are SKILL.md files below procedures/, in the Agent Skills format. list reads their "
        "headings alone; match shows the text of at most two that fit, those that harmed behind those that "
        "helped; show prints one, or a file from inside its folder. They say what was done before and order "
        "nothing. In a pipe: name, scope (of a match: how well it fits) and description with tabs between."
    ),
    arguments=(
        Argument(
            "act", "list|match|show", "what to do", choices=("list", "match", "show"), completes="choices"
        ),
        Argument(
            "words",
            "WORDS",
            "what is to be done, or the name of one",
            required=False,
            many=True,
            completes="procedures",
        ),
    ),
    options=(
        Option(("--file",), "Show this file of its folder instead (with show).", TEXT, "NAME"),
        OK_IF_EMPTY,
    ),
    codes=(0, 1, 2, 3, 4, 5, 9),
    format="mem.skills/1",
)

STATS: Final = Verb(
    name="stats",
    group="reading",
    run="memcli.cli.verbs.stats:stats",
    summary="Show how healthy the memories of a scope are.",
    examples=("mem stats", "mem stats --scope '*'", "mem stats --constants", "mem stats --json"),
    details=(
        "Counts what is believed, what waits, what was given up and wanted again, what says the same twice, "
        "and how the store grew. --constants lists every number that decides something, with where it comes "
        "from. In a pipe: name and value with a tab between them."
    ),
    options=(Option(("--constants",), "List the numbers in force instead."),),
    codes=(0, 2, 4, 5, 6, 9),
    format="mem.stats/1",
)

VERBS: Final = (SHOW, LIST, LOG, STATS, SKILLS)
