"""The staging area's file edited here is the one that git would have made."""

import os
import subprocess

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from memcli.journal.stagingfile import NotPlain, Stamp, amended, empty

HASHES = {"sha1": 20, "sha256": 32}
names = st.lists(
    st.sampled_from(["a", "b", "a.b", "a-b", "é", "long" * 12, "x y"]), min_size=1, max_size=3
).map("/".join)
FRESH = 7  # a second in which nothing was written


def repository(root, kind_of_hash):
    root.mkdir()
    git(root, "init", "-q", f"--object-format={kind_of_hash}")
    return root


def git(root, *words, given=None):
    ran = subprocess.run(["git", *words], cwd=root, input=given, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def fill(root, paths, blob):
    lines = b"".join(b"100644 %s\t%s\0" % (blob.encode(), path.encode()) for path in paths)
    git(root, "update-index", "--add", "--replace", "-z", "--index-info", given=lines)


def listed(root):
    return git(root, "ls-files", "--stage", "-z")


def put(root, entries, kind_of_hash, written_s=FRESH):
    file = root / ".git/index"
    new = amended(file.read_bytes(), entries, kind_of_hash, written_s)
    file.write_bytes(new.raw)
    return new


@pytest.mark.parametrize("kind_of_hash", HASHES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=st.sets(names, max_size=30), changes=st.dictionaries(names, st.booleans(), min_size=1, max_size=6)
)
def test_any_change_gives_what_git_gives(tmp_path_factory, kind_of_hash, before, changes):
    new_names = [name for name, put_in in changes.items() if put_in]
    assume(
        not any(other.startswith(name + "/") for name in new_names for other in new_names)
    )  # no disk has both
    ours = repository(tmp_path_factory.mktemp("pair") / "ours", kind_of_hash)
    old, new = (
        git(ours, "hash-object", "-w", "--stdin", given=text).decode().strip() for text in (b"1", b"2")
    )
    fill(ours, sorted(before), old)
    if not before:
        (ours / ".git/index").write_bytes(empty(kind_of_hash))
    git(ours, "write-tree")  # fills the cache of trees, which must be forgotten for what changes
    seen = ours.stat()
    first = listed(ours)
    entries = {
        name.encode(): Stamp(0o100644, bytes.fromhex(new), seen).entry(name.encode()) if put_in else b""
        for name, put_in in changes.items()
    }
    try:
        done = put(ours, entries, kind_of_hash)
    except NotPlain:
        return  # a file where a folder was: for git
    expected = {line for line in first.split(b"\0") if line.partition(b"\t")[2] not in entries} - {b""}
    expected |= {
        b"100644 %s 0\t%s" % (new.encode(), name.encode()) for name, put_in in changes.items() if put_in
    }
    assert set(listed(ours).split(b"\0")) - {b""} == expected
    whole = git(ours, "write-tree")
    git(ours, "read-tree", "--empty")
    fill(ours, [], old)
    git(ours, "update-index", "--index-info", given=b"".join(line + b"\n" for line in sorted(expected)))
    assert git(ours, "write-tree") == whole
    (ours / ".git/index").write_bytes(done.raw)
    put(ours, done.before, kind_of_hash)
    assert listed(ours) == first


@pytest.fixture
def many(tmp_path):
    root = repository(tmp_path / "many", "sha1")
    blob = git(root, "hash-object", "-w", "--stdin", given=b"1").decode().strip()
    fill(root, [f"schemas/project/t{n % 7}/claim-{n:05}.md" for n in range(3000)], blob)
    return root


def test_a_large_file_is_halved_to_the_right_place(many):
    stamp = Stamp(0o100644, bytes.fromhex("ab" * 20), many.stat())
    names = [
        f"schemas/project/t{n % 7}/claim-{n:05}{end}.md" for n in range(0, 3000, 97) for end in ("", "x")
    ]
    put(many, {name.encode(): stamp.entry(name.encode()) for name in names}, "sha1")
    out = git(many, "ls-files", "-s").decode().splitlines()
    assert len(out) == 3000 + len(names) // 2
    assert sum("abab" in line for line in out) == len(names)
    paths = [line.partition("\t")[2] for line in out]
    assert paths == sorted(paths)


def test_a_file_changed_in_the_second_of_writing_is_looked_at_again(many):
    path = many / "racy.md"
    path.write_text("one\n")
    git(many, "add", "racy.md")
    second = int(path.stat().st_mtime)
    name = b"schemas/a.md"
    put(many, {name: Stamp(0o100644, bytes.fromhex("ab" * 20), many.stat()).entry(name)}, "sha1", second)
    seen = path.stat()
    path.write_text("two\n")  # same size, and made to look as before
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    os.utime(many / ".git/index", (second + 100, second + 100))
    status = git(many, "-c", "core.trustctime=false", "status", "--porcelain", "racy.md")
    assert status == b"AM racy.md\n"


def test_many_such_files_are_left_to_git(many):
    second = 1234567890
    entries = {}
    for n in range(100):
        (many / f"{n}.md").write_text("x")
        os.utime(many / f"{n}.md", (second, second))
    git(many, "add", ".")
    with pytest.raises(NotPlain):
        put(many, entries, "sha1", second)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda raw: b"",
        lambda raw: b"DIRC",
        lambda raw: b"XXXX" + raw[4:],
        lambda raw: raw[:7] + b"\x04" + raw[8:],
        lambda raw: raw[:-25] + raw[-20:],
        lambda raw: raw[:500] + raw[600:],
        lambda raw: raw[:-20] + b"link\0\0\0\x04abcd" + raw[-20:],
        lambda raw: raw[:-20] + b"UNTR\0\0\0\0" + raw[-20:],
        lambda raw: raw[:12] + bytes(len(raw) - 12),
    ],
)
def test_what_is_not_plain_is_left_to_git(many, spoil):
    raw = spoil((many / ".git/index").read_bytes())
    name = b"schemas/project/t0/zzz.md"
    first = b"a.md"
    stamp = Stamp(0o100644, bytes.fromhex("ab" * 20), many.stat())
    with pytest.raises(NotPlain):
        amended(raw, {name: stamp.entry(name), first: stamp.entry(first)}, "sha1", FRESH)


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_an_entry_with_a_flag_is_left_to_git_and_others_are_not(many, flag):
    git(many, "update-index", flag, "schemas/project/t0/claim-00000.md")
    stamp = Stamp(0o100644, bytes.fromhex("ab" * 20), many.stat())
    flagged, other = b"schemas/project/t0/claim-00000.md", b"schemas/project/t0/claim-00001.md"
    with pytest.raises(NotPlain):
        put(many, {flagged: stamp.entry(flagged)}, "sha1")
    put(many, {other: stamp.entry(other)}, "sha1")
    assert b"abab" in git(many, "ls-files", "-s", other.decode())


def test_a_file_without_a_sum_stays_without(many):
    git(many, "config", "index.skipHash", "true")
    raw = (many / ".git/index").read_bytes()
    (many / ".git/index").write_bytes(raw[:-20] + bytes(20))
    name = b"schemas/a.md"
    new = put(many, {name: Stamp(0o100644, bytes.fromhex("ab" * 20), many.stat()).entry(name)}, "sha1")
    assert new.raw.endswith(bytes(20))
    assert b"schemas/a.md" in listed(many)
