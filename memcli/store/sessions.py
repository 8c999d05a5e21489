"""Open sessions: who works on which task here, and what the store has shown them so far.

They are of this machine and may be deleted at any moment: what must last is copied into the
session's events when it gives feedback or ends. Two commands of one session may run at once, so
a file is changed only under a lock of its own; what a file says is checked, since a received
store may bring one.
"""

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Protocol

from memcli.errors import UNREADABLE, Exhausted, MemError, Usage
from memcli.memory.scope import Scope, parse
from memcli.store import event, events, inside, private
from memcli.store.place import Place
from memcli.store.problem import shown
from memcli.store.settings import Settings
from memcli.surroundings import Actor, Surroundings

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_END: Final = ".json"
_LOCK: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_ID_LENGTH: Final = 12


class Standing(Protocol):
    """What says which session a command belongs to: an open store."""

    surroundings: Surroundings
    place: Place
    settings: Settings
    scope: Scope

    @property
    def actor(self) -> Actor:
        """Who acts."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """One answer that the session was given: the ids that it showed, in order, and as of when.

    `query` is a digest alone, `procedures` are the names that were shown beside the memories.
    `below` are ids, with their match, that the floor (or the gate) held back; `gated` says why the gate
    held the whole answer back, empty where it did not, and `evidence` what it went by; `shadows` are
    staged memories that would have been shown, had they been believed.
    """

    id: str
    query: str
    as_of: int
    exposed: tuple[str, ...]
    procedures: tuple[str, ...] = ()
    below: tuple[tuple[str, float], ...] = ()
    gated: str = ""
    evidence: float | None = None
    shadows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Session:
    """One open session; `opened` and `last` (heard of) are seconds since 1970.

    `continuity` is the id that the sessions of one longer effort share.
    """

    id: str
    scope: Scope
    cwd: str
    actor: str
    task: str
    goal: str
    continuity: str
    opened: int
    last: int
    receipts: tuple[Receipt, ...] = ()

    def idle_at(self, now: int, idle_s: float) -> bool:
        """Whether nothing was heard of it for longer than `idle_s` seconds."""
        return now - self.last > idle_s

    def holds(self, folder: Path) -> bool:
        """Whether it was opened in `folder` or above it."""
        return bool(self.cwd) and folder.is_relative_to(self.cwd)

    @property
    def exposed(self) -> tuple[str, ...]:
        """Every id that it was shown, each once, in order."""
        return tuple(dict.fromkeys(id_ for one in self.receipts for id_ in one.exposed))


def current(opened: Standing) -> Session | None:
    """The open session of this command: the named one, else that of its scope, folder and actor.

    A folder below the session's own belongs to it too; of several the nearest is meant, then the
    one opened last. Where there is none it costs one look at a folder.
    """
    said = opened.surroundings.environment.get("MEM_SESSION", "")
    if said:
        return load(opened.place, said)
    here = opened.surroundings.cwd
    found = [one for one in _own(opened) if one.scope == opened.scope and here and one.holds(here)]
    return max(found, key=lambda one: (len(one.cwd), one.opened, one.id), default=None)


def around(opened: Standing) -> tuple[Session, ...]:
    """The open sessions of exactly this folder and of this actor, of whatever scope, that are not idle."""
    here = str(opened.surroundings.cwd)
    return tuple(one for one in _own(opened) if one.cwd == here)


def _own(opened: Standing) -> list[Session]:
    """The open sessions of this actor that are not idle; who acts is worked out only where there is any."""
    now, idle_s = opened.surroundings.now, opened.settings.session_idle_s
    found = [one for one in all_of(opened.place) if one.cwd and not one.idle_at(now, idle_s)]
    return [one for one in found if one.actor == str(opened.actor)]


def name(opened: Standing) -> str:
    """The session that an event of this command belongs to; empty outside any. Raises Usage as `named`."""
    said = named(opened)
    found = None if said else current(opened)
    return found.id if found else said


def named(opened: Standing) -> str:
    """The session that the command names; empty where it names none. Raises Usage for what is no name."""
    id_ = opened.surroundings.environment.get("MEM_SESSION", "")
    if id_ and not _NAME.fullmatch(id_):
        raise Usage(
            f"{shown(id_)!r} cannot be the name of a session.",
            "A session is named by up to 64 of A-Z a-z 0-9 . _ -, a letter or digit first.",
        )
    return id_


def new_id(now_ms: int, entropy: bytes, letter: str) -> str:
    """An id like `s_7k3p9x2m4q1z`; `letter` says what of: s a session, c a continuity."""
    seed = hashlib.sha256(f"{letter} {now_ms} ".encode() + entropy).digest()
    return f"{letter}_{event.crockford(int.from_bytes(seed[:8]), _ID_LENGTH)}"


def all_of(place: Place) -> tuple[Session, ...]:
    """Every open session, in order of id. Raises Exhausted."""
    try:
        names = os.listdir(place.sessions_folder)  # noqa: PTH208 - names alone are needed
    except OSError as error:
        inside.refuse_exhausted(error, place.sessions_folder.name)
        return ()
    found = (load(place, one.removesuffix(_END)) for one in sorted(names) if one.endswith(_END))
    return tuple(one for one in found if one is not None)


def load(place: Place, id_: str) -> Session | None:
    """The open session `id_`; None where there is none, or its file says no session. Raises Exhausted."""
    if not _NAME.fullmatch(id_):
        return None
    try:
        raw = private.read(place, place.sessions_folder / f"{id_}{_END}")
        return None if raw is None else _of(id_, json.loads(raw))
    except Exhausted:
        raise  # that nothing can be opened says of no session that it is not open
    except (MemError, *UNREADABLE):
        return None


def save(place: Place, session: Session) -> None:
    """Keep `session` as open, whatever its file said before. Raises Unavailable."""
    with _held(place):
        _put(place, session)


def change(place: Place, id_: str, to: Callable[[Session], Session]) -> Session | None:
    """Let `to` make the next state of the session `id_`; None, and nothing done, where it is not open."""
    with _held(place):
        found = load(place, id_)
        if found is None:
            return None
        made = to(found)
        if made != found:
            _put(place, made)
        return made


def heard(place: Place, id_: str, now: int) -> None:
    """The session is alive at `now`. A store that cannot be written is not told."""
    with suppress(MemError, OSError):
        change(place, id_, lambda one: replace(one, last=max(one.last, now)))


def close(place: Place, id_: str) -> None:
    """The session is open no more."""
    with _held(place):
        private.remove(place, place.sessions_folder / f"{id_}{_END}")


def files(place: Place, id_: str) -> tuple[str, ...]:
    """The paths of the event files of session `id_`: its own, and those of clones that went on with it."""
    return tuple(
        path
        for path in events.files(place)
        if path.rpartition("/")[2] == f"{id_}.jsonl" or _of_a_clone(path.rpartition("/")[2], id_)
    )


def _of_a_clone(name: str, id_: str) -> bool:
    """Whether `name` is that of another clone's lines in the session: its machine id stands between."""
    middle = name.removeprefix(f"{id_}.").removesuffix(".jsonl")
    return name.startswith(f"{id_}.") and len(middle) == _ID_LENGTH and "." not in middle


def of(place: Place, id_: str) -> tuple[event.Event, ...]:
    """The events of session `id_`, in order of their ids."""
    found = (one for path in files(place, id_) for one in events.read(place, path).events)
    return tuple(sorted((one for one in found if one.session == id_), key=lambda one: one.id))


@contextmanager
def _held(place: Place) -> Iterator[None]:
    """Hold the sessions' own lock, which is only ever held for the time of one small write."""
    path = (place.sessions_folder / "lock").relative_to(place.root).as_posix()
    with inside.parent(place, path, make=True) as (folder, name):
        opened = inside.opened(name, _LOCK, folder)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _put(place: Place, session: Session) -> None:
    value = {
        "id": session.id,
        "scope": str(session.scope),
        **{key: getattr(session, key) for key in (*_TEXTS, *_NUMBERS)},
        "receipts": [_spelled(one) for one in session.receipts],
    }
    raw = json.dumps(value).encode("utf-8", "surrogateescape")
    private.put(place.sessions_folder / f"{session.id}{_END}", raw)


_TEXTS: Final = ("cwd", "actor", "task", "goal", "continuity")
_NUMBERS: Final = ("opened", "last")


def _spelled(one: Receipt) -> dict[str, object]:
    held: dict[str, object] = {"below": dict(one.below), "gated": one.gated, "evidence": one.evidence}
    held["shadows"] = list(one.shadows)
    return {
        "id": one.id,
        "query": one.query,
        "as_of": one.as_of,
        "exposed": list(one.exposed),
        "procedures": list(one.procedures),
        **{key: value for key, value in held.items() if value not in ({}, "", None, [])},
    }


def _of(id_: str, value: dict[str, Any]) -> Session:
    """The session that a file says. Raises ValueError, KeyError, TypeError, AttributeError."""
    said: dict[str, Any] = {key: str(value[key]) for key in _TEXTS}
    said |= {key: int(value[key]) for key in _NUMBERS}
    receipts = tuple(_receipt(one) for one in value["receipts"])
    return Session(id=id_, scope=parse(value["scope"]), receipts=receipts, **said)


def _receipt(value: dict[str, Any]) -> Receipt:
    return Receipt(
        id=str(value["id"]),
        query=str(value["query"]),
        as_of=int(value["as_of"]),
        exposed=tuple(map(str, value["exposed"])),
        procedures=tuple(map(str, value.get("procedures", ()))),
        below=tuple((str(id_), float(match)) for id_, match in value.get("below", {}).items()),
        gated=str(value.get("gated", "")),
        evidence=None if value.get("evidence") is None else float(value["evidence"]),
        shadows=tuple(map(str, value.get("shadows", ()))),
    )
