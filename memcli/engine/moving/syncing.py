"""Sync: meet another clone. Fetch, merge, bring everything in line, push.

Merges are right without it: whatever arrives by plain git is judged by the same guard when it is
seen. What this adds is that files both clones changed are merged by what they say, that
nobody has to remember four commands, and that a merge is whole or not there.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memcli.engine import company, filing, handmade, reconcile
from memcli.engine.health import status
from memcli.engine.moving import deleted_apart, landing, merging, moved_apart, purged
from memcli.engine.moving.deleted_apart import Sides
from memcli.engine.opened import Opened
from memcli.engine.task import said_lines
from memcli.engine.view import View
from memcli.engine.writer import Writer, writing
from memcli.errors import Refused, TryAgain
from memcli.journal import foreseen, joins, remotes, tree
from memcli.journal.joins import Stages
from memcli.journal.message import Message
from memcli.journal.remotes import Remote
from memcli.journal.repository import Journal
from memcli.memory.numerals import counted
from memcli.store import private, scan

_LINES: Final = ".jsonl"  # both sides' lines stand together, which is nothing to tell
PATIENCE: Final = 5  # asserted: times that a push is tried again because others pushed meanwhile


@dataclass(frozen=True, slots=True)
class Synced:
    """What came and what went.

    `received` and `sent` count commits; `changed` are memories whose files the merge changed or
    brought, `settled` files that both clones had changed, `withheld` files that arrived and say again
    what was removed, `unsaved` edits that were not sent. `commit` is where HEAD is.
    """

    remote: str
    received: int
    sent: int
    commit: str | None
    changed: int = 0
    settled: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    unsaved: int = 0


def run(opened: Opened, wanted: str | None = None) -> Synced:
    """Meet the clone `wanted` (None: the usual one).

    Raises TryAgain for conflicts that a person has to settle (listed; nothing is changed then) and
    while another merge is under way, Unavailable where the clone is out of reach, Refused, Usage.
    """
    journal = opened.journal
    with writing(opened, "sync") as writer:
        remote = remotes.chosen(journal, wanted)
        remotes.refuse_strange(journal)
        _refuse_project(journal)
        _refuse_merging(journal)
        _commit_said(writer)
        before = writer.view
        told = _met(writer, journal, remote)
        after = reconcile.bring_in_line(opened)
        opened.notices.extend([*after.notices, *_doubled(before, after)])
    return _told(opened, told, before, after)


def _refuse_project(journal: Journal) -> None:
    """Raise Refused where the branch is somebody's project: to merge and push that is not ours to do."""
    other = company.of(journal)
    if other:
        raise Refused(
            f"This store lies on a branch with other work ({other}).",
            "Use git pull and git push there; mem merge-driver --install makes merges smoother.",
        )


def _refuse_merging(journal: Journal) -> None:
    if (journal.found.git_dir / "MERGE_HEAD").exists():
        raise TryAgain(
            "A merge is in progress here; nothing was fetched.",
            "Finish it: git commit, or git merge --abort.",
        )


def _commit_said(writer: Writer) -> None:
    """Commit the lines of events that lie on the disk: what was said is for the other clone too."""
    waiting = said_lines.paths(writer.opened)
    edits = handmade.all_of(writer, waiting) if waiting else ()
    handmade.commit(writer, [one for one in edits if one.op == handmade.OBSERVE and not one.refused], "")
    if waiting and not said_lines.paths(writer.opened):
        said_lines.settled(writer.opened)


def _commit_graves(opened: Opened) -> None:
    """Commit the tombstones that a merge left: what was removed stays out over there as well."""
    writer = Writer(opened, reconcile.bring_in_line(opened))
    handmade.commit(writer, [one for one in handmade.graves(writer) if not one.needs_person], "")


def _met(writer: Writer, journal: Journal, remote: Remote) -> Synced:
    opened, view = writer.opened, writer.view
    received, left = 0, PATIENCE
    settled: list[str] = []
    while True:
        left -= 1
        head, tip = journal.head(), remotes.fetch(journal, remote)
        if head and tip and head != tip:
            base = remotes.parted(journal, head, tip)
            purged.refuse(journal, remote, head, tip)
            fresh = remotes.between(journal, head, tip)
            received += fresh
            if fresh:
                apart = deleted_apart.sides(opened, base, head, tip)
                settled += _merge(opened, remote, tip, apart)
                view = reconcile.bring_in_line(opened)
                if deleted_apart.restated(Writer(opened, view), apart):
                    view = reconcile.bring_in_line(opened)
        made = moved_apart.joined(opened, view)
        settled += made
        if made or view is not writer.view:
            _commit_graves(opened)
        head = journal.head()
        ahead = remotes.between(journal, tip, head)
        if not ahead:
            return Synced(remote.name, received, 0, head, settled=tuple(settled))
        if _handed_over(journal, remote, left):
            return Synced(remote.name, received, ahead, head, settled=tuple(settled))


def _handed_over(journal: Journal, remote: Remote, left: int) -> bool:
    """Push HEAD; False where others pushed meanwhile and it may be tried `left` more times."""
    try:
        remotes.push(journal, remote)
    except TryAgain:
        if not left:
            raise
        return False
    return True


def _merge(opened: Opened, remote: Remote, tip: str, apart: Sides) -> list[str]:
    """Merge `tip`; the files that both had changed."""

    def settle(one: Stages) -> bytes | None:
        return _settled(opened, apart, one)

    def said() -> Message:
        kept = deleted_apart.told(apart)
        return Message("sync", f"{remote.branch} of {remote.name}", actor=str(opened.actor), changes=kept)

    merge = foreseen.merge(opened.journal, tip, settle)
    if merge is not None and landing.land(opened, merge, tip, said):
        settled: Sequence[Stages] = merge.settled
    else:
        settled = _by_git(opened, tip, said, settle)
    return [one.path for one in settled if not one.path.endswith(_LINES)]


def _by_git(opened: Opened, tip: str, said: Callable[[], Message], settle: joins.Settle) -> Sequence[Stages]:
    """Have git merge `tip`: the files that were settled.

    If it is killed, the mark tells the next writer whose merge it was.
    """
    settled: list[Stages] = []

    def noted(one: Stages) -> bytes | None:
        raw = settle(one)
        if raw is not None:
            settled.append(one)
        return raw

    private.write(opened.place, opened.place.merging_file, tip.encode())
    try:
        joins.merge(opened.journal, tip, said, noted, actor_name=opened.actor.name)
    finally:
        private.remove(opened.place, opened.place.merging_file)
    return settled


def _settled(opened: Opened, apart: Sides, one: Stages) -> bytes | None:
    """A file in conflict as both sides mean it; one that a side deleted stays, as the other changed it."""
    ours = scan.is_schema_path(one.path) or one.path.endswith(_LINES)
    if not ours:
        return None
    if one.ours is None or one.theirs is None:
        return one.ours if one.theirs is None else one.theirs
    began = one.base
    if began is None and (here := filing.understand(opened, one.path, one.ours).schema):
        began = deleted_apart.began(apart, here)
    found = merging.merged(opened.journal.git, one.path, began, one.ours, one.theirs)
    return found.raw if found.clean else None


def _doubled(before: View, after: View) -> Iterator[str]:
    """What is said of memories that came to stand in two files, without a name of another scope."""
    many = len({*status.duplicates(after.known)} - {*status.duplicates(before.known)})
    if many:
        stand = counted(many, "memory stands in two files", "memories stand in two files each")
        yield f"{stand}, as both sides moved it: mem check names them; delete one of them."


def _told(opened: Opened, told: Synced, before: View, after: View) -> Synced:
    head, was = after.head, before.head
    changed = 0
    if head and was and head != was:
        now, then = tree.blobs(opened.journal, head), tree.blobs(opened.journal, was)
        changed = sum(1 for path in {*now, *then} if path.endswith(".md") and now.get(path) != then.get(path))
    held = after.confirmed.withheld - before.confirmed.withheld
    return Synced(
        told.remote,
        told.received,
        told.sent,
        told.commit,
        changed,
        tuple(one for one in dict.fromkeys(told.settled) if (opened.place.root / one).exists()),
        tuple(sorted(held)),
        len(after.dirty),
    )
