"""What the index is told about one schema: its keys, its words, and the text to embed."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from memcli.memory.schema import Schema, Status
from memcli.memory.tokens import stems

_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_DAY_S: Final = 86_400
_NUMBERED: Final = 1 << 15  # stems whose number is remembered; asserted


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One schema as the index holds it.

    `effective` is the status that the journal confirms; `hidden_in` names the scopes where
    the guard withholds the row; `occurred_at` is when its founding event happened in the
    world, seconds since 1970. In the index of revisions a row holds from the position `known_from`
    of the record to before `known_until` (None: still).
    """

    schema: Schema
    path: str
    digest: str
    effective: Status
    hidden_in: tuple[str, ...] = ()
    occurred_at: int | None = None
    known_from: int = 0
    known_until: int | None = None

    @property
    def text(self) -> str:
        """All that the file says in prose: title, claim and detail."""
        return "\n".join(part for part in (self.schema.title, self.schema.claim, self.schema.detail) if part)

    @property
    def moment(self) -> int | None:
        """When it happened, or else since when it is true; seconds since 1970."""
        return self.schema.validity.start if self.occurred_at is None else self.occurred_at

    @property
    def day(self) -> int | None:
        """The day of that, by UTC, in days since 1970."""
        return None if self.moment is None else self.moment // _DAY_S


def words(row: IndexRow) -> Counter[str]:
    """How often each stem occurs in the row's date, concept and text; the total is its length."""
    return Counter(stems(" ".join((date_words(row), row.schema.concept, row.text))))


def date_words(row: IndexRow) -> str:
    """The row's day as people write it, like `8 may 2023`, or nothing.

    People ask by the day that a thing happened; the text itself seldom says it.
    """
    if row.moment is None:
        return ""
    day = datetime.fromtimestamp(row.moment, UTC)  # not strftime, which would ask the locale
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def meaning(schema: Schema) -> str:
    """The text whose vector stands for the claim, led by the concept where the claim leaves it out."""
    if not schema.concept or set(stems(schema.concept)) <= set(stems(schema.claim)):
        return schema.claim
    return f"{schema.concept}: {schema.claim}"


@lru_cache(maxsize=_NUMBERED)
def number(stem: str) -> int:
    """The stem as the index holds it: 63 bits of its hash.

    Whole numbers are compared without building a string for every word of every row. Among
    a million stems two share a number once in about twenty million stores.
    """
    return (
        int.from_bytes(hashlib.blake2b(stem.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
        >> 1
    )
