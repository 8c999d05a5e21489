"""What a machine made of a memory, taken away: everything below `.mem` that can be made again.

What is not named here goes as a whole, so that a new kind of derived file cannot be overlooked.
"""

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memcli.engine import filing
from memcli.engine.opened import Opened
from memcli.engine.purging.deciding import Deciding
from memcli.memory import layers
from memcli.memory.schema import Schema
from memcli.store import event, events, private
from memcli.store.event import Kind
from memcli.store.place import Place

if TYPE_CHECKING:
    from memcli.index.encoder import Encoder

# Of this machine and without a memory's words, or looked at one by one.
_STAYS: Final = frozenset(
    {"lock", "machine", "own", "spare", "unsaved", "consolidating", "purging", "sessions"}
)
_STAYS_TOO: Final = frozenset({"receipts", "vectors", "log", "skips.jsonl", "model"})
_RESIDENT: Final = "resident"


def private_files(opened: Opened, deciding: Deciding) -> dict[str, tuple[bytes, bytes | None]]:
    """The small files of this machine that say it: what they hold, and what they are to hold (None: they go).

    Sessions lose the words, receipts and logs that hold them go.
    """
    place = opened.place
    found: dict[str, tuple[bytes, bytes | None]] = {}
    for folder in (place.sessions_folder, place.private / "receipts", place.private / "log"):
        for file in sorted(one for one in folder.rglob("*") if one.is_file() and not one.is_symlink()):
            raw = private.read(place, file) or b""
            after = _kept(file, raw, deciding)
            if after != raw:
                found[file.relative_to(place.root).as_posix()] = raw, after
    return found


def _kept(file: Path, raw: bytes, deciding: Deciding) -> bytes | None:
    if file.parent.name != "sessions" or not file.name.endswith(".json"):
        return None if deciding.holds(raw) else raw
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return None if deciding.holds(raw) else raw
    after = deciding.redaction.value(value)
    return raw if after == value else json.dumps(after).encode("utf-8", "surrogateescape")


def clear(place: Place, *, vectors: bool = False) -> None:
    """Remove what can be made again: index, turns, prototypes, accounts, and what was last seen of files.

    With `vectors` also those of every text, where nobody knows any more which ones are to go.
    """
    stays = (_STAYS | _STAYS_TOO) - ({"vectors"} if vectors else set())
    for name in os.listdir(place.private) if place.private.is_dir() else ():  # noqa: PTH208 - names are enough
        if name in stays or name.startswith(_RESIDENT):
            continue
        path = place.private / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def take_vectors(opened: Opened, made: Deciding, schemas: Iterable[Schema], whole: Iterable[str]) -> None:
    """Take the vectors of everything that they ever said out of the cache; without a model all of it goes.

    `schemas` are their recorded versions, `whole` the events that lose words.
    """
    from memcli.index import cache

    encoder = opened.encoder
    if encoder is None:
        shutil.rmtree(opened.place.vectors_folder, ignore_errors=True)
        return
    texts = [text for said in made.redaction.wordings for text in (said, *layers.pieces(said))]
    texts += [text for one in schemas for text in _of_schema(encoder, one)]
    texts += _of_events(opened.place, set(whole))
    cache.without(opened.place.vectors_folder, encoder, texts)


def _of_schema(encoder: "Encoder", schema: Schema) -> list[str]:
    from memcli.index.rows import meaning

    return [*encoder.chunks(meaning(schema), filing.PIECES), *encoder.chunks(schema.detail, filing.PIECES)]


def _of_events(place: Place, ids: set[str]) -> list[str]:
    """What is encoded of these events: each alone, its sentences, and the turns around it."""
    found: list[str] = []
    for path in events.files(place):
        said = events.read(place, path).events
        turns = [one for one in said if one.kind is Kind.TURN]
        for at in range(len(turns)):
            beside = turns[max(at - 1, 0) : at + 2]
            if any(near.id in ids for near in beside):
                found.append("\n".join(near.text for near in beside))
        for one in (one for one in said if one.id in ids):
            found += [event.said(one), *layers.pieces(one.text), *layers.pieces(event.said(one))]
    return found
