"""Accounts of use, as far as consolidations have passed the reports; recall and the ladder go by them.

A function of the events alone. What is kept beside the index only spares the reading: it
is good for the commit that it was made at, because whatever lets a report count is
committed, and it is made again where it is missing.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from memcli.engine import reported
from memcli.engine.opened import Opened
from memcli.memory import account
from memcli.memory.account import Account, Beside, Told
from memcli.store import private
from memcli.store.event import Event

_FORMAT: Final = 1
_WORTH_KEEPING: Final = 1 << 15  # bytes of events; asserted: reading less again takes less than a millisecond

Accounts = Mapping[str, Account]
"""Id of a memory -> its account; without one nobody has ever reported of it."""


def load(opened: Opened, also: Iterable[Event] = ()) -> Accounts:
    """The accounts, by id. `also` are events that a consolidation under way is about to pass."""
    pending = reported.of_events(also)
    if pending:
        files, _ = reported.brought_up(opened, reported.load(opened))
        return account.accounts([*reported.counted(files), *pending])
    head = _head(opened)
    found = _remembered(opened, head)
    if found is None:
        found = _made(opened, head)
    if opened.kept is not None and head is not None:
        opened.kept.accounts = (head, found)
    return found


def _head(opened: Opened) -> str | None:
    journal = opened.readable_journal
    return journal.head() if journal else None


def _remembered(opened: Opened, head: str | None) -> Accounts | None:
    """The accounts that were made at `head`, in this process or another."""
    if head is None:
        return None
    if opened.kept is not None and opened.kept.accounts[0] == head:
        return opened.kept.accounts[1]
    try:
        kept = json.loads(private.read(opened.place, opened.place.accounts_file) or b"")
        if (kept["format"], kept["head"]) != (_FORMAT, head):
            return None
        return {id_: _read(one) for id_, one in kept["accounts"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _made(opened: Opened, head: str | None) -> Accounts:
    """The accounts made of the events as they stand, and kept where that spares anybody something."""
    before = reported.load(opened)
    files, read = reported.brought_up(opened, before)
    found = account.accounts(reported.counted(files))
    if read > _WORTH_KEEPING or any(seen.reports for seen in files.values()):
        with suppress(OSError):  # a store that cannot be written is read all the same
            if files != before:
                reported.save(opened, files)
            _save(opened, head, found)
    return found


def _save(opened: Opened, head: str | None, found: Accounts) -> None:
    kept = {id_: _written(one) for id_, one in found.items()}
    text = json.dumps({"format": _FORMAT, "head": head, "accounts": kept}, separators=(",", ":"))
    private.put(opened.place.accounts_file, text.encode())


def _written(one: Account) -> dict[str, Any]:
    said = {name: [_row(told) for told in getattr(one, name)] for name in ("used", "irrelevant", "stale")}
    together = {other: [[bond.at, bond.weight] for bond in bonds] for other, bonds in one.together.items()}
    return {name: value for name, value in {**said, "together": together}.items() if value}


def _row(told: Told) -> list[int | str]:
    return [told.at, told.scope, told.session, told.answer]


def _read(kept: Mapping[str, Any]) -> Account:
    said = {name: tuple(Told(*one) for one in kept.get(name, ())) for name in ("used", "irrelevant", "stale")}
    together = {
        other: tuple(Beside(*one) for one in bonds) for other, bonds in kept.get("together", {}).items()
    }
    return Account(**said, together=together)
