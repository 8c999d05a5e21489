"""Equal files, equal bytes: however the index came to be, whatever the process stands in, and without it."""

import json
import random
import shutil
import subprocess
import sys

import pytest

from memcli.engine import indexed, reconcile
from memcli.engine.opened import open_store
from memcli.engine.view import View

DAY = "2026-11-01"
SUBJECTS = (
    "refund",
    "deploy",
    "invoice",
    "backup",
    "kestrel",
    "standup",
    "password",
    "warehouse",
    "newsletter",
    "cache",
)
VERBS = ("needs", "never needs", "replaced", "waits for", "is older than", "belongs to")
OBJECTS = (
    "the billing team",
    "a second approval",
    "30 days",
    "14 days",
    "Ana",
    "the Porto office",
    "C# and a=b",
    "größere Räume",
)
STATUSES = (
    *[""] * 9,
    "status: superseded\nvalidity:\n  to: 2026-06-01\n",
    "status: stale\nstale_reason: outdated\n",
    "status: needs_review\nreview:\n  reason: proposal\n",
    "status: staged\n",
    "status: retracted\n",
    "status: forgotten\n",
    "status: archived\narchive_reason: rejected\n",
    "validity:\n  from: 2026-03-01\n  to: 2026-12-01\n",
    "validity:\n  from: 2027-01-01\n",
)
QUERIES = (
    "refund needs approval",
    "who does the password belong to",
    "how old is the newsletter",
    "Ana kestrel invoice",
    "largest rooms",
    "s0003",
    "C# deploy",
    "something entirely different",
)
OPTIONS = (
    (),
    ("--mode", "wide", "--floor", "0", "-k", "50", "--budget", "5000"),
    ("--mode", "history", "--evidence", "full", "--floor", "0"),
    ("--type", "task"),
    ("--tag", "red", "--floor", "0.2"),
    ("--budget", "30"),
    ("--scope", "user"),
    ("--scope", "*", "--floor", "0"),
)


def grown(store, seed, many):
    """A store of `many` random memories, some of them long, some in conflict, some saying the same."""
    roll = random.Random(seed)
    for n in range(many):
        claim = f"The {roll.choice(SUBJECTS)} {roll.choice(VERBS)} {roll.choice(OBJECTS)}."
        detail = (
            "\n\n" + "More about it: " + " ".join(roll.choices(SUBJECTS, k=400))
            if roll.random() < 0.08
            else ""
        )
        head = roll.choice(STATUSES)
        head += f"concept: {roll.choice(SUBJECTS)}\n" if roll.random() < 0.4 else ""
        head += f"tags: [{roll.choice(('red', 'blue'))}]\n" if roll.random() < 0.4 else ""
        head += f"type: {roll.choice(('task', 'lesson'))}\n" if roll.random() < 0.3 else ""
        head += f"evidence:\n  - event: ev{roll.randrange(30)}\n" if roll.random() < 0.3 else ""
        folder = roll.choice(("project/t", "project/t", "project/t", "user", "global", "project/other"))
        store.write(f"s{n:04d}", claim + detail, head, folder=folder)
    store.commit_by_hand()
    return store


def answers(store):
    """The bytes of every question."""
    return [
        store.ran("recall", "--json", "--as-of", DAY, *options, "--", query).raw
        for query in QUERIES[:4]
        for options in OPTIONS[1:3]
    ]


@pytest.fixture(scope="module")
def grove(empty, tmp_path_factory):
    """Thirty-two memories; the index made of all at once."""
    made = grown(empty.copy(tmp_path_factory.mktemp("grove")), 7, 32)
    made.ran("recall", "refund")
    return made


@pytest.fixture(scope="module")
def expected(grove):
    """What the index that was made at once answers."""
    found = answers(grove)
    assert sum(b'"found"' in one for one in found) > len(found) // 2
    return found


def test_the_same_question_twice_gets_the_same_bytes_and_writes_nothing(grove, expected):
    before = snapshot(grove.root)
    assert answers(grove) == expected
    assert snapshot(grove.root) == before


def snapshot(root):
    """Every file below `root` with its size, times and bytes."""
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    return [(str(path), path.stat().st_mtime_ns, path.read_bytes()) for path in files]


def part_by_part(store, size, seed):
    """Build the index from `size` files at a time, in another order."""
    schemas, aside = store.root / "schemas", store.root.parent / "aside"
    store.forgets_the_index()
    shutil.move(schemas, aside)
    schemas.mkdir()
    paths = [path.relative_to(aside) for path in sorted(aside.rglob("*.md"))]
    random.Random(seed).shuffle(paths)
    for start in range(0, len(paths), size):
        for path in paths[start : start + size]:
            (schemas / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(aside / path, schemas / path)
        store.ran("recall", "refund")


def with_others_added_and_deleted(store):
    """Add 400 rows to the index and take them out again."""
    for n in range(400):
        store.write(
            f"x{n:04d}", f"The refund of shop {n} needs {n} approvals of Ana.", folder="project/t/extra"
        )
    store.ran("recall", "refund")
    shutil.rmtree(store.root / "schemas/project/t/extra")
    store.ran("recall", "refund")


def compacted(store):
    """Join and clean everything up."""
    part_by_part(store, 25, 3)
    with indexed.open_index(opened(store), writable=True) as index:
        index.tidy(force=True)


def opened(store):
    """The store as a command opens it."""
    from memcli import surroundings

    home = surroundings.home_of(store.environment)
    stands = surroundings.Surroundings(
        store.environment,
        store.root,
        store.moment,
        80,
        (False,) * 3,
        False,
        home,
        surroundings.own_of(store.environment, home),
    )
    return open_store(stands)


WAYS = {
    "anew": lambda store: store.forgets_the_index(),
    "shuffled": lambda store: part_by_part(store, 20, 1),
    "one by one": lambda store: part_by_part(store, 1, 2),
    "with 400 added and deleted": with_others_added_and_deleted,
    "after compaction": compacted,
}


@pytest.mark.parametrize("way", WAYS)
def test_the_answer_does_not_depend_on_how_the_index_came_to_be(grove, expected, tmp_path, way):
    store = grove.copy(tmp_path)
    WAYS[way](store)
    assert answers(store) == expected


STANDS = {
    "hash seed": {"PYTHONHASHSEED": "1"},
    "another seed, locale and zone": {
        "PYTHONHASHSEED": "4711",
        "LC_ALL": "C",
        "LANG": "C",
        "TZ": "Pacific/Kiritimati",
    },
    "threads and a broken zone": {
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "7",
        "RAYON_NUM_THREADS": "3",
        "LANCE_CPU_THREADS": "2",
        "TZ": "Mars/Base",
    },
}
DRIVER = """
import json, sys
from memcli import __main__ as process
for argv in json.loads(sys.argv[1]):
    process.main(argv)
"""


@pytest.mark.parametrize("stands", STANDS)
def test_the_answer_does_not_depend_on_what_the_process_stands_in(grove, expected, tmp_path, stands):
    store = grove.copy(tmp_path)
    if stands != "hash seed":
        store.forgets_the_index()
        store.ran("recall", "refund")
    argvs = [
        ["recall", "--json", "--as-of", DAY, *options, "--", query]
        for query in QUERIES[:4]
        for options in OPTIONS[1:3]
    ]
    ran = subprocess.run(
        [sys.executable, "-c", DRIVER, json.dumps(argvs)],
        cwd=store.root,
        env={**store.process.environment, **STANDS[stands]},
        capture_output=True,
        check=True,
    )
    assert ran.stdout == b"".join(expected)


@pytest.mark.parametrize("seed", [11, 12])
def test_files_alone_give_the_same_bytes_as_the_index(trial, monkeypatch, seed):
    store = grown(trial, seed, 36)
    roll = random.Random(seed)
    for path in roll.sample(sorted(store.root.glob("schemas/**/*.md")), 6):
        path.write_text(
            path.read_text().replace("The ", "That ").replace("status: forgotten", "status: active")
        )
    asked = [(query, roll.choice(OPTIONS)) for query in QUERIES for _ in range(2)]
    by_index = [
        store.ran("recall", "--json", "--as-of", DAY, *options, "--", query).raw for query, options in asked
    ]
    monkeypatch.setattr(reconcile, "freshen", lambda stands: View(None, {}, reconcile._confirmed_now(stands)))
    by_files = [
        store.ran("recall", "--json", "--as-of", DAY, *options, "--", query).raw for query, options in asked
    ]
    assert by_files == by_index
    assert any(b'"found"' in one for one in by_index)


def test_a_time_zone_in_the_settings_is_obeyed_at_once(trial):
    trial.write("night000aaaa", "The gate is open at night.", "validity:\n  from: 2026-07-01\n")
    trial.commit_by_hand()
    moments = ("2026-06-30T15:00:00Z", "2026-07-01T00:00:00Z")
    assert [trial.found("gate open", "--as-of", one) for one in moments] == [[], ["night000aaaa"]]
    (trial.root / "mem.toml").write_text('timezone = "Asia/Tokyo"\n')
    assert [trial.found("gate open", "--as-of", one) for one in moments] == [["night000aaaa"]] * 2
