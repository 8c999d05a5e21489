"""Purge: a person takes out what a memory said, from the files and from all of history.

What comes after is not this store with a hole in it, but one in which it was never said: the
journal keeps that there was a memory of this id, and by whom it was taken out.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from memcli.engine import reconcile, recovery, sealing
from memcli.engine.opened import Opened
from memcli.engine.purging import cleaning, finishing, planning
from memcli.engine.purging.planning import Plan, Request
from memcli.engine.reconcile import Progress
from memcli.errors import MemError, Refused, TryAgain
from memcli.journal import commit as commits
from memcli.journal import discarding, purges, remotes, tree
from memcli.journal.message import Change, Message
from memcli.journal.rewriting import Rewriting, Rewritten
from memcli.memory.redaction import MARK
from memcli.memory.schema import GONE
from memcli.store import events, format, lock, purging, tombstones
from memcli.store.purging import Note
from memcli.surroundings import Kind


@dataclass(frozen=True, slots=True)
class Purged:
    """What was done: the commit that says so, and the plan that was carried out.

    `remotes` are the clones known here that may still hold it.
    """

    plan: Plan
    commit: str
    remotes: tuple[str, ...] = ()


def preview(opened: Opened, request: Request) -> Plan:
    """What a purge would come to; changes nothing. Raises as `planning.plan`, Refused for an agent."""
    if opened.actor.kind is not Kind.HUMAN:
        raise Refused("Looking at what a purge would take out is a person's choice.", "Tell the person why.")
    return planning.plan(opened, request)


def run(opened: Opened, request: Request, expected: str) -> Purged:
    """Purge, if it comes to what was `expected` (the digest of a preview); the caller has a person's word.

    Raises TryAgain where the store is another one by now, Refused, HistoryCut, Unavailable.
    """
    opened.journal.ready()
    with lock.hold(opened.place, wait_s=opened.settings.lock_wait_s, holder="purge"):
        recovery.recover(opened)
        recovery.unmerge(opened)
        made = planning.plan(opened, request)
        refuse(made, expected)
        commit = _carried_out(opened, made)
    return Purged(made, commit, remotes.names(opened.journal))


def refuse(made: Plan, expected: str) -> None:
    """Raise TryAgain where the plan is not what was `expected`, Refused for what nobody has agreed to.

    Asked before anything is done about it, and once more under the lock.
    """
    if made.digest != expected:
        raise TryAgain(
            "The store is not as it was in that preview; nothing was purged.",
            f"Look at it again: mem purge --dry-run {' '.join(made.request.ids)}",
        )
    planning.refuse(made)


def _carried_out(opened: Opened, made: Plan) -> str:
    journal = opened.journal
    deciding = made.work.deciding
    work = Rewriting(journal, deciding.keep, deciding.message)
    rewritten = work.run(made.work.tips)
    commit = _commit(opened, made, rewritten)
    moves = _moves(made, work, rewritten, commit)
    files = {**made.files, **cleaning.private_files(opened, made.work.deciding)}
    versions = [schema for one in made.memories for schema in one.versions]
    touched = {*made.said.whole, *made.said.part}
    cleaning.take_vectors(opened, made.work.deciding, versions, touched)
    note = Note(
        ids=tuple(one.id for one in made.memories),
        commit=commit,
        moves=moves,
        commits=rewritten.commits,
        logs=_logs(opened, made, rewritten.commits),
        files={path: (format.digest(before), after) for path, (before, after) in files.items()},
    )
    purging.begin(opened.place, note)
    try:
        finishing.finish(opened, note)
    except TryAgain:
        purging.end(opened.place)  # nothing was done, and the person is told so
        raise
    return commit


def _commit(opened: Opened, made: Plan, rewritten: Rewritten) -> str:
    """The commit that says what was purged, on the rewritten head, with the tombstones."""
    head = rewritten.of(made.head)
    said = Message(
        purges.OP,
        MARK,
        changes=tuple(Change(one.id, one.status or GONE, "forgotten") for one in made.memories),
        actor=str(opened.actor),
        rule=purges.rule(made.head, rewritten.first),
        tx=events.new_id(opened.now_ms, bytes.fromhex(made.digest[:10]) + bytes(5)),
    )
    path = tombstones.PATH
    raw = made.work.deciding.buried(tree.read(opened.journal, made.head, [path])[path] or b"")
    seal = sealing.seal(opened, said.op, said.changes)
    return commits.built(opened.journal, head, {path: raw}, said, actor_name=opened.actor.name, seal=seal)


def _moves(
    made: Plan, work: Rewriting, rewritten: Rewritten, commit: str
) -> tuple[tuple[str, str, str], ...]:
    own = f"refs/heads/{made.branch}"
    found = {own: (own, made.head, commit)}
    for ref in (*made.names.ours, *made.names.others):
        if ref.name != own:
            tagged = ref.kind == "tag"
            new = work.tag(ref.target, rewritten.commits) if tagged else rewritten.of(ref.target)
            found[ref.name] = ref.name, ref.target, new
    for ref in made.names.remotes:
        found[ref.name] = ref.name, ref.target, ""
    return tuple(found.values())


def _logs(opened: Opened, made: Plan, commits_: Mapping[str, str]) -> dict[str, tuple[int, bytes]]:
    """Each reflog as it is to be: new commits for old ones, and no word of what goes."""
    after = {}
    for path, raw in discarding.logs(opened.journal).items():
        lines = (discarding.mapped(line, commits_) for line in raw.splitlines(keepends=True))
        new = b"".join(_without_words(made, line) for line in lines)
        after[path] = len(raw), new
    return after


def _without_words(made: Plan, line: bytes) -> bytes:
    head, tab, said = line.partition(b"\t")
    text = made.work.deciding.message(said.decode("utf-8", "surrogateescape"))
    return head + tab + text.encode("utf-8", "surrogateescape")


def follow(opened: Opened, progress: Progress | None = None) -> None:
    """Make what was cleared anew; a failure is told of, since the purge itself is done."""
    try:
        with lock.hold(opened.place, wait_s=opened.settings.lock_wait_s, holder="purge"):
            reconcile.bring_in_line(opened, progress)
    except (MemError, OSError) as error:
        opened.notices.append(f"The index could not be made anew: {error} The next command does it.")
