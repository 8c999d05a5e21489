"""Init, demo, status, doctor, config, trust and help: getting a store and knowing how it stands."""

from typing import Final

from memcli.cli.grammar import TEXT, Argument, Option, Verb
from memcli.cli.words.common import DRY_RUN, YES

INIT: Final = Verb(
    name="init",
    group="set up",
    run="memcli.cli.verbs.setting_up:init",
    summary="Make a store.",
    examples=("mem init", "mem init ~/notes", "mem init --branch mem", "mem init --here"),
    details=(
        "Without a folder: your own store, one git repository in your data folder, with a scope for each "
        "project. --branch keeps a team's store on a branch of its own, --here on the branch you are on."
    ),
    arguments=(Argument("dir", "DIR", "the folder that becomes a store", required=False),),
    options=(
        Option(
            ("--branch",), "In this repository, on a branch of its own in a linked worktree.", TEXT, "NAME"
        ),
        Option(("--here",), "In this repository, on the branch you are on."),
        DRY_RUN,
    ),
    exclusive=(("branch", "here"),),
    codes=(0, 2, 5, 6, 9),
    format="mem.init/1",
)

DEMO: Final = Verb(
    name="demo",
    group="set up",
    run="memcli.cli.verbs.demo:demo",
    summary="See it work on real text, in a store of its own.",
    examples=("mem demo", "mem demo /tmp/mem-demo"),
    details=(
        "Makes a store in a temporary folder (or the one given), takes in memcli's own decisions, recalls, "
        "forgets one and shows the journal, printing each command as it goes. Your own store is not touched."
    ),
    arguments=(Argument("dir", "DIR", "a folder that does not exist yet, or is empty", required=False),),
    codes=(0, 2, 5, 6),
)

STATUS: Final = Verb(
    name="status",
    group="set up",
    run="memcli.cli.verbs.setting_up:status",
    summary="Say how the store stands.",
    examples=("mem status",),
    details=(
        "Store, scope, branch, memories, what is set aside, uncommitted, behind or waiting. Changes nothing."
    ),
    codes=(0, 2, 4, 5, 6, 9),
    format="mem.status/1",
)

DOCTOR: Final = Verb(
    name="doctor",
    group="set up",
    run="memcli.cli.verbs.doctor:doctor",
    summary="Say what is wrong and what to do.",
    examples=("mem doctor", "mem doctor --deep", "mem doctor --fix"),
    details=(
        "Examines this machine, the store, its git, files and index, and its resident: each line is ok, warn "
        "or fail, and says what to run next. In a pipe: level, name, what and todo with tabs between them. "
        "Changes nothing without --fix, and works where other commands refuse. Exits 6 when something fails."
    ),
    options=(
        Option(
            ("--deep",),
            "Also read all of history and index, and remember, recall and forget for real in a store of "
            "its own that is thrown away.",
        ),
        Option(
            ("--fix",),
            "Put right what can be: make a damaged or missing index anew, make it compact, sweep what "
            "killed commands left, take back what a crash left half done.",
        ),
    ),
    codes=(0, 2, 6),
    format="mem.doctor/1",
)

CONFIG: Final = Verb(
    name="config",
    group="set up",
    run="memcli.cli.verbs.setting_up:config",
    summary="Show the settings in force.",
    examples=("mem config", "mem config --show-origin", "mem config recall.floor"),
    details="In a pipe: key and value (and origin) with tabs between them.",
    arguments=(Argument("key", "KEY", "only this setting", required=False),),
    options=(Option(("--show-origin",), "Say where each value comes from."),),
    codes=(0, 2, 4, 5, 6, 9),
    format="mem.config/1",
)

TRUST: Final = Verb(
    name="trust",
    group="set up",
    run="memcli.cli.verbs.setting_up:trust",
    summary="Trust a store that somebody else made; a person's act.",
    examples=("mem trust",),
    details=(
        "Shows the programs that its repository's own configuration names, and asks. Only a commit in a "
        "trusted store runs its hooks, filters and signing programs. A store that you made is trusted "
        "already."
    ),
    options=(YES,),
    codes=(0, 2, 4, 5, 6, 9),
    format="mem.trust/1",
)

HELP: Final = Verb(
    name="help",
    group="set up",
    run="memcli.cli.verbs.help:help_",
    summary="Explain a verb.",
    examples=("mem help recall",),
    arguments=(Argument("verb", "VERB", "the verb to explain", required=False, completes="verbs"),),
    codes=(0, 2),
)

VERBS: Final = (INIT, DEMO, STATUS, DOCTOR, CONFIG, TRUST, HELP)
