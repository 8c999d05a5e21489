"""Objects as git keeps them: few as files, many as one pack, each under the name that git gives it."""

import os

import pytest

from memcli.journal.objects import FOLDER, Objects, compose_tree, parse_tree


def objects(store, **how):
    return Objects(store.root / ".git/objects", store.journal.git, **how)


def listed(store):
    out = store.git("cat-file", "--batch-all-objects", "--batch-check")
    return {line.split()[0]: line.split()[1] for line in out.splitlines()}


def written(store, count, **how):
    """So many blobs, trees and commits, brought to the disk; id → (kind, content)."""
    made, ours = {}, objects(store, **how)
    for number in range(count):
        blob = b"%d" % number * number
        blob_id = ours.write("blob", blob)
        tree = compose_tree({b"a": (b"100644", bytes.fromhex(blob_id))})
        who = b"Ana <a@b.c> 1000000000 +0000"
        tree_id = ours.write_tree({b"a": (b"100644", bytes.fromhex(blob_id))})
        commit = b"tree %s\nauthor %s\ncommitter %s\n\n%d\n" % (tree_id.encode(), who, who, number)
        made |= {
            blob_id: ("blob", blob),
            tree_id: ("tree", tree),
            ours.write("commit", commit): ("commit", commit),
        }
    ours.settle()
    return made


@pytest.mark.parametrize(("count", "packs"), [(16, 0), (17, 1), (40, 1)])
def test_more_than_fifty_at_once_are_one_pack_and_fewer_are_files(store, count, packs):
    made = written(store, count)
    assert listed(store) == {name: kind for name, (kind, _) in made.items()}
    assert len(list((store.root / ".git/objects/pack").glob("*.pack"))) == packs
    ours = objects(store)
    for name, (kind, content) in made.items():
        assert ours.read(name, kind) == content
        assert ours.named(kind, content) == name
    assert ours.read_all(made) == {name: content for name, (_, content) in made.items()}


@pytest.mark.parametrize("durable", [True, False])
def test_each_is_synced_before_it_gets_its_name_unless_git_is_told_not_to(store, monkeypatch, durable):
    synced = []

    def fsync(handle):
        assert listed(store) == {}
        synced.append(handle)

    monkeypatch.setattr("memcli.journal.objects.os.fsync", fsync)
    made = written(store, 2, durable=durable)
    assert len(synced) == (len(made) if durable else 0)
    assert set(listed(store)) == set(made)


def test_one_that_is_there_already_is_not_written_again_and_kept_from_being_pruned(store):
    (name, *_) = written(store, 1)
    place = store.root / ".git/objects" / name[:2] / name[2:]
    os.utime(place, (1, 1))
    before = place.stat()
    written(store, 1)
    assert place.stat().st_ino == before.st_ino
    assert place.stat().st_mtime > 1


def test_nothing_is_left_beside_and_files_are_read_only_folders_of_all_they_name(store):
    written(store, 3)
    names = [path.name for path in (store.root / ".git/objects").rglob("*") if path.is_file()]
    assert all(len(name) == 38 for name in names)
    modes = {path.stat().st_mode & 0o222 for path in (store.root / ".git/objects").glob("??/*")}
    assert modes == {0}


def test_where_files_alone_do_not_do_git_writes_at_once(store):
    ours = objects(store, by_git=True)
    name = ours.write("blob", b"x")
    assert listed(store) == {name: "blob"}
    ours.settle()
    assert listed(store) == {name: "blob"}


def test_folders_stand_in_a_tree_as_if_they_ended_in_a_slash():
    id_ = bytes(range(20))
    tree = {b"a": (FOLDER, id_), b"a.b": (b"100644", id_), b"a0": (b"160000", id_), b"a-b": (b"120000", id_)}
    raw = compose_tree(tree)
    assert list(parse_tree(raw, 20)) == [b"a-b", b"a.b", b"a", b"a0"]
    assert parse_tree(raw, 20) == tree


def test_a_tree_with_a_repository_in_it_keeps_it(begun):
    begun.git("update-index", "--add", "--cacheinfo", f"160000,{begun.head},inner")
    begun.git("commit", "-qm", "a repository")
    tree = objects(begun).tree(begun.git("rev-parse", "HEAD^{tree}").strip())
    assert tree[b"inner"] == (b"160000", bytes.fromhex(begun.git("rev-parse", "HEAD^").strip()))
