"""The audit of a store: its journal replayed from the first commit, beside what its files say.

It looks at commits alone and changes no file: that HEAD was looked at is all that it notes.
Accepting is another act, a person's: it makes one entry, which explains what stands before it
and brings back nothing that was removed.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Final

from memcli.engine import journaling, standing
from memcli.engine.auditing import growing, signatures, walking
from memcli.engine.auditing.findings import Finding
from memcli.engine.auditing.replay import ACCEPT, Replay, Replayed
from memcli.engine.auditing.signatures import Signed
from memcli.engine.auditing.walking import Report
from memcli.engine.journaling import Line
from memcli.engine.opened import Opened
from memcli.engine.recorded import committed
from memcli.engine.writer import Operation, Writer, writing
from memcli.errors import NoSuchMemory, TryAgain, Unavailable
from memcli.journal import history, seen, tree
from memcli.journal.message import Change, Message
from memcli.memory.schema import GONE, Status
from memcli.store import scan

RULE: Final = "accepts"  # Mem-Rule of an entry that accepts another history names the head that it replaces
_PATIENCE_S: Final = 600.0  # asserted: 10,000 commits took half a minute on a busy machine
_STATUSES: Final = frozenset(one.value for one in Status)


@dataclass(frozen=True, slots=True)
class Replaced:
    """A history that was seen and that HEAD no longer holds: its `head`, and its commits that are gone.

    `gained` counts the commits that stand here instead.
    """

    head: str
    lost: tuple[Line, ...]
    gained: int


@dataclass(frozen=True, slots=True)
class Audit:
    """What was looked at, and every finding that nothing explains.

    `entries` are the commits that mem made, of `commits` in all; `memories` those with a file.
    `explained` counts what was found and is explained by a later entry. `cut`: the moment before
    which a shallow clone knows nothing, in seconds since 1970. `uncommitted` are paths of files
    that no commit holds as they are.
    """

    head: str
    commits: int
    entries: int
    memories: int
    findings: tuple[Finding, ...]
    explained: int = 0
    replaced: Replaced | None = None
    cut: int | None = None
    uncommitted: tuple[str, ...] = ()
    signed: Signed = field(default_factory=Signed)
    said: Mapping[str, str] | None = None
    files: Mapping[str, str] | None = None

    @property
    def clean(self) -> bool:
        """Whether the journal explains everything, as far back as history begins."""
        return not self.findings and self.replaced is None and self.cut is None


@dataclass(frozen=True, slots=True)
class Accepted:
    """What a person accepted: the audit before, what still stands open, the entry that says so."""

    before: Audit
    left: tuple[Finding, ...]
    commit: str


def run(opened: Opened, report: Report | None = None, signers: str = "") -> Audit:
    """Replay the journal, and note that this head was seen.

    Signatures that are demanded must be of those whom the file `signers` names, else the store's own.
    Raises Unavailable without git, NoSuchMemory where nothing was committed yet, Refused where
    signatures are demanded and no file says whose count.
    """
    if opened.journal.head() is not None:
        standing.current(opened)  # notes it where the history that was known is another one
    found = look(opened, report, signers)
    if found.replaced is None:
        with suppress(Unavailable):  # a repository that cannot be written
            seen.advance(opened.journal)
    return found


def look(opened: Opened, report: Report | None = None, signers: str = "") -> Audit:
    """The same, and notes nothing. Raises as `run`."""
    head = opened.journal.head()
    if head is None:
        raise NoSuchMemory(
            "The journal is empty: nothing was committed yet.", "mem save commits what is here."
        )
    with _patient(opened):
        return replace(_made(opened, head, signers, report), replaced=_replaced(opened))


@contextmanager
def _patient(opened: Opened) -> Iterator[None]:
    """Let git take its time: it lists the whole of history, several times."""
    usual = opened.journal
    opened.take_journal(replace(usual, git=replace(usual.git, limit_s=_PATIENCE_S)))
    try:
        yield
    finally:
        opened.take_journal(usual)


def _made(opened: Opened, head: str, signers: str, report: Report | None) -> Audit:
    journal = opened.journal
    steps = walking.steps(opened, head, report)
    signed = signatures.of(opened, steps, signers, report)
    replayed = Replay(steps, signed.doubted).run(_graves(opened, head))
    dirty = tuple(one.path for one in tree.uncommitted(journal) if scan.is_schema_path(one.path))
    return Audit(
        head=head,
        commits=len(steps),
        entries=sum(1 for one in steps if one.op),
        memories=len(replayed.files),
        findings=(
            *replayed.findings,
            *_unaccepted((*growing.lost(opened, steps), *signed.findings), replayed),
        ),
        signed=signed,
        explained=replayed.explained,
        cut=journal.state().shallow_since,
        uncommitted=dirty,
        said=replayed.said,
        files=replayed.files,
    )


def _unaccepted(found: Iterable[Finding], replayed: Replayed) -> Iterator[Finding]:
    """What no entry could explain, less what a person has accepted since."""
    return (one for one in found if one.commit not in replayed.accepted)


def _graves(opened: Opened, head: str) -> frozenset[str]:
    return frozenset(one.id for one in committed.tombstones_at(opened, head))


def _replaced(opened: Opened) -> Replaced | None:
    journal = opened.journal
    old, head = seen.rewritten(journal), journal.head()
    if old is None or head is None:
        return None
    lost = history.entries_apart(journal, old, head)
    return Replaced(old, tuple(map(journaling.line_of, lost)), history.count(journal, head, old))


def accept(opened: Opened, shown: Audit, reason: str = "", signers: str = "") -> Accepted:
    """Make the entry that explains what `shown` found; the caller has a person's word for it.

    What was removed and is there again stays withheld: it is confirmed by `mem save`, one by one.
    Raises TryAgain where the store is another one by now.
    """
    with writing(opened, "audit") as writer:
        before = run(opened, signers=signers)
        if (before.head, before.replaced) != (shown.head, shown.replaced):
            raise TryAgain(
                "Somebody committed in between; nothing was accepted.", "Look at `mem audit` again."
            )
        commit = writer.carry_out(_operation(writer, before, reason))
        if before.replaced:
            seen.accept(opened.journal)
        return Accepted(before, _made(opened, commit, signers, None).findings, commit)


def _operation(writer: Writer, before: Audit, reason: str) -> Operation:
    count = len(before.findings)
    claim = f"{count} changes that no entry explained" if count != 1 else "1 change that no entry explained"
    rule = f"{RULE} {before.head}"
    if before.replaced:
        claim = "another history than the one that was seen" + (f", and {claim}" if count else "")
        rule += f" instead of {before.replaced.head}"
    message = Message(ACCEPT, claim, reason, _changes(before), rule=rule)
    return Operation(message, further=_untouched(writer))


def _changes(before: Audit) -> tuple[Change, ...]:
    """What the files say of what was found where the entries say otherwise, but for what came back."""
    said, files = before.said or {}, before.files or {}
    ids = sorted({one.id for one in before.findings if one.id})
    pairs = [(id_, said.get(id_, GONE), files.get(id_, GONE)) for id_ in ids]
    return tuple(Change(*one) for one in pairs if one[1] != one[2] and not _returns(*one[1:]))


def _returns(said: str, now: str) -> bool:
    if not {said, now} <= _STATUSES:
        return False
    return standing.withheld(Status(now), (Status(said),)) is not None


def _untouched(writer: Writer) -> tuple[str, ...]:
    """A path that git's own commit can be told of where hooks make one; its file is as HEAD holds it."""
    paths = [path for path in sorted(writer.view.known) if path not in writer.view.dirty]
    return tuple(paths[:1])
