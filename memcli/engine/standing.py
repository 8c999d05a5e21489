"""What the journal last said of each removed schema, so that an old editor buffer cannot undo a forget.

A file may say `status: active` although its schema was forgotten: somebody saved an old
buffer, or a plain git commit brought the line back. Only the journal knows. The map of
removed ids is kept beside the index and brought forward with HEAD, since reading the whole
history on every question would cost more than the answer.
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from memcli.engine.opened import Opened
from memcli.errors import UNREADABLE, Unavailable
from memcli.memory import lifecycle
from memcli.memory.schema import GONE, Status
from memcli.store import private

if TYPE_CHECKING:
    from memcli.journal.message import Change
    from memcli.journal.repository import Journal
    from memcli.journal.standings import Standing

# Out of these nothing comes back without a person (FORMAT section 5, "Status changed by hand").
REMOVED: Final = frozenset({Status.FORGOTTEN, Status.RETRACTED, Status.SUPERSEDED})
LEAVES_A_TOMBSTONE: Final = frozenset({Status.FORGOTTEN, Status.RETRACTED})
_FORMAT: Final = 4


@dataclass(frozen=True, slots=True)
class Removal:
    """The status that the journal last gave to an id, and the commit that did."""

    status: Status
    commit: str


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The journal at `head` (None: no history at all) of `branch`: which ids are removed.

    `dirty` are the paths whose file differed from `head` when this was kept, `guarded` the marks
    of all removed claims that the rows of the index were judged by (removals.Removed.mark),
    `withheld` the paths that say again what was removed, `grown` how long the files that only
    grow were after our last commit of them, in bytes. `returned` are the ids that a person
    brought back, so that their tombstones count no more.
    """

    head: str | None = None
    removed: Mapping[str, Removal] = field(default_factory=dict)
    dirty: frozenset[str] = frozenset()
    branch: str | None = None
    guarded: frozenset[str] = frozenset()
    withheld: frozenset[str] = frozenset()
    grown: Mapping[str, int] = field(default_factory=dict)
    returned: frozenset[str] = frozenset()

    def status_of(self, id_: str) -> Status | None:
        """The removed status of `id_`, or None where the journal does not hold it back."""
        found = self.removed.get(id_)
        return found.status if found else None

    @property
    def forgotten(self) -> frozenset[str]:
        """The ids that the journal holds forgotten."""
        return frozenset(id_ for id_, one in self.removed.items() if one.status is Status.FORGOTTEN)


@dataclass(frozen=True, slots=True)
class Moved:
    """The map brought forward: `touched` ids may read differently now; None is every id."""

    confirmed: Confirmed
    touched: frozenset[str] | None


def current(opened: Opened) -> Confirmed:
    """The map at HEAD, whatever was kept before, or as it was kept where git cannot say; writes nothing."""
    known = load(opened)
    try:
        return forward(opened.readable_journal, known).confirmed
    except Unavailable as error:
        opened.do_without_journal(error)
        return forward(None, known).confirmed


def forward(journal: "Journal | None", known: Confirmed | None) -> Moved:
    """`known` brought to HEAD; a history that was rewritten or is unknown is read whole."""
    if journal is None:
        return Moved(known or Confirmed(), frozenset())
    head = journal.head()
    if known is not None and known.head == head:
        return Moved(known, frozenset())
    if head is None:
        return Moved(Confirmed(), None)
    from memcli.journal import history

    branch = journal.branch()
    if known is not None and known.head:
        if history.descends(journal, head, known.head):
            news = told(known, history.statuses(journal, after=known.head))
            return Moved(replace(news, head=head, branch=branch), _differing(known.removed, news.removed))
        _note_rewritten(journal, known, branch)
    judged = known or Confirmed()
    begun = Confirmed(head, branch=branch, guarded=judged.guarded, withheld=judged.withheld)
    return Moved(told(begun, history.statuses(journal)), None)


def at(journal: "Journal", commit: str) -> Confirmed:
    """The map as the journal had it at `commit` (a full id), where every file is as committed."""
    from memcli.journal import history

    return told(Confirmed(commit), history.statuses_at(journal, commit))


def _differing(before: Mapping[str, Removal], now: Mapping[str, Removal]) -> frozenset[str]:
    return frozenset(id_ for id_ in {*before, *now} if before.get(id_) != now.get(id_))


def _note_rewritten(journal: "Journal", known: Confirmed, branch: str | None) -> None:
    """Keep the head that was known, when its own branch no longer holds it: history was rewritten.

    An earlier head whose loss nobody has accepted yet stays the one that is named.
    """
    from memcli.journal import history, seen

    if branch is None or branch != known.branch or not known.head:
        return
    last = seen.last(journal)
    if last is None or history.descends(journal, known.head, last):
        with suppress(Unavailable):  # a read-only repository: the answer does not depend on it
            seen.hold(journal, known.head)


def told(before: Confirmed, news: "Mapping[str, Standing]") -> Confirmed:
    """`before` with what newer commits say; an entry that changes no status says nothing.

    What was forgotten or retracted stays so although its file was deleted then.
    """
    removed, returned = dict(before.removed), set(before.returned)
    for id_, standing in news.items():
        if standing.status in REMOVED:
            removed[id_] = Removal(Status(standing.status), standing.commit)
            returned.discard(id_)
        elif standing.status == GONE and standing.prior in LEAVES_A_TOMBSTONE:
            if standing.removed_by:
                removed[id_] = Removal(Status(standing.prior), standing.removed_by)
        elif standing.status != standing.prior:
            removed.pop(id_, None)
            returned |= {id_} if standing.back or _counts_again(standing) else set()
    return replace(before, removed=removed, returned=frozenset(returned))


def _counts_again(standing: "Standing") -> bool:
    """Whether it was out and somebody brought it back; a rejected one is archived until then."""
    reopened = standing.prior == Status.ARCHIVED and standing.status != GONE
    return reopened or standing.prior in LEAVES_A_TOMBSTONE


def deleted_alive(known: "Mapping[str, Standing]") -> frozenset[str]:
    """The ids that counted when an act of the journal deleted their file; no tombstone is left of them."""
    return frozenset(
        id_ for id_, one in known.items() if one.status == GONE and one.prior not in LEAVES_A_TOMBSTONE
    )


def deleted_removed(known: "Mapping[str, Standing]") -> dict[str, str]:
    """The ids that were out already when their file was deleted, and the commit that had removed each."""
    gone = {id_: one for id_, one in known.items() if one.status == GONE and one.prior in LEAVES_A_TOMBSTONE}
    return {id_: one.removed_by for id_, one in gone.items() if one.removed_by}


def load(opened: Opened) -> Confirmed | None:
    """The kept map, or None where there is none that can be read."""
    try:
        raw = private.read(opened.place, opened.place.standing_file) or b""
        kept = json.loads(raw.decode("utf-8", "surrogateescape"))
        if kept["format"] != _FORMAT:
            return None
        if kept["rules"] != rules(opened):
            return None
        removed = {id_: Removal(Status(status), commit) for id_, (status, commit) in kept["removed"].items()}
        dirty, guarded = frozenset(kept["dirty"]), frozenset(kept["guarded"])
        withheld, grown = (
            frozenset(kept["withheld"]),
            {str(path): int(n) for path, n in kept["grown"].items()},
        )
        returned = frozenset(kept["returned"])
        return Confirmed(kept["head"], removed, dirty, kept["branch"], guarded, withheld, grown, returned)
    except UNREADABLE:
        return None


def save(opened: Opened, confirmed: Confirmed) -> None:
    """Keep the map; the caller holds the lock. Not fsynced: what is torn is read as nothing."""
    removed = {id_: [one.status.value, one.commit] for id_, one in sorted(confirmed.removed.items())}
    kept = {
        "format": _FORMAT,
        "rules": rules(opened),
        "head": confirmed.head,
        "branch": confirmed.branch,
        "removed": removed,
        "dirty": sorted(confirmed.dirty),
        "guarded": sorted(confirmed.guarded),
        "returned": sorted(confirmed.returned),
        "withheld": sorted(confirmed.withheld),
        "grown": dict(sorted(confirmed.grown.items())),
    }
    private.put(opened.place.standing_file, json.dumps(kept).encode("utf-8", "surrogateescape"))


def rules(opened: Opened) -> str:
    """The settings by which files became rows: with others the index must be made anew."""
    settings = opened.settings
    numbers = [f"{one.key}={one.value}" for one in settings.constants if one.key.startswith("guard.")]
    return " ".join([settings.timezone_name, *numbers])


def after(confirmed: Confirmed, commit: str, changes: "Iterable[Change]", paths: Iterable[str]) -> Confirmed:
    """The map after a commit of our own: `changes` it states, `paths` it brought in line with HEAD."""
    from memcli.journal.standings import Standing

    news = {one.id: Standing(one.status, one.prior, commit, "") for one in changes}
    return replace(told(confirmed, news), head=commit, dirty=confirmed.dirty - set(paths))


def withheld(stated: Status, confirmed: Iterable[Status | None]) -> Status | None:
    """The removed status that holds against what a file says, or None where the file counts."""
    for one in confirmed:
        effective, regressed = lifecycle.effective(stated, one)
        if regressed:
            return effective
    return None
