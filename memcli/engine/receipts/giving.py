"""A receipt made of an answer that was just given.

What it says of files it takes from the commit that the answer was read from. Where a file
lay on the disk otherwise, no commit can give the answer again: such paths are listed, and
the receipt says by that why it cannot be replayed.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256

from memcli.engine.opened import Opened
from memcli.engine.recalling.answer import Answer, Item, Saying
from memcli.engine.recalling.asking import Request
from memcli.engine.receipts import fingerprint, output
from memcli.errors import Unavailable
from memcli.journal import tree
from memcli.memory import receipt, scope, times
from memcli.memory.constants import SCALE
from memcli.memory.receipt import Receipt
from memcli.memory.scope import Scope
from memcli.store import secrets

RECALL, ACTIVATE = "recall", "activate"


@dataclass(frozen=True, slots=True)
class Given:
    """An answer and the question to it; what a task was laid out with has warnings and procedures beside it.

    `procedures` are names with the paths of their files. `session` is empty outside one.
    """

    request: Request
    answer: Answer
    session: str = ""
    of: str = RECALL
    warnings: tuple[Item, ...] = ()
    procedures: tuple[tuple[str, str], ...] = ()


def receipt_of(opened: Opened, given: Given) -> Receipt:
    """The receipt of an answer."""
    request, then = given.request, given.answer.then
    asked = {"as_of": _moment(request.as_of), "known_at": request.known_at, "gate": request.gate}
    return stated(opened, given, asked, None if then is None else times.show(then.at))


def stated(opened: Opened, given: Given, asked: Mapping[str, object], known_at: str | None) -> Receipt:
    """The same with what was `asked` of the two times as it was asked at first."""
    given, masked = _fit_to_keep(given)
    return receipt.made(
        {
            **_question(opened, given),
            **_record(opened, given),
            **_found(given.answer),
            "masked": masked,
            "asked": asked,
            "known_at": known_at,
            "settings": fingerprint.of_settings(opened.settings),
            "engine": fingerprint.of_engine(opened),
            "session": given.session or None,
            "output": _output(given),
        }
    )


def _fit_to_keep(given: Given) -> tuple[Given, bool]:
    """The question without credentials, and whether there was one: a receipt lies on the disk."""
    query, patterns = secrets.masked(given.request.query)
    if not patterns:
        return given, False
    request, answer = replace(given.request, query=query), replace(given.answer, query=query)
    return replace(given, request=request, answer=answer), True


def _question(opened: Opened, given: Given) -> dict[str, object]:
    request, answer, chosen = given.request, given.answer, opened.settings
    return {
        "of": given.of,
        "query": request.query,
        "scope": answer.scope,
        "mode": answer.mode,
        "k": chosen.k if request.k is None else request.k,
        "budget": chosen.budget_tokens if request.budget is None else request.budget,
        "floor": None if request.floor is None else repr(request.floor),
        "types": list(request.types),
        "tags": list(request.tags),
        "evidence": request.evidence,
        "events": request.events,
        "frame": [request.overhead_tokens, request.line_overhead_tokens],
        "as_of": times.show(answer.as_of),
    }


def _found(answer: Answer) -> dict[str, object]:
    held, gate = answer.withheld, answer.gate
    return {
        "outcome": answer.outcome,
        "tokens": answer.tokens,
        "stale": answer.stale,
        "withheld": {
            "count": held.count,
            "top": _whole(held.top_score),
            "threshold": _whole(held.threshold),
            "by": dict(held.by),
        },
        "gate": gate
        and {
            "retrieve": gate.retrieve,
            "reason": str(gate.reason),
            "evidence": _whole(gate.evidence),
            "threshold": _whole(gate.threshold),
        },
    }


def _record(opened: Opened, given: Given) -> dict[str, object]:
    """Which commit the answer was read from, what on the disk was otherwise, and what was shown of it."""
    answer = given.answer
    shown: tuple[Item | Saying, ...] = (*given.warnings, *answer.items, *answer.said)
    paths = [*(one.path for one in shown), *(path for _, path in given.procedures)]
    root, blobs = None, dict.fromkeys(paths)
    with suppress(Unavailable):  # git is damaged: the answer stands, and its receipt cannot be replayed
        if answer.commit is not None:
            root, blobs = tree.named(opened.journal, answer.commit, paths)
    uncommitted = _uncommitted(opened, given)
    blobs |= dict.fromkeys(uncommitted)
    return {
        "commit": answer.commit,
        "tree": root,
        "uncommitted": uncommitted,
        "selected": [_selected(rank, one, blobs) for rank, one in enumerate(shown, 1)],
        "procedures": [{"name": name, "path": path, "blob": blobs[path]} for name, path in given.procedures],
    }


def _selected(rank: int, one: Item | Saying, blobs: Mapping[str, str | None]) -> dict[str, object]:
    kind, id_ = ("schema", one.schema.id) if isinstance(one, Item) else ("event", one.event.id)
    return {
        "rank": rank,
        "kind": kind,
        "id": id_,
        "blob": blobs[one.path],
        "score": _whole(one.score),
        "match": _whole(one.match),
        "vector": _whole(one.vector),
        "lexical": _whole(one.lexical),
        "via": one.via,
    }


def _whole(share: float | None) -> int | None:
    """A share in whole 1/SCALE: a receipt holds no fractions."""
    return None if share is None else round(share * SCALE)


def _uncommitted(opened: Opened, given: Given) -> list[str]:
    """The paths that may have told in the answer and that its commit holds otherwise; no other scope's."""
    answer = given.answer
    if answer.then is not None:
        return []
    seen = None if answer.scope == "*" else scope.parse(answer.scope).seen
    shown = {one.path for one in (*given.warnings, *answer.items)}
    found = {path for path in answer.uncommitted if path in shown or _within(path, seen)}
    if given.request.events != "none":
        found |= set(_said(opened, seen))
    return sorted(found)


def _within(path: str, seen: Sequence[Scope] | None) -> bool:
    return seen is None or scope.of_folder(tuple(path.split("/")[1:-1])) in seen


def _said(opened: Opened, seen: Sequence[Scope] | None) -> Iterator[str]:
    """The event files with turns that `seen` may read and that no commit holds as they are."""
    from memcli.engine.task import said_lines

    if opened.readable_journal is None or not said_lines.marked(opened):
        return
    from memcli.store import events

    for path in said_lines.paths(opened):
        said = events.read(opened.place, path).events
        if any(one.kind is events.Kind.TURN and (seen is None or one.scope in seen) for one in said):
            yield path


def _output(given: Given) -> dict[str, object]:
    raw = output_of(given)
    return {"sha256": sha256(raw).hexdigest(), "bytes": len(raw)}


def output_of(given: Given) -> bytes:
    """The bytes that the receipt is about."""
    if given.of == ACTIVATE:
        return output.of_activate(given.answer, given.warnings)
    return output.of_recall(given.answer, given.request.evidence)


def _moment(seconds: int | None) -> str | None:
    return None if seconds is None else times.show(seconds)
