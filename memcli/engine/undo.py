"""Undo: the actor's last act taken back by a new commit, never by rewriting history.

Only what the act changed is restored, and only where nothing changed since. What an act
appended (events) stays: it happened.
"""

from dataclasses import dataclass

from memcli.engine import journaling
from memcli.engine.journaling import Line
from memcli.engine.opened import Opened
from memcli.engine.sealing import PERSONS
from memcli.engine.standing import LEAVES_A_TOMBSTONE
from memcli.engine.writer import FileChange, Operation, Writer, writing
from memcli.errors import HistoryCut, NoSuchMemory, Refused, TryAgain
from memcli.journal import history, tree
from memcli.journal.history import Entry
from memcli.journal.message import Change, Message, Move
from memcli.memory.schema import GONE
from memcli.store import atomic, format, receipts, scan, skill, tombstones
from memcli.surroundings import CONSOLIDATOR, SAVER, Kind

_PURGE = "purge"
_RULE = "undo:"  # Mem-Rule of an undo names the commit that it takes back
_STAYS = "What it took out stays out (tombstones.jsonl): mem remember --override ID lets a claim pass."
_NEVER = frozenset({"init", "audit"})  # that a person looked at something cannot be taken back


@dataclass(frozen=True, slots=True)
class Undone:
    """What `undo` takes back: the entry, and the new commit (None with dry_run).

    `needs_person` says that only a person may take this act back.
    """

    entry: Line
    paths: tuple[str, ...]
    commit: str | None
    needs_person: bool = False


def run(opened: Opened, *, dry_run: bool = False, confirmed: str = "") -> Undone:
    """Reverse the actor's last act by a new commit; a person's word has `confirmed` that commit.

    Raises NoSuchMemory (nothing to undo), Refused (a person's act), TryAgain (changed since), HistoryCut.
    """
    with writing(opened, "undo") as writer:
        last = _last(writer)
        if last.op == _PURGE:
            raise Refused(
                "A purge cannot be taken back: what it took out is nowhere any more.",
                "What it said can be remembered anew.",
            )
        person = last.op in PERSONS or _brings_back(last)
        files = _files(writer, last)
        paths = tuple(one.path for one in files)
        if confirmed and confirmed != last.commit:
            raise TryAgain(
                "Another act came in between; nothing was undone.", "Look at `mem log` and try again."
            )
        if dry_run or (person and not confirmed):
            return Undone(journaling.line_of(last), paths, None, person)
        commit = writer.carry_out(Operation(_message(last), files))
        if tombstones.PATH in last.paths:
            opened.notices.append(_STAYS)
        return Undone(journaling.line_of(last), paths, commit, person)


def _last(writer: Writer) -> Entry:
    """The actor's newest act that is neither an undo nor taken back already; acts are what mem did.

    A commit made with git alone is none; what a resident saved is a person's own edit, and what
    was consolidated is theirs to take back.
    """
    actor = writer.opened.actor
    mine = {str(actor), SAVER, CONSOLIDATOR} if actor.kind is Kind.HUMAN else {str(actor)}
    undone: set[str] = set()
    for entry in history.entries(writer.opened.journal):
        if entry.actor not in mine:
            continue
        if entry.op == "undo":
            undone.add(entry.rule.removeprefix(_RULE))
        elif entry.op == _PURGE:
            return entry  # what came before it must not be taken for the last act
        elif entry.tx and entry.op not in _NEVER and entry.commit not in undone and _changes(entry):
            return entry
    raise NoSuchMemory(f"{actor} has nothing to undo here.", "`mem log` shows who did what.")


def _brings_back(entry: Entry) -> bool:
    """Whether taking it back would let a removed memory count again: an import takes such over."""
    removed = {status.value for status in LEAVES_A_TOMBSTONE}
    return any(one.status in removed and one.prior not in {GONE, *removed} for one in entry.changes)


def _changes(entry: Entry) -> bool:
    """Whether it did more than to add lines and receipts, which stay: events, and what was taken out."""
    return not entry.paths or any(not (path.endswith(".jsonl") or _receipt(path)) for path in entry.paths)


def _receipt(path: str) -> bool:
    return path.startswith(f"{receipts.SHARED}/")


def _files(writer: Writer, entry: Entry) -> tuple[FileChange, ...]:
    journal = writer.opened.journal
    if not entry.parents:
        raise Refused("The first commit of a store cannot be undone.", "To have no store, remove its folder.")
    if entry.commit in journal.boundary():
        raise HistoryCut("What stood before is not in this shallow clone.", "Run `git fetch --unshallow`.")
    paths = [path for path in entry.paths if scan.is_schema_path(path) or skill.is_path(path)]
    before = tree.read(journal, entry.parents[0], paths)
    after = tree.read(journal, entry.commit, paths)
    return tuple(_file(writer, path, before[path], after[path]) for path in paths)


def _file(writer: Writer, path: str, before: bytes | None, after: bytes | None) -> FileChange:
    try:
        now = atomic.read(writer.opened.place, path)
    except TryAgain:
        now = None
    if now != after:
        raise TryAgain(
            f"{path} changed since; nothing was undone.", "Take that change back first, or edit the file."
        )
    return FileChange(path, None if now is None else format.digest(now), before)


def _message(entry: Entry) -> Message:
    line = journaling.line_of(entry)
    changes = tuple(Change(one.id, one.status, one.prior) for one in reversed(entry.changes))
    return Message(
        "undo",
        line.claim,
        f"takes back {entry.op} {entry.commit[:10]}",
        changes,
        rule=_RULE + entry.commit,
        moves=tuple(Move(one.id, one.stage, one.prior, "taken back") for one in reversed(entry.moves)),
    )
