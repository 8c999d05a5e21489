"""What an answer was given over and no commit held then, found in the commit that came to hold it.

A conversation is committed in one go, after answers were given over its lines. So the claims
are asked for at the receipt's own commit and the turns at the first one that holds all those
files, of these what had been said by then. Only an answer equal to the byte counts: the
files may have become others before they were committed, and then nothing is proven.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memcli.engine.opened import Opened
from memcli.engine.recalling.asking import Request
from memcli.engine.receipts import refusing, unsaid
from memcli.engine.receipts.refusing import Refusal
from memcli.journal import steps
from memcli.memory import receipt, times
from memcli.memory.receipt import Receipt
from memcli.store import events


def commit(opened: Opened, given: Receipt) -> str:
    """The first commit after the receipt's that changed all files which lay on the disk otherwise.

    Raises Refusal where there is none.
    """
    open_, head = set(given.said["uncommitted"]), opened.journal.head()
    for step in steps.along(opened.journal, head, after=given.said["commit"], below=".") if head else ():
        open_ -= {one.path for one in step.touched}
        if not open_:
            return step.entry.commit
    raise missed(opened, given)


def request(given: Receipt, asked: Request, since: str) -> Request:
    """The question with the commit `since` for what was not committed; the rest is as the receipt has it."""
    said = given.said
    until = None if said["asked"]["as_of"] else times.parse(said["as_of"])
    asked = replace(asked, heard_at=since, heard_until=until)
    alone = all(events.is_path(path) for path in said["uncommitted"])
    return asked if alone else replace(asked, known_at=since)


def as_given(given: Receipt, again: Receipt) -> Receipt:
    """The receipt of the new answer, as it would have been given before those files were committed."""
    said = given.said
    where = {key: said[key] for key in ("commit", "tree", "uncommitted")}
    parts = {key: _unsaved(said[key], again.said[key]) for key in ("selected", "procedures")}
    body = {key: value for key, value in again.said.items() if key != "id"}
    return receipt.made(body | where | parts)


def _unsaved(given: list[Mapping[str, Any]], again: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The entries of `again`, without a blob where the same place of `given` has none."""
    bare = {place for place, one in enumerate(given) if one["blob"] is None}
    return [{**one, "blob": None} if place in bare else one for place, one in enumerate(again)]


def missed(opened: Opened, given: Receipt) -> Refusal:
    """No commit gives the answer again; the paths are told as far as they may be."""
    veil = unsaid.read(opened)
    return refusing.uncommitted(tuple(veil.path(str(path)) for path in given.said["uncommitted"]))
