"""A purge on one side of a meeting: to merge the two histories would bring back what it took out."""

from memcli.errors import HistoryCut
from memcli.journal import discarding, purges
from memcli.journal.remotes import Remote
from memcli.journal.repository import Journal


def refuse(journal: Journal, remote: Remote, head: str, tip: str) -> None:
    """Raise HistoryCut where either side still holds what the other one purged; nothing is merged then."""
    for one in purges.between(journal, head, tip):
        if purges.kept_by(journal, one, head):
            raise HistoryCut(
                f"{remote.name} purged {', '.join(one.ids)} ({one.actor}), and the history here still holds "
                "it; nothing was merged.",
                f"Follow it: {_follow(journal, remote, head, tip)}",
            )
    for one in purges.between(journal, tip, head):
        if purges.kept_by(journal, one, tip):
            discarding.move(journal, [(remote.ref, tip, "")])
            discarding.let_go(journal)  # what was fetched holds it, too
            lease = f"--force-with-lease={remote.branch}:{tip}"
            raise HistoryCut(
                f"{', '.join(one.ids)} was purged here, and {remote.name} still holds it; nothing was "
                "merged.",
                f"Let it follow: git push {lease} {remote.name} {remote.branch}",
            )


def _follow(journal: Journal, remote: Remote, head: str, tip: str) -> str:
    """What a clone does that still has the old history; commits of its own are put on the new one."""
    there = remote.ref.removeprefix("refs/remotes/")
    own = purges.own(journal, tip, head)
    first = f"git rebase --onto {there} {own}" if own else f"git reset --keep {there}"
    return f"{first}; mem audit --accept; git reflog expire --expire=now --all; git gc --prune=now"
