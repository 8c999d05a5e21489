"""The sweep of the ladder: which memories may travel further than their files say, or less far.

A stage that a person set is theirs. A file cannot say who wrote its stage, so the journal
is asked: it names every move that was earned, and a stage that it does not name was set by
hand, even where nobody wrote `stage_pinned` beside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from memcli.engine import filing, resolve, standing
from memcli.engine.opened import Opened
from memcli.engine.resolve import Found
from memcli.engine.use.accounts import Accounts
from memcli.engine.writer import FileChange
from memcli.errors import MemError
from memcli.journal import message as messages
from memcli.memory import ladder
from memcli.memory.ladder import Counts
from memcli.memory.schema import Schema, Stage, Status
from memcli.store import atomic, format


@dataclass(frozen=True, slots=True)
class Move:
    """One memory that earned another stage: what changes in its file, and the counts that say so."""

    id: str
    claim: str
    prior: Stage
    stage: Stage
    counts: Counts
    file: FileChange

    @property
    def stated(self) -> messages.Move:
        """The move as the journal states it: for `Message.moves` of the commit that holds its file."""
        return messages.Move(self.id, self.prior.word, self.stage.word, ladder.said(self.counts))


@dataclass(frozen=True, slots=True)
class Stated:
    """A move that the journal states, in which commit; `at` is its record time in seconds since 1970."""

    commit: str
    at: int
    prior: str
    stage: str
    why: str


def ladder_sweep(
    opened: Opened, accounts: Accounts, as_of: int, beside: Sequence[FileChange] = ()
) -> tuple[Move, ...]:
    """The memories whose stage is not what they earned by `as_of`, in order of path; nothing is written.

    `beside` are changes of files that the same operation carries out: a move of one of these
    holds that change too, and takes its place. Left alone are memories whose file was edited
    and not committed, that a person pinned or set by hand, that are not believed, and the
    scopes that everybody sees anyway.
    """
    if not accounts:
        return ()
    confirmed = standing.current(opened)
    known = [(path, id_) for path, id_ in sorted(resolve.ids(opened).items()) if id_ in accounts]
    found = [_found(opened, path, confirmed) for path, _ in known if path not in confirmed.dirty]
    changed = {one.path: one for one in beside}
    changed = {one.path: one for one in beside}
    moves = (_move(opened, one, accounts, as_of) for one in found if one is not None)
    together = (_together(opened, move, changed) for move in moves if move is not None)
    return tuple(move for move in together if move is not None)


def _together(opened: Opened, move: Move, changed: Mapping[str, FileChange]) -> Move | None:
    """The move with what is about to become of its file; None where it is about to be believed no more."""
    before = changed.get(move.file.path)
    if before is None:
        return move
    schema = filing.understand(opened, before.path, before.after).schema if before.after else None
    if before.after is None or schema is None or schema.status is not Status.ACTIVE:
        return None
    after = filing.changed(opened, before.path, before.after, _keys(move.stage, pinned=False))
    return replace(move, file=FileChange(before.path, before.expected, after))


def _found(opened: Opened, path: str, confirmed: standing.Confirmed) -> Found | None:
    if path in confirmed.withheld:
        return None
    try:
        return resolve.at(opened, path, confirmed)
    except MemError:
        return None


def _move(opened: Opened, found: Found, accounts: Accounts, as_of: int) -> Move | None:
    schema, rules = found.schema, opened.settings.constants
    if found.effective is not Status.ACTIVE or schema.stage_pinned or not ladder.climbs(schema.scope):
        return None
    counts = ladder.counts(accounts[schema.id], schema.scope, as_of, rules)
    stage = ladder.stage_of(counts, rules)
    if stage is schema.stage or by_hand(opened, found.path, schema):
        return None
    return Move(schema.id, schema.claim, schema.stage, stage, counts, restaged(opened, found.path, stage))


def restaged(opened: Opened, path: str, stage: Stage, *, pinned: bool = False) -> FileChange:
    """The file `path` with that stage and every other byte kept."""
    raw = atomic.read(opened.place, path)
    after = filing.changed(opened, path, raw, _keys(stage, pinned=pinned))
    return FileChange(path, format.digest(raw), after)


def _keys(stage: Stage, *, pinned: bool) -> dict[str, str | bool | None]:
    keys: dict[str, str | bool | None] = {
        "stage": None if stage is Stage.SCOPED and not pinned else stage.word
    }
    return keys | {"stage_pinned": True} if pinned else keys


def by_hand(opened: Opened, path: str, schema: Schema) -> bool:
    """Whether the stage in the file is none that the journal left there: on no line of its history."""
    stated = list(moves(opened, path, schema.id))
    if not stated:
        return schema.stage is not Stage.SCOPED
    return all(
        _undone(opened, nth, stated) for nth, one in enumerate(stated) if one.stage == schema.stage.word
    )


def _undone(opened: Opened, nth: int, stated: Sequence[Stated]) -> bool:
    """Whether a later move of the same line of history leads away from where the `nth` led, newest first."""
    from memcli.journal import history

    one = stated[nth]
    return any(
        later.stage != one.stage and history.descends(opened.journal, later.commit, one.commit)
        for later in stated[:nth]
    )


def moves(opened: Opened, path: str, id_: str) -> Iterator[Stated]:
    """Every move of a memory that the journal states, newest first."""
    from memcli.journal import history

    journal = opened.readable_journal
    for entry in history.entries(journal, path=path) if journal else ():
        for move in entry.moves:
            if move.id == id_:
                yield Stated(entry.commit, entry.at, move.prior, move.stage, move.why)
