"""Files that only grow: whether a commit took lines out of one.

To read every state of a file of events would cost the square of its length. So of what mem
committed only the sizes are compared, and what was committed by hand is read line by line.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from memcli.engine.auditing.findings import Finding, Sort
from memcli.engine.auditing.replay import Step
from memcli.engine.opened import Opened
from memcli.journal import tree
from memcli.journal.log import Touched, walk
from memcli.store import events, tombstones

_KEPT: Final = ("events", tombstones.PATH)


def lost(opened: Opened, steps: Sequence[Step]) -> tuple[Finding, ...]:
    """The commits after which lines are gone that their first parent held."""
    if not steps:
        return ()
    by_commit = {one.commit: one for one in steps}
    touched = {
        commit: files for commit, files in _touched(opened, steps[-1].commit) if not by_commit[commit].edge
    }
    sizes = tree.sizes(
        opened.journal, {blob for some in touched.values() for one in some for blob in _blobs(one)}
    )
    found = []
    for step in steps:
        for one in touched.get(step.commit, ()):
            gone = _gone(opened, step, one, sizes)
            if gone:
                path = one.path.removeprefix(opened.journal.prefix)
                found.append(Finding(Sort.LINES, step.commit, step.at, step.author, path, why=gone))
    return tuple(found)


def _touched(opened: Opened, tip: str) -> Iterator[tuple[str, tuple[Touched, ...]]]:
    """Commit → the files that only grow and that were there before it."""
    words = ("--raw", "--no-renames", "--diff-merges=first-parent", "--full-history", "--end-of-options", tip)
    for one in walk(opened.journal.git, "%H", *words, "--", *_KEPT):
        files = tuple(file for file in one.touched if file.before.strip("0") and _grows(opened, file))
        if files:
            yield one.text.strip(), files


def _grows(opened: Opened, file: Touched) -> bool:
    path = file.path.removeprefix(opened.journal.prefix)
    return path == tombstones.PATH or events.is_path(path)


def _blobs(one: Touched) -> tuple[str, ...]:
    return tuple(blob for blob in (one.before, one.blob) if blob.strip("0"))


def _gone(opened: Opened, step: Step, one: Touched, sizes: Mapping[str, int]) -> str:
    """What is gone from the file, in words; empty where nothing is."""
    if not one.blob.strip("0"):
        return "the file was removed"
    if step.op and sizes.get(one.blob, 0) >= sizes.get(one.before, 0):
        return ""
    contents = tree.read_blobs(opened.journal, _blobs(one))
    missing = len(set(contents[one.before].split(b"\n")) - set(contents[one.blob].split(b"\n")))
    return "" if not missing else "1 line is gone" if missing == 1 else f"{missing} lines are gone"
