"""Accounts of use, as far as consolidations have passed the reports; recall and the ladder go by them.

A function of the events alone. What is kept beside the index only spares the reading: it
is good for the commit that it was made at, because whatever lets a report count is
committed, and it is made again where it is missing.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final
from zlib import crc32

from memcli.engine.opened import Opened
from memcli.engine.use import reported
from memcli.errors import UNREADABLE
from memcli.memory import account
from memcli.memory.account import NOTHING, Account, Answer, Told
from memcli.store import private
from memcli.store.event import Event

_FORMAT: Final = 1
_SAID: Final = ("used", "irrelevant", "stale")
_WORTH_KEEPING: Final = 1 << 15  # bytes of events; asserted: reading less again takes less than a millisecond

Accounts = Mapping[str, Account]
"""Id of a memory -> its account; without one nobody has ever reported of it."""


class _Kept(Mapping[str, Account]):
    """Accounts as they were written down; each is read when it is asked for, for an answer asks for few."""

    def __init__(self, raw: bytes) -> None:
        kept = json.loads(raw)
        self._written: dict[str, object] = dict(kept["accounts"])
        self._answers: list[Any] = list(kept["answers"])
        self._read: dict[str, Account] = {}

    def __getitem__(self, id_: str) -> Account:
        if id_ not in self._read:
            self._read[id_] = _read(id_, self._written[id_], self._answers)
        return self._read[id_]

    def __iter__(self) -> Iterator[str]:
        return iter(self._written)

    def __len__(self) -> int:
        return len(self._written)


def load(opened: Opened, also: Iterable[Event] = ()) -> Accounts:
    """The accounts, by id. `also` are events that a consolidation under way is about to pass."""
    pending = reported.of_events(also)
    if pending:
        files, _ = reported.brought_up(opened, reported.load(opened))
        return account.accounts([*reported.counted(files), *pending])
    head = _head(opened)
    for one in (opened.accounts, opened.kept.accounts if opened.kept else None):
        if one is not None and head is not None and one[0] == head:
            return one[1]
    found = _of(opened, head)
    opened.accounts = (head, found)
    if opened.kept is not None:
        opened.kept.accounts = (head, found)
    return found


def _head(opened: Opened) -> str | None:
    journal = opened.readable_journal
    return journal.head() if journal else None


def _of(opened: Opened, head: str | None) -> Accounts:
    """The accounts as they were kept at `head`, else made of the events as they stand."""
    place = opened.place
    raw = private.read(place, place.accounts_file)
    whole = None if raw is None else f"{_FORMAT} {crc32(raw)}"
    noted = (private.read(place, place.accounts_head_file) or b"").decode("ascii", "replace")
    if raw is not None and head is not None and noted == f"{head} {whole}":
        with suppress(*UNREADABLE):
            return _Kept(raw)
    before = reported.load(opened)
    files, read = reported.brought_up(opened, before)
    found = account.accounts(reported.counted(files))
    if read > _WORTH_KEEPING or any(seen.reports for seen in files.values()):
        with suppress(OSError):  # a store that cannot be written is read all the same
            _save(opened, head, found, raw)
            if files != before:
                reported.save(opened, files)
    return found


def _save(opened: Opened, head: str | None, found: Accounts, before: bytes | None) -> None:
    """Keep the accounts; the commit that they are good for stands beside them, for that changes often."""
    raw = written(found)
    if raw != before:
        private.put(opened.place.accounts_file, raw)
    private.put(opened.place.accounts_head_file, f"{head} {_FORMAT} {crc32(raw)}".encode())


def written(found: Accounts) -> bytes:
    """The accounts as they are kept: every answer once, and its number in each account that it belongs to."""
    numbers = {
        one: n for n, one in enumerate(sorted({one for each in found.values() for one in each.answers}))
    }
    kept = {
        "answers": [[one.at, one.shown, one.used] for one in numbers],
        "accounts": {id_: _kept(one, numbers) for id_, one in found.items()},
    }
    return json.dumps(kept, separators=(",", ":")).encode()


def _kept(one: Account, numbers: Mapping[Answer, int]) -> dict[str, Any]:
    said: dict[str, Any] = {name: [_row(told) for told in getattr(one, name)] for name in _SAID}
    said["answers"] = [numbers[answer] for answer in one.answers]
    return {name: value for name, value in said.items() if value}


def _row(told: Told) -> list[int | str]:
    return [told.at, told.scope, told.session, told.answer]


def _read(id_: str, kept: object, answers: Sequence[Any]) -> Account:
    """The account that was written; a received store may bring another file in its place."""
    try:
        return _understood(id_, kept, answers)
    except (*UNREADABLE, IndexError):
        return NOTHING


def _understood(id_: str, kept: Any, answers: Sequence[Any]) -> Account:  # noqa: ANN401 - whatever JSON can say
    said = {name: tuple(_told(*one) for one in kept.get(name, ())) for name in _SAID}
    shown = tuple(_answer(*answers[n]) for n in kept.get("answers", ()))
    if not all(id_ in one.shown for one in shown):
        raise ValueError(id_)
    return Account(id_, answers=shown, **said)


def _told(at: int, scope: str, session: str, answer: str) -> Told:
    return Told(int(at), str(scope), str(session), str(answer))


def _answer(at: int, shown: Iterable[str], used: Iterable[str]) -> Answer:
    return Answer(int(at), tuple(map(str, shown)), tuple(map(str, used)))
