"""Packs of every shape that git may make, and of shapes that only damage makes: read, or left to git."""

import hashlib
import struct
import zlib

import pytest

from memcli.journal.packs import Packs

BLOB, BY_OFFSET, BY_ID = 3, 6, 7
NAMES = [hashlib.sha1(bytes([number])).digest() for number in range(6)]


def number(value):
    """Seven bits a byte, the lowest first."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def entry(kind, content, between=b"", length=None):
    """An object of a pack: its head, what stands between, and the content deflated."""
    length = len(content) if length is None else length
    head, rest = kind << 4 | length & 0xF, length >> 4
    out = bytearray()
    while rest:
        out.append(head | 0x80)
        head, rest = rest & 0x7F, rest >> 7
    return bytes([*out, head]) + between + zlib.compress(content)


def back(distance):
    """How far before it the object lies that it differs from, as git writes it."""
    out = [distance & 0x7F]
    while distance := distance >> 7:
        distance -= 1
        out.insert(0, distance & 0x7F | 0x80)
    return bytes(out)


def packs(folder, entries, *, huge=False, magic=b"\xfftOc\0\0\0\x02"):
    """Packs with one pack of `entries` (id → bytes); with `huge` its offsets stand in the far table."""
    data, places = b"PACK" + struct.pack(">II", 2, len(entries)), {}
    for name, raw in entries.items():
        places[name] = len(data)
        data += raw
    names = sorted(places)
    fanout = [sum(name[0] <= first for name in names) for first in range(256)]
    near = [0x80000000 | at if huge else places[name] for at, name in enumerate(names)]
    index = magic + struct.pack(">256I", *fanout) + b"".join(names) + bytes(4 * len(names))
    index += struct.pack(f">{len(names)}I", *near)
    if huge:
        index += struct.pack(f">{len(names)}Q", *(places[name] for name in names))
    (folder / "pack-a.pack").write_bytes(data + bytes(20))
    (folder / "pack-a.idx").write_bytes(index + bytes(40))
    return Packs(folder, 20)


def whole(content, kind=b"blob"):
    return b"%s %d\0%s" % (kind, len(content), content)


@pytest.mark.parametrize("huge", [False, True])
@pytest.mark.parametrize("length", [0, 1, 15, 16, 2047, 2048, 70_000])
def test_an_object_of_any_length_is_found_wherever_its_offset_stands(tmp_path, huge, length):
    content = bytes(byte % 251 for byte in range(length))
    found = packs(tmp_path, {NAMES[0]: entry(BLOB, b"other"), NAMES[1]: entry(BLOB, content)}, huge=huge)
    assert found.read(NAMES[1]) == whole(content)
    assert found.read(NAMES[0]) == whole(b"other")
    assert found.read(NAMES[2]) is None


@pytest.mark.parametrize(("kind", "name"), [(1, b"commit"), (2, b"tree"), (3, b"blob"), (4, b"tag")])
def test_each_kind_has_its_name(tmp_path, kind, name):
    assert packs(tmp_path, {NAMES[0]: entry(kind, b"x")}).read(NAMES[0]) == whole(b"x", name)


BASE = bytes(range(256)) * 600  # 153,600 bytes: more than one instruction can copy


def copy(start, count):
    """The instruction that copies from the base, with none of its bytes left out."""
    return b"\xff" + struct.pack("<I", start) + struct.pack("<I", count)[:3]


DELTA = number(len(BASE))


@pytest.mark.parametrize(
    ("steps", "content"),
    [
        (b"\x03new", b"new"),
        (copy(5, 7), BASE[5:12]),
        (copy(70_000, 66_000), BASE[70_000:136_000]),
        (b"\x80", BASE[:0x10000]),  # no byte said: from the start, and 64 KiB
        (b"\x91\x09\x02", BASE[9:11]),
        (b"\xa2\x01\x01", BASE[256:512]),
        (b"\x01a" + copy(1, 2) + b"\x01b", b"a" + BASE[1:3] + b"b"),
        (b"", b""),
    ],
)
@pytest.mark.parametrize("far", [0, 200, 20_000])
def test_what_differs_from_another_is_built_up_from_it(tmp_path, steps, content, far):
    delta = DELTA + number(len(content)) + steps
    base, between = entry(BLOB, BASE), bytes(far)
    made = packs(
        tmp_path,
        {
            NAMES[0]: base + between,
            NAMES[1]: entry(BY_OFFSET, delta, back(len(base) + far)),
            NAMES[2]: entry(BY_ID, delta, NAMES[0]),
            NAMES[3]: entry(BY_ID, number(len(content)) + number(1) + b"\x01!", NAMES[1]),
        },
    )
    assert made.read(NAMES[1]) == made.read(NAMES[2]) == whole(content)
    assert made.read(NAMES[3]) == whole(b"!")


DAMAGED = {
    "a kind that git keeps for later": entry(5, b"x"),
    "no kind": entry(0, b"x"),
    "a content that ends too soon": entry(BLOB, b"short", length=9),
    "nothing deflated": b"\x35not deflated",
    "a difference from what is not here": entry(BY_ID, DELTA + number(1) + b"\x01x", NAMES[5]),
    "a difference from a longer base": entry(BY_ID, number(7) + number(1) + b"\x01x", NAMES[0]),
    "fewer bytes than were announced": entry(BY_ID, DELTA + number(2) + b"\x01x", NAMES[0]),
    "an instruction that git keeps for later": entry(BY_ID, DELTA + number(1) + b"\x00", NAMES[0]),
    "a difference from itself": entry(BY_ID, DELTA + number(1) + b"\x01x", NAMES[1]),
    "a difference without instructions": entry(BY_ID, DELTA, NAMES[0]),
    "a base where no object begins": entry(BY_OFFSET, DELTA + number(1) + b"\x01x", back(1)),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_damage_is_no_object_and_what_lies_beside_it_is(tmp_path, damage):
    made = packs(tmp_path, {NAMES[0]: entry(BLOB, BASE), NAMES[1]: DAMAGED[damage]})
    assert made.read(NAMES[1]) is None
    assert made.read(NAMES[0]) == whole(BASE)


def test_an_index_of_another_version_is_left_to_git(tmp_path):
    assert packs(tmp_path, {NAMES[0]: entry(BLOB, b"x")}, magic=bytes(8)).read(NAMES[0]) is None


def test_a_pack_without_its_index_and_one_that_is_gone_hold_nothing(tmp_path):
    made = packs(tmp_path, {NAMES[0]: entry(BLOB, b"x")})
    (tmp_path / "pack-a.pack").unlink()
    assert made.read(NAMES[0]) is None
    (tmp_path / "pack-a.idx").unlink()
    assert Packs(tmp_path, 20).read(NAMES[0]) is None
    assert Packs(tmp_path / "nowhere", 20).read(NAMES[0]) is None


def test_ids_of_every_beginning_are_found(tmp_path):
    names = [bytes([first, last]) + bytes(18) for first in (0, 1, 127, 254, 255) for last in (0, 9)]
    made = packs(tmp_path, {name: entry(BLOB, name) for name in names})
    for name in names:
        assert made.read(name) == whole(name)
        assert made.read(name[:2] + b"\1" + name[3:]) is None
