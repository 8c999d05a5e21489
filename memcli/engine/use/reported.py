"""What the events report of use, read as far as they have grown since.

A store's events are never read whole twice: of each file its length and time are kept, and
only what was appended is read. A file that is not the one that was read (a merge, another
branch) is read again. A report counts once a consolidation of its file has passed it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from memcli.engine.opened import Opened
from memcli.errors import UNREADABLE, MemError
from memcli.memory.account import Report
from memcli.store import event, events, lines, private
from memcli.store.event import Event, Kind
from memcli.store.lines import START, Mark

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Seen:
    """One file of events: its length and time, how far it was read, and what it reports.

    `through` is the id of the last event that a consolidation has passed, "" before the first.
    """

    size: int
    mtime_ns: int
    mark: Mark
    through: str = ""
    reports: tuple[Report, ...] = ()

    def counted(self) -> Iterator[Report]:
        """The reports that count."""
        return (one for one in self.reports if _event(one) <= self.through)


Reports = Mapping[str, Seen]
"""Path of a file of events -> what was seen of it."""


def _event(report: Report) -> str:
    """The id of the event: one event may tell of several answers."""
    return report.id.partition("/")[0]


def counted(files: Reports) -> list[Report]:
    """All reports that count."""
    return [one for seen in files.values() for one in seen.counted()]


def brought_up(opened: Opened, before: Reports) -> tuple[Reports, int]:
    """`before` brought to the files as they are, and how many bytes had to be read for it."""
    files, read = {}, 0
    for path, stood in events.stood(opened.place).items():
        known = before.get(path)
        with suppress(MemError, OSError):
            if known is not None and (known.size, known.mtime_ns) == stood:
                files[path] = known
                continue
            files[path] = _read(opened, path, known, stood)
            read += files[path].mark.end - (known.mark.end if known else 0)
    return files, abs(read)


def _read(opened: Opened, path: str, known: Seen | None, stood: tuple[int, int]) -> Seen:
    if known is not None:
        with suppress(ValueError):
            return _grown(opened, path, replace(known, size=stood[0], mtime_ns=stood[1]))
    return _grown(opened, path, Seen(*stood, START))


def _grown(opened: Opened, path: str, known: Seen) -> Seen:
    found, mark = lines.since(opened.place, path, known.mark)
    return replace(_told(known, found), mark=mark)


def of_bytes(path: str, raw: bytes) -> Seen:
    """What a file of events with the bytes `raw` reports, as a commit has it."""
    return _told(Seen(len(raw), 0, START), lines.of_bytes(path, raw, any_of=_MARKS))


def _told(known: Seen, found: lines.Lines) -> Seen:
    through, reports = known.through, {one.id: one for one in known.reports}
    for line in found.found:
        with suppress(KeyError, TypeError, ValueError):  # somebody else's line may hold anything
            if line.value["kind"] in _TELLING:
                one = event.of_object(line.value)
                through = max(through, _through(one))
                reports.update((each.id, each) for each in of_event(one))
    return replace(known, through=through, reports=tuple(reports.values()))


_TELLING = frozenset({Kind.FEEDBACK.value, Kind.OUTCOME.value, Kind.CONSOLIDATED.value})
_MARKS = tuple(f'"{kind}"'.encode() for kind in sorted(_TELLING))  # what a line of theirs holds


def _through(one: Event) -> str:
    return _text(one.data.get("through")) if one.kind is Kind.CONSOLIDATED else ""


def of_events(found: Iterable[Event]) -> list[Report]:
    """The reports of these events, whether a consolidation has passed them or not."""
    return [report for one in found for report in of_event(one)]


def of_event(one: Event) -> tuple[Report, ...]:
    """What one event reports: a feedback of its answer, the end of a session of all that it showed."""
    if one.kind is Kind.FEEDBACK and one.data.get("shadow") is not True:
        return (_feedback(one),)
    if one.kind is Kind.OUTCOME:
        shown = one.data.get("exposed")
        told = [each for each in shown if isinstance(each, dict)] if isinstance(shown, list) else []
        return tuple(_answer(one, place, each) for place, each in enumerate(told))
    return ()


def _feedback(one: Event) -> Report:
    """Only what the answer showed can be spoken of."""
    said = one.data
    exposed = _texts(said.get("exposed"))
    told = {name: _texts(said.get(name), exposed) for name in ("used", "irrelevant")}
    stale = said.get("stale")
    stale = [each.get("id") for each in stale if isinstance(each, dict)] if isinstance(stale, list) else []
    return Report(
        one.id,
        one.at,
        str(one.scope),
        one.session,
        _text(said.get("receipt")),
        exposed,
        **told,
        stale=_texts(stale, exposed),
        refines=_text(said.get("refines")),
    )


def _answer(one: Event, place: int, said: Mapping[str, Any]) -> Report:
    shown = _texts(said.get("ids"))
    return Report(f"{one.id}/{place}", one.at, str(one.scope), one.session, _text(said.get("receipt")), shown)


def _texts(value: object, among: Sequence[str] | None = None) -> tuple[str, ...]:
    texts = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
    return tuple(dict.fromkeys(one for one in texts if among is None or one in among))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def load(opened: Opened) -> Reports:
    """What was kept of the files, nothing where that cannot be read."""
    import json

    try:
        kept = json.loads(private.read(opened.place, opened.place.reports_file) or b"")
        if kept["format"] != _FORMAT:
            return {}
        return {path: _seen(one) for path, one in kept["files"].items()}
    except UNREADABLE:
        return {}


def _seen(kept: Mapping[str, Any]) -> Seen:
    end, tail = kept["mark"]
    told = tuple(_report(one) for one in kept["reports"])
    return Seen(
        int(kept["size"]),
        int(kept["mtime_ns"]),
        Mark(int(end), bytes.fromhex(tail)),
        str(kept["through"]),
        told,
    )


def _report(kept: Mapping[str, Any]) -> Report:
    said: dict[str, Any] = {
        name: tuple(told) if isinstance(told, list) else told for name, told in kept.items()
    }
    return Report(**said)


def save(opened: Opened, files: Reports) -> None:
    """Keep what was read; not fsynced, for what is torn is read as nothing. Raises OSError."""
    import json

    kept = {
        path: {
            "size": seen.size,
            "mtime_ns": seen.mtime_ns,
            "mark": [seen.mark.end, seen.mark.tail.hex()],
            "through": seen.through,
            "reports": [{name: said for name, said in asdict(one).items() if said} for one in seen.reports],
        }
        for path, seen in files.items()
    }
    private.put(opened.place.reports_file, json.dumps({"format": _FORMAT, "files": kept}).encode())
