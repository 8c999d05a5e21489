"""The wire format of protobuf, as far as rearranging an ONNX file takes it.

The onnx package would be 15 MB and a second of import for what fifty lines read here.
Source: https://protobuf.dev/programming-guides/encoding/
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

VARINT: Final = 0
FIXED64: Final = 1
BYTES: Final = 2
FIXED32: Final = 5

_MORE: Final = 128  # set in every octet of a varint but the last


class NotProtobuf(ValueError):
    """The bytes are no protobuf message, or not the one that was expected."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message: `content` is what it holds, `raw` all of it as it stood."""

    number: int
    content: int | bytes
    raw: bytes

    @property
    def octets(self) -> bytes:
        """The content of a field of bytes. Raises NotProtobuf."""
        if isinstance(self.content, int):
            raise NotProtobuf(f"field {self.number} is a number")
        return self.content

    @property
    def text(self) -> str:
        """The content of a field of text. Raises NotProtobuf."""
        return self.octets.decode("utf-8", "replace")

    @property
    def integers(self) -> tuple[int, ...]:
        """The content of a repeated field of integers, packed or not. Raises NotProtobuf."""
        if isinstance(self.content, int):
            return (self.content,)
        return tuple(_packed(self.content))


def fields(message: bytes) -> Iterator[Field]:
    """The fields of a message in order. Raises NotProtobuf."""
    at = 0
    while at < len(message):
        start = at
        key, at = _read_varint(message, at)
        content: int | bytes
        if key & 7 == VARINT:
            content, at = _read_varint(message, at)
        else:
            length, at = _length(message, at, key & 7)
            content = message[at : at + length]
            at += length
        if at > len(message):
            raise NotProtobuf("the message is cut short")
        yield Field(key >> 3, content, message[start:at])


def texts(found: Sequence[Field], number: int) -> tuple[str, ...]:
    """The content of every field of text with this number. Raises NotProtobuf."""
    return tuple(one.text for one in found if one.number == number)


def integers(found: Sequence[Field], number: int) -> tuple[int, ...]:
    """The content of every field of integers with this number. Raises NotProtobuf."""
    return tuple(integer for one in found if one.number == number for integer in one.integers)


def field(number: int, content: int | bytes | str) -> bytes:
    """One field as bytes; a number must not be negative."""
    if isinstance(content, int):
        return _varint(number << 3 | VARINT) + _varint(content)
    octets = content.encode() if isinstance(content, str) else content
    return _varint(number << 3 | BYTES) + _varint(len(octets)) + octets


def _length(message: bytes, at: int, wire: int) -> tuple[int, int]:
    if wire == BYTES:
        return _read_varint(message, at)
    if wire in (FIXED64, FIXED32):
        return (8 if wire == FIXED64 else 4), at
    raise NotProtobuf(f"wire type {wire}")


def _packed(octets: bytes) -> Iterator[int]:
    at = 0
    while at < len(octets):
        number, at = _read_varint(octets, at)
        yield number


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while at < len(message):
        octet = message[at]
        at += 1
        number |= (octet & ~_MORE) << shift
        if octet < _MORE:
            return number, at
        shift += 7
    raise NotProtobuf("the message is cut short")


def _varint(number: int) -> bytes:
    octets = bytearray()
    while number >= _MORE:
        octets.append(number & ~_MORE & 255 | _MORE)
        number >>= 7
    octets.append(number)
    return bytes(octets)
