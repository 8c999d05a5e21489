"""git's cache of trees: what a change makes stale is forgotten there, and nothing else."""

import pytest

from memcli.journal.treecache import forgotten

IDS = [bytes([number]) * 20 for number in range(6)]


def node(name, count, folders, id_=b""):
    return b"%s\0%d %d\n%s" % (name, count, folders, id_)


# The store: schemas (project (s, t), user), src.
WHOLE = (
    node(b"", 9, 2, IDS[0])
    + node(b"schemas", 7, 2, IDS[1])
    + node(b"project", 5, 2, IDS[2])
    + node(b"s", 2, 0, IDS[3])
    + node(b"t", 3, 0, IDS[4])
    + node(b"user", 2, 0, IDS[5])
    + node(b"src", 2, 0, IDS[0])
)


def names(content):
    """The folders that are forgotten in it."""
    found, at = set(), 0
    while at < len(content):
        end = content.index(b"\0", at)
        count, rest = content[end + 1 :].split(b" ", 1)
        name, at = content[at:end], end + 1 + len(count) + 1 + rest.index(b"\n") + 1
        if count == b"-1":
            found.add(name)
        else:
            at += 20
    return found


@pytest.mark.parametrize(
    ("changed", "stale"),
    [
        ((b"schemas/project/t/a.md",), {b"", b"schemas", b"project", b"t"}),
        ((b"schemas/user/a.md",), {b"", b"schemas", b"user"}),
        ((b"src/a.py", b"schemas/project/s/a.md"), {b"", b"schemas", b"project", b"s", b"src"}),
        ((b"a.md",), {b""}),
        ((b"new/folder/a.md",), {b""}),
        ((b"t/a.md",), {b""}),  # another folder of that name
        ((), {b""}),
    ],
)
def test_the_folders_that_a_file_lies_in_are_forgotten(changed, stale):
    assert names(forgotten(WHOLE, changed, 20)) == stale


def test_what_is_forgotten_already_stays_so_and_the_rest_keeps_its_bytes():
    before = WHOLE.replace(node(b"project", 5, 2, IDS[2]), node(b"project", -1, 2))
    after = forgotten(before, (b"schemas/user/a.md",), 20)
    assert names(after) == {b"", b"schemas", b"project", b"user"}
    assert node(b"t", 3, 0, IDS[4]) in after
    assert after.endswith(node(b"src", 2, 0, IDS[0]))


def test_an_empty_cache_stays_empty():
    assert forgotten(b"", (b"a/b",), 20) == b""


@pytest.mark.parametrize(
    "damage", [b"no node", b"x\0a b\n" + bytes(20), node(b"", 9, 2, IDS[0]) + b"schemas"]
)
def test_a_cache_that_cannot_be_read_is_left_out(damage):
    assert forgotten(damage, (b"schemas/project/t/a.md",), 20) is None
