"""What git packed is read as git reads it, whatever it differs from."""

import subprocess
from pathlib import Path

import pytest

from memcli.errors import Unavailable
from memcli.journal.objects import Objects
from memcli.journal.packs import Packs
from memcli.journal.process import Git, surroundings


def every_object(store):
    out = subprocess.run(
        ["git", "cat-file", "--batch-check", "--batch-all-objects"],
        cwd=store.root,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    return [line.split(" ")[:2] for line in out.splitlines()]


@pytest.fixture
def grown(begun):
    """A store whose folder and long file changed often: long chains of differences."""
    text = "".join(f"line {n} of a long file\n" for n in range(3000))
    for n in range(40):
        begun.write("long.md", text.replace(f"line {n * 7} ", f"changed {n} "))
        begun.write(f"schemas/project/t/{n}.md", f"{n}\n")
        begun.git("add", ".")
        begun.git("commit", "-qm", f"{n}")
    return begun


@pytest.mark.parametrize("options", [[], ["-F", "--depth=200", "--window=50"], ["-F", "by id"]])
@pytest.mark.parametrize("kept", ["one", "several"])
def test_every_object_of_a_pack_is_read_as_git_reads_it(grown, options, kept):
    if "by id" in options:
        grown.git("config", "repack.useDeltaBaseOffset", "false")
    options = [option for option in options if option.startswith("-")]
    grown.git("repack", "-q", "-d", *(["-a"] if kept == "one" else []), *options)
    for n in range(5 if kept == "several" else 0):
        grown.write(f"schemas/project/t/more-{n}.md", f"{n}\n")
        grown.git("add", ".")
        grown.git("commit", "-qm", f"more {n}")
        grown.git("repack", "-q", "-d")
    grown.git("prune-packed")
    packs = Packs(grown.root / ".git/objects/pack", 20)
    names = every_object(grown)
    contents = Objects(
        grown.root / ".git/objects", Git(grown.root, surroundings(grown.environment))
    ).read_all(name for name, _ in names)
    assert len(names) > 150
    for name, kind in names:
        assert packs.read(bytes.fromhex(name)) == b"%s %d\0%s" % (
            kind.encode(),
            len(contents[name]),
            contents[name],
        )
    assert packs.read(bytes(20)) is None
    assert packs.read(b"\xff" * 20) is None


def test_a_commit_after_everything_was_packed_starts_no_process(grown, monkeypatch):
    grown.git("gc", "-q")
    started, run = [], Git._run
    monkeypatch.setattr(Git, "_run", lambda *words: started.append(words) or run(*words))
    grown.remember("schemas/project/t/after.md")
    assert started == []
    assert grown.status == ""
    assert grown.sound


@pytest.mark.parametrize("spoil", ["cut", "flip", "index"])
def test_a_damaged_pack_is_never_believed(begun, spoil):
    begun.remember()
    begun.git("gc", "-q")
    tree = begun.git("rev-parse", "HEAD:schemas").strip()
    (pack,) = (begun.root / ".git/objects/pack").glob("*.pack")
    target = pack.with_suffix(".idx") if spoil == "index" else pack
    target.chmod(0o644)
    raw = target.read_bytes()
    target.write_bytes(raw[:40] if spoil == "cut" else bytes(byte ^ 0x55 for byte in raw))
    packs = Packs(Path(pack.parent), 20)
    assert packs.read(bytes.fromhex(tree)) is None
    with pytest.raises(Unavailable):
        begun.remember("schemas/project/t/b.md")
