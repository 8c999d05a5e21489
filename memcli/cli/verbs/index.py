"""The index: status, verify, rebuild."""

from memcli.cli.opening import open_for
from memcli.cli.render.progress import progress
from memcli.cli.streams import Streams
from memcli.engine import indexing as engine
from memcli.engine.indexing import IndexState
from memcli.engine.opened import Opened
from memcli.errors import Unavailable

UNAVAILABLE = Unavailable.code


def index(streams: Streams) -> int:
    """`mem index status|rebuild|verify`."""
    opened = open_for(streams)
    act = streams.call.text("act")
    state = _done(streams, opened, act)
    streams.notices(opened.notices)
    if streams.json:
        streams.answer(_as_json(state))
    else:
        _show(streams, state)
    return UNAVAILABLE if act == "verify" and state.problems else 0


def _done(streams: Streams, opened: Opened, act: str | None) -> IndexState:
    if act == "rebuild":
        with progress(streams, "Rebuilding") as report:
            return engine.rebuild(opened, report)
    return engine.verify(opened) if act == "verify" else engine.status(opened)


def _show(streams: Streams, state: IndexState) -> None:
    if state.rebuilt:
        streams.line(f"Rebuilt in {state.seconds:.1f} s, {state.encoded} texts encoded.")
    for name, value in (
        ("memories", f"{state.rows} of {state.files} files"),
        ("pieces", str(state.chunks)),
        ("behind", f"{state.behind} files" if state.behind else "no"),
        ("encoder", state.encoder or "none: words only"),
        ("size", f"{state.size_bytes / 1e6:.1f} MB in {state.fragments} fragments"),
    ):
        streams.line((f"{name:<10}", "dim"), value)
    for problem in state.problems:
        streams.line(("problem   ", "bad"), problem)
    if state.problems:
        streams.say("Put it right with: mem index rebuild")


def _as_json(state: IndexState) -> dict[str, object]:
    return {
        "format": "mem.index/1",
        "rows": state.rows,
        "chunks": state.chunks,
        "files": state.files,
        "behind": state.behind,
        "encoder": state.encoder or None,
        "size_bytes": state.size_bytes,
        "fragments": state.fragments,
        "problems": list(state.problems),
        "rebuilt": state.rebuilt,
        "encoded": state.encoded,
        "seconds": round(state.seconds, 3),
    }
