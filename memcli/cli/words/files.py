"""New, edit, check, save and move: memories as files, with an editor."""

from typing import Final

from memcli.cli.grammar import TEXT, Argument, Option, Verb
from memcli.cli.words.common import DRY_RUN, REASON, TYPES, YES

NEW: Final = Verb(
    name="new",
    group="files",
    run="memcli.cli.verbs.editing:new",
    summary="Write a memory in your editor.",
    examples=("mem new", "mem new --type decision --scope project:shop"),
    details=(
        "Opens MEM_EDITOR, VISUAL, EDITOR or git's editor on a fresh file and saves it as one act. What does "
        "not fit is shown at the top and the editor opens again; left unchanged, nothing is kept."
    ),
    options=(Option(("--type",), "What kind of claim (default fact).", TEXT, "TYPE", TYPES),),
    codes=(0, 2, 4, 5, 6, 8, 9),
    format="mem.act/1",
)

EDIT: Final = Verb(
    name="edit",
    group="files",
    run="memcli.cli.verbs.editing:edit",
    summary="Change a memory in your editor.",
    examples=("mem edit k3v9",),
    details="As new, on the file of a memory. Closed unchanged, there is no commit.",
    arguments=(Argument("id", "ID", "the memory, by four or more characters of its id", completes="ids"),),
    codes=(0, 2, 3, 4, 5, 6, 8, 9),
    format="mem.act/1",
)

CHECK: Final = Verb(
    name="check",
    group="files",
    run="memcli.cli.verbs.files:check",
    summary="Say what in the files does not fit the format.",
    examples=("mem check", "mem check schemas/project/shop/refund-k3v9.md", "mem check --fix"),
    details=(
        "One line each, path:line: key: what. Files that cannot be understood are set aside: they answer "
        "nothing, and never stand in the way of the others."
    ),
    arguments=(Argument("paths", "PATH", "only these files", required=False, many=True),),
    options=(Option(("--fix",), "Write missing ids and move files to the folder of their scope."),),
    codes=(0, 2, 4, 5, 6, 8, 9),
    format="mem.check/1",
)

SAVE: Final = Verb(
    name="save",
    group="files",
    run="memcli.cli.verbs.files:save",
    summary="Take edits made by hand into the journal.",
    examples=("mem save", "mem save schemas/project/shop/refund-k3v9.md", "mem save --dry-run"),
    details=(
        "Commits changed files with what the difference says happened: an edit, a forget, a supersede. A "
        "status that comes back from forgotten, retracted or superseded is confirmed on the terminal first."
    ),
    arguments=(Argument("paths", "PATH", "only these files", required=False, many=True),),
    options=(DRY_RUN, REASON, YES),
    codes=(0, 2, 4, 5, 6, 8, 9),
    format="mem.save/1",
)

MOVE: Final = Verb(
    name="move",
    group="files",
    run="memcli.cli.verbs.files:move",
    summary="Put a memory into another scope.",
    examples=("mem move k3v9 project:shop",),
    details="Changes its scope and its folder, in one commit; the id stays.",
    arguments=(
        Argument("id", "ID", "the memory, by four or more characters of its id", completes="ids"),
        Argument("to", "KIND:ID", "the scope it goes to", completes="scopes"),
    ),
    codes=(0, 2, 3, 4, 5, 6, 8, 9),
    format="mem.act/1",
)

VERBS: Final = (NEW, EDIT, CHECK, SAVE, MOVE)
