"""History as steps to replay: which files of memories each commit turned from what to what.

Every state of a file is read once, by its blob. Where the repository is somebody's project,
its other files are not asked for; but each commit is, since an entry may have changed no file.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from memcli.engine import filing
from memcli.engine.auditing.replay import State, Step, Turned
from memcli.engine.opened import Opened
from memcli.journal import history, tree
from memcli.journal import message as messages
from memcli.journal.log import Logged, Touched, walk
from memcli.store import scan

Report = Callable[[int, int], None]
_SCHEMAS: Final = "schemas"
_AT_ONCE: Final = 2000  # states of files read by one git process: asserted, some MB
_ORDER: Final = ("--topo-order", "--reverse")


def steps(opened: Opened, tip: str, report: Report | None = None) -> tuple[Step, ...]:
    """Every commit that `tip` (a full id) reaches, parents first."""
    journal = opened.journal
    touched = {commit: tuple(_schemas(opened, one)) for commit, one in _touched(opened, tip)}
    states = _states(opened, touched.values(), report)
    times = history.record_times(journal, tip)
    boundary = journal.boundary()
    made = []
    for one in walk(journal.git, "%H %P%n%an%n%B", *_ORDER, "--end-of-options", tip):
        head, author, text = one.text.split("\n", 2)
        commit, *parents = head.rstrip(" ").split(" ")
        said = messages.read(text)
        made.append(
            Step(
                commit=commit,
                parents=() if commit in boundary else tuple(parents),
                at=times[commit],
                author=author,
                op=said.op if said else "",
                stated=said.changes if said else (),
                files=tuple(_turned(path, file, states) for path, file in touched.get(commit, ())),
                edge=commit in boundary,
            )
        )
    return tuple(made)


def _touched(opened: Opened, tip: str) -> Iterator[tuple[str, Logged]]:
    """Commit → the files of memories in which it differs from its first parent."""
    words = ("--raw", "--no-renames", "--diff-merges=first-parent", "--full-history", "--no-follow")
    for one in walk(opened.journal.git, "%H", *words, *_ORDER, "--end-of-options", tip, "--", _SCHEMAS):
        yield one.text.strip(), one


def _schemas(opened: Opened, logged: Logged) -> Iterator[tuple[str, Touched]]:
    prefix = opened.journal.prefix
    for one in logged.touched:
        path = one.path.removeprefix(prefix)
        if one.path.startswith(prefix) and scan.is_schema_path(path):
            yield path, one


def _states(
    opened: Opened, touched: Iterable[Sequence[tuple[str, Touched]]], report: Report | None
) -> dict[tuple[str, str], State]:
    """(path, blob) → what the file says there."""
    wanted = sorted({(path, blob) for some in touched for path, one in some for blob in _blobs(one)})
    found: dict[tuple[str, str], State] = {}
    for start in range(0, len(wanted), _AT_ONCE):
        pairs = wanted[start : start + _AT_ONCE]
        contents = tree.read_blobs(opened.journal, {blob for _, blob in pairs})
        found |= {(path, blob): _state(opened, path, contents[blob]) for path, blob in pairs}
        if report:
            report(len(found), len(wanted))
    return found


def _blobs(one: Touched) -> Iterator[str]:
    yield from (blob for blob in (one.before, one.blob) if blob.strip("0"))


def _state(opened: Opened, path: str, raw: bytes) -> State:
    schema = filing.understand(opened, path, raw).schema
    return State(schema.id, schema.status.value) if schema else State("", "")


def _turned(path: str, one: Touched, states: dict[tuple[str, str], State]) -> Turned:
    return Turned(path, states.get((path, one.before)), states.get((path, one.blob)))
