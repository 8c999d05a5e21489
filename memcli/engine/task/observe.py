"""Observe: what was said becomes events, each kept once, and nothing is decided yet.

The danger is a chat that holds a secret: it would stay for ever, so what looks like one is
taken out before anything is written. What follows from the turns is for consolidation.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from memcli.engine.opened import Opened
from memcli.engine.recalling import heard
from memcli.engine.task import belonging, spoken
from memcli.engine.task.appending import Appender, appending
from memcli.engine.task.sifting import STDIN, Whose, sift
from memcli.errors import MemError, Usage
from memcli.memory import scope as scopes
from memcli.memory.scope import Scope
from memcli.memory.turn import Role, Turn
from memcli.store import secrets, sessions
from memcli.store.events import Event
from memcli.store.sessions import Session

Progress = Callable[[int, int], None]
LONGEST_BYTES: Final = 1 << 20  # of a turn as its line has it: as much as a memory's file
CHUNK: Final = 1000  # asserted: events written and synced at once, and between two reports of progress


@dataclass(frozen=True, slots=True)
class Observed:
    """What was taken in from one text or transcript, for one session (empty: none).

    `ids` are those of the events, in order, that the turns have now; `known` of them were there
    before. `secrets` counts what was taken out, by pattern; `refused` are lines that answer for
    themselves; `passed_over` counts lines of a transcript that nobody understands.
    """

    session: str
    scope: str
    ids: tuple[str, ...] = ()
    known: int = 0
    secrets: Mapping[str, int] = field(default_factory=dict)
    refused: tuple[MemError, ...] = ()
    path: str = ""
    passed_over: int = 0

    @property
    def events(self) -> int:
        """How many events were appended."""
        return len(self.ids) - self.known


def run(opened: Opened, text: str, usual: Turn, progress: Progress | None = None) -> Observed:
    """Take in what `text` says, as `spoken.read` reads it. Raises Usage for a blank text, Refused."""
    said = tuple(spoken.read(text, opened.settings.timezone, usual))
    if not said:
        raise Usage("There is nothing to observe: the text is blank.", "For example: … | mem observe -")
    session = _session(opened)
    scope = session.scope if session else opened.scope
    belonging.refuse_other_scope(opened, opened.scope)
    whose = Whose(session.id if session else "", scope, STDIN)
    return take(opened, whose, said, progress)


def _session(opened: Opened) -> Session | None:
    """The session of this command; one that is named and not open is opened, so that it is ended once.

    It has no folder, so nothing that does not name it belongs to it.
    """
    named = sessions.named(opened)
    found = sessions.current(opened)
    if found is not None or not named:
        return found
    made = Session(
        id=named,
        scope=opened.scope,
        cwd="",
        actor=str(opened.actor),
        task="",
        goal="",
        continuity="",
        opened=opened.now,
        last=opened.now,
    )
    sessions.save(opened.place, made)
    return made


def transcripts(  # noqa: PLR0913 - what a person may ask of transcripts
    opened: Opened, client: str, path: Path, *, every_scope: bool, dry_run: bool, progress: Progress | None
) -> Iterator[Observed]:
    """Take in the transcripts of `client` at `path`, each for the session that it is of.

    With `every_scope` each goes where its own working directory belongs, else all to the scope
    of this command. Raises Usage where there is none.
    """
    from memcli.engine.task import transcripts as found

    files = found.found(client, path)
    fresh = 0
    for nth, file in enumerate(files, start=1):
        one = found.read(client, file)
        scope = _scope_of(opened, one.cwd) if every_scope else opened.scope
        whose = Whose(one.session, scope, client, sessions.files(opened.place, one.session), nth)
        if not one.turns:
            took = Observed(one.session, str(scope))
        else:
            took = take(opened, whose, one.turns, progress if len(files) == 1 else None, dry_run=dry_run)
        if progress and len(files) > 1:
            progress(nth, len(files))
        fresh += took.events
        yield replace(took, path=str(file), passed_over=one.passed_over)
    if fresh > heard.MANY and not dry_run:
        heard.follow(opened, progress)


def _scope_of(opened: Opened, cwd: str) -> Scope:
    """The scope of the folder that a transcript names; of one that is gone, by its name."""
    from memcli.store import working_scope

    folder = Path(cwd)
    if not cwd or not folder.is_absolute():
        return opened.scope
    scope = working_scope.of(folder, opened.settings, opened.place, home=opened.surroundings.home)
    if folder.is_dir() or scope != scopes.USER:
        return scope
    try:
        return scopes.parse(f"{working_scope.KIND}:{folder.name}")
    except scopes.NotAScope:
        return scope


def take(
    opened: Opened,
    whose: Whose,
    said: Sequence[spoken.Said],
    progress: Progress | None = None,
    *,
    dry_run: bool = False,
) -> Observed:
    """Append the turns that are new, in order, synced to the disk. Raises Refused, Unavailable, TryAgain."""
    masks: Counter[str] = Counter()
    turns: list[Turn | Usage] = []
    for nth, one in enumerate(said, start=1):
        turns.append(one if isinstance(one, Usage) else _kept(opened, one, masks))
        if progress and nth % CHUNK == 0:
            progress(nth, 2 * len(said))  # looking for secrets takes as long as writing
    with appending(opened, "observe") as appender:
        sifted = sift(opened, whose, turns)
        if not dry_run:
            _append(appender, sifted.fresh, progress)
    if whose.session and not dry_run:
        sessions.heard(opened.place, whose.session, opened.now)
    return Observed(
        session=whose.session,
        scope=str(whose.scope),
        ids=tuple(sifted.ids),
        known=len(sifted.ids) - len(sifted.fresh),
        secrets=dict(sorted(masks.items())),
        refused=tuple(sifted.refused),
    )


def _kept(opened: Opened, turn: Turn, masks: Counter[str]) -> Turn | Usage:
    """The turn as it may be kept: without secrets, and without most of what a tool printed.

    One that is longer than a line may be would be written and never read again: it is refused.
    """
    limit = opened.settings.constants.tool_chars
    tool = turn.role is Role.TOOL
    given = turn.text[: limit + LONGEST_BYTES] if tool else turn.text
    if not tool and (long := _too_long(given)):  # before the look for secrets, which takes a second a MiB
        return long
    text, names = secrets.masked(given)
    masks.update(names)
    if tool and len(text) > limit:
        text = f"{text[:limit]} […]"
    if long := _too_long(text):
        return long
    if turn.key and (found := secrets.find(turn.key)):
        return Usage(
            f"The key of a turn holds what looks like a secret ({found}); that turn was not kept.",
            "A key stands in the clear in the file of events: give another one.",
        )
    return replace(turn, text=text, **_beside(turn, masks))


def _beside(turn: Turn, masks: Counter[str]) -> dict[str, Any]:
    """What else a turn says in words, without secrets: who speaks, and of a claim its concept and tags."""

    def clean(text: str) -> str:
        kept, names = secrets.masked(text) if text else (text, ())
        masks.update(names)
        return kept

    tags = tuple(clean(tag) for tag in turn.tags)
    return {"subject": clean(turn.subject), "concept": clean(turn.concept), "tags": tags}


def _too_long(text: str) -> Usage | None:
    size = len(json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    if size <= LONGEST_BYTES:
        return None
    return Usage(
        f"A turn of {size:,} bytes is too long: one holds up to {LONGEST_BYTES:,}.",
        "Give what was said; files and logs stay where they are.",
    )


def _append(appender: Appender, fresh: Sequence[Event], progress: Progress | None) -> None:
    for start in range(0, len(fresh), CHUNK):
        appender.add(fresh[start : start + CHUNK])
        if progress:
            progress(len(fresh) + min(start + CHUNK, len(fresh)), 2 * len(fresh))
