"""Replay: the question of a receipt asked again, of the state that it was asked of, or of another.

Of its own state the answer must be equal to the byte. What stands in the way of that is
said by name, and never passed over: an answer that only looks equal proves nothing.
"""

from dataclasses import dataclass, replace
from typing import Final

from memcli.engine.opened import Opened
from memcli.engine.recalling.asking import Request
from memcli.engine.receipts import fingerprint, giving, refusing, unsaid
from memcli.engine.receipts.giving import Given
from memcli.engine.receipts.refusing import Refusal
from memcli.engine.receipts.unsaid import Unsaid
from memcli.engine.recorded import points
from memcli.errors import BadFile, HistoryCut, MemError
from memcli.journal import history, tree
from memcli.memory import receipt, times
from memcli.memory.receipt import Changed, Receipt, Said
from memcli.memory.visibility import Mode
from memcli.store import settings

HEAD: Final = "HEAD"
_FILES: Final = ("mem.toml", "pyproject.toml")  # where a store's settings may be, the one that counts first


@dataclass(frozen=True, slots=True)
class Replayed:
    """The receipt asked again: `again` is the receipt of the answer now, `changed` where it says otherwise.

    `refusal` stands where the question could not be asked; `again` is None then.
    """

    given: Receipt
    again: Receipt | None
    changed: tuple[Changed, ...] = ()
    refusal: Refusal | None = None

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
    request = request_of(given, as_of=as_of, known_at=place)
    again = giving.receipt_of(opened, answered(opened, given, request))
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


def replay(opened: Opened, given: Receipt) -> Replayed:
    """Ask the question of the very state that it was asked of."""
    try:
        again = _asked_again(opened, given)
    except Refusal as refusal:
        return Replayed(given, None, refusal=refusal)
    changed = receipt.differing(given, again)
    if changed and _forgotten_since(opened, given):
        return Replayed(given, None, refusal=refusing.forgotten())
    return Replayed(given, again, changed)


def _asked_again(opened: Opened, given: Receipt) -> Receipt:
    """The receipt of the same answer. Raises Refusal."""
    said = given.said
    _refuse_what_cannot_be(said, unsaid.read(opened))
    commit = said["commit"]
    if commit is not None:
        _refuse_lost(opened, commit)
    engine = fingerprint.of_engine(opened)
    if said["engine"]["logic"] != engine["logic"]:
        raise refusing.engine(said["engine"]["logic"], receipt.LOGIC)
    if said["engine"]["encoder"] != engine["encoder"]:
        raise refusing.encoder(said["engine"]["encoder"], engine["encoder"])
    asked = _with_its_settings(opened, given)
    if _selected_forgotten(opened, given):
        raise refusing.forgotten()
    known_at = commit or said["asked"]["known_at"]
    request = request_of(given, as_of=said["as_of"], known_at=known_at)
    try:
        return giving.stated(asked, answered(asked, given, request), said["asked"], said["known_at"])
    except HistoryCut as error:
        raise refusing.rewritten(error) from error


def _refuse_what_cannot_be(said: Said, veil: Unsaid) -> None:
    if said["masked"]:
        raise refusing.masked()
    if said["stale"]:
        raise refusing.stale()
    if said["uncommitted"] or (said["commit"] is None and said["asked"]["known_at"] is None):
        raise refusing.uncommitted(tuple(veil.path(str(path)) for path in said["uncommitted"]))


def _refuse_lost(opened: Opened, commit: str) -> None:
    try:
        found = opened.journal.resolve(commit)
    except MemError:
        found = ""
    if found != commit or not history.reachable(opened.journal, commit):
        raise refusing.history(commit)


def _with_its_settings(opened: Opened, given: Receipt) -> Opened:
    """The store under the settings that the answer went by: those of now, else those of its commit."""
    wanted = given.said["settings"]
    if fingerprint.of_settings(opened.settings) == wanted:
        return opened
    for name in _FILES:
        raw = _committed(opened, given.said["commit"], name)
        if raw is None:
            continue
        try:
            then = settings.of_bytes(opened.place, name, raw)
        except BadFile:
            break
        if fingerprint.of_settings(then) == wanted:
            return _under(opened, then)
        break
    else:
        if fingerprint.of_settings(settings.Settings()) == wanted:
            return _under(opened, settings.Settings())
    raise refusing.settings()


def _committed(opened: Opened, commit: str | None, name: str) -> bytes | None:
    return None if commit is None else tree.read(opened.journal, commit, [name])[name]


def _under(opened: Opened, then: settings.Settings) -> Opened:
    """The store with the constants and the zone of another time; whom it waits for stays as it is."""
    mixed = replace(
        opened.settings,
        constants=then.constants,
        timezone=then.timezone,
        timezone_name=then.timezone_name,
    )
    made = replace(opened, settings=mixed, by_tree=True)
    made.take_journal(opened.journal)
    made.take_encoder(opened.encoder)
    return made


def request_of(given: Receipt, *, as_of: str | None, known_at: str | None) -> Request:
    """The question of a receipt, asked of these two times."""
    said = given.said
    overhead, each = (*said["frame"], 0, 0)[:2]
    return Request(
        query=said["query"],
        scope=said["scope"],
        as_of=None if as_of is None else times.parse(as_of),
        mode=Mode(said["mode"]),
        k=said["k"],
        budget=said["budget"],
        floor=None if said["floor"] is None else float(said["floor"]),
        types=tuple(said["types"]),
        tags=tuple(said["tags"]),
        evidence=said["evidence"],
        overhead_tokens=overhead,
        line_overhead_tokens=each,
        events=said["events"],
        known_at=known_at,
        gate=bool(said["asked"]["gate"]),
    )


def answered(opened: Opened, given: Receipt, request: Request) -> Given:
    """The answer to the question of a receipt, with what stood beside it."""
    said = given.said
    procedures = tuple((one["name"], one["path"]) for one in said["procedures"])
    session = said["session"] or ""
    if said["of"] == giving.ACTIVATE:
        from memcli.engine.task import activate

        answer, warnings = activate.known_for(opened, request)
        return Given(request, answer, session, giving.ACTIVATE, warnings, procedures)
    from memcli.engine.recalling import recall

    return Given(request, recall.run(opened, request), session, procedures=procedures)


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
