"""Retract and unretract: claims that were never right."""

from typing import Final

from memcli.cli.grammar import TEXT, Argument, Option, Verb
from memcli.cli.words.common import DRY_RUN, FROM_STDIN, REASON, YES

RETRACT: Final = Verb(
    name="retract",
    group="the lifecycle",
    run="memcli.cli.verbs.retracting:retract",
    summary="Take back a memory that was never right; a person's act.",
    examples=(
        'mem retract b2c4 --reason "misread the contract"',
        'mem retract b2c4 --reason "misread" --correction "The notice period is three months."',
        "mem retract b2c4 --dry-run",
    ),
    details=(
        "For what was wrong from the beginning; what was right until now is superseded. The memory is shown "
        "as retracted in --mode history alone, and whatever says it again is skipped. Memories that hang "
        "together with it lose confidence and stand further down; those that lose much wait in mem review. "
        "Nothing is written into their files. In a pipe: id, retract, the status before and after; then a "
        "line for each neighbour: id, affected, its confidence before and after."
    ),
    arguments=(Argument("id", "ID", "the memory that was never right", completes="ids"),),
    options=(
        REASON,
        Option(("--correction",), "Remember this text as what is right instead (- is stdin).", TEXT, "TEXT"),
        DRY_RUN,
        YES,
    ),
    codes=(0, 2, 3, 4, 5, 6, 8, 9),
    format="mem.retract/1",
)

UNRETRACT: Final = Verb(
    name="unretract",
    group="the lifecycle",
    run="memcli.cli.verbs.retracting:unretract",
    summary="Let a retracted memory count again as it did; a person's act.",
    examples=("mem unretract b2c4", 'mem unretract b2c4 --reason "it was right after all"'),
    details=(
        "Gives the file its earlier bytes and status back, by a new commit. What others had lost by the "
        "retraction is theirs again. A correction that was remembered with it goes on counting."
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
    options=(REASON, YES, *FROM_STDIN),
    needs=(("null", "stdin"),),
    codes=(0, 2, 3, 4, 5, 6, 7, 8, 9),
    format="mem.act/1",
)

VERBS: Final = (RETRACT, UNRETRACT)
