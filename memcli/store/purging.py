"""A purge written down before its first step, so that a crash in it can be ended.

Up to that moment nothing has changed; from then on every step may be repeated until all are
done, and the note goes last. It holds what files are to become and which names are to move, never
the text that goes. One that came with somebody else's store can reach no file but a store's own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from memcli.store import inside, private, sealed
from memcli.store.place import Place

_TOPS: Final = frozenset({"schemas", "events", "receipts", "tombstones.jsonl", ".mem"})


@dataclass(frozen=True, slots=True)
class Note:
    """What is still to be done, as often as it takes.

    `moves` are refs (name, what it names, what it shall name or nothing), `commits` old → new, `logs`
    the reflogs with how many of their bytes stand for which new ones, `files` of the store or below
    `.mem` with the digest of what they held and what they are to hold (None: they go).
    """

    ids: tuple[str, ...]
    commit: str
    moves: tuple[tuple[str, str, str], ...]
    commits: Mapping[str, str]
    logs: Mapping[str, tuple[int, bytes]]
    files: Mapping[str, tuple[str, bytes | None]]


def begin(place: Place, note: Note) -> None:
    """Write the note down; it is on the disk when this returns. Only under the store's lock."""
    told = {
        "ids": note.ids,
        "commit": note.commit,
        "moves": note.moves,
        "commits": dict(note.commits),
        "logs": {path: [length, _packed(raw)] for path, (length, raw) in note.logs.items()},
        "files": {path: [digest, _packed(raw)] for path, (digest, raw) in note.files.items()},
    }
    sealed.write(place, place.purge_file, told)


def pending(place: Place) -> Note | None:
    """The purge that did not end, or None. One that is damaged or reaches too far is none."""
    return sealed.read(place, place.purge_file, _read)


def end(place: Place) -> None:
    """Every step is done."""
    private.remove(place, place.purge_file)


def _read(told: Any) -> Note:  # noqa: ANN401 - whatever JSON held
    files = {_allowed(path): (str(one[0]), _unpacked(one[1])) for path, one in told["files"].items()}
    logs = {_log(path): (int(one[0]), _unpacked(one[1]) or b"") for path, one in told["logs"].items()}
    moves = tuple((_ref(name), str(old), str(new)) for name, old, new in told["moves"])
    commits = {str(old): str(new) for old, new in told["commits"].items()}
    return Note(tuple(map(str, told["ids"])), str(told["commit"]), moves, commits, logs, files)


def _allowed(path: str) -> str:
    if inside.parts_of(path)[0] not in _TOPS:
        raise ValueError(path)
    return path


def _log(path: str) -> str:
    parts = inside.parts_of(path)
    if "logs" not in (parts[0], *parts[2:3]):
        raise ValueError(path)
    return path


def _ref(name: str) -> str:
    if not name.startswith("refs/") or any(char.isspace() for char in name):
        raise ValueError(name)
    return name


def _packed(raw: bytes | None) -> str | None:
    return None if raw is None else sealed.packed(raw)


def _unpacked(value: object) -> bytes | None:
    return None if value is None else sealed.unpacked(str(value))
