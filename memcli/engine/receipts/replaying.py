"""Replay: the question of a receipt asked again, of the state that it was asked of, or of another.

Of its own state the answer must be equal to the byte. What stands in the way of that is
said by name, and never passed over: an answer that only looks equal proves nothing.
"""

from dataclasses import dataclass
from typing import Final

from memcli.engine.opened import Opened
from memcli.engine.receipts import caught_up, finding, fingerprint, giving, questioning, refusing
from memcli.engine.receipts.finding import Found
from memcli.engine.receipts.refusing import Refusal
from memcli.engine.recorded import points
from memcli.errors import HistoryCut, MemError
from memcli.journal import history
from memcli.memory import receipt, times
from memcli.memory.receipt import Changed, Receipt, Said

HEAD: Final = "HEAD"


@dataclass(frozen=True, slots=True)
class Replayed:
    """The receipt asked again: `again` is the receipt of the answer now, `changed` where it says otherwise.

    `refusal` stands where the question could not be asked; `again` is None then. `since` is the
    later commit that holds what no commit held when the answer was given, None where all was committed.
    """

    given: Receipt
    again: Receipt | None
    changed: tuple[Changed, ...] = ()
    refusal: Refusal | None = None
    since: str | None = None

    @property
    def equal(self) -> bool:
        """Whether the answer was the same to the byte, and everything said of it."""
        return self.again is not None and not self.changed


@dataclass(frozen=True, slots=True)
class Elsewhen:
    """The question of a receipt, asked of another state: the ids that both answers show, and either alone.

    `same`: both show the same memories as they read, in the same order.
    """

    given: Receipt
    again: Receipt
    asked: str
    same: bool
    both: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


def at(opened: Opened, given: Receipt, place: str) -> Elsewhen:
    """Ask the question of the store as it stood at `place`: a revision, a time or a date.

    About another time of the world only where the question itself named none: at HEAD about
    now, else about the moment of that point. Raises as recall with `known_at`.
    """
    points.resolve(opened, place, "--at")  # what is none is told by the name of this option
    said = given.said
    as_of = said["asked"]["as_of"] or (times.show(opened.now) if place == HEAD else None)
    request = questioning.request_of(given, as_of=as_of, known_at=place)
    again = giving.receipt_of(opened, questioning.answered(opened, given, request))
    old, new = ([(one["id"], one["blob"]) for one in each.selected] for each in (given, again))
    before, after = ([id_ for id_, _ in each] for each in (old, new))
    return Elsewhen(
        given,
        again,
        place,
        old == new and said["outcome"] == again.said["outcome"],
        tuple(id_ for id_ in before if id_ in after),
        tuple(id_ for id_ in before if id_ not in after),
        tuple(id_ for id_ in after if id_ not in before),
    )


def replay(opened: Opened, found: Found) -> Replayed:
    """Ask the question of a receipt, of the very state that it was asked of, if nobody touched it."""
    try:
        finding.refuse_altered(found)
    except Refusal as refusal:
        return Replayed(found.receipt, None, refusal=refusal)
    return asked_again(opened, found.receipt)


def asked_again(opened: Opened, given: Receipt) -> Replayed:
    """The same, whatever its bytes give away."""
    try:
        again, since = _asked_again(opened, given)
    except Refusal as refusal:
        return Replayed(given, None, refusal=refusal)
    changed = receipt.differing(given, again)
    if changed and since is not None:
        return Replayed(given, None, refusal=caught_up.missed(opened, given))
    if changed and _forgotten_since(opened, given):
        return Replayed(given, None, refusal=refusing.forgotten())
    return Replayed(given, again, changed, since=since)


def _asked_again(opened: Opened, given: Receipt) -> tuple[Receipt, str | None]:
    """The receipt of the same answer, and since when a commit holds all of it. Raises Refusal."""
    said = given.said
    _refuse_what_cannot_be(said)
    commit = said["commit"]
    if commit is not None:
        _refuse_lost(opened, commit)
    since = caught_up.commit(opened, given) if said["uncommitted"] else None
    engine = fingerprint.of_engine(opened)
    if said["engine"]["logic"] != engine["logic"]:
        raise refusing.engine(said["engine"]["logic"], receipt.LOGIC)
    if said["engine"]["encoder"] != engine["encoder"]:
        raise refusing.encoder(said["engine"]["encoder"], engine["encoder"])
    asked = questioning.with_its_settings(opened, given)
    if _selected_forgotten(opened, given):
        raise refusing.forgotten()
    known_at = commit or said["asked"]["known_at"]
    request = questioning.request_of(given, as_of=said["as_of"], known_at=known_at)
    if since is not None:
        request = caught_up.request(given, request, since)
    try:
        answer = questioning.answered(asked, given, request)
        again = giving.stated(asked, answer, said["asked"], said["known_at"])
    except HistoryCut as error:
        raise refusing.rewritten(error) from error
    return (again if since is None else caught_up.as_given(given, again)), since


def _refuse_what_cannot_be(said: Said) -> None:
    if said["masked"]:
        raise refusing.masked()
    if said["stale"]:
        raise refusing.stale()
    if said["commit"] is None and said["asked"]["known_at"] is None:
        raise refusing.uncommitted(())


def _refuse_lost(opened: Opened, commit: str) -> None:
    try:
        found = opened.journal.resolve(commit)
    except MemError:
        found = ""
    if found != commit or not history.reachable(opened.journal, commit):
        raise refusing.history(commit)


def _selected_forgotten(opened: Opened, given: Receipt) -> bool:
    from memcli.engine import reconcile
    from memcli.engine.recorded import gone

    shown = {one["id"] for one in given.selected}
    return bool(shown & gone.ids(gone.now(opened, reconcile.freshen(opened))))


def _forgotten_since(opened: Opened, given: Receipt) -> bool:
    """Whether something is forgotten now, and was not then, that reaches whoever asked.

    It need not have been there: what it says is withheld in whatever words it was said before.
    """
    commit = given.said["commit"]
    if commit is None:
        return False
    from memcli.engine import reconcile
    from memcli.engine.recorded import committed, gone
    from memcli.memory.scope import parse

    seen = None if given.said["scope"] == "*" else parse(given.said["scope"]).seen
    before = committed.standings_at(opened, commit).forgotten
    now = gone.now(opened, reconcile.freshen(opened)).removals.found
    return any(one.id not in before and (seen is None or one.scope in seen) for one in now)
