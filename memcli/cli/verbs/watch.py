"""Watch: the resident in this terminal or apart from it, how it stands, and its end."""

from typing import TYPE_CHECKING

from memcli.cli.opening import open_for
from memcli.cli.streams import Streams
from memcli.errors import Unavailable
from memcli.resident import door, starting

if TYPE_CHECKING:
    from memcli.engine.opened import Opened


def watch(streams: Streams) -> int:
    """`mem watch`."""
    call = streams.call
    opened = open_for(streams)
    streams.notices(opened.notices)
    if call.flag("status"):
        return _status(streams, opened)
    if call.flag("stop"):
        return _stop(streams, opened)
    if call.flag("detach"):
        _told(streams, starting.detach(opened.place))
        return 0
    return _foreground(streams, opened)


def _foreground(streams: Streams, opened: "Opened") -> int:
    from memcli.cli import served
    from memcli.engine.opened import open_store
    from memcli.resident.residence import Residence
    from memcli.surroundings import now_as

    root = str(opened.place.root)

    def opening() -> "Opened":
        return open_store(now_as(streams.surroundings), named=root)

    def say(text: str) -> None:
        streams.say(text)
        streams.err.flush()

    residence = Residence(opening, lambda kept: lambda asked, begin: served.answer(kept, asked, begin), say)
    try:
        residence.live(lambda: say(f"Watching {root}; press Ctrl-C to end."))
    except (KeyboardInterrupt, SystemExit):  # told to end: by a person, a service manager, a logout
        say("Ended.")
    return 0


def _status(streams: Streams, opened: "Opened") -> int:
    standing = starting.status(opened.place)
    if standing is None and door.lives(opened.place):
        raise Unavailable(
            "A resident lives, but cannot be reached from here.",
            "Commands do their work themselves meanwhile. End it where it was started.",
        )
    if standing is None:
        if streams.json:
            streams.answer({"format": "mem.watch/1", "running": False})
        else:
            streams.say("No resident watches this store. Start one: mem watch --detach")
        return 1
    _told(streams, standing)
    return 0


def _told(streams: Streams, standing: dict[str, object]) -> None:
    if streams.json:
        streams.answer({"format": "mem.watch/1", "running": True, **standing})
        return
    from memcli.cli.moments import rfc3339

    since, size = standing.get("since"), standing.get("memory_bytes")
    rows = (
        ("process", str(standing.get("process"))),
        ("since", rfc3339(since) if isinstance(since, int) else ""),
        ("answered", str(standing.get("answered"))),
        ("memory", f"{size / 1e6:.0f} MB" if isinstance(size, int) else ""),
        ("events", str(standing.get("events"))),
        ("trouble", str(standing.get("trouble") or "")),
    )
    for name, value in rows:
        if value:
            streams.line((f"{name:<10}", "dim"), value)


def _stop(streams: Streams, opened: "Opened") -> int:
    was = starting.stop(opened.place)
    if streams.json:
        streams.answer({"format": "mem.watch/1", "running": False, "stopped": was})
    else:
        streams.say("Stopped." if was else "No resident was running.")
    return 0
