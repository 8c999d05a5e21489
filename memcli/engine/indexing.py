"""The index commands: how it stands, making it anew, and reading all of it to be sure."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memcli.engine import filing, indexed, rebuilding
from memcli.engine.opened import Opened
from memcli.engine.recalling import heard
from memcli.store import known as knowns
from memcli.store import lock, scan

if TYPE_CHECKING:
    from memcli.index.tables import Index


@dataclass(frozen=True, slots=True)
class IndexState:
    """What `mem index status|rebuild|verify` found; `problems` empty is healthy."""

    rows: int
    chunks: int
    files: int
    size_bytes: int
    fragments: int
    encoder: str
    behind: int
    problems: tuple[str, ...] = ()
    rebuilt: bool = False
    encoded: int = 0
    seconds: float = 0.0


def status(opened: Opened) -> IndexState:
    """The index against the files; changes nothing."""
    seen = scan.scan(opened.place)
    kept = knowns.load(opened.place.known_file)
    index = indexed.open_index(opened, writable=False)
    change = knowns.difference(seen, kept or {})
    behind = len(change.changed) + len(change.vanished)
    problems = () if index is not None else ("There is no index that fits; the next recall makes it anew.",)
    return _state(opened, index, len(seen.files), behind, problems)


def rebuild(opened: Opened, progress: Callable[[int, int], None] | None = None) -> IndexState:
    """Build the index anew beside the old one, then switch. Raises TryAgain while another process writes."""
    begun = time.perf_counter()
    encoder = opened.encoder
    before = encoder.encoded if encoder else 0
    with lock.hold(opened.place, wait_s=opened.settings.lock_wait_s, holder="index rebuild"):
        view = rebuilding.rebuild(opened, progress)
        heard.doubt(opened)
    heard.follow(opened, progress, view)
    state = _state(opened, view.index, len(view.known), 0, ())
    encoded = encoder.encoded - before if encoder else 0
    return replace(state, rebuilt=True, encoded=encoded, seconds=time.perf_counter() - begun)


def verify(opened: Opened) -> IndexState:
    """Read everything and compare with the files; changes nothing."""
    state = status(opened)
    index = indexed.open_index(opened, writable=False)
    if index is None:
        return state
    problems = [*index.verify(), *_differences(opened, index)]
    return replace(state, problems=tuple(problems))


def _differences(opened: Opened, index: "Index") -> list[str]:
    """Where rows and files do not say the same."""
    held = {row["path"]: row["digest"] for row in index.all_rows(("path", "digest"))}
    found = []
    for file in scan.scan(opened.place).files:
        filed = filing.read(opened, file.path)
        digest = held.pop(file.path, "")
        if filed is None or filed.schema is None:
            found += [f"{file.path} is set aside but indexed"] if digest else []
        elif digest != filed.digest:
            found.append(f"{file.path} {'is indexed otherwise' if digest else 'is not indexed'}")
    return found + [f"{path} is indexed but not there" for path in sorted(held)]


def _state(
    opened: Opened, index: "Index | None", files: int, behind: int, problems: tuple[str, ...]
) -> IndexState:
    many, size = index.size() if index else (0, 0)
    encoder = opened.encoder
    return IndexState(
        rows=index.schemas() if index else 0,
        chunks=index.pieces() if index else 0,
        files=files,
        size_bytes=size,
        fragments=many,
        encoder=encoder.fingerprint if encoder else "",
        behind=behind,
        problems=problems,
    )
