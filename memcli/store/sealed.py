"""What an operation writes down for whoever comes after a crash: JSON below `.mem`, under its own digest.

The digest tells a file that was torn from one that is whole, and nothing about who wrote it: a
received store may bring one of its own. So whoever reads it checks each value, and whatever is
not as it must be is taken for nothing.
"""

import binascii
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from memcli.errors import UNREADABLE, Refused
from memcli.store import private
from memcli.store.place import Place

Told = TypeVar("Told")


def write(place: Place, file: Path, told: object) -> None:
    """Write it down; it is on the disk when this returns. Only under the store's lock.

    Raises Unavailable, BadFile.
    """
    raw = json.dumps(told).encode()
    private.write(place, file, _seal(raw) + b"\n" + raw)


def read(place: Place, file: Path, understood: Callable[[Any], Told]) -> Told | None:
    """What `understood` makes of it; None where it is torn, of another shape, or Refused."""
    seal, _, raw = (private.read(place, file) or b"").partition(b"\n")
    if seal != _seal(raw):
        return None
    try:
        return understood(json.loads(raw))
    except (*UNREADABLE, Refused):
        return None


def packed(raw: bytes) -> str:
    """Bytes as JSON holds them."""
    return binascii.b2a_base64(raw, newline=False).decode()


def unpacked(text: str) -> bytes:
    """The bytes that `packed` made `text` of. Raises ValueError."""
    return binascii.a2b_base64(text)


def _seal(raw: bytes) -> bytes:
    return hashlib.sha256(raw).hexdigest().encode()
