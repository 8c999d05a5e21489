"""An edit told without git is one that git tells too, and one line of a tree is what the whole tree says."""

import random

import pytest

from memcli.journal import edited, entries, tree
from memcli.journal.objects import FOLDER, Objects, compose_tree, parse_tree

PATH = "schemas/project/shop/the-refund-window-is-thirty-days-0123456789ab.md"
TEXT = "---\nid: 0123456789ab\n---\n\nThe refund window is 30 days.\n"
OTHER = TEXT.replace("30", "14")


@pytest.fixture
def shop(store):
    store.write(PATH, TEXT)
    store.git("add", ".")
    store.git("commit", "-qm", "first")
    return store


def surely(store, path=PATH):
    journal = store.journal
    return edited.surely(journal, journal.head(), path, (store.root / path).read_bytes())


def differs(store, path=PATH):
    return path in {one.path for one in tree.uncommitted(store.journal, (path,))}


def test_an_edit_by_hand_is_told_without_git(shop):
    assert not surely(shop)
    shop.write(PATH, OTHER)
    assert surely(shop)
    assert differs(shop)


def _staged(shop):
    shop.write(PATH, OTHER)
    shop.git("add", ".")


def _staged_and_edited_again(shop):
    _staged(shop)
    shop.write(PATH, OTHER.replace("14", "7"))


@pytest.mark.parametrize("act", [_staged, _staged_and_edited_again])
def test_what_is_staged_is_no_less_an_edit(shop, act):
    act(shop)
    assert surely(shop)
    assert differs(shop)


def _other_line_ends(shop):
    shop.git("config", "core.autocrlf", "true")
    (shop.root / PATH).write_bytes(TEXT.replace("\n", "\r\n").encode())


def _a_keyword_filled_in(shop):
    (shop.root / ".gitattributes").write_text("*.md ident\n")
    shop.write(PATH, TEXT + "$Id: 0123 $\n")


def _another_encoding(shop):
    (shop.root / PATH).write_bytes(TEXT.encode("utf-16"))


def _not_to_be_looked_at(shop):
    shop.git("update-index", "--assume-unchanged", PATH)
    shop.write(PATH, OTHER)


def _not_to_be_checked_out(shop):
    shop.git("update-index", "--skip-worktree", PATH)
    shop.write(PATH, OTHER)


def _taken_out_of_the_staging_area(shop):
    shop.git("rm", "-q", "--cached", PATH)
    shop.write(PATH, OTHER)


def _in_a_compressed_staging_area(shop):
    shop.git("update-index", "--index-version", "4")
    shop.write(PATH, OTHER)


def _staged_and_put_back(shop):
    _staged(shop)
    shop.write(PATH, TEXT)


@pytest.mark.parametrize(
    "act",
    [
        _other_line_ends,
        _a_keyword_filled_in,
        _another_encoding,
        _not_to_be_looked_at,
        _not_to_be_checked_out,
        _taken_out_of_the_staging_area,
        _in_a_compressed_staging_area,
        _staged_and_put_back,
    ],
)
def test_what_only_git_can_tell_is_left_to_it(shop, act):
    act(shop)
    assert not surely(shop)


def test_a_file_that_head_does_not_have_is_left_to_git(shop):
    shop.write("schemas/user/new.md", OTHER)
    assert not surely(shop, "schemas/user/new.md")
    assert differs(shop, "schemas/user/new.md")


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
@pytest.mark.parametrize("seed", range(3))
def test_one_entry_of_a_tree_is_what_the_whole_tree_says(tmp_path, monkeypatch, kind, seed):
    size, chance = (20 if kind == "sha1" else 32), random.Random(seed)
    names = [b"a", b"a b", b"atlas", b"schemas.md"]
    names += [b"%0*d-%s.md" % (chance.randrange(1, 50), number, b"x" * 20) for number in range(300)]
    names += [b"100644 looks-like-an-entry-of-its-own-but-is-a-name.md"]
    modes = (b"100644", b"100755", b"120000", FOLDER)
    held = {name: (chance.choice(modes), chance.randbytes(size)) for name in names}
    raw = compose_tree(held)
    objects = Objects(tmp_path / "objects", None, kind)
    name = objects.named("tree", raw)
    monkeypatch.setattr(Objects, "read", lambda _self, _name, _kind: raw)
    assert parse_tree(raw, size) == held
    for one in [*names, b"absent-but-long-enough-to-be-looked-for.md", b"no"]:
        assert entries.entry(objects, name, one) == held.get(one, (b"", b""))
