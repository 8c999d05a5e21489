"""The cache of vectors: encodes what is new, and gives no wrong vector whatever happens to its files."""

import fcntl
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.index import cache as module
from memcli.index.cache import BLOCK, FEW, KEY_BYTES, VectorCache
from memcli.index.encoder import load

ROOT = Path(module.__file__).parents[2]
TEXTS = [f"memory number {number}" for number in range(40)]


class Counting:
    """An encoder whose vectors are drawn from the digest of their text; it counts what it encodes."""

    def __init__(self, fingerprint="counting", dimensions=8):
        self.fingerprint, self.dimensions = fingerprint, dimensions
        self.encoded = []

    def vector(self, text):
        drawn = np.random.default_rng(list(f"{self.fingerprint} {text}".encode("utf-8", "surrogatepass")))
        vector = drawn.standard_normal(self.dimensions)
        return (vector / np.sqrt((vector * vector).sum())).astype(np.float32)

    def batches(self, texts, workers=1):
        for start in range(0, len(texts), 3):
            self.encoded += texts[start : start + 3]
            places = list(range(start, min(start + 3, len(texts))))
            yield places[::-1], np.stack([self.vector(texts[place]) for place in places[::-1]])

    def right(self, texts):
        return np.stack([self.vector(text) for text in texts])


def kept(folder: Path, ending: str) -> Path:
    (file,) = folder.glob(f"*.{ending}")
    return file


def filled(folder: Path, texts=TEXTS) -> None:
    VectorCache(folder).vectors(Counting(), texts)


def missed(folder: Path, texts=TEXTS) -> list[str]:
    """What the cache has to encode for these texts; their vectors must be right in any case."""
    encoder = Counting()
    assert np.array_equal(VectorCache(folder).vectors(encoder, texts), encoder.right(texts))
    return encoder.encoded


def test_a_text_is_encoded_once(tmp_path):
    assert missed(tmp_path) == TEXTS
    assert missed(tmp_path) == []
    assert missed(tmp_path, TEXTS[5:2:-1]) == []
    assert missed(tmp_path, ["new", *TEXTS]) == ["new"]


def test_a_text_that_comes_twice_is_encoded_once(tmp_path):
    assert missed(tmp_path, ["same", "other", "same", "same"]) == ["same", "other"]
    assert kept(tmp_path, "keys").stat().st_size == 2 * KEY_BYTES


def test_the_vectors_are_those_of_the_encoder(tmp_path):
    encoder = load()
    first = VectorCache(tmp_path).vectors(encoder, TEXTS)
    assert np.array_equal(first, encoder.encode(TEXTS))
    assert np.array_equal(VectorCache(tmp_path).vectors(encoder, TEXTS[::-1]), first[::-1])


def test_no_texts_give_no_rows(tmp_path):
    assert VectorCache(tmp_path).vectors(Counting(), []).shape == (0, 8)


@pytest.mark.case("P-IDX-03")
def test_vectors_of_two_encoders_are_never_mixed(tmp_path):
    filled(tmp_path)
    for other in (Counting("other"), Counting(dimensions=16)):
        assert np.array_equal(VectorCache(tmp_path).vectors(other, TEXTS), other.right(TEXTS))
        assert len(other.encoded) == len(TEXTS)


def test_progress_is_told_of_what_is_encoded(tmp_path):
    filled(tmp_path, TEXTS[:10])
    told = []
    VectorCache(tmp_path).vectors(Counting(), TEXTS, lambda done, of: told.append((done, of)))
    assert told[-1] == (30, 30)


@given(keys=st.integers(0, 700), vectors=st.integers(0, 1400))
@settings(max_examples=60, deadline=None)
def test_files_cut_anywhere_cost_time_and_never_give_a_wrong_vector(tmp_path_factory, keys, vectors):
    folder = tmp_path_factory.mktemp("cut")
    filled(folder)
    os.truncate(kept(folder, "keys"), min(keys, 640))
    os.truncate(kept(folder, "f32"), min(vectors, 1280))
    encoded = missed(folder)
    assert len(encoded) == len(TEXTS) - min(min(keys, 640) // KEY_BYTES, min(vectors, 1280) // 32)
    assert missed(folder) == []


@given(start=st.integers(0, 1279), noise=st.binary(min_size=1, max_size=200))
@settings(max_examples=60, deadline=None)
def test_garbage_among_keys_is_never_believed(tmp_path_factory, start, noise):
    folder = tmp_path_factory.mktemp("garbage")
    filled(folder)
    with kept(folder, "keys").open("r+b") as stream:
        stream.seek(start % 640)
        stream.write(noise)
    missed(folder)
    missed(folder)


@pytest.mark.parametrize("octets", [32, 4096, 33])
def test_zeros_that_a_power_cut_leaves_among_vectors_are_seen(tmp_path, octets):
    filled(tmp_path)
    with kept(tmp_path, "f32").open("r+b") as stream:
        stream.seek(100)
        stream.write(bytes(octets))
    assert missed(tmp_path)


def test_a_deleted_cache_is_filled_again(tmp_path):
    folder = tmp_path / "vectors"
    filled(folder)
    shutil.rmtree(folder)
    assert missed(folder) == TEXTS
    kept(folder, "keys").unlink()
    assert missed(folder) == TEXTS
    kept(folder, "f32").unlink()
    assert missed(folder) == TEXTS
    assert missed(folder) == []


def test_a_cache_deleted_while_it_is_filled_is_no_failure(tmp_path):
    class Deleting(Counting):
        def batches(self, texts, workers=1):
            shutil.rmtree(tmp_path / "vectors", ignore_errors=True)
            yield from super().batches(texts)

    encoder = Deleting()
    assert np.array_equal(VectorCache(tmp_path / "vectors").vectors(encoder, TEXTS), encoder.right(TEXTS))


def test_a_folder_that_cannot_be_written_is_no_failure(tmp_path):
    (tmp_path / "file").touch()
    assert missed(tmp_path / "file") == TEXTS
    assert missed(tmp_path / "file" / "below") == TEXTS


def test_a_linked_file_is_not_followed(tmp_path):
    filled(tmp_path / "vectors")
    victim = tmp_path / "victim"
    for ending in ("keys", "f32"):
        file = kept(tmp_path / "vectors", ending)
        file.unlink()
        file.symlink_to(victim)
    assert missed(tmp_path / "vectors") == TEXTS
    assert not victim.exists()


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path):
    filled(tmp_path)
    for ending in ("keys", "f32"):
        file = kept(tmp_path, ending)
        file.unlink()
        os.mkfifo(file)
    assert missed(tmp_path) == TEXTS
    assert "cannot be read" in module.standing(tmp_path)[1][0]


def test_a_cache_of_no_dimensions_is_told_as_unreadable(tmp_path):
    for name in ("x-0.keys", "x-0.f32"):
        (tmp_path / name).touch()
    assert module.standing(tmp_path) == (0, ("x-0.keys cannot be read (ValueError)",))


def test_a_writer_that_hangs_is_not_waited_for(tmp_path):
    filled(tmp_path, TEXTS[:1])
    with kept(tmp_path, "keys").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        started = time.monotonic()
        assert missed(tmp_path) == TEXTS[1:]
        assert time.monotonic() - started < 5


def test_a_cache_replaced_while_it_is_opened_is_left_alone(tmp_path, monkeypatch):
    """Keys of the old cache and vectors of the new one must not become a pair."""
    filled(tmp_path, TEXTS[:5])
    opened = module._opened

    def replaced(file, how):
        if how == module._APPEND and file.suffix == ".f32":
            monkeypatch.undo()
            shutil.rmtree(tmp_path)
            filled(tmp_path, TEXTS[20:])
        return opened(file, how)

    monkeypatch.setattr(module, "_opened", replaced)
    missed(tmp_path, TEXTS[5:20])
    assert missed(tmp_path, TEXTS[20:]) == []


def test_a_reader_beside_a_writer_that_repairs_a_torn_pair_gets_no_wrong_vector(tmp_path, monkeypatch):
    filled(tmp_path)
    kept(tmp_path, "f32").write_bytes(b"")
    write = module._write

    def looked_at_between(descriptor, octets, start):
        write(descriptor, octets, start)
        monkeypatch.setattr(module, "_write", write)
        missed(tmp_path)

    monkeypatch.setattr(module, "_write", looked_at_between)
    missed(tmp_path, [f"another {number}" for number in range(40)])


def test_a_pair_replaced_while_it_is_read_is_not_believed(tmp_path, monkeypatch):
    """The vectors file is lost and others take its place, after the keys were read."""
    filled(tmp_path)
    rows = module._Shelf._rows

    def replaced(shelf, *args):
        monkeypatch.undo()
        kept(tmp_path, "f32").write_bytes(b"")
        VectorCache(tmp_path).vectors(Counting(), [f"another {number}" for number in range(40)])
        return rows(shelf, *args)

    monkeypatch.setattr(module._Shelf, "_rows", replaced)
    missed(tmp_path)


def test_appenders_at_the_same_time_lose_and_mix_nothing(tmp_path):
    script = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from test_cache import Counting
from memcli.index.cache import VectorCache
start = int(sys.argv[2])
for step in range(30):
    VectorCache(Path(sys.argv[1])).vectors(Counting(), [f"{start} {step} {number}" for number in range(5)])
"""
    here = str(Path(__file__).parent)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path), str(start), here],
            env={"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        )
        for start in range(3)
    ]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    texts = [f"{start} {step} {number}" for start in range(3) for step in range(30) for number in range(5)]
    assert len(missed(tmp_path, texts)) <= 10  # an append that could not get the lock is only work lost
    assert missed(tmp_path, texts) == []


def test_few_texts_and_many_find_the_same_across_blocks(tmp_path):
    texts = [f"text {number}" for number in range(2 * BLOCK + 10)]
    filled(tmp_path, texts)
    assert missed(tmp_path, texts) == []
    assert missed(tmp_path, [texts[0], texts[BLOCK], texts[-1]]) == []
    assert missed(tmp_path, texts[:: BLOCK // FEW]) == []


def test_a_key_is_not_found_between_two_keys():
    keys = bytes(range(64))
    assert module._search(keys, keys[16:32]) == 1
    assert module._search(keys, keys[8:24]) == -1
    assert module._search(keys[8:24] + keys[:8] + keys[16:24], keys[16:24] + keys[:8]) == -1


def test_files_are_private(tmp_path):
    filled(tmp_path / "vectors")
    assert (tmp_path / "vectors").stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "vectors").iterdir()} == {0o600}


def test_a_hundred_thousand_vectors_are_all_found(tmp_path):
    encoder = Counting(dimensions=384)
    texts = [f"text {number}" for number in range(100_000)]
    rows = np.zeros((len(texts), 384), np.float32)
    rows[np.arange(len(texts)), np.arange(len(texts)) % 384] = 1
    shelf = module._Shelf(tmp_path, encoder)
    shelf.append([module._key(encoder.fingerprint, text) for text in texts], rows)
    found = VectorCache(tmp_path).vectors(encoder, texts)
    assert np.array_equal(found, rows)
    assert encoder.encoded == []
