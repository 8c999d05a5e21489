"""What a consolidation did, or would do: numbers for everybody, the reasons for whoever asks."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line
from memcli.memory.numerals import counted

if TYPE_CHECKING:
    from memcli.engine.consolidation.consolidate import Consolidated
    from memcli.engine.consolidation.deciding import Step
    from memcli.memory.scope import Scope

_WHAT: Final = 12  # columns that the kind of a step gets
_WORDS: Final = {
    "created": "believed",
    "staged": "staged: kept on trial",
    "archived": "archived: not salient enough",
    "reinforced": "said again, evidence added",
    "review": "put to review",
    "skipped": "not taken: they say again what was removed",
    "refused": "refused",
    "covered": "not proposed: something says it already",
    "promoted": "promoted: a later session says so",
    "expired": "archived: nothing resonated in time",
    "related": "pairs linked as related",
    "duplicate": "archived as exact duplicates",
    "stage": "moved on the ladder",
    "kept": "left as a person edited them",
    "superseded": "took another one's place",
    "echo": "turns sifted out: echoes of what recall showed",
    "machine": "turns sifted out: a tool or the system said them",
    "noise": "turns sifted out: greetings, acknowledgements, what is being done",
    "memory": "turns sifted out: about the memory itself",
}


def lines(done: "Consolidated") -> Iterator[tuple[Piece, ...]]:
    """For a person at a terminal."""
    if not done.due:
        yield (f"Nothing is due: {counted(done.exchanges, 'closed exchange')} of {done.batch}.",)
        return
    if done.busy:
        yield ("Another process is at it.",)
        return
    if not (done.events or done.counts):
        yield ("Nothing is new.",)
        return
    would = "Would digest " if done.dry_run else "Digested "
    again = f", {done.again} of them again" if done.again else ""
    of = f" of {counted(done.sessions, 'session')}" if done.sessions else ""
    yield would, (counted(done.events, "event"), "strong"), f"{of}{again}."
    for what, many in _counted(done):
        yield f"  {many:>5}  ", _WORDS.get(what, what)
    for path in done.left:
        yield "  left for later, a file that it concerns has edits: ", path


def rows(done: "Consolidated") -> Iterator[tuple[str, str]]:
    """For a pipe: what, and how often."""
    if not done.due or done.busy:
        return
    yield "events", str(done.events)
    yield from ((what, str(many)) for what, many in _counted(done))


def _counted(done: "Consolidated") -> Iterator[tuple[str, int]]:
    yield from done.counts.items()
    yield from done.caught.items()


def told(done: "Consolidated", seen: "Collection[Scope]") -> Iterator[tuple[Piece, ...]]:
    """Each step for a person: what became of which memory, and below it why."""
    for what, id_, of, why, text in steps(done, seen):
        yield "  ", (f"{what:<{_WHAT}}", "strong"), (id_, "name"), "  " if id_ else "", text or of
        yield " " * (_WHAT + 2), (why, "dim")


def steps(done: "Consolidated", seen: "Collection[Scope]") -> Iterator[tuple[str, ...]]:
    """Each step as cells: what, id, of, why, claim. Of other scopes than those `seen` no text and no id."""
    for one in (*done.steps, *done.sifted):
        told = _told(one, seen)
        yield told["what"] or "", told["id"] or "", told["of"] or "", told["why"] or "", told["text"] or ""


def _told(one: "Step", seen: "Collection[Scope]") -> dict[str, str | None]:
    here = one.scope in seen
    return {
        "what": one.what,
        "id": one.id if here else None,
        "of": one.of or None if here else None,
        "event": one.event or None if here else None,
        "why": one_line(one.why) if here else "in another scope",
        "text": one_line(one.claim) or None if here else None,
    }


def as_json(done: "Consolidated", seen: "Collection[Scope]", *, explain: bool) -> dict[str, object]:
    """The object of `mem.consolidate/1`."""
    told: dict[str, object] = {
        "format": "mem.consolidate/1",
        "commit": done.commit,
        "dry_run": done.dry_run,
        "busy": done.busy,
        "due": done.due,
        "exchanges": done.exchanges,
        "batch": done.batch,
        "events": done.events,
        "sessions": done.sessions,
        "again": done.again,
        "counts": done.counts,
        "sifted_out": done.caught,
        "episodes": done.episodes,
        "prototypes": done.prototypes,
        "left": list(done.left),
    }
    if explain:
        told["steps"] = [_told(one, seen) for one in (*done.steps, *done.sifted)]
    return told
