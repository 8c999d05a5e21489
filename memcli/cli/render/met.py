"""What came of meeting another clone, and of merging one file."""

from typing import TYPE_CHECKING

from memcli.cli.render.text import one_line
from memcli.memory.numerals import counted

if TYPE_CHECKING:
    from memcli.cli.streams import Streams
    from memcli.engine.moving.merging import Merged
    from memcli.engine.moving.syncing import Synced


def synced(streams: "Streams", done: "Synced") -> None:
    """What came, what went, and what a person should look at."""
    if streams.json:
        streams.answer(_as_json(done))
        return
    if streams.at_terminal:
        streams.line(
            f"Met {one_line(done.remote)}: ",
            f"{counted(done.received, 'commit')} came, ",
            f"{done.sent} went.",
        )
        if done.changed:
            many = counted(done.changed, "memory is", "memories are")
            streams.line(f"{many} new or changed.")
    else:
        streams.row(one_line(done.remote), str(done.received), str(done.sent), str(done.changed))
    for path in done.settled:
        streams.say("Merged by what both say: ", one_line(path))
    if done.settled:
        streams.say(
            "A git pull may leave such files to you; so that it settles most: mem merge-driver --install"
        )
    for path in done.withheld:
        streams.say(
            ("Withheld: ", "warn"),
            f"{one_line(path)} brings back what was removed; mem check says what to do.",
        )
    if done.unsaved:
        unsaved = counted(done.unsaved, "edited file was", "edited files were")
        streams.say(("Note: ", "warn"), f"{unsaved} not sent: mem save commits them.")


def _as_json(done: "Synced") -> dict[str, object]:
    return {
        "format": "mem.sync/1",
        "remote": done.remote,
        "received": done.received,
        "sent": done.sent,
        "commit": done.commit,
        "changed": done.changed,
        "settled": list(done.settled),
        "withheld": list(done.withheld),
        "unsaved": done.unsaved,
    }


def installed(streams: "Streams", lines: tuple[str, ...]) -> None:
    """What was set in this clone."""
    if streams.json:
        streams.answer({"format": "mem.driver/1", "clean": True, "conflicts": [], "installed": list(lines)})
        return
    for line in lines:
        streams.line(line)


def merged(streams: "Streams", done: "Merged") -> None:
    """Git reads the file and the exit code; this is for whoever tries it by hand."""
    if streams.json:
        told = {"clean": done.clean, "conflicts": list(done.conflicts), "installed": []}
        streams.answer({"format": "mem.driver/1", **told})
    elif not done.clean:
        streams.say(("Conflict: ", "warn"), ", ".join(done.conflicts))
