"""The wire format of protobuf: what is written is read, what is read is passed on, rubbish is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.index.protobuf import NotProtobuf, field, fields, integers, texts

NUMBERS = st.integers(min_value=1, max_value=2000)
CONTENTS = st.one_of(st.integers(min_value=0, max_value=2**63), st.binary(max_size=300))


@given(written=st.lists(st.tuples(NUMBERS, CONTENTS)))
@settings(max_examples=200, deadline=None)
def test_what_is_written_is_read(written):
    message = b"".join(field(number, content) for number, content in written)
    found = list(fields(message))
    assert [(one.number, one.content) for one in found] == written
    assert b"".join(one.raw for one in found) == message


@given(message=st.binary(max_size=200))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_read_whole_or_refused(message):
    try:
        found = list(fields(message))
    except NotProtobuf:
        return
    assert b"".join(one.raw for one in found) == message


def test_fields_of_fixed_width_pass_through():
    message = bytes([1 << 3 | 5]) + b"\0\0\x80?" + bytes([2 << 3 | 1]) + bytes(8)
    assert [(one.number, one.content) for one in fields(message)] == [(1, b"\0\0\x80?"), (2, bytes(8))]


def test_integers_are_read_packed_or_not():
    message = field(1, 384) + field(1, bytes([0x80, 0x0C, 0x05])) + field(2, "name")
    found = list(fields(message))
    assert integers(found, 1) == (384, 1536, 5)
    assert texts(found, 2) == ("name",)


@pytest.mark.parametrize("message", [b"\x08", b"\x0a\x05abc", b"\x0b", b"\x0a\x01\x80"[:2], b"\x80\x80"])
def test_a_message_that_is_cut_is_refused(message):
    with pytest.raises(NotProtobuf):
        list(fields(message))


def test_a_number_is_no_text():
    (found,) = fields(field(1, 7))
    with pytest.raises(NotProtobuf):
        _ = found.text
