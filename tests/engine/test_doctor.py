"""The doctor finds what was planted, says what to run, and what it says to run repairs it.

Every examination here is also a proof that looking changes nothing: all files of store, git and
home are compared before and after, with their times.
"""

import contextlib
import errno
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from memcli.engine.health import look as looks
from memcli.index.encoder import Encoder
from memcli.resident import examining as resident
from memcli.resident import starting
from memcli.store import intent, lock
from memcli.store.place import Place

OK, WARN, FAIL = "ok", "warn", "fail"
CLAIMS = (
    "Refunds are paid within fourteen days.",
    "Deploys happen on Tuesday mornings.",
    "The staging database is called heron.",
    "Invoices are numbered without gaps.",
    "Ana owns the billing service.",
    "The cafeteria closes at three.",
)
NEXT_DAY = 86_400


def everything(*folders):
    """Every file and folder: what kind it is, its mode, when it was changed, and its bytes."""
    found = {}
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            state = path.lstat()
            raw = path.read_bytes() if stat.S_ISREG(state.st_mode) else b""
            found[str(path)] = (state.st_mode, state.st_mtime_ns, state.st_size, raw)
    return found


@dataclass
class Patient:
    """A store with a few memories; `ids` in the order of CLAIMS."""

    trial: object
    ids: tuple = ()

    @property
    def root(self):
        return self.trial.root

    @property
    def home(self):
        return Path(self.trial.environment["HOME"])

    @property
    def index(self):
        folder = self.root / ".mem" / "index"
        return folder / (folder / "current").read_text().strip()

    def doctor(self, *options):
        """What `mem doctor` answers, at this very moment."""
        ran = self.trial.ran("doctor", "--json", *options, now=int(time.time()))
        assert ran.code in (0, 6), (ran.code, ran.err)
        told = json.loads(ran.out)
        assert ran.code == (0 if told["healthy"] else 6)
        return told

    def examined(self, *options):
        """Name → (level, what, todo) of what was found; nothing was changed by looking."""
        before = everything(self.root, self.home)
        told = self.doctor(*options)
        assert everything(self.root, self.home) == before
        for one in told["findings"]:
            assert one["what"]
            assert bool(one["todo"]) == (one["level"] != OK), one
        return {one["name"]: (one["level"], one["what"], one["todo"]) for one in told["findings"]}

    def wrong(self, *options):
        """Name → level of everything that is not ok."""
        return {name: level for name, (level, *_) in self.examined(*options).items() if level != OK}

    def types(self, command):
        """Run a next command as a person types it in a shell."""
        folder = self.root.parent / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "mem").write_text(f'#!/bin/sh\nexec {sys.executable} -m memcli "$@"\n')
        (folder / "mem").chmod(0o755)
        who = {
            f"GIT_{role}_{what}": "ana@b.c" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        environment = {**self.trial.environment, **who, "PATH": f"{folder}:{os.environ['PATH']}"}
        ran = subprocess.run(
            ["sh", "-c", command], cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, (command, ran.stdout, ran.stderr)

    def does(self, command):
        """Run a next command: one of mem's own in this process, which is faster."""
        command += " --yes" if command == "mem trust" else ""  # a person's act
        if re.fullmatch(r"mem [\w -]+", command):
            self.trial.did(*shlex.split(command)[1:], now=int(time.time()))
        else:
            self.types(command)


@pytest.fixture(scope="session")
def _grown(tmp_path_factory, empty):
    trial = empty.copy(tmp_path_factory.mktemp("grown"))
    ids = tuple(one["id"] for one in trial.batch(CLAIMS, now=int(time.time())))
    _settle(trial)
    return Patient(trial, ids)


def _settle(trial):
    """Let the index see everything once more, as any next command would."""
    trial.ran("status", now=int(time.time()))


@pytest.fixture
def patient(_grown, tmp_path):
    """A healthy store of its own, home included."""
    trial = _grown.trial.copy(tmp_path)
    shutil.copytree(_grown.home, tmp_path / "home")
    trial.environment = {
        name: str(value).replace(str(_grown.home), str(tmp_path / "home"))
        for name, value in trial.environment.items()
    }
    trusted = tmp_path / "home" / "config" / "mem" / "trusted"
    trusted.write_text(f"{trial.root.resolve()}\n")
    _settle(trial)
    return Patient(trial, _grown.ids)


def note(patient):
    """The note of an operation that was killed after it had written a file."""
    path = "schemas/project/t/halfway00aaa.md"
    patient.trial.write("halfway00aaa", "Written by an operation that never ended.")
    intent.begin(Place(patient.root), intent.Intent("tx-of-a-crash", {path: None}))


def in_conflict(patient, act):
    path = patient.trial.path(patient.ids[0])
    patient.trial.git("checkout", "-q", "-b", "other")
    path.write_text(path.read_text().replace("fourteen", "thirty"))
    patient.trial.commit_by_hand()
    patient.trial.git("checkout", "-q", "main")
    path.write_text(path.read_text().replace("fourteen", "sixty"))
    patient.trial.commit_by_hand()
    _settle(patient.trial)
    patient.trial.git(act, "other", check=False)


def merge_in_conflict(patient):
    in_conflict(patient, "merge")


def rebase_in_conflict(patient):
    in_conflict(patient, "rebase")


def newer_format(patient):
    patient.trial.git("config", "core.repositoryFormatVersion", "1")
    patient.trial.git("config", "extensions.unheardOf", "true")


def partial_clone(patient):
    patient.trial.git("config", "remote.origin.promisor", "true")
    patient.trial.git("config", "remote.origin.partialCloneFilter", "blob:none")


def bisecting(patient):
    patient.trial.git("bisect", "start")


def left_long_ago(lock):
    """A lock of git whose process is long gone."""
    lock.write_text("")
    os.utime(lock, (time.time() - 3600,) * 2)


def staging_locked(patient):
    left_long_ago(patient.root / ".git" / "index.lock")


def branch_locked(patient):
    left_long_ago(patient.root / ".git" / "refs" / "heads" / "main.lock")


def staging_of_garbage(patient):
    (patient.root / ".git" / "index").write_bytes(b"DIRC of nothing")


def tombstone_of_garbage(patient):
    with (patient.root / "tombstones.jsonl").open("a") as opened:
        opened.write("no grave\n")
    patient.trial.commit_by_hand()
    _settle(patient.trial)


def receipt_touched(patient):
    patient.trial.did("recall", "refunds", "--receipt", now=int(time.time()))
    kept = next(path for path in (patient.root / ".mem").rglob("r_*") if path.is_file())
    kept.write_text(kept.read_text().replace("refunds", "returns"))


def rebasing(patient):
    (patient.root / ".git" / "rebase-merge").mkdir()


def no_repository(patient):
    shutil.rmtree(patient.root / ".git")


def head_of_garbage(patient):
    (patient.root / ".git" / "refs" / "heads" / "main").write_text("no commit\n")


def commit_lost(patient):
    tree = patient.trial.git("rev-parse", "HEAD^{tree}")
    patient.trial.git("unpack-objects", check=False)
    (patient.root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()


def files_elsewhere(patient):
    patient.trial.git("config", "core.worktree", "/")


def configuration_of_garbage(patient):
    (patient.root / ".git" / "config").write_text("[[[\n")


def rewritten(patient):
    patient.trial.git("commit", "-q", "--amend", "-m", "another history")


def wrong_setting(patient):
    (patient.root / "mem.toml").write_text('\n[recall]\nk = "many"\n')
    patient.trial.commit_by_hand()


def unreadable_settings(patient):
    (patient.root / "mem.toml").write_text("= what\n")
    patient.trial.commit_by_hand()


def unknown_setting(patient):
    (patient.root / "mem.toml").write_text("[recall]\nkk = 3\n")
    patient.trial.commit_by_hand()


def hook(patient, name, text):
    file = patient.root / ".git" / "hooks" / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)


def untrusted(patient):
    (patient.home / "config" / "mem" / "trusted").unlink()
    hook(patient, "pre-commit", "exit 0")


def hook_that_writes(patient):
    hook(patient, "post-commit", 'mem remember "somebody committed"')


def no_model(patient):
    (patient.root / "mem.toml").write_text('[encoder]\npath = "nowhere"\n')
    patient.trial.commit_by_hand()


def tracked(patient):
    (patient.root / ".mem" / ".gitignore").unlink(missing_ok=True)
    patient.trial.git("add", "-f", ".mem")


def line_of_garbage(patient):
    file = next(patient.root.glob("events/**/*.jsonl"))
    with file.open("a") as opened:
        opened.write("no event\n")


def no_index(patient):
    shutil.rmtree(patient.root / ".mem" / "index")


def nothing_private(patient):
    shutil.rmtree(patient.root / ".mem")


def largest(patient):
    return max(
        (path for path in patient.index.rglob("*.lance") if path.is_file()), key=lambda p: p.stat().st_size
    )


def index_cut(patient):
    file = largest(patient)
    file.write_bytes(file.read_bytes()[:-7])


def index_of_garbage(patient):
    file = largest(patient)
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    file.write_bytes(raw)


def index_of_nothing(patient):
    (patient.index / "about.json").write_text("{")


def current_of_garbage(patient):
    (patient.root / ".mem" / "index" / "current").write_text("newest\n")


def other_encoder(patient):
    file = patient.index / "about.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "fingerprint": "of another model"}))


def row_lost(patient):
    from memcli.index import generations
    from memcli.index.tables import Index

    about = generations.about(patient.index)
    folder = patient.root / ".mem" / "index"
    with Index.open(
        folder, dimensions=about.dimensions, fingerprint=about.fingerprint, writable=True
    ) as index:
        index.drop([patient.trial.path(patient.ids[0]).relative_to(patient.root).as_posix()])


def known_lost(patient):
    (patient.root / ".mem" / "known").write_text("garbage")


def edited(patient):
    path = patient.trial.path(patient.ids[0])
    path.write_text(path.read_text().replace("fourteen", "thirty"))


def vectors_of_garbage(patient):
    for file in (patient.root / ".mem" / "vectors").glob("*.f32"):
        file.write_bytes(os.urandom(file.stat().st_size))


def left_over(patient):
    (patient.root / "schemas" / "project" / "t" / ".mem-write-0123456789abcdef.tmp").write_text("half")
    (patient.root / ".mem" / "known.4711.tmp").write_text("half")


def not_a_status(patient):
    patient.trial.write("actve00aaaa", "Parcels leave at noon.", "status: actve\n")
    patient.trial.commit_by_hand()
    _settle(patient.trial)


def copied(patient):
    path = patient.trial.path(patient.ids[0])
    shutil.copy(path, path.with_name("a-copy.md"))
    patient.trial.commit_by_hand()
    _settle(patient.trial)


def forgotten_came_back(patient):
    path = patient.trial.path(patient.ids[0])
    before = path.read_text()
    patient.trial.forget(patient.ids[0])
    path.write_text(before)


def forgotten_came_back_and_seen(patient):
    forgotten_came_back(patient)
    _settle(patient.trial)


def from_the_future(patient):
    later = time.time() + NEXT_DAY
    os.utime(patient.trial.path(patient.ids[0]), (later, later))
    _settle(patient.trial)


def commit_from_the_future(patient):
    later = f"{int(time.time()) + 9 * NEXT_DAY} +0000"
    patient.trial.environment["GIT_COMMITTER_DATE"] = later
    patient.trial.git("commit", "-q", "--allow-empty", "-m", "too early")
    del patient.trial.environment["GIT_COMMITTER_DATE"]
    _settle(patient.trial)


def looked_into(patient):
    (patient.root / ".mem").chmod(0o755)


def written_by_all(patient):
    patient.root.chmod(0o777)


def private_is_a_file(patient):
    shutil.rmtree(patient.root / ".mem")
    (patient.root / ".mem").write_text("")


def socket_left(patient):
    import socket

    here = Path.cwd()
    os.chdir(patient.root / ".mem")
    try:
        with socket.socket(socket.AF_UNIX) as left:
            left.bind("resident")
    finally:
        os.chdir(here)


def all_gone(patient):
    shutil.rmtree(patient.root / "schemas" / "project")


def no_schemas(patient):
    shutil.rmtree(patient.root / "schemas")


# What was planted, what is found (all that is not ok), which line names it, and whether the next
# command (todo), --fix, or neither by itself puts it right.
FAULTS = [
    (no_repository, {"repository": FAIL}, "not in a git repository", "todo"),
    (head_of_garbage, {"head": FAIL}, "HEAD|damaged", None),
    (commit_lost, {"head": FAIL}, "cannot be read", None),
    (
        merge_in_conflict,
        {"under way": WARN, "set aside": WARN, "uncommitted": WARN, "behind": WARN},
        "A merge left conflicts",
        None,
    ),
    (
        rebase_in_conflict,
        {"under way": WARN, "set aside": WARN, "uncommitted": WARN, "behind": WARN},
        "A rebase left conflicts",
        None,
    ),
    (newer_format, {"repository": FAIL}, "extension found: unheardof", None),
    (partial_clone, {"history": WARN}, "left with origin", None),
    (files_elsewhere, {"repository": FAIL}, "core.worktree", None),
    (configuration_of_garbage, {"repository": FAIL}, "bad config line 1", None),
    (bisecting, {"under way": WARN}, "bisect", "todo"),
    (rebasing, {"under way": WARN}, "rebase", None),
    (staging_locked, {"git's lock": FAIL}, r"index\.lock 60 minutes ago", "todo"),
    (branch_locked, {"git's lock": FAIL}, r"main\.lock", "todo"),
    (tombstone_of_garbage, {"lines": WARN}, r"tombstones\.jsonl:1", None),
    (receipt_touched, {"receipts": WARN}, "otherwise than when given", None),
    (rewritten, {"history": WARN}, "rewritten", None),
    (wrong_setting, {"settings": FAIL}, r"mem\.toml:3: recall\.k", None),
    (unreadable_settings, {"settings": FAIL}, r"mem\.toml:1", None),
    (unknown_setting, {"settings": WARN}, r"mem\.toml:2: recall\.kk", None),
    (untrusted, {"trust": WARN}, "hook pre-commit", "todo"),
    (hook_that_writes, {"hooks": WARN}, "post-commit calls mem remember", None),
    (no_model, {"model": FAIL, "index": WARN}, "not there", None),
    (tracked, {"private": WARN}, "belongs to this machine", "todo"),
    (line_of_garbage, {"lines": WARN}, r"events/.*\.jsonl:\d", None),
    (no_index, {"index": WARN}, "no index", "todo"),
    (no_index, {"index": WARN}, "no index", "fix"),
    (nothing_private, {"index": WARN}, "no index", "todo"),
    (index_cut, {"index": FAIL}, "damaged", "todo"),
    (index_cut, {"index": FAIL}, "damaged", "fix"),
    (index_of_garbage, {"index": FAIL}, "damaged", "fix"),
    (index_of_nothing, {"index": FAIL}, "damaged", "todo"),
    (current_of_garbage, {"index": FAIL}, "damaged", "fix"),
    (other_encoder, {"index": WARN}, "another encoder", "todo"),
    (row_lost, {"index": FAIL}, "does not hold", "fix"),
    (known_lost, {"index": WARN}, "lost, or of another version", "todo"),
    (edited, {"behind": WARN, "uncommitted": WARN}, "1 file changed", "todo"),
    (edited, {"uncommitted": WARN, "behind": WARN}, "1 file not committed", "todo"),
    (vectors_of_garbage, {"vectors": WARN}, "damaged", "todo"),
    (note, {"crash": WARN, "uncommitted": WARN, "behind": WARN}, "halfway00aaa", "fix"),
    (left_over, {"left over": WARN}, "2 temporary files", "fix"),
    (left_over, {"left over": WARN}, "known.4711.tmp", "todo"),
    (not_a_status, {"set aside": WARN}, r"actve00aaaa\.md:3: status", None),
    (copied, {"same id": WARN}, r"a-copy\.md", None),
    (forgotten_came_back, {"held back": WARN, "uncommitted": WARN, "behind": WARN}, "came back", None),
    (forgotten_came_back_and_seen, {"held back": WARN, "uncommitted": WARN}, "came back", None),
    (from_the_future, {"clock": WARN}, "future", "todo"),
    (commit_from_the_future, {"clock": WARN}, "days ahead", None),
    (looked_into, {"permissions": WARN}, "look into .mem", "todo"),
    (written_by_all, {"permissions": WARN}, "Anybody may write", "todo"),
    (private_is_a_file, {"permissions": FAIL, "index": WARN}, "not a folder", "todo"),
    (socket_left, {"socket": WARN}, "left its socket", "fix"),
    (socket_left, {"socket": WARN}, "left its socket", "todo"),
    (all_gone, {"files": FAIL, "uncommitted": WARN, "behind": WARN}, "gone at once", "todo"),
    (no_schemas, {"files": FAIL}, "cannot be opened", None),
]


@pytest.mark.parametrize(
    ("plant", "found", "said", "mended"), FAULTS, ids=[f"{one[0].__name__}-{one[3]}" for one in FAULTS]
)
def test_a_planted_fault_is_found_and_its_next_command_repairs_it(  # noqa: PLR0913, PLR0917 - one row of the table
    patient, plant, found, said, mended, tally
):
    plant(patient)
    examined = patient.examined()
    assert {name: level for name, (level, *_) in examined.items() if level != OK} == found
    name = next(iter(found))
    assert re.search(said, examined[name][1]), examined[name]
    if mended == "todo":
        patient.does(examined[name][2])
    elif mended == "fix":
        told = patient.doctor("--fix")
        assert name in {one["name"] for one in told["fixed"]}, told["fixed"]
    if mended:
        assert name not in patient.wrong()
    tally["faults planted and found"] += 1
    tally["of them put right by what was said"] += bool(mended)


def test_a_staging_area_that_cannot_be_read_is_found(patient):
    staging_of_garbage(patient)
    found = patient.examined()
    assert any(level == FAIL and "index file" in what for level, what, _ in found.values())


def test_a_lock_that_git_has_just_taken_is_nothing_wrong(patient):
    (patient.root / ".git" / "index.lock").write_text("")
    assert patient.wrong() == {}


def test_a_healthy_store_has_nothing_wrong(patient):
    assert patient.wrong() == {}


def test_a_healthy_store_is_left_alone_by_fix(patient):
    before = everything(patient.root)
    told = patient.doctor("--fix")
    assert told["fixed"] == []
    assert everything(patient.root) == before


def test_a_fresh_store_has_nothing_wrong(trial):
    assert Patient(trial).wrong() == {}


def test_a_store_just_written_to_has_nothing_wrong(patient):
    patient.trial.remember("The lift is repaired in March.", now=int(time.time()))
    assert patient.wrong() == {}


def test_a_store_with_forgotten_and_superseded_memories_has_nothing_wrong(patient):
    patient.trial.forget(patient.ids[0])
    patient.trial.did("supersede", patient.ids[1], "--with", "Deploys happen on Monday evenings.")
    assert patient.wrong() == {}


def test_a_store_on_another_branch_has_nothing_wrong(patient):
    patient.trial.git("checkout", "-q", "-b", "elsewhere")
    assert patient.wrong() == {}


def test_a_commit_made_by_hand_is_nothing_wrong(patient):
    edited(patient)
    patient.trial.commit_by_hand()
    _settle(patient.trial)
    assert patient.wrong() == {}


def test_an_id_that_stands_twice_is_settled_as_it_is_said(patient):
    copied(patient)
    file = next(patient.root.rglob("a-copy.md"))
    assert (
        str(file.relative_to(patient.root))
        in patient.examined()["same id"][2] + patient.examined()["same id"][1]
    )
    file.write_text(re.sub(r"(?m)^id: .*\n", "", file.read_text()))
    assert "same id" not in patient.wrong()


def test_a_hook_that_looks_whether_mem_commits_is_nothing_wrong(patient):
    hook_that_writes(patient)
    file = patient.root / ".git" / "hooks" / "post-commit"
    added = patient.examined()["hooks"][2].partition(" with: ")[2]
    file.write_text(file.read_text().replace("#!/bin/sh\n", f"#!/bin/sh\n{added}\n"))
    assert patient.wrong() == {}
    subprocess.run(["sh", "-n", file], check=True)


def test_a_hook_that_only_speaks_of_mem_or_asks_it_is_nothing_wrong(patient):
    hook(patient, "post-commit", "# mem remember would be refused here\nmem recall what")
    assert patient.wrong() == {}


def test_a_deep_look_reads_all_and_rehearses_elsewhere(patient):
    examined = patient.examined("--deep")
    assert {name for name, (level, *_) in examined.items() if level != OK} == set()
    assert {"objects", "index, whole", "rehearsal"} <= examined.keys()


def test_a_deep_look_finds_what_changed_under_its_seal(patient):
    file = largest(patient)
    raw, state = bytearray(file.read_bytes()), file.stat()
    raw[len(raw) // 3] ^= 0xFF
    file.write_bytes(raw)
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert patient.wrong("--deep")["index, whole"] == FAIL
    told = patient.doctor("--deep", "--fix")
    assert [one["name"] for one in told["fixed"]] == ["index"]
    assert told["healthy"]
    assert patient.wrong("--deep") == {}


def test_a_crash_is_taken_back_with_its_files(patient):
    note(patient)
    told = patient.doctor("--fix")
    assert [one["name"] for one in told["fixed"]] == ["crash"]
    assert not list(patient.root.rglob("halfway*"))


def test_many_small_writes_are_put_together(patient, monkeypatch):
    from memcli.index import writer

    for text in ("The north gate is locked.", "Parking costs two euros."):
        patient.trial.remember(text, now=int(time.time()))
    monkeypatch.setattr(writer, "WRITES", 1)
    assert patient.wrong() == {"fragments": WARN}
    told = patient.doctor("--fix")
    assert [one["name"] for one in told["fixed"]] == ["fragments"]
    assert patient.wrong() == {}


def test_an_encoder_without_meaning_fails(patient, monkeypatch):
    monkeypatch.setattr(Encoder, "meaningful", lambda *_: False)
    assert patient.wrong() == {"model": FAIL, "index": WARN}


def test_fix_makes_no_index_while_the_model_is_missing(patient):
    no_model(patient)
    assert patient.doctor("--fix")["fixed"] == []


def test_a_package_that_is_missing_is_named(patient, monkeypatch):
    from importlib import metadata

    monkeypatch.setattr(
        metadata, "requires", lambda _: ["numpy>=1", "no-such-package>=2", 'x; extra == "dev"']
    )
    level, what, _ = patient.examined()["version"]
    assert (level, "missing: no-such-package." in what) == (FAIL, True)


def test_a_package_that_cannot_be_imported_is_named_by_the_checks_that_need_it(patient, monkeypatch):
    def standing(_):
        raise ImportError("libgomp is not there", name="numpy")

    monkeypatch.setattr("memcli.index.cache.standing", standing)
    level, what, todo = patient.examined()["vectors"]
    assert (level, what, "reinstall" in todo) == (FAIL, "The package numpy cannot be used.", True)


def test_a_lock_that_is_held_is_told_and_left(patient):
    with lock.hold(Place(patient.root), wait_s=0, holder="a slow import"):
        level, what, _ = patient.examined()["lock"]
        assert level == OK
        assert "a slow import" in what
        long_ago = time.time() - 3600
        os.utime(patient.root / ".mem" / "lock", (long_ago, long_ago))
        level, what, todo = patient.examined()["lock"]
        assert (level, "60 minutes" in what, todo.split()[0]) == (WARN, True, "fuser")
        assert lock.holder(Place(patient.root)).startswith("a slow import")


def test_what_a_writer_is_writing_is_no_leftover(patient):
    left_over(patient)
    note(patient)
    with lock.hold(Place(patient.root), wait_s=0, holder="an import"):
        assert not {"left over", "crash"} & patient.wrong().keys()


def test_a_shallow_clone_is_told_and_made_whole(patient, tmp_path):
    url = f"file://{patient.root}"
    subprocess.run(["git", "clone", "-q", "--depth=1", url, tmp_path / "c" / "t"], check=True)
    clone = Patient(type(patient.trial)(tmp_path / "c" / "t", patient.trial.environment))
    _settle(clone.trial)
    examined = clone.examined()
    assert examined["history"][0] == WARN
    clone.types(examined["history"][2])
    assert "history" not in clone.wrong()


def test_a_full_disk_fails(patient, monkeypatch):
    real = os.statvfs

    def full(folder):
        found = list(real(folder))
        found[4] = 1
        return os.statvfs_result(found)

    monkeypatch.setattr(os, "statvfs", full)
    assert patient.wrong() == {"disk": FAIL}


def test_limits_that_are_too_low_are_told(patient, monkeypatch, tmp_path):
    (tmp_path / "limits").mkdir()
    (tmp_path / "limits" / "max_user_watches").write_text("2\n")
    monkeypatch.setattr(resident, "LIMITS", tmp_path / "limits")
    monkeypatch.setattr(resident.witness, "kind_of_disk", lambda _: "ext4")
    level, what, todo = patient.examined()["events"]
    assert (level, "limit of 2" in what) == (WARN, True)
    assert todo.startswith("sudo sysctl fs.inotify.max_user_watches=")


def test_a_limit_that_is_reached_is_told(patient, monkeypatch):
    def refuse(*_):
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(resident.witness.Inotify, "__init__", refuse)
    monkeypatch.setattr(resident.witness, "kind_of_disk", lambda _: "ext4")
    level, what, _ = patient.examined()["events"]
    assert (level, "max_user_instances" in what) == (WARN, True)


def test_a_disk_that_reports_nothing_is_no_fault(patient, monkeypatch):
    monkeypatch.setattr(resident.witness, "kind_of_disk", lambda _: "nfs4")
    level, what, _ = patient.examined()["events"]
    assert (level, "nfs4" in what) == (OK, True)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"trouble": "the disk is full"}, "the disk is full"),
        ({"version": "0.0.1"}, "another version"),
        ({"looked": 1}, "last looked"),
    ],
)
def test_a_resident_that_is_not_well_is_told(patient, monkeypatch, told, said):
    well = {
        "process": 1,
        "version": resident.__version__,
        "since": 1,
        "answered": 3,
        "looked": int(time.time()),
    }
    monkeypatch.setattr(resident.door, "lives", lambda _: True)
    monkeypatch.setattr(starting, "status", lambda _: well)
    assert patient.examined()["resident"][0] == OK
    monkeypatch.setattr(starting, "status", lambda _: well | told)
    level, what, todo = patient.examined()["resident"]
    assert (level, said in what) == (WARN, True)
    assert todo == "mem watch --stop; mem watch --detach"


def test_a_resident_that_does_not_answer_fails(patient, monkeypatch):
    monkeypatch.setattr(resident.door, "lives", lambda _: True)
    monkeypatch.setattr(starting, "status", lambda _: None)
    assert patient.wrong() == {"resident": FAIL}


def test_a_check_that_breaks_hides_no_other(patient, monkeypatch):
    edited(patient)
    monkeypatch.setattr(looks.knowns, "load", lambda _: 1 / 0)
    examined = patient.examined()
    assert "ZeroDivisionError" in examined["set aside"][1]
    assert {"uncommitted", "permissions", "resident"} <= examined.keys()


def test_fix_that_cannot_take_the_lock_says_so_and_goes_on(patient):
    left_over(patient)
    socket_left(patient)
    (patient.root / "mem.toml").write_text("[lock]\nwait_s = 0\n")
    with lock.hold(Place(patient.root), wait_s=0, holder="an import"):
        no_index(patient)
        told = patient.doctor("--fix")
    levels = {one["name"]: one["level"] for one in told["fixed"]}
    assert levels == {"index": FAIL, "socket": OK}


def test_mass_disappearance_is_never_made_the_index(patient):
    all_gone(patient)
    index_cut(patient)
    told = patient.doctor("--fix")
    assert {one["name"]: one["level"] for one in told["fixed"]} == {"index": FAIL}
    with contextlib.suppress(FileNotFoundError):
        assert (patient.root / ".mem" / "known").stat().st_size > 100
