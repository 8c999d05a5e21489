"""A prepared model: whole or absent, bound to what it was made from, and equal to the last bit."""

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from memcli.index import encoder as module
from memcli.index import model, panels, prepared, preparing, runtime
from memcli.index.encoder import load
from memcli.index.prepared import MANIFEST, NOTHING, PANELS, PLAIN
from memcli.index.runtime import Arithmetic, Optimisation, open_network

ROOT = Path(module.__file__).parents[2]


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    workspace = tmp_path_factory.mktemp("made")
    load(workspace=workspace)
    return workspace


def folders(workspace: Path) -> list[Path]:
    return sorted(folder for folder in workspace.iterdir() if folder.is_dir())


def only(workspace: Path) -> Path:
    (folder,) = folders(workspace)
    return folder


def inodes(workspace: Path) -> dict[str, int]:
    return {file.name: file.stat().st_ino for file in only(workspace).iterdir()}


def served_by(monkeypatch) -> list[str]:
    """The names of the files that are opened from now on."""
    opened: list[str] = []

    def watched(file, optimisation, save=None):
        opened.append(file.name)
        return open_network(file, optimisation, save)

    monkeypatch.setattr(module, "open_network", watched)
    monkeypatch.setattr(preparing, "open_network", watched)
    return opened


def rows(*lengths: int) -> list[list[int]]:
    random = np.random.default_rng(sum(lengths))
    return [random.integers(1000, 30_000, length).tolist() for length in lengths]


def test_every_graph_gives_the_same_bits_for_any_length_batch_and_padding(made):
    shipped = open_network(model.find(None).model, Optimisation.BASIC)
    networks = [open_network(only(made) / name, Optimisation.NONE) for name in (PLAIN, PANELS)]
    for batch in [rows(n) for n in (2, 3, 5, 8, 13, 16, 31, 63, 64, 65, 128, 129, 256)] + [
        rows(4, 40, 9),
        rows(*[11] * 12),
    ]:
        alone = [shipped.run([row])[0] for row in batch]
        for network in (shipped, *networks):
            together = network.run(batch)
            assert all(np.array_equal(together[at, : len(row)], alone[at]) for at, row in enumerate(batch))


def test_a_second_start_uses_what_the_first_prepared(made, monkeypatch):
    before = inodes(made)
    opened = served_by(monkeypatch)
    load(workspace=made)
    assert inodes(made) == before
    assert opened == [PANELS]


@pytest.mark.parametrize("name", [PANELS, PLAIN, "weights.bin", "panels.bin"])
@pytest.mark.case("P-EMB-05")
def test_a_file_that_was_cut_is_made_again(made, name):
    file = only(made) / name
    os.truncate(file, file.stat().st_size // 2)
    load(workspace=made)
    assert file.stat().st_size == sizes(made)[name]
    assert load(workspace=made).meaningful()


def sizes(workspace: Path) -> dict[str, int]:
    signatures = json.loads((only(workspace) / MANIFEST).read_bytes())["signatures"]
    return {name: int(seen.split(":")[0]) for name, seen in signatures.items()}


def test_changed_bytes_of_equal_length_are_noticed(made):
    file = only(made) / "panels.bin"
    inode = file.stat().st_ino
    with file.open("r+b") as stream:
        stream.write(b"\0" * 4096)
    assert prepared.found(only(made)) is None
    load(workspace=made)
    assert file.stat().st_ino != inode


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"layout": 1, "signatures": {"gone": "1:1:1:1"}}'])
def test_a_damaged_manifest_counts_as_none(made, content):
    whole = (only(made) / MANIFEST).read_text()
    (only(made) / MANIFEST).write_text(content)
    assert prepared.found(only(made)) is None
    (only(made) / MANIFEST).write_text(whole)


def test_a_preparation_that_came_from_elsewhere_is_not_trusted(made, tmp_path):
    """Files that a clone brings along have other inodes and times than their manifest says."""
    shutil.copytree(only(made), tmp_path / "copy", copy_function=shutil.copy2)
    assert prepared.found(tmp_path / "copy") is None
    assert prepared.found(only(made)) is not None


def test_a_preparation_of_another_user_is_not_trusted(made, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: only(made).stat().st_uid + 1)
    assert prepared.found(only(made)) is None


@pytest.mark.parametrize(
    "other",
    [Arithmetic("9.9", "avx2", "x"), Arithmetic("1.32.0", "avx2", "a b"), Arithmetic("1.32.0", "avx2", "a")],
)
def test_another_runtime_or_cpu_has_its_own_preparation(other):
    here = runtime.arithmetic()
    assert module._key(model.SHA256, other) != module._key(model.SHA256, here)
    assert module._key("other", here) != module._key(model.SHA256, here)


def test_a_preparation_and_the_one_before_are_kept(tmp_path):
    for age, key in enumerate(("oldest", "older", "mine")):
        (tmp_path / key).mkdir()
        (tmp_path / key / MANIFEST).write_text("{}")
        os.utime(tmp_path / key, (age, age))
    (tmp_path / "no preparation").mkdir()
    preparing._tidy(tmp_path, "mine")
    assert {folder.name for folder in folders(tmp_path)} == {"mine", "older", "no preparation"}


@pytest.mark.case("P-EMB-05")
def test_who_finds_another_process_preparing_does_without_and_does_not_wait(tmp_path, monkeypatch):
    descriptor = os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    opened = served_by(monkeypatch)
    started = time.monotonic()
    assert load(workspace=tmp_path).encode(["text"]).any()
    assert time.monotonic() - started < 5
    assert opened == ["model.onnx"]
    assert not folders(tmp_path)
    os.close(descriptor)


@pytest.mark.case("P-EMB-05")
def test_two_processes_that_need_it_first_both_answer_and_leave_one_whole_preparation(tmp_path):
    script = """
import sys
from pathlib import Path
from memcli.index.encoder import load
print(load(workspace=Path(sys.argv[1])).encode(["What did we decide?"]).tobytes().hex())
"""
    running = [started(script, tmp_path) for _ in range(2)]
    answers = {process.communicate(timeout=60)[0] for process in running}
    assert len(answers) == 1
    assert all(process.returncode == 0 for process in running)
    assert prepared.found(only(tmp_path)) not in (None, NOTHING)


@pytest.mark.case("P-EMB-05")
def test_a_process_killed_while_preparing_leaves_nothing_that_is_used(tmp_path):
    script = """
import sys
from pathlib import Path
from memcli.index import preparing
from memcli.index.encoder import load
kept = preparing._write_panels
def slow(folder):
    kept(folder)
    print("now", flush=True)
    import time
    time.sleep(60)
preparing._write_panels = slow
load(workspace=Path(sys.argv[1]))
"""
    running = started(script, tmp_path)
    assert running.stdout.readline() == "now\n"
    running.send_signal(signal.SIGKILL)
    running.communicate(timeout=10)
    assert only(tmp_path).name.startswith(".preparing-")
    load(workspace=tmp_path)
    assert only(tmp_path).name == module._key(model.SHA256, runtime.arithmetic())


def started(script: str, workspace: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, str(workspace)],
        env={"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.case("P-EMB-05")
def test_where_nothing_can_be_written_the_shipped_file_serves(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("a file where the folder should be")
    opened = served_by(monkeypatch)
    assert load(workspace=tmp_path / "file" / "workspace").meaningful()
    assert opened == ["model.onnx"]


def test_a_disk_that_fills_up_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(folder):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(preparing, "_write_panels", full)
    assert load(workspace=tmp_path).meaningful()
    assert not folders(tmp_path)


def test_a_graph_with_other_bits_is_not_used(tmp_path, monkeypatch):
    """Panels of 128 columns are summed in another order: the test before use sees it."""
    monkeypatch.setattr(panels, "WIDTH", 128)
    load(workspace=tmp_path)
    found = prepared.found(only(tmp_path))
    assert found is not None
    assert found.quick is None
    assert found.lasting is not None
    assert not (only(tmp_path) / "panels.bin").exists()
    opened = served_by(monkeypatch)
    assert load(workspace=tmp_path).meaningful()
    assert opened == [PLAIN]


def test_a_prepared_file_that_vanishes_after_it_was_looked_at_is_replaced_by_the_shipped_one(
    made, monkeypatch
):
    gone = prepared.Prepared(Path("/nowhere/panels.onnx"), Path("/nowhere/plain.onnx"))
    monkeypatch.setattr(module, "prepared", lambda *_: gone)
    encoder = load(workspace=made)
    assert np.array_equal(encoder.encode(["text"]), load().encode(["text"]))
