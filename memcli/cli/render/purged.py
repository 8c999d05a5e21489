"""What a purge would take out and what would stay, before it is done; and what clones must do afterwards."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line

if TYPE_CHECKING:
    from memcli.engine.purging.planning import Plan
    from memcli.engine.purging.purge import Purged


def lines(plan: "Plan") -> Iterator[tuple[Piece, ...]]:
    """The preview for a person."""
    for one in plan.memories:
        beside = "" if one.asked else "  its file is gone, and it said the same"
        yield (one.id, "name"), f"  {one.status}  {one.scope}", (beside, "dim")
        yield (one_line(one.claim),)
    yield from comes_to(plan)


def comes_to(plan: "Plan") -> Iterator[tuple[Piece, ...]]:
    """What goes with them, what stays, and the digest of it."""
    for what in (*_goes(plan), *_stays(plan)):
        yield (what,)
    yield ("Digest ", "dim"), (plan.digest, "strong")


def _goes(plan: "Plan") -> Iterator[str]:
    lost = [one.id for one in plan.memories if not one.asked]
    if lost:
        yield f"Goes with it: {', '.join(lost)}, whose file is gone and which said the same."
    states = sum(len(one.states) for one in plan.memories)
    yield f"Goes: {_many(states, 'recorded version')}, {_many(len(plan.files), 'file')} on the disk changed."
    if plan.said.whole or plan.said.part:
        whole, part = len(plan.said.whole), len(plan.said.part)
        yield f"Events: {_many(whole, 'text')} as a whole, a passage in {_many(part, 'other')}."
    yield f"History: {_many(plan.commits, 'commit')} of {plan.all_commits} written anew, with new ids."
    if plan.work.rewritten.signatures:
        yield f"{_many(plan.work.rewritten.signatures, 'signature')} of those commits cannot be kept."
    if plan.shared:
        yield "This repository holds more than the store: everybody who works in it has to follow."
    for name, refs in (
        ("Rewritten with --all-refs", plan.names.others),
        ("Forgotten with it", plan.names.remotes),
    ):
        if refs:
            yield f"{name}: {', '.join(one.name.removeprefix('refs/') for one in refs)}"
    yield "Old objects that nothing names any more are removed from this repository."


def _stays(plan: "Plan") -> Iterator[str]:
    if plan.said.kept:
        yield (
            f"Stays: {_many(len(plan.said.kept), 'event')} that it rests on and that say it in other words "
            "(--with-evidence takes them, too)."
        )
    if plan.said.shared:
        yield f"Stays: {_many(len(plan.said.shared), 'event')} that other memories rest on, too."
    if plan.also:
        yield f"Stays: what says the same elsewhere: {', '.join(plan.also)}."
    if plan.elsewhere:
        yield f"In the way: another working tree holds it: {', '.join(plan.elsewhere)}."
    yield "Afterwards the very words are known again and kept out; a paraphrase is not."


def remains(done: "Purged") -> Iterator[tuple[Piece, ...]]:
    """Beside the answer: the commit, and what is still to be done elsewhere."""
    yield ((f"Commit {done.commit[:10]}. This cannot be taken back.", "dim"),)
    for line in elsewhere(done):
        yield (line,)


def elsewhere(done: "Purged") -> Sequence[str]:
    """What is left to do about copies that mem cannot reach."""
    branch, old = done.plan.branch, done.plan.head
    if not done.remotes:
        return ("Remains: copies that were made of this store elsewhere; purge there, too.",)
    pushes = [
        f"Remains: {name} may hold it. git push --force-with-lease={branch}:{old} {name} {branch}"
        for name in done.remotes
    ]
    return (
        *pushes,
        f"Then in every clone: {follow(done.remotes[0], branch, old)}.",
    )


def plan_json(plan: "Plan") -> dict[str, object]:
    """The object of `mem.purge/1` for a preview; `commit` is null."""
    return {
        "format": "mem.purge/1",
        "digest": plan.digest,
        "commit": None,
        "memories": [
            {
                "id": one.id,
                "scope": str(one.scope),
                "status": one.status,
                "path": one.path or None,
                "versions": len(one.states),
                "asked": one.asked,
            }
            for one in plan.memories
        ],
        "files": sorted(plan.files),
        "events": {
            "whole": sorted(plan.said.whole),
            "part": sorted(plan.said.part),
            "kept": list(plan.said.kept),
            "shared": list(plan.said.shared),
        },
        "commits": plan.commits,
        "of_commits": plan.all_commits,
        "signatures": plan.work.rewritten.signatures,
        "refs": [one.name for one in plan.names.ours],
        "other_refs": [one.name for one in (*plan.names.others, *plan.names.remotes)],
        "also": list(plan.also),
        "elsewhere": list(plan.elsewhere),
        "remains": [],
    }


def done_json(done: "Purged") -> dict[str, object]:
    """The object of `mem.purge/1` for what was done."""
    return plan_json(done.plan) | {"commit": done.commit, "remains": list(elsewhere(done))}


def _many(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"


def follow(remote: str, branch: str, old: str) -> str:
    """What a clone does that still has the history which `old` was the head of."""
    return (
        f"git fetch, git reset --keep {remote}/{branch} (with commits of its own: git rebase --onto "
        f"{remote}/{branch} {old[:12]}), git reflog expire --expire=now --all, git gc --prune=now"
    )
