"""Export, import, sync and the merge driver: what goes from store to store."""

from typing import Final

from memcli.cli.grammar import Argument, Option, Verb
from memcli.cli.words.common import DRY_RUN, REASON, YES

EXPORT: Final = Verb(
    name="export",
    group="in and out",
    run="memcli.cli.verbs.moving:export",
    summary="Write memories, events and procedures as JSON lines, for another store.",
    examples=("mem export > shop.jsonl", "mem export --scope '*' > everything.jsonl"),
    details=(
        "The scope and those that it sees, or with --scope '*' the whole store: memories with their status, "
        "what was removed, what was said, how things were done. What was forgotten goes along, so that it "
        "stays out over there too; an agent gets neither its text nor events."
    ),
    codes=(0, 2, 4, 5, 6, 8, 9),
    format="mem.export/1",
)

IMPORT: Final = Verb(
    name="import",
    group="in and out",
    run="memcli.cli.verbs.moving:import_",
    summary="Take in what another store, or anybody, wrote as JSON lines.",
    examples=("mem import shop.jsonl", "mem import --dry-run shop.jsonl", "mem import --review claims.jsonl"),
    details=(
        'Reads what mem export writes, and lines like {"text": "…"}. Ids, statuses and files stay as they '
        "are there once a person says so (on the terminal, or with --yes); without that word whatever counts "
        "there waits here for review. What was forgotten here stays forgotten, whatever a line says; what "
        "stands here already is left alone. All of it is one commit; a second time brings nothing new."
    ),
    arguments=(Argument("file", "FILE", "the lines; - reads stdin"),),
    options=(
        Option(("--review",), "Let everything that counts there wait for review here."),
        DRY_RUN,
        REASON,
        YES,
    ),
    exclusive=(("review", "yes"),),
    codes=(0, 2, 4, 5, 6, 8, 9),
    format="mem.import/1",
)

ONBOARD: Final = Verb(
    name="onboard",
    group="in and out",
    run="memcli.cli.verbs.moving:onboard",
    summary="Propose what a project's documents state as memories.",
    examples=("mem onboard", "mem onboard docs/decisions.md", "mem onboard --dry-run CLAUDE.md"),
    details=(
        "Takes the sentences of markdown files that can be read alone; without FILE those of CLAUDE.md, "
        "AGENTS.md and their like in the working directory. Each waits in mem review until a person accepts, "
        "rewords or rejects it. What was forgotten stays out, what is known is not doubled, and a second "
        "time brings only what is new in the files. All of it is one commit."
    ),
    arguments=(Argument("files", "FILE", "the documents; - reads stdin", required=False, many=True),),
    options=(DRY_RUN,),
    codes=(0, 2, 4, 5, 6, 8, 9),
    format="mem.import/1",
)

SYNC: Final = Verb(
    name="sync",
    group="in and out",
    run="memcli.cli.verbs.meeting:sync",
    summary="Meet another clone: fetch, merge, bring in line, push.",
    examples=("mem sync", "mem sync backup"),
    details=(
        "With the remote of this branch, else origin. A memory that both clones changed is merged by what it "
        "says: evidence of both, the stronger removal, the shorter window. What only a person can settle is "
        "listed, and nothing is changed (exit 8). Edits that are not saved stay here. Plain git pull and "
        "push do as well: whatever arrives is judged when it is seen."
    ),
    arguments=(Argument("remote", "REMOTE", "the clone to meet", required=False),),
    codes=(0, 2, 4, 5, 6, 7, 8, 9),
    format="mem.sync/1",
)

MERGE_DRIVER: Final = Verb(
    name="merge-driver",
    group="in and out",
    run="memcli.cli.verbs.meeting:merge_driver",
    summary="Merge three versions of one file, for git.",
    examples=("mem merge-driver --install", "mem merge-driver %O %A %B %P"),
    details=(
        "Git calls it once it is installed in a clone, so that git pull merges memories by what they say; "
        "without it git's own merge is right too, and only leaves more to a person. The result is written to "
        "the second file; exit 1 says that it holds conflicts."
    ),
    arguments=(
        Argument(
            "files",
            "FILE",
            "what both began with, ours, theirs, and the path in the store",
            many=True,
            unless="install",
        ),
    ),
    options=(Option(("--install",), "Have git call it in this clone."),),
    codes=(0, 1, 2, 4, 5, 6, 9),
    format="mem.driver/1",
)

VERBS: Final = (EXPORT, IMPORT, ONBOARD, SYNC, MERGE_DRIVER)
