"""Settling: the prototypes of a scope as bytes below `.mem/latent/`, now and as they stood some turns before.

Two files a scope. What is torn, damaged or made for other rules is read as nothing, and made
again from the events.
"""

import hashlib
import json
import zlib
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from memcli.errors import UNREADABLE, MemError
from memcli.memory.episodes import Episode
from memcli.memory.proposals import Member
from memcli.memory.prototypes import Prototype, Prototypes
from memcli.store import private
from memcli.store.place import Place

_HEAD: Final = b"mem latent 4 "
_LENGTH: Final = 24  # characters of a file's name


@dataclass
class Settled:
    """The prototypes `now`, and as they stood before the turns of `tail`, (event id, path) in order."""

    now: Prototypes
    base: Prototypes
    tail: list[tuple[str, str]]

    @classmethod
    def empty(cls, dimensions: int) -> "Settled":
        """Nothing was taken in yet."""
        return cls(Prototypes(dimensions), Prototypes(dimensions), [])


def save(place: Place, scope: str, kind: str, made: Settled) -> None:
    """Keep them; `kind` is what they are good for. Raises OSError."""
    folder = place.latent_folder
    folder.mkdir(mode=0o700, exist_ok=True)
    before = private.read(place, folder / _name(scope, "base")) or b""
    if not before.startswith(_stamp(made.base, kind)):
        base = _packed({"kind": kind}, made.base)
        private.put(folder / _name(scope, "base"), _stamp(made.base, kind) + base)
    told = {"kind": kind, "base": made.base.last, "tail": made.tail}
    private.put(folder / _name(scope), _packed(told, made.now))


def load(place: Place, scope: str, kind: str, dimensions: int) -> Settled | None:
    """What was kept, None where there is nothing that is whole and good for that."""
    with suppress(MemError, *UNREADABLE):
        head, now = _read(private.read(place, place.latent_folder / _name(scope)) or b"", kind, dimensions)
        raw = private.read(place, place.latent_folder / _name(scope, "base")) or b""
        _, base = _read(raw.partition(b"\n")[2], kind, dimensions)
        if head["base"] == base.last:
            return Settled(now, base, [(str(id_), str(path)) for id_, path in head["tail"]])
    return None


def _stamp(made: Prototypes, kind: str) -> bytes:
    """The line that tells one base from another without reading it."""
    return f"{made.last or '-'} {made.turns} {hashlib.sha256(kind.encode()).hexdigest()[:16]}\n".encode()


def _name(scope: str, part: str = "now") -> str:
    digest = hashlib.sha256(scope.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{digest[:_LENGTH]}.{part}"


def _packed(head: dict[str, Any], made: Prototypes) -> bytes:
    told = {
        **head,
        "last": made.last,
        "turns": made.turns,
        "episodes": made.episodes,
        "open": [[name, one.first, one.last_at, one.turns] for name, one in made.open.items()],
        "all": [_spelled(one) for one in made.all],
    }
    line = json.dumps(told, separators=(",", ":")).encode("utf-8", "surrogateescape")
    totals = b"".join(one.total.tobytes() for one in made.open.values())
    body = line + b"\n" + made.sums[: len(made.all)].tobytes() + totals
    return _HEAD + b"%08x\n" % zlib.crc32(body) + body


def _spelled(one: Prototype) -> list[Any]:
    members = [
        [each.event, each.session, each.text, each.episode, each.subject, each.place] for each in one.members
    ]
    return [one.founder, one.touched, one.sessions, members, one.turns, one.tries, one.done]


def _read(raw: bytes, kind: str, dimensions: int) -> tuple[dict[str, Any], Prototypes]:
    """The head and the prototypes that `raw` holds. Raises ValueError and what `load` passes over."""
    first, _, body = raw.partition(b"\n")
    if not first.startswith(_HEAD) or int(first[len(_HEAD) :], 16) != zlib.crc32(body):
        raise ValueError("torn")
    line, _, floats = body.partition(b"\n")
    head = json.loads(line.decode("utf-8", "surrogateescape"))
    if head["kind"] != kind:
        raise ValueError("made for something else")
    found = [_prototype(one) for one in head["all"]]
    rows = np.frombuffer(floats, np.float64).reshape(len(found) + len(head["open"]), dimensions).copy()
    sums, totals = rows[: len(found)], rows[len(found) :]
    going_on = {
        str(name): Episode(str(event), int(last_at), total, int(turns))
        for (name, event, last_at, turns), total in zip(head["open"], totals, strict=True)
    }
    counted = int(head["episodes"]), int(head["turns"])
    return head, Prototypes(dimensions, str(head["last"]), found, sums, going_on, *counted)


def _prototype(kept: list[Any]) -> Prototype:
    founder, touched, sessions, members, turns, tries, done = kept
    turned = [Member(*map(str, one)) for one in members]
    named = [str(one) for one in sessions]
    return Prototype(str(founder), str(touched), named, turned, int(turns), int(tries), bool(done))
