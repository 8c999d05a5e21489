"""The pairs of one JSON object, each key once.

Of a key that stands twice JSON's own reader keeps the last value and says nothing: what the
other one said would be lost, and its writer told that it was taken in.
"""

from collections.abc import Sequence
from typing import Any


class RepeatedKeyError(ValueError):
    """`key` stands more than once in one object."""

    def __init__(self, key: str) -> None:
        super().__init__(f"{key!r} stands twice")


def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """The object of `pairs`, for json's `object_pairs_hook`. Raises RepeatedKeyError."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise RepeatedKeyError(key)
        found[key] = value
    return found
