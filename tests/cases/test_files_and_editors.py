"""Files and editors (FILE): whatever becomes of files beside mem, at the command line."""

import os
import shutil
import socket
import subprocess
from contextlib import contextmanager, suppress

import pytest
from situations import checked, findings, here, memory, put, sound, told_once
from trial import AGENT

from memcli.errors import Unavailable
from memcli.store import atomic, scan

NOBODY = 65534
SIDE_FILES = (
    *(".a.md.swp", ".a.md.swx", "a.md~", "#a.md#", "a.md___jb_tmp___", "a.md___jb_old___", "4913"),
    *(".DS_Store", "a.md.orig", "a.md.rej", "a.md.bak", ".a.md.un~", "a.md.tmp", ".#b.md", "._a.md"),
)
ODD_NAMES = (
    *("*.md", ":(top)x.md", "-rf.md", "new\nline.md", "q'uo\"te.md", " lead.md", "a\\b.md", "[ab].md"),
    *("$(touch pwn).md", "--help.md", "~.md", "tab\t.md", "trail .md", "%s.md", ":!x.md", "{x}.md", "|.md"),
)


@pytest.mark.case("P-FILE-01")
@pytest.mark.parametrize("editor", ["rename", "backup", "in place", "truncate"])
def test_however_an_editor_saves_the_next_answer_is_what_is_there(trial, editor):
    path = put(trial, "a.md", memory("kettle1", "The kettle holds nothing yet."))
    assert trial.found("kettle") == ["kettle1"]
    for number in range(8):
        raw = memory("kettle1", f"The kettle holds version {number}.")
        if editor == "rename":
            put(trial, ".a.tmp", raw).rename(path)
        elif editor == "backup":
            path.rename(f"{path}~")
            path.write_bytes(raw)
            os.unlink(f"{path}~")  # noqa: PTH108 - as the editor does
        elif editor == "truncate":
            path.write_bytes(b"")
            trial.ran("recall", "kettle")
            path.write_bytes(raw)
        else:
            path.write_bytes(raw)
        answer = trial.recall("kettle")
        assert [item["text"] for item in answer["items"]] == [f"The kettle holds version {number}."]
        assert answer["stale"] is False
    assert trial.status("kettle1") == "active"
    trial.did("save")
    assert trial.told("log")["entries"][0]["op"] == "add"
    sound(trial)


@pytest.mark.case("P-FILE-02")
def test_side_files_are_nobodys_business(trial):
    put(trial, "a.md", memory("kettle1", "The kettle is full."))
    for name in SIDE_FILES:
        put(trial, name, memory("side1", "The kettle of a side file."))
    (here(trial) / ".#a.md").symlink_to("ana@host.example:1")
    assert trial.found("kettle", "--floor", "0") == ["kettle1"]
    assert checked(trial) == checked(trial) | {"files": 1, "set_aside": 0, "findings": []}
    assert trial.told("status")["uncommitted"] == ["schemas/project/t/a.md"]
    saved = trial.told("save")
    assert ([edit["path"] for edit in saved["edits"]], saved["left"]) == (["schemas/project/t/a.md"], [])
    made = trial.remember("Kettles boil.")
    assert trial.touched() == [made["path"]]
    assert trial.git("ls-files", "schemas/project").split() == sorted(
        [made["path"], "schemas/project/t/a.md"]
    )


@pytest.mark.case("P-FILE-03")
def test_one_id_in_two_files_is_named_and_never_picked(trial):
    made = trial.remember("The kettle holds two litres.")
    id_, first = made["id"], trial.path(made["id"])
    second = put(trial, "sub/b.md", first.read_bytes().replace(b"two", b"three"))
    before = trial.head()
    names = [path.relative_to(trial.root).as_posix() for path in (first, second)]
    assert trial.told("status")["duplicates"] == [sorted(names)]
    shown = trial.ran("status").out
    assert all(name in shown for name in names)
    assert {one[0] for one in findings(trial) if one[2] == "id" and one[4] == "error"} == set(names)
    for argv in (
        ["forget", id_, "--yes"],
        ["unforget", id_, "--yes"],
        ["supersede", id_, "--with", "Another."],
        ["move", id_, "project:x"],
        ["show", id_],
        ["history", id_],
        ["edit", id_],
    ):
        told = told_once(trial.ran(*argv), 3)
        assert all(name in told for name in names)
    answers = [trial.recall("kettle", "--as-of", "2026-12-01")["items"] for _ in range(3)]
    trial.did("index", "rebuild")
    answers += [trial.recall("kettle", "--as-of", "2026-12-01")["items"]]
    assert all(answer == answers[0] for answer in answers)
    assert trial.head() == before


@contextmanager
def small_disk(trial, tmp_path):
    """The store on a disk of 2 MB, if this machine lets us mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", str(disk)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip("no right to mount a small disk here")
    try:
        yield trial.copy(disk)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def leave(folder, left_kb):
    """Fill the disk of `folder` but for so many KB."""
    state = os.statvfs(folder)
    free = state.f_bavail * state.f_frsize // 1024
    with (folder / "filling").open("wb", buffering=0) as file, suppress(OSError):
        file.write(bytes(max(0, free - left_kb) * 1024))


@pytest.mark.case("P-FILE-04")
def test_a_full_disk_leaves_everything_as_it_was_and_works_when_there_is_room(trial, tmp_path):
    with small_disk(trial, tmp_path) as on_disk:
        kept = on_disk.remember("Gooseberries ripen in June.")
        on_disk.did("recall", "gooseberries")
        path, raw = on_disk.root / kept["path"], (on_disk.root / kept["path"]).read_bytes()
        failed = 0
        for left_kb in (0, 20, 28, 36, 72):
            for argv in (
                ["remember", f"Blackberry {left_kb} ripens in August."],
                ["forget", kept["id"], "--yes"],
                ["supersede", kept["id"], "--with", f"Gooseberries ripen in July {left_kb}."],
                ["index", "rebuild"],
            ):
                before = on_disk.head()
                leave(on_disk.root.parent, left_kb)
                ran = on_disk.ran(*argv)
                assert on_disk.found("gooseberries", "--floor", "0", "--mode", "history") or not ran.code
                (on_disk.root.parent / "filling").unlink()
                if ran.code:
                    failed += 1
                    told_once(ran, 6)
                    assert path.read_bytes() == raw
                    assert on_disk.head() == before
                    assert on_disk.git("status", "--porcelain") == ""
                elif argv[0] != "index":
                    on_disk.did("undo", "--yes")
                assert all(one.stat().st_size for one in on_disk.root.glob("schemas/**/*.md"))
                assert not list(on_disk.root.rglob(".mem-write-*"))
        assert failed >= 6
        assert on_disk.remember("Blackberries ripen in August.")["decision"] == "created"
        on_disk.did("index", "rebuild")
        sound(on_disk)


@pytest.mark.case("P-FILE-04")
def test_an_edit_is_answered_although_the_index_cannot_be_written(trial, tmp_path):
    with small_disk(trial, tmp_path) as on_disk:
        path = on_disk.root / on_disk.remember("Gooseberries ripen in June.")["path"]
        on_disk.did("recall", "gooseberries")
        path.write_bytes(path.read_bytes().replace(b"June", b"May!"))
        leave(on_disk.root.parent, 0)
        ran = on_disk.ran("recall", "gooseberries")
        assert (ran.code, "ripen in May!" in ran.out) == (0, True)
        assert "was not brought up to date" in ran.err
        assert on_disk.told("status")["schemas"] == 1


@pytest.mark.case("P-FILE-05")
def test_a_file_that_is_gone_is_in_no_answer(trial):
    made = trial.remember("Gooseberries ripen in June.")
    trial.remember("Apples ripen in autumn.")
    assert made["id"] in trial.found("gooseberries ripen")
    path = trial.root / made["path"]
    raw = path.read_bytes()
    path.unlink()
    answer = trial.recall("gooseberries ripen")
    assert made["id"] not in [item["id"] for item in answer["items"]]
    assert (answer["items"] != [], answer["stale"]) == (True, False)
    for argv in (["show", made["id"]], ["forget", made["id"], "--yes"]):
        told_once(trial.ran(*argv), 3)
    assert made["id"] not in trial.did("list", "--ids")
    path.write_bytes(raw)
    assert made["id"] in trial.found("gooseberries ripen")


@pytest.mark.case("P-FILE-05")
def test_a_file_that_goes_while_it_is_answered_from_is_in_no_answer(trial, monkeypatch):
    """The index still holds its row: texts are read from the files when they are shown."""
    made = trial.remember("Gooseberries ripen in June.")
    trial.found("gooseberries")
    look = scan.scan

    def looked(place):
        seen = look(place)
        (trial.root / made["path"]).unlink(missing_ok=True)
        return seen

    monkeypatch.setattr(scan, "scan", looked)
    assert trial.found("gooseberries", "--floor", "0") == []


@pytest.mark.case("P-FILE-06")
@pytest.mark.parametrize("cut", ["empty", "fences", "head", "blank"])
def test_a_file_that_was_emptied_says_nothing_any_more(trial, cut):
    made = trial.remember("Gooseberries ripen in June.")
    other = trial.remember("Apples ripen in autumn.")
    path = trial.root / made["path"]
    raw = path.read_bytes()
    head = raw.partition(b"\n\n")[0] + b"\n"
    left = {"empty": b"", "fences": b"---\n---\n", "head": head, "blank": b" \n\n"}[cut]
    path.write_bytes(left)
    assert trial.found("gooseberries ripen", "--floor", "0") == [other["id"]]
    ((name, _, _, what, severity),) = findings(trial)
    assert (name, severity) == (made["path"], "error")
    assert "empty" in what or "no claim" in what
    status = trial.told("status")
    assert (status["schemas"], status["set_aside"]) == (1, 1)
    ran = trial.ran("save")
    assert (ran.code, made["path"] in ran.err) == (4, True)
    assert trial.told("index", "rebuild")["rows"] == 1
    assert path.read_bytes() == left
    path.write_bytes(raw)
    assert made["id"] in trial.found("gooseberries ripen")


@pytest.mark.case("P-FILE-07")
@pytest.mark.parametrize("before", [True, False])
def test_links_out_of_the_store_are_neither_read_nor_committed(trial, tmp_path, before):
    secret = tmp_path / "outside"
    secret.mkdir()
    (secret / "y.md").write_bytes(memory("outside1", "The combination of the safe is quince."))
    put(trial, "z.md", memory("inside1", "The safe is green."))
    if not before:
        assert trial.found("safe") == ["inside1"]
    (here(trial) / "x.md").symlink_to(secret / "y.md")
    (here(trial) / "a").symlink_to(secret)
    (here(trial) / "host.md").symlink_to("/etc/hostname")
    assert trial.found("safe quince", "--floor", "0") == ["inside1"]
    named = [path.rpartition("/")[2] for path, _, _, what, _ in findings(trial) if "link" in what]
    assert named == ["a", "host.md", "x.md"]
    for argv in (["show", "outside1"], ["forget", "outside1", "--yes"], ["show", "x.md"]):
        told_once(trial.ran(*argv), 3)
    trial.ran("save")
    trial.remember("Something else.")
    trial.ran("check", "--fix")
    trial.did("index", "rebuild")
    assert trial.found("safe quince", "--floor", "0")[0] == "inside1"
    tracked = trial.git("ls-files", "-s", "schemas/project").splitlines()
    assert not [line for line in tracked if "quince" in trial.git("cat-file", "blob", line.split()[1])]
    assert "quince" not in trial.git("log", "-p", "--all")


@pytest.mark.case("P-FILE-08")
def test_loops_and_dangling_links_end_nothing(trial):
    (here(trial) / "loop").symlink_to(".")
    (here(trial) / "dead.md").symlink_to("nowhere.md")
    (here(trial) / "self.md").symlink_to("self.md")
    (here(trial) / "sub").mkdir()
    (here(trial) / "sub" / "up").symlink_to("..")
    put(trial, "zz.md", memory("zlast", "Zebra siblings stay."))
    put(trial, "sub/zz.md", memory("zlower", "Zebra cousins stay."))
    trial.commit_by_hand()
    for _ in range(2):
        ran = trial.ran("recall", "zebra", "--ids")
        assert (sorted(ran.out.split()), ran.err) == (["zlast", "zlower"], "")
    assert sum("link" in one[3] for one in findings(trial)) == 4
    trial.forget("zlast")
    assert trial.touched(below=".") == ["schemas/project/t/zz.md"]


@pytest.mark.case("P-FILE-09")
def test_a_commit_holds_that_one_path_whatever_it_is_called(trial):
    (trial.root / "user.txt").write_text("the user's own\n")
    for number, name in enumerate(ODD_NAMES):
        put(trial, name, memory(f"weird{number:02d}", f"Weird claim {number}."))
    assert checked(trial)["understood"] == len(ODD_NAMES)
    trial.did("save")
    for number, name in enumerate(ODD_NAMES):
        trial.forget(f"weird{number:02d}")
        told = trial.git("show", "--name-only", "-z", "--format=").strip("\0\n")
        assert told == f"schemas/project/t/{name}"
    assert trial.git("status", "--porcelain") == "?? user.txt"
    trial.unforget(*(f"weird{number:02d}" for number in range(len(ODD_NAMES))))
    listed = trial.ran("list", "-0").out.removesuffix("\0").split("\0")
    assert sorted(listed) == sorted(str(here(trial) / name) for name in ODD_NAMES)
    told = trial.told("list")["items"]
    assert sorted(item["path"] for item in told) == sorted(f"schemas/project/t/{name}" for name in ODD_NAMES)
    assert not (trial.root / "pwn").exists()
    assert trial.ran("save", "--", "schemas/project/t/-rf.md").code == 2


@pytest.mark.case("P-FILE-10")
def test_a_folder_renamed_in_one_step_keeps_every_memory(trial):
    for number in range(40):
        put(trial, f"projects/p{number:02d}.md", memory(f"moved{number:02d}", f"Lighthouse {number} blinks."))
    trial.did("save")
    wide = ("lighthouse blinks", "-k", "99", "--budget", "9999", "--as-of", "2026-12-01")
    before = trial.found(*wide)
    assert len(before) == 40
    (here(trial) / "projects").rename(here(trial) / "archive")
    assert trial.found(*wide) == before
    paths = trial.did("list", "-l").splitlines()
    assert (len(paths), all("/t/archive/" in path for path in paths)) == (40, True)
    trial.did("save")
    assert trial.git("status", "--porcelain") == ""
    entry = trial.told("log", "-n", "1")["entries"][0]
    assert (entry["op"], entry["changes"]) == ("move", [])
    assert set(trial.statuses().values()) == {"active"}
    old = trial.told("history", "moved07")["versions"]
    assert [one["status"] for one in old] == ["active", "active"]
    sound(trial)


@pytest.mark.case("P-FILE-11")
def test_names_that_differ_in_case_alone_are_both_read_and_never_made(trial):
    put(trial, "foo.md", memory("foo01", "Lower foo is a file."))
    try:
        put(trial, "Foo.md", memory("foo02", "Upper foo is a file."))
    except FileExistsError:
        pytest.skip("this disk knows no case")
    assert sorted(trial.found("foo file")) == ["foo01", "foo02"]
    assert [one[4] for one in findings(trial) if "not portable" in one[3]] == ["warning"]
    trial.did("save")
    for concept in ("FOO", "foo", "Foo"):
        trial.remember(f"About {concept} and its case.", "--concept", concept)
    names = [path.name for path in here(trial).iterdir()]
    assert len({name.casefold() for name in names}) == len(names) - 1
    assert (here(trial) / "foo.md").read_bytes() == memory("foo01", "Lower foo is a file.")


@pytest.mark.case("P-FILE-12")
def test_one_changed_file_leaves_the_rest_of_the_index_alone(trial):
    trial.batch([f"Lighthouse {number} blinks." for number in range(50)])
    path = next(iter(sorted(here(trial).glob("*.md"))))
    path.write_bytes(path.read_bytes().replace(b"blinks", b"flashes"))
    trial.did("check", str(path))
    trial.did("save", str(path))
    assert trial.told("index", "status")["rows"] == 50
    assert trial.told("status")["schemas"] == 50
    assert trial.recall("lighthouse flashes")["items"][0]["path"].endswith(path.name)
    sound(trial)


@pytest.mark.case("P-FILE-12")
def test_a_folder_that_cannot_be_listed_is_not_empty(trial):
    put(trial, "closed/a.md", memory("closed1", "Lighthouse one blinks."))
    put(trial, "open.md", memory("open1", "Lighthouse two blinks."))
    assert sorted(trial.found("lighthouse")) == ["closed1", "open1"]
    give(trial)
    (here(trial) / "closed").chmod(0)
    with as_somebody():
        answer = trial.recall("lighthouse")
        assert any("cannot be listed" in one[3] for one in findings(trial))
    (here(trial) / "closed").chmod(0o755)
    assert "open1" in [item["id"] for item in answer["items"]]
    assert sorted(trial.found("lighthouse")) == ["closed1", "open1"]


@pytest.mark.case("P-FILE-12")
def test_a_file_that_could_not_be_read_once_is_read_again(trial, monkeypatch):
    path = put(trial, "a.md", memory("often1", "Lighthouse one blinks."))
    put(trial, "b.md", memory("other1", "Lighthouse two blinks."))
    os.utime(path, (1, 1))  # older than any look at it: its signature stays
    read = atomic.read

    def busy(place, name):
        if name.endswith("a.md"):
            raise Unavailable("too many open files")
        return read(place, name)

    monkeypatch.setattr(atomic, "read", busy)
    assert trial.found("lighthouse") == ["other1"]
    monkeypatch.undo()
    assert sorted(trial.found("lighthouse")) == ["often1", "other1"]
    assert trial.told("show", "often1")["id"] == "often1"


@pytest.mark.case("P-FILE-13")
def test_huge_and_endless_files_are_set_aside_unread(trial, monkeypatch):
    put(trial, "small.md", memory("small1", "A lighthouse is small."))
    with put(trial, "sparse.md", b"").open("wb") as file:
        file.truncate(2 << 30)
    put(trial, "line.md", b"x" * 50_000_000)
    os.mkfifo(here(trial) / "pipe.md")
    monkeypatch.chdir(here(trial))  # a socket's whole path may be too long
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.md")
        for argv in (
            ["recall", "lighthouse"],
            ["status"],
            ["list"],
            ["index", "rebuild"],
            ["index", "verify"],
        ):
            assert trial.ran(*argv).code == 0, argv
    assert trial.found("lighthouse") == ["small1"]
    found = checked(trial)
    assert (found["understood"], found["set_aside"]) == (1, 4)
    said = {one["path"].rpartition("/")[2]: one["what"] for one in found["findings"]}
    assert "1024 KiB" in said["sparse.md"]
    assert "1024 KiB" in said["line.md"]
    assert "regular" in said["pipe.md"]
    assert "regular" in checked(trial, str(here(trial) / "pipe.md"))["findings"][0]["what"]
    assert trial.remember("Another lighthouse.")["decision"] == "created"


@contextmanager
def vanished(trial, tmp_path, how):
    """The store's files are elsewhere for a while: unmounted, or taken away by a sync tool."""
    away, schemas = tmp_path / "away", trial.root / "schemas"
    away.mkdir()
    if how == "files":
        (away / "t").mkdir()
        moved = [shutil.move(path, away / "t") for path in sorted(here(trial).glob("*.md"))]
        yield
        for path in moved:
            shutil.move(path, here(trial))
        return
    schemas.rename(away / "schemas")
    if how == "empty folder":
        schemas.mkdir()
    yield
    if how == "empty folder":
        schemas.rmdir()
    (away / "schemas").rename(schemas)


@pytest.mark.case("P-FILE-14")
@pytest.mark.parametrize("how", ["folder", "files", "empty folder"])
def test_a_store_that_vanished_is_not_taken_as_deleted(trial, tmp_path, how):
    trial.batch([f"Lighthouse {number} blinks." for number in range(8)])
    wide = ("lighthouse blinks", "--as-of", "2026-12-01")
    before, head = trial.found(*wide), trial.head()
    with vanished(trial, tmp_path, how):
        ran = {
            verb: trial.ran(*verb.split(), env=AGENT) for verb in ("recall blinks", "status", "save", "list")
        }
        if how == "folder":
            for one in ran.values():
                assert "is not there" in told_once(one, 6)
        else:
            assert "gone at once" in ran["recall blinks"].err
            assert "gone at once" in ran["status"].err
            assert "deleted" in ran["save"].err
            assert (ran["save"].code, ran["save"].out) == (5, "")
            assert trial.recall("lighthouse")["stale"] is True
            assert trial.told("status")["schemas"] == 8
    assert trial.head() == head
    assert trial.found(*wide) == before
    assert trial.git("status", "--porcelain") == ""


@pytest.mark.case("P-FILE-14")
def test_a_deletion_that_is_meant_is_saved_on_a_persons_word(trial):
    trial.batch([f"Lighthouse {number} blinks." for number in range(8)])
    for path in here(trial).glob("*.md"):
        path.unlink()
    trial.did("save", "--yes")
    assert trial.git("ls-files", "schemas/project") == ""
    assert trial.recall("lighthouse")["outcome"] == "absent"
    assert trial.recall("lighthouse")["stale"] is False


def give(trial):
    """Give the whole store away, where the right to do so is ours, and let others reach it."""
    if os.geteuid():
        return
    for path in [trial.root.parent, trial.root, *trial.root.rglob("*")]:
        os.chown(path, NOBODY, NOBODY)
    for parent in trial.root.parents[1:-2]:
        parent.chmod(parent.stat().st_mode | 0o055)


@contextmanager
def as_somebody():
    """Without root's rights, in this process: what was imported before stays imported."""
    if os.geteuid():
        yield
        return
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


@pytest.mark.case("P-FILE-15")
@pytest.mark.case("P-IDX-10")
@pytest.mark.parametrize("part", ["store", "index"])
def test_a_store_that_cannot_be_written_answers_and_refuses(trial, part):
    made = trial.remember("Lighthouses blink.")
    path = put(trial, "hand.md", memory("hand1", "Lighthouses are painted."))
    for argv in (["save"], ["recall", "lighthouse"], ["status"], ["index", "verify"]):
        trial.did(*argv)  # and everything is imported
    before = sorted(str(one) for one in trial.root.rglob("*"))
    give(trial)
    for one in [trial.root, *trial.root.rglob("*")]:
        if part == "store" or ".mem" in one.parts:
            one.chmod(0o555 if one.is_dir() else 0o444)
    with as_somebody():
        assert set(trial.found("lighthouse")) == {made["id"], "hand1"}
        assert trial.told("status")["schemas"] == 2
        for argv in (
            ["remember", "Another claim."],
            ["forget", "hand1", "--yes"],
            ["index", "rebuild"],
            ["supersede", "hand1", "--with", "Another."],
            ["move", "hand1", "project:x"],
        ):
            told_once(trial.ran(*argv), 6)
    path.chmod(0o644)
    path.write_bytes(memory("hand1", "Lighthouses are tiled."))
    with as_somebody():
        ran = trial.ran("recall", "lighthouses tiled")
        assert (ran.code, "are tiled." in ran.out) == (0, True)
        assert "was not brought up to date" in ran.err
    assert sorted(str(one) for one in trial.root.rglob("*")) == before
    for one in [trial.root, *trial.root.rglob("*")]:
        one.chmod(0o755 if one.is_dir() else 0o644)


@pytest.mark.case("P-FILE-02")
@pytest.mark.parametrize(
    "name",
    ["~$a.md", "a_BACKUP_4711.md", "a_BASE_4711.md", "a_LOCAL_4711.md", "a_REMOTE_4711.md", "a.markdown"],
)
def test_what_a_program_puts_beside_an_open_file_is_no_memory(trial, name):
    put(trial, "a.md", memory("real0000aaaa", "The lighthouse is white."))
    put(trial, name, memory("side0000aaaa", "The lighthouse is green."))
    for _ in range(2):
        assert trial.found("lighthouse") == ["real0000aaaa"]
        assert checked(trial)["files"] == 1
        trial.forgets_the_index()
    trial.did("save")
    assert trial.touched(below=".") == ["schemas/project/t/a.md"]


@pytest.mark.case("P-FILE-03")
@pytest.mark.parametrize(
    "name",
    [
        "a.sync-conflict-20260101-120000-ABCDEF1.md",
        "a (Ana's conflicted copy 2026-01-01).md",
        "a (Case Conflict 1).md",
    ],
)
def test_a_copy_that_a_sync_tool_made_is_set_aside_and_hides_nothing(trial, name):
    path = put(trial, "a.md", memory("real0000aaaa", "The lighthouse is white."))
    trial.did("save")
    copied = put(trial, name, memory("real0000aaaa", "The lighthouse is green."))
    for _ in range(2):
        assert trial.found("lighthouse") == ["real0000aaaa"]
        ((_, _, _, what, severity),) = findings(trial, name)
        assert (severity, "a sync tool" in what) == ("error", True)
        trial.forgets_the_index()
    trial.forget("real0000aaaa")
    assert "status: forgotten" in path.read_text()
    assert copied.read_bytes() == memory("real0000aaaa", "The lighthouse is green.")
    assert trial.found("lighthouse", "--mode", "history") == []
    assert put(trial, "a (copy).md", memory("copy0000aaaa", "The harbour has two piers."))
    assert trial.found("harbour piers") == ["copy0000aaaa"]


@pytest.mark.case("P-FILE-06")
@pytest.mark.parametrize(
    "raw", [bytes(300), b"---\nid: real0000aaaa\n---\n\n" + bytes(80), b"\n\t\0\n", "\u200b\u2060".encode()]
)
def test_a_file_of_zeros_alone_has_no_claim(trial, raw):
    path = put(trial, "a.md", memory("real0000aaaa", "The lighthouse is white."))
    trial.did("save")
    path.write_bytes(raw)
    assert trial.found("lighthouse", "--floor", "0") == []
    ((_, _, _, what, severity),) = findings(trial, "a.md")
    assert (severity, "empty" in what or "no claim" in what) == ("error", True)
    assert trial.ran("save").code == 4
    assert path.read_bytes() == raw
