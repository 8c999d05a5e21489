"""Status: how the store stands, in one look."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memcli.engine import procedures, reconcile
from memcli.engine.opened import Opened
from memcli.engine.task import said_lines
from memcli.engine.view import View
from memcli.errors import MemError, Unavailable
from memcli.memory.numerals import counted
from memcli.memory.schema import Status
from memcli.memory.visibility import Verdict, verdict, viewer_from
from memcli.store import receipts, scan, sessions
from memcli.store.known import Known, KnownFile

if TYPE_CHECKING:
    from memcli.journal.repository import Journal
    from memcli.store.sessions import Session


@dataclass(frozen=True, slots=True)
class Standing:
    """How the store stands, as `mem status` shows it.

    `visible` counts what a question from `scope` can be answered with now; `found_by` is the
    rule that found the store; `session` the open one that commands from here belong to;
    `receipts` how many are kept, `undigested` how many turns no consolidation has passed.
    """

    root: str
    scope: str
    branch: str | None
    commit: str | None
    schemas: int
    by_status: dict[str, int]
    set_aside: int
    uncommitted: tuple[str, ...]
    behind: int
    encoder: str
    encoder_notice: str
    review: int
    regressed: tuple[str, ...]
    duplicates: tuple[tuple[str, ...], ...]
    notices: tuple[str, ...] = ()
    visible: int = 0
    found_by: str = ""
    session: "Session | None" = None
    receipts: int = 0
    undigested: int = 0


def run(opened: Opened) -> Standing:
    """How the store stands; changes nothing but the index."""
    view = reconcile.freshen(opened)
    journal = opened.readable_journal
    known, rows, visible = _counted(opened, view)
    by_status = dict(sorted(Counter(status for _, status, _ in rows).items()))
    seen = scan.scan(opened.place)
    aside = sum(1 for one in known.values() if one.problem) + len(seen.set_aside)
    encoder = opened.encoder
    return Standing(
        root=str(opened.place.root),
        scope=str(opened.scope),
        branch=journal.branch() if journal else None,
        commit=view.head,
        schemas=sum(by_status.values()),
        by_status=by_status,
        set_aside=aside,
        uncommitted=tuple(sorted({*view.dirty, *_said(opened, journal)})),
        behind=len(known) if view.index is None else view.behind,
        encoder=encoder.fingerprint if encoder else "",
        encoder_notice="" if encoder else "no encoder: answers go by words only",
        review=by_status.get(Status.NEEDS_REVIEW.value, 0),
        regressed=tuple(sorted(path for path, status, stated in rows if status != stated)),
        duplicates=duplicates(known),
        notices=(*view.notices, *_journal_notices(journal)),
        visible=visible,
        found_by=opened.found_by,
        session=sessions.current(opened),
        receipts=len(receipts.kept(opened.place)),
        undigested=_undigested(opened),
    )


def _said(opened: Opened, journal: "Journal | None") -> tuple[str, ...]:
    """Files of events and procedures that no commit holds as they are; none where git cannot say."""
    try:
        return (*said_lines.paths(opened), *procedures.unsaved(opened)) if journal else ()
    except MemError:
        return ()


def _undigested(opened: Opened) -> int:
    if not opened.place.events.is_dir():
        return 0
    from memcli.engine.consolidation import pending

    return pending.turns(opened)


def _counted(opened: Opened, view: View) -> tuple[Known, list[tuple[str, str, str]], int]:
    """What every file is, (path, status that counts, status it states) of each schema, how many count here.

    From the index, or from the files where it cannot be used: the numbers must add up then too.
    """
    viewer = viewer_from(opened.scope, opened.now)
    if view.index is not None:
        rows = view.index.all_rows(("path", "status", "stated"))
        visible = len(view.index.all_rows(("path",), viewer))
        return view.known, [(row["path"], row["status"], row["stated"]) for row in rows], visible
    from memcli.engine import counting, filing
    from memcli.engine.recalling import by_files

    filed = list(filing.every(opened))
    known = {
        one.path: KnownFile("", one.digest, one.schema.id if one.schema else "", one.problem) for one in filed
    }
    made = counting.rows_of(opened, filed, view.confirmed)
    visible = sum(verdict(viewer, by_files.seen(row)) is Verdict.ADMITTED for row in made)
    return known, [(row.path, row.effective.value, row.schema.status.value) for row in made], visible


def duplicates(known: Known) -> tuple[tuple[str, ...], ...]:
    """The files of each id that stands in several."""
    by_id: dict[str, list[str]] = {}
    for path, one in known.items():
        if one.id:
            by_id.setdefault(one.id, []).append(path)
    return tuple(tuple(sorted(paths)) for _, paths in sorted(by_id.items()) if len(paths) > 1)


def _journal_notices(journal: "Journal | None") -> tuple[str, ...]:
    if journal is None:
        return ()
    from memcli.journal import seen

    try:
        if journal.git.program:
            journal.refuse_unusable(journal.configuration)
        old = seen.rewritten(journal)
        return () if old is None else (rewritten(journal, old),)
    except Unavailable as error:
        return (error.message,)


def rewritten(journal: "Journal", old: str) -> str:
    """The sentence that says what a rewritten history no longer holds; `old` is the commit it held."""
    from memcli.journal import tree

    head = journal.head()
    gone = set(tree.blobs(journal, old)) - set(tree.blobs(journal, head) if head else ())
    many = sum(path.endswith(".md") for path in gone)
    vanished = f"; {counted(many, 'memory', 'memories')} that it held vanished from history" if many else ""
    return f"History was rewritten: {old[:12]} is no longer part of it (git reflog still names it){vanished}."
