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

VERBS: Final = (EXPORT, IMPORT)
