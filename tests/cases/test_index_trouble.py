"""The index (IDX): missing, damaged, foreign, moved, growing or fought over, at the command line."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from models import NEAR, NOISE, model_in, use
from situations import here, memory, put, sound

# Goes on doing what its arguments say, in one process, until it is told to stop; prints every failure.
AGAIN = """
import io, os, sys, time
from memcli.__main__ import main
ends = time.monotonic() + float(sys.argv[1])
done = 0
while time.monotonic() < ends or not done:
    kept, sys.stdout = sys.stdout, io.TextIOWrapper(io.BytesIO())
    code = main(sys.argv[2:])
    sys.stdout.flush()
    said, sys.stdout = sys.stdout.buffer.getvalue().decode(), kept
    done += 1
    if code or "kept0000aaaa" not in said and sys.argv[2] == "recall":
        print(code, said[:300])
sys.stderr.write(f"done:{done}")
sys.stderr.flush()
os._exit(0)
"""


def again(trial, seconds, *argv):
    """A process that goes on running one command."""
    return subprocess.Popen(
        [sys.executable, "-c", AGAIN, str(seconds), *argv],
        cwd=trial.root,
        env=trial.process.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def _shelf(empty, tmp_path_factory):
    made = empty.copy(tmp_path_factory.mktemp("shelf"))
    made.batch([f"Lighthouse {number} blinks every {number * 7} seconds." for number in range(12)])
    made.remember("Windmills turn.")  # and so a second version of the table
    made.found("lighthouse")
    return made


@pytest.fixture
def shelf(_shelf, tmp_path):
    """Thirteen memories and an index that a few writes have gone through."""
    return _shelf.copy(tmp_path / "shelf")


def asked(trial, query="lighthouse blinks"):
    """Ids with their scores, at one moment."""
    answer = trial.recall(query, "--as-of", "2026-12-24", "-k", "20", "--budget", "9999")
    return [(item["id"], item["score"], item["match"]) for item in answer["items"]]


def tables(trial):
    """The folders of the tables that are in use."""
    index = trial.root / ".mem" / "index"
    generation = index / (index / "current").read_text().strip()
    return [path for path in generation.rglob("*.lance") if path.is_dir()]


@pytest.mark.case("P-IDX-01")
@pytest.mark.parametrize("gone", ["index", "vectors", "known", "standing.json", ""])
def test_what_is_missing_is_made_anew_with_the_same_answer(shelf, gone):
    before = asked(shelf)
    place = shelf.root / ".mem" / gone
    place.unlink() if place.is_file() else shutil.rmtree(place)
    assert asked(shelf) == before
    assert shelf.git("status", "--porcelain") == ""
    sound(shelf)


def _cut_versions(table):
    for file in (table / "_versions").iterdir():
        file.write_bytes(file.read_bytes()[:10])


def _no_data(table):
    for file in (table / "data").iterdir():
        file.unlink()


def _random_data(table):
    noise = random.Random(7)
    for file in (table / "data").iterdir():
        file.write_bytes(noise.randbytes(file.stat().st_size))


def _other_bytes(table):
    for file in (table / "data").iterdir():
        file.write_bytes(
            bytes(byte ^ 0x55 if at % 37 == 5 else byte for at, byte in enumerate(file.read_bytes()))
        )


def _half_data(table):
    for file in (table / "data").iterdir():
        os.truncate(file, file.stat().st_size // 2)


def _empty_table(table):
    shutil.rmtree(table)
    table.mkdir()


def _no_versions(table):
    shutil.rmtree(table / "_versions")


DAMAGE = [_cut_versions, _no_data, _random_data, _empty_table, _no_versions, _half_data, _other_bytes]


@pytest.mark.case("P-IDX-02")
@pytest.mark.parametrize("damage", DAMAGE, ids=lambda one: one.__name__.strip("_"))
def test_a_damaged_index_is_noticed_and_made_anew_by_whatever_comes_first(shelf, damage):
    before = asked(shelf)
    files = {path: path.read_bytes() for path in shelf.root.glob("schemas/**/*.md")}
    for table in tables(shelf):
        damage(table)
    assert shelf.ran("index", "verify").code == 6
    assert asked(shelf) == before
    assert {path: path.read_bytes() for path in files} == files
    sound(shelf)
    for table in tables(shelf):
        damage(table)
    assert shelf.remember("Tramways have been quiet lately.")["decision"] == "created"
    for table in tables(shelf):
        damage(table)
    put(shelf, "hand.md", memory("hand0000aaaa", "Trolleys are louder."))
    assert shelf.found("trolleys louder")[0] == "hand0000aaaa"
    for table in tables(shelf):
        damage(table)
    assert shelf.told("status")["schemas"] == 15
    shelf.did("save")
    sound(shelf)


@pytest.mark.case("P-IDX-02")
def test_an_index_that_a_failed_write_left_cut_mends_itself(shelf):
    limited = 'ulimit -f 4; exec "$0" -m memcli remember "Cut short by a limit."'
    subprocess.run(
        ["bash", "-c", limited, sys.executable],
        cwd=shelf.root,
        env=shelf.process.environment,
        capture_output=True,
        check=False,
    )
    assert shelf.remember("The next one.")["decision"] == "created"
    assert len(asked(shelf)) >= 12
    sound(shelf)


@pytest.mark.case("P-IDX-03")
@pytest.mark.case("A20")
def test_another_model_of_the_same_size_is_noticed_and_its_vectors_never_mixed(shelf, tmp_path):
    before = asked(shelf)
    ours = shelf.told("index", "status")["encoder"]
    use(shelf, model_in(tmp_path, NEAR))
    state = shelf.told("index", "status")
    assert state["encoder"] != ours
    assert asked(shelf)
    assert shelf.told("index", "status")["problems"] == []
    assert len(list((shelf.root / ".mem" / "vectors").glob("*.keys"))) == 2  # a file a model
    use(shelf, None)
    assert asked(shelf) == before
    sound(shelf)


@pytest.mark.case("A20")
@pytest.mark.case("P-IDX-04")
@pytest.mark.parametrize("model", [NOISE, "absent", "cut", "empty"])
def test_a_model_without_meaning_is_not_ranked_on_and_leaves_no_vectors(shelf, tmp_path, model):
    made = shelf.remember("Parcels may be sent back within thirty days.")
    by_meaning = "how long can customers return goods"
    assert shelf.found(by_meaning)[0] == made["id"]  # the control: no word in common
    kept = {path.name: path.read_bytes() for path in (shelf.root / ".mem" / "vectors").iterdir()}
    use(shelf, model_in(tmp_path, model))
    ran = shelf.ran("recall", by_meaning)
    assert (ran.code, ran.out) == (1, "")
    assert "Answers go by words only." in ran.err
    answer = json.loads(shelf.ran("recall", "parcels", "--json").out)
    assert [item["id"] for item in answer["items"]] == [made["id"]]
    assert answer["items"][0]["signals"]["vector"] == 0
    assert any("words only" in notice for notice in answer["notices"])
    assert shelf.told("status")["encoder"] is None
    late = shelf.remember("Refunds take a week.")
    assert shelf.found("refunds week")[0] == late["id"]
    assert {path.name: path.read_bytes() for path in (shelf.root / ".mem" / "vectors").iterdir()} == kept
    use(shelf, None)
    assert shelf.found(by_meaning)[0] == made["id"]
    assert late["id"] in shelf.found("how quickly is money paid back")
    sound(shelf)


@pytest.mark.case("P-IDX-05")
def test_many_small_updates_leave_a_small_index(shelf):
    path = put(shelf, "often.md", memory("often000aaaa", "Version 0."))
    for number in range(60):
        path.write_bytes(memory("often000aaaa", f"Version {number}."))
        assert shelf.ran("recall", "version", "-q").code == 0
    used = [one.stat().st_size for one in (shelf.root / ".mem" / "index").rglob("*") if one.is_file()]
    shelf.did("index", "rebuild")
    fresh = [one.stat().st_size for one in (shelf.root / ".mem" / "index").rglob("*") if one.is_file()]
    assert len(used) <= 1000
    assert sum(used) <= max(5 * sum(fresh), 400_000)
    assert "59" in shelf.recall("version")["items"][0]["text"]


@pytest.mark.case("P-IDX-06")
def test_readers_do_not_notice_that_the_index_is_made_anew(shelf):
    put(shelf, "kept.md", memory("kept0000aaaa", "The windmill is kept."))
    shelf.did("save")
    readers = [again(shelf, 2.5, "recall", "the windmill is kept") for _ in range(2)]
    writers = [again(shelf, 2.5, "index", "rebuild")]
    ended = [one.communicate(timeout=60) for one in [*readers, *writers]]
    assert [out for out, _ in ended] == ["", "", ""]
    assert all(int(err.rpartition("done:")[2]) >= 1 for _, err in ended)
    sound(shelf)


@pytest.mark.case("P-IDX-07")
def test_a_rebuild_that_is_killed_leaves_the_old_index_or_the_new_one(shelf, campaign):
    before = asked(shelf)
    chance = random.Random(11)
    for _ in range(3 * campaign):
        running = again(shelf, 60, "index", "rebuild")
        time.sleep(0.7 + chance.random() / 2)
        os.kill(running.pid, signal.SIGKILL)
        running.communicate()
        assert asked(shelf) == before
    assert shelf.told("index", "rebuild")["rows"] == 13
    generations = [path for path in (shelf.root / ".mem" / "index").iterdir() if path.is_dir()]
    assert len(generations) <= 2
    sound(shelf)


@pytest.mark.case("P-IDX-08")
def test_a_thousand_close_ones_of_another_scope_starve_none_of_this_one(trial):
    far = [
        "The lamp of a lighthouse is trimmed on Sundays.",
        "A lighthouse keeper sleeps.",
        "Blinking is light.",
    ]
    trial.batch([{"text": text, "scope": "project:b"} for text in far])
    folder = trial.root / "schemas" / "project" / "a"
    folder.mkdir()
    for number in range(1000):
        (folder / f"{number:03d}.md").write_bytes(
            memory(f"close{number:04d}", "A lighthouse blinks at night.")
        )
    for _ in range(2):  # while the index is made, and from it
        answer = trial.recall("lighthouse blinks at night", "--scope", "project:b", "-k", "3", "--floor", "0")
        assert sorted(item["text"] for item in answer["items"]) == sorted(far)
        assert answer["withheld"]["count"] == 0
    assert (
        len(trial.found("lighthouse blinks", "--scope", "project:a", "-k", "3", "--floor", "0")) == 1
    )  # all say one


@pytest.mark.case("P-IDX-09")
def test_a_store_that_was_moved_or_copied_is_itself(shelf, tmp_path):
    before = asked(shelf)
    copied = shelf.copy(tmp_path / "copied")
    only_here = copied.remember("Only the copy knows of trams.")
    assert asked(shelf) == before
    assert {id_ for id_, _, _ in before} <= {id_ for id_, _, _ in asked(copied)}
    assert shelf.found("trams", "--floor", "0.5") == []
    shelf.root.rename(tmp_path / "moved")
    shelf.root = tmp_path / "moved"
    assert asked(shelf) or shelf.found("lighthouse", "--scope", "project:t")
    answer = shelf.recall("lighthouse blinks", "--scope", "project:t", "--as-of", "2026-12-24", "-k", "20")
    assert [item["id"] for item in answer["items"]] == [id_ for id_, _, _ in before][: len(answer["items"])]
    assert shelf.remember("The moved one goes on.", "--scope", "project:t")["decision"] == "created"
    assert copied.found("moved goes on", "--floor", "0.5") == []
    for one in (shelf, copied):
        sound(one)
        kept = [path for path in (one.root / ".mem").rglob("*") if path.is_file()]
        assert not [path for path in kept if b"/shelf/" in path.read_bytes()]
    assert only_here["id"] in copied.did("list", "--ids").split()


def test_files_behind_the_index_are_counted_before_they_are_read(shelf):
    assert asked(shelf)
    put(shelf, "new.md", memory("newer000aaaa", "Newer than the index."))
    next(here(shelf).glob("lighthouse*.md")).unlink()
    state = shelf.told("index", "status")
    assert (state["behind"], state["rows"]) == (2, 13)
    assert shelf.ran("index", "verify").code == 6
    assert shelf.found("newer than the index")[0] == "newer000aaaa"
    assert shelf.told("index", "status")["behind"] == 0
