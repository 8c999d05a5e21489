"""Verify: whether a receipt is what it was when it was given.

Its bytes must hash to its id, its commit must hold what it says, and the question asked
again must give the very answer. What cannot be asked again is checked as far as the journal
tells, and is then said to be unproven rather than genuine.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from memcli.engine.opened import Opened
from memcli.engine.receipts import origins, replaying
from memcli.engine.receipts.finding import Found
from memcli.engine.receipts.refusing import Refusal
from memcli.errors import MemError
from memcli.journal import tree
from memcli.memory import receipt
from memcli.memory.receipt import Changed, Receipt

GENUINE, ALTERED, UNPROVEN = "genuine", "altered", "unproven"


@dataclass(frozen=True, slots=True)
class Verified:
    """What came of it: genuine, altered (`changed` says where) or unproven (`refusal` says why)."""

    receipt: Receipt
    outcome: str
    changed: tuple[Changed, ...] = ()
    refusal: Refusal | None = None


def verify(opened: Opened, found: Found) -> Verified:
    """Check a receipt against itself, the journal, and the answer today."""
    given = found.receipt
    changed = list(receipt.touched(found.raw, found.name))
    replayed = replaying.asked_again(opened, given)
    changed += replayed.changed
    known = {one.key for one in changed}
    changed += [one for one in _of_record(opened, given) if one.key not in known]
    if changed:
        return Verified(given, ALTERED, tuple(changed), replayed.refusal)
    return Verified(given, UNPROVEN if replayed.refusal else GENUINE, (), replayed.refusal)


def _of_record(opened: Opened, given: Receipt) -> Iterator[Changed]:
    """What the receipt says of its commit and the commit does not."""
    commit = given.said["commit"]
    if commit is None:
        return
    try:
        root, _ = tree.named(opened.journal, commit, ())
        held = origins.Held(opened, commit)
    except MemError:
        return  # it is not here, which the replay says by name
    if given.said["tree"] != root:
        yield Changed("tree", given.said["tree"], root)
    for one in given.selected:
        if one["blob"] is not None and not held.states(one["id"], one["blob"]):
            yield Changed("selected", f"{one['id']} {one['blob']}", "no such state in the commit")
