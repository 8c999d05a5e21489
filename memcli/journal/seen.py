"""Remembers the last head that was seen of each branch, so that rewritten history is noticed.

After a forced push or a reset, answers about what was known when would come from another
history than the one that was known. The old head stays in `refs/mem/seen/<branch>`: named,
and safe from being pruned, until a person accepts the new history.
"""

from memcli.errors import Unavailable
from memcli.journal import locks, refs, staging
from memcli.journal.repository import Journal


def last(journal: Journal) -> str | None:
    """The head that was last seen of the branch in use, None where none was (or HEAD is detached)."""
    ref = _ref(journal)
    if ref is None:
        return None
    if journal.standing().plain:
        return refs.value(journal.found, ref)
    ran = journal.git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", ref)
    return ran.out.decode().strip() or None if ran.code == 0 else None


def rewritten(journal: Journal) -> str | None:
    """The head seen last where HEAD no longer descends from it, else None."""
    seen, head = last(journal), journal.head()
    if seen is None or seen == head:
        return None
    from memcli.journal.history import descends  # most histories were never rewritten

    return seen if head is None or not descends(journal, head, seen) else None


def advance(journal: Journal) -> None:
    """Note HEAD as seen, unless history was rewritten since the last time."""
    if rewritten(journal) is None:
        accept(journal)


def accept(journal: Journal) -> None:
    """Note HEAD as seen, whatever was seen before: a person's act after a rewrite."""
    head = journal.head()
    if head is not None:
        hold(journal, head)


def hold(journal: Journal, head: str) -> None:
    """Note the commit `head` as the last one seen of the branch in use; a detached HEAD has none."""
    ref = _ref(journal)
    if ref is None:
        return
    words = ("-c", "core.hooksPath=/dev/null", "update-ref", "--end-of-options", ref, head)
    ran = journal.git.act(*words)
    if staging.busy(ran):
        locks.let_go_old(journal, ref)
        ran = journal.git.act(*words)
    if ran.code:
        raise Unavailable(f"git could not note what was seen: {ran.complaint}", "Run `git fsck`.")


def _ref(journal: Journal) -> str | None:
    branch = journal.branch()
    return f"refs/mem/seen/{branch}" if branch else None
