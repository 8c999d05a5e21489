"""Vectors that were computed once, kept outside the index so that a rebuild need not wait.

Encoding is 99 % of an uncached rebuild. The cache is two files for each encoder that only
ever grow: 16-byte keys, and float32 vectors in the same order. It may be deleted, cut or
filled with garbage at any moment; the danger is then a wrong vector, so a key counts only
when its whole vector is there and has length 1, and everything else is encoded again. No
failure of the cache is a failure of the caller.
"""

import errno
import os
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memcli.index import folders
from memcli.index.encoder import Encoder, Progress, Vectors

KEY_BYTES: Final = 16
FLOAT_BYTES: Final = 4
BLOCK: Final = 4096  # vectors read at a time, 6 MB of 384 dimensions
FEW: Final = 16  # keys that are sooner searched for one by one than by walking over all
KEEP_EVERY: Final = 256  # texts after which a rebuild that is killed has lost nothing
OFF_UNIT: Final = 1e-5  # float32 keeps the square of a length within 1e-6; a torn vector is further off
PAUSES_S: Final = (0.001, 0.004, 0.016, 0.064, 0.25)  # between tries for the lock; an append takes 1 ms

Places = NDArray[np.int64]

_READ: Final = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
_APPEND: Final = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class VectorCache:
    """The vectors of one folder; several processes may read and append at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def vectors(
        self, encoder: Encoder, texts: Sequence[str], progress: Progress | None = None, workers: int = 1
    ) -> Vectors:
        """float32 [texts, dimensions] as `encoder` gives them; only what is new is encoded.

        `progress` is told texts encoded and texts to encode. Raises NoEncoder.
        """
        keys = [_key(encoder.fingerprint, text) for text in texts]
        places = {key: place for place, key in reversed(list(enumerate(keys)))}
        vectors = np.zeros((len(texts), encoder.dimensions), np.float32)
        shelf = _Shelf(self._folder, encoder)
        missing = dict(places)
        for found, rows in shelf.read(places):
            vectors[[missing.pop(key) for key in found]] = rows
        fresh = sorted(missing.values())
        for chosen, rows in _in_parts(encoder, [texts[place] for place in fresh], progress, workers):
            vectors[[fresh[place] for place in chosen]] = rows
            shelf.append([keys[fresh[place]] for place in chosen], rows)
        if len(places) < len(keys):
            vectors = vectors[[places[key] for key in keys]]
        return vectors


def standing(folder: Path) -> tuple[int, tuple[str, ...]]:
    """How many vectors the cache in `folder` holds, and what is wrong with it, a line each.

    Looks at the last block of each encoder's vectors; a torn tail is nothing wrong. Writes nothing.
    """
    many, wrong = 0, []
    for file in sorted(folder.glob("*.keys")):
        try:
            kept, bad = _looked_at(file)
            many += kept
            wrong += [f"{file.with_suffix('.f32').name} holds {bad} vectors that are none"] if bad else []
        except (OSError, ValueError) as error:
            wrong.append(f"{file.name} cannot be read ({type(error).__name__})")
    return many, tuple(wrong)


def _looked_at(file: Path) -> tuple[int, int]:
    """How many vectors stand behind the keys in `file`, and how many of the last are none.

    Raises OSError, ValueError.
    """
    dimensions = int(file.stem.rpartition("-")[2])
    if dimensions < 1:
        raise ValueError(file.name)
    size = dimensions * FLOAT_BYTES
    with _opened(file, _READ) as keys, _opened(file.with_suffix(".f32"), _READ) as vectors:
        many = min(os.fstat(keys).st_size // KEY_BYTES, os.fstat(vectors).st_size // size)
        last = min(many, BLOCK)
        raw = os.pread(vectors, last * size, (many - last) * size)
    rows = np.frombuffer(raw, np.float32, last * dimensions).reshape(last, dimensions)
    with np.errstate(all="ignore"):  # garbage is no number
        return many, int((~_unit(rows)).sum())


def without(folder: Path, encoder: Encoder, texts: Sequence[str]) -> None:
    """Take the vectors of `texts` out of the cache, and all that other encoders left. Raises OSError."""
    shelf = _Shelf(folder, encoder)
    for file in folder.glob("*"):
        if file.suffix in (".keys", ".f32") and not shelf.holds(file):
            file.unlink(missing_ok=True)
    shelf.drop({_key(encoder.fingerprint, text) for text in texts})


class _Shelf:
    """The two files of one encoder."""

    def __init__(self, folder: Path, encoder: Encoder) -> None:
        name = f"{sha256(encoder.fingerprint.encode()).hexdigest()[:16]}-{encoder.dimensions}"
        self._folder = folder
        self._keys = folder / f"{name}.keys"
        self._vectors = folder / f"{name}.f32"
        self._dimensions = encoder.dimensions
        self._vector_bytes = encoder.dimensions * FLOAT_BYTES

    def read(self, wanted: Collection[bytes]) -> Iterator[tuple[list[bytes], Vectors]]:
        """The wanted keys that are here, with their vectors [keys, dimensions], in parts."""
        with (
            suppress(OSError),
            _opened(self._keys, _READ) as keys_file,
            _opened(self._vectors, _READ) as vectors_file,
        ):
            keys = os.pread(keys_file, os.fstat(keys_file).st_size, 0)
            for places in _by_block(_places(keys, wanted)):
                first = int(places[0])
                rows = self._rows(vectors_file, first, int(places[-1]) + 1)
                # The keys are looked at again behind the vectors, because a writer that finds a
                # torn pair cuts the keys before it touches a vector.
                span = slice(first * KEY_BYTES, (int(places[-1]) + 1) * KEY_BYTES)
                if os.pread(keys_file, span.stop - span.start, span.start) == keys[span]:
                    yield _whole(keys, places[places - first < len(rows)], first, rows)

    def _rows(self, vectors_file: int, first: int, end: int) -> Vectors:
        """The vectors from place `first` to `end`, fewer where the file is cut.

        Read and not mapped: a file that another process cuts would kill this one (SIGBUS).
        """
        raw = os.pread(vectors_file, (end - first) * self._vector_bytes, first * self._vector_bytes)
        there = len(raw) // self._vector_bytes
        return np.frombuffer(raw, np.float32, there * self._dimensions).reshape(there, self._dimensions)

    def append(self, keys: Sequence[bytes], rows: Vectors) -> None:
        """Put these behind what is there; nothing happens where that cannot be done at once."""
        unit = _unit(rows)
        whole = b"".join(key for key, good in zip(keys, unit, strict=True) if good)
        with suppress(OSError), self._alone() as (keys_file, vectors_file):
            known = min(
                os.fstat(keys_file).st_size // KEY_BYTES,
                os.fstat(vectors_file).st_size // self._vector_bytes,
            )
            # Whatever lies beyond is the torn tail of a process that was killed. A key must never
            # stand before its own vector: cut the keys, write the vectors, then their keys.
            os.ftruncate(keys_file, known * KEY_BYTES)
            _write(vectors_file, rows[unit].tobytes(), known * self._vector_bytes)
            _write(keys_file, whole, known * KEY_BYTES)

    def holds(self, file: Path) -> bool:
        """Whether `file` is one of the two."""
        return file in (self._keys, self._vectors)

    def drop(self, unwanted: Collection[bytes]) -> None:
        """Keep everything but these keys and their vectors. Raises OSError."""
        if not self._keys.exists():
            return
        with self._alone() as (keys_file, vectors_file):
            size, known = self._vector_bytes, os.fstat(keys_file).st_size // KEY_BYTES
            keys = os.pread(keys_file, known * KEY_BYTES, 0)
            stays = [place for place in range(known) if _key_at(keys, place) not in unwanted]
            os.ftruncate(keys_file, 0)  # a key must never stand before another's vector
            for new, old in enumerate(stays):
                if new != old:
                    _write(vectors_file, os.pread(vectors_file, size, old * size), new * size)
            os.ftruncate(vectors_file, len(stays) * size)
            _write(keys_file, b"".join(_key_at(keys, place) for place in stays), 0)

    @contextmanager
    def _alone(self) -> Iterator[tuple[int, int]]:
        """Both files, locked against other writers. Raises OSError."""
        folders.make(self._folder)
        with _opened(self._keys, _APPEND) as keys_file, _opened(self._vectors, _APPEND) as vectors_file:
            _lock(keys_file)
            for file, descriptor in ((self._keys, keys_file), (self._vectors, vectors_file)):
                if not os.path.samestat(file.stat(), os.fstat(descriptor)):
                    raise OSError(errno.ESTALE, "The cache was deleted meanwhile", str(file))
            yield keys_file, vectors_file


def _places(keys: bytes, wanted: Collection[bytes]) -> Places:
    """Where the wanted keys stand, ascending; of a doubled key the first place."""
    if len(wanted) <= FEW:
        return np.array(
            sorted(place for place in (_search(keys, key) for key in wanted) if place >= 0), np.int64
        )
    many = len(keys) // KEY_BYTES
    halves = np.frombuffer(keys, "<u8", 2 * many).reshape(many, 2)[:, 0]
    sought = np.array([int.from_bytes(key[:8], "little") for key in wanted], "<u8")
    found: dict[bytes, int] = {}
    # Whatever is wanted is looked for among all that is kept: by two bytes of a key first, since
    # comparing whole halves sorts a million of them anew for every thousand texts of a rebuild.
    likely = np.zeros(1 << 16, np.bool_)
    likely[sought & 0xFFFF] = True
    near = np.flatnonzero(likely[np.frombuffer(keys, "<u2", 8 * many).reshape(many, 8)[:, 0]])
    for place in near[np.isin(halves[near], sought)].tolist():  # by half a key: all of it decides
        key = _key_at(keys, place)
        if key in wanted:
            found.setdefault(key, place)
    return np.fromiter(found.values(), np.int64, len(found))


def _search(keys: bytes, key: bytes) -> int:
    start = keys.find(key)
    while start >= 0 and start % KEY_BYTES:
        start = keys.find(key, start + 1)
    return start // KEY_BYTES if start >= 0 else -1


def _key_at(keys: bytes, place: int) -> bytes:
    return keys[place * KEY_BYTES : (place + 1) * KEY_BYTES]


def _by_block(places: Places) -> list[Places]:
    ends = np.flatnonzero(np.diff(places // BLOCK)) + 1
    return [block for block in np.split(places, ends) if len(block)]


def _whole(keys: bytes, places: Places, first: int, rows: Vectors) -> tuple[list[bytes], Vectors]:
    chosen = rows[places - first]
    unit = _unit(chosen)
    return [_key_at(keys, place) for place in places[unit].tolist()], chosen[unit]


def _unit(rows: Vectors) -> NDArray[np.bool_]:
    squares = (rows * rows).sum(axis=1)
    unit: NDArray[np.bool_] = abs(squares - 1) < OFF_UNIT
    return unit


def _lock(descriptor: int) -> None:
    """Wait for other writers, though not for one that hangs. Raises BlockingIOError."""
    import fcntl

    for pause in (*PAUSES_S, None):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if pause is None:
                raise
            time.sleep(pause)
        else:
            return


@contextmanager
def _opened(file: Path, how: int) -> Iterator[int]:
    descriptor = folders.opened(file, how) if how & os.O_CREAT else os.open(file, how)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _write(descriptor: int, octets: bytes, start: int) -> None:
    done = 0
    while done < len(octets):
        done += os.pwrite(descriptor, octets[done:], start + done)


def _key(fingerprint: str, text: str) -> bytes:
    return sha256(f"{fingerprint}\0{text}".encode("utf-8", "surrogatepass")).digest()[:KEY_BYTES]


def _in_parts(
    encoder: Encoder, texts: Sequence[str], progress: Progress | None, workers: int
) -> Iterator[tuple[list[int], Vectors]]:
    """The batches of the encoder, gathered to KEEP_EVERY texts."""
    done = 0
    chosen: list[int] = []
    gathered: list[Vectors] = []
    for places, rows in encoder.batches(texts, workers):
        chosen += places
        gathered.append(rows)
        done += len(places)
        if progress is not None:
            progress(done, len(texts))
        if len(chosen) >= KEEP_EVERY or done == len(texts):
            yield chosen, np.concatenate(gathered)
            chosen, gathered = [], []
