"""Reconcile: compare what is on disk with what the index holds, and bring the index into line.

The one way in: an edit, a pull, a crash and our own writes all end here, and doing it
twice is doing it once. Readers come through `freshen`, which takes the lock only where
something changed; writers hold it and call `bring_in_line`, then `follow` for the very
paths that they committed.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from memcli.engine import indexed, standing
from memcli.engine.opened import Opened
from memcli.engine.standing import Confirmed
from memcli.engine.view import View
from memcli.errors import Exhausted, MemError, TryAgain, Unavailable
from memcli.store import known as knowns
from memcli.store import scan
from memcli.store.known import Known

if TYPE_CHECKING:
    from memcli.engine.kept import Held

READ_WAIT_S: Final = 2.0  # asserted: how long a reader lets a writer finish before it reads the files itself
MASS: Final = 5  # asserted: so many files gone at once, and none left, are not a person's deletion

Progress = Callable[[int, int], None]


def freshen(opened: Opened) -> View:
    """The store for a reader: as it is on disk, else as near as can be, saying so."""
    kept = opened.kept
    if kept is None:
        return _freshened(opened)
    held = kept.held(opened)
    view = _caught_up(opened, held) if held else None
    if view is None:
        stood = kept.stamp(opened.settings.encoder_path)
        view = _freshened(opened)
        kept.hold(opened, view, stood)
    return view


def _caught_up(opened: Opened, held: "Held") -> View | None:
    """The view that was held with what changed since, or None where only a look at all files will do."""
    from memcli.store import lock

    if not held.changed:
        return held.view
    try:
        with lock.hold(opened.place, wait_s=opened.settings.lock_wait_s, holder="recall"):
            return _taken_in(opened, held)
    except (TryAgain, Unavailable):
        return None  # told by the look at all of them


def _taken_in(opened: Opened, held: "Held") -> View | None:
    """`held` with its changed files in the index; the caller holds the lock."""
    from memcli.engine import updating

    kept, view = opened.kept, held.view
    if kept is None or view.index is None or len(held.changed) > indexed.FEW:
        return None
    if kept.stamp(opened.settings.encoder_path) != held.stamp or opened.place.intent_file.exists():
        return None  # another wrote meanwhile, or a crash left an operation, which is taken back first
    present_ns = knowns.present(opened.place.private)
    signatures = {path: scan.signature_of(opened.place, path) for path in held.changed}
    gone = tuple(sorted(path for path, signature in signatures.items() if signature is None))
    there = {path: signature for path, signature in signatures.items() if signature}
    emptied = len(gone) >= MASS and len(gone) == len(view.known)
    if emptied or len(gone) + len(there) < len(signatures):
        return None
    head = view.confirmed.head
    paths = tuple(sorted(there))
    work = updating.Work(view.index, view.known, view.confirmed, head, paths, gone, there, present_ns)
    with indexed.said(opened):
        fresh = updating.apply(opened, work, alone=held.changed)
    kept.hold(opened, fresh, kept.stamp(opened.settings.encoder_path))
    return fresh


def _freshened(opened: Opened) -> View:
    seen = scan.scan(opened.place)
    kept = knowns.load(opened.place.known_file)
    confirmed = standing.load(opened)
    journal = opened.readable_journal
    head = journal.head() if journal else None
    if kept is not None and confirmed is not None and confirmed.head == head:
        change = knowns.difference(seen, kept)
        if not (change.changed or change.vanished):
            index = indexed.open_index(opened, writable=False)
            if index is not None:
                return View(index, kept, confirmed, hidden=seen.hidden)
    return _freshen_locked(opened, kept)


def _freshen_locked(opened: Opened, kept: Known | None) -> View:
    from memcli.engine import recovery
    from memcli.store import lock

    try:
        wait_s = min(READ_WAIT_S, opened.settings.lock_wait_s)
        with lock.hold(opened.place, wait_s=wait_s, holder="recall"):
            if opened.readable_journal is not None:
                recovery.recover(opened)
            return _with_or_without_git(opened)
    except (TryAgain, Unavailable) as error:
        scan.scan(opened.place)  # a store that is not there is no busy one
        busy = isinstance(error, TryAgain)
        return View(None, kept or {}, _confirmed_now(opened), busy=busy, notices=(_not_refreshed(error),))


def _not_refreshed(error: MemError) -> str:
    return f"The index was not brought up to date, and the files answer: {error.message}"


def _with_or_without_git(opened: Opened) -> View:
    """Bring the index into line for a reader, who is answered although git is missing or damaged."""
    from memcli.index.lance import Damaged
    from memcli.index.turns import NotWritable

    try:
        return bring_in_line(opened)
    except Unavailable as error:
        if opened.readable_journal is None or isinstance(error, (Damaged, NotWritable, Exhausted)):
            raise  # git is not what failed
        opened.do_without_journal(error)
        return bring_in_line(opened)


def _confirmed_now(opened: Opened) -> Confirmed:
    """What the journal confirms at HEAD, whatever was kept: for reading files without the index."""
    from memcli.engine import counting

    confirmed = standing.current(opened)
    try:
        return replace(confirmed, dirty=counting.dirty(opened, confirmed))
    except Unavailable as error:
        opened.do_without_journal(error)
        return confirmed


def bring_in_line(opened: Opened, progress: Progress | None = None) -> View:
    """Bring the index to what is on disk, or make it anew where it is damaged; the caller holds the lock."""
    from memcli.engine import rebuilding
    from memcli.index.lance import Damaged

    held = opened.kept.held(opened) if opened.kept else None
    view = held and (_taken_in(opened, held) if held.changed else held.view)
    if view:
        return view
    with indexed.said(opened):
        try:
            return _bring_in_line(opened, progress)
        except Damaged:
            return rebuilding.rebuild(opened, progress)


def _bring_in_line(opened: Opened, progress: Progress | None) -> View:
    from memcli.engine import rebuilding, updating
    from memcli.store import atomic

    present_ns = knowns.present(opened.place.private)
    seen = scan.scan(opened.place)
    seen.refuse_short()
    if seen.leftovers:
        atomic.sweep(opened.place, seen.leftovers)
    kept = knowns.load(opened.place.known_file)
    before = standing.load(opened)
    moved = standing.forward(opened.readable_journal, before)
    index = indexed.open_index(opened, writable=True)
    if index is None or kept is None or before is None:
        return rebuilding.rebuild(opened, progress)
    change = knowns.difference(seen, kept)
    paths = tuple(sorted({*change.changed, *_paths_of(kept, moved.touched)}))
    elsewhere = before.head != moved.confirmed.head
    if not (paths or change.vanished or elsewhere):
        return View(index, kept, moved.confirmed, hidden=seen.hidden)
    if change.emptied and len(kept) >= MASS and not (elsewhere and _empty_at_head(opened)):
        behind = len(change.vanished)
        return View(index, kept, moved.confirmed, stale=True, behind=behind, notices=(_emptied(behind),))
    signatures = {one.path: one.signature for one in seen.files}
    was, gone = before.head, change.vanished
    work = updating.Work(index, kept, moved.confirmed, was, paths, gone, signatures, present_ns)
    return updating.apply(opened, work)


def _empty_at_head(opened: Opened) -> bool:
    """Whether HEAD, which moved, holds no schema file: then git took them away, and nothing is missing."""
    from memcli.journal import tree

    journal = opened.readable_journal
    head = journal.head() if journal else None
    return journal is not None and not (
        head and any(path.endswith(".md") for path in tree.blobs(journal, head))
    )


def _emptied(many: int) -> str:
    return (
        f"All {many} schema files are gone at once: taken as a store that is not there, not as a deletion. "
        "`mem save` asks whether it is meant."
    )


def _paths_of(kept: Known, ids: frozenset[str] | None) -> Iterable[str]:
    if ids is None:
        return tuple(kept)
    return [path for path, one in kept.items() if one.id in ids] if ids else ()


def follow(opened: Opened, view: View, paths: Sequence[str], confirmed: Confirmed) -> View:
    """Bring exactly `paths`, which were just committed as `confirmed.head`, into the index."""
    if view.index is None:
        return view
    from memcli.engine import arrivals, burial, filing

    present_ns = knowns.present(opened.place.private)
    schemas = [path for path in paths if scan.is_schema_path(path)]  # the others are lines and procedures
    filed = [one for path in schemas if (one := filing.read(opened, path)) is not None]
    signatures = {path: _signature(opened, path) for path in schemas}
    gone = set(schemas) - {one.path for one in filed}
    aside = [one.path for one in filed if one.schema is None]
    opened.notices.extend(burial.bury_wordings(opened, filed, confirmed))
    judged = arrivals.judged(opened, filed, confirmed, view.index, {*gone, *aside})
    view.index.upsert(judged.rows, judged.vectors)
    view.index.drop([*gone, *aside])
    files = indexed.without(view.known, gone)
    files |= {one.path: indexed.known(one, signatures[one.path]) for one in filed}
    confirmed = indexed.judged_by(confirmed, judged.guarded, view.index)
    indexed.keep(opened, files, confirmed, present_ns, alone=paths)
    return replace(view, known=files, confirmed=confirmed)


def _signature(opened: Opened, path: str) -> str:
    try:
        return scan.signature(opened.place.at(path).lstat())
    except OSError:
        return knowns.UNSETTLED


def heal(opened: Opened) -> View:
    """Make a damaged index anew; without the lock the files must do (`index` None)."""
    from memcli.engine import rebuilding
    from memcli.store import lock

    try:
        with lock.hold(opened.place, wait_s=READ_WAIT_S, holder="heal"):
            return rebuilding.rebuild(opened)
    except (TryAgain, Unavailable) as error:
        return View(None, {}, _confirmed_now(opened), notices=(_not_refreshed(error),))
