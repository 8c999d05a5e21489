"""The queue at a terminal: one memory after the other, one key a decision, one commit each.

What was decided is committed before the next one is shown, so that leaving at any moment,
by Ctrl-C too, loses nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memcli.cli import complaint, editor, keys, person
from memcli.cli.keys import Keys
from memcli.cli.opening import scope_of
from memcli.cli.render import card
from memcli.cli.streams import EMPTY, Streams
from memcli.cli.verbs import review as verb
from memcli.engine import configured
from memcli.engine.opened import Opened
from memcli.engine.reviewing import background, queue
from memcli.engine.reviewing import review as engine
from memcli.engine.reviewing.background import Background
from memcli.engine.reviewing.queue import Waiting
from memcli.engine.reviewing.review import Decided
from memcli.errors import MemError
from memcli.memory.reviewing import DECISIONS
from memcli.memory.schema import Status

NEXT: Final = "n"
QUIT: Final = "q"
WHY: Final = "?"
UNDO: Final = "u"
DECIDED: Final = "decided"
GONE: Final = "gone"


@dataclass(frozen=True, slots=True)
class _Turn:
    """What became of one card: the key to go on with, and the commit of a decision."""

    key: str
    commit: str = ""


def go_through(streams: Streams, opened: Opened) -> int:
    """Show the queue card by card until a person has gone through it, or leaves."""
    found = queue.waiting(opened, queue.view_of(opened), scope_of(streams, opened))
    streams.notices(opened.notices)
    if not found:
        streams.say("Nothing waits for a decision here.")
        return EMPTY
    with keys.at_terminal() as pressed:
        decided, gone = _gone_through(streams, opened, pressed, found)
    streams.line()
    streams.line(*card.closing(decided, len(found) - decided - gone))
    return 0


def _gone_through(
    streams: Streams, opened: Opened, pressed: Keys, found: Sequence[Waiting]
) -> tuple[int, int]:
    """How many were decided, and how many had changed meanwhile."""
    done: list[tuple[int, str]] = []  # place and commit of each decision, so that the last can be taken back
    gone, place = 0, 0
    while place < len(found):
        shown = _Card(streams, opened, pressed, found[place], undo=bool(done and done[-1][1]))
        turn = shown.turn((place + 1, len(found)))
        if turn.key == QUIT:
            break
        if turn.key == UNDO:
            place = done.pop()[0] if shown.takes_back(done[-1][1]) else place
            continue
        if turn.key == DECIDED:
            done.append((place, turn.commit))
        gone += turn.key == GONE
        place += 1
    return len(done), gone


@dataclass
class _Card:
    """One memory of the queue, while a person looks at it; `undo` offers to take back the last decision."""

    streams: Streams
    opened: Opened
    keys: Keys
    one: Waiting
    undo: bool

    def turn(self, place: tuple[int, int]) -> _Turn:
        """Show it and do what is decided."""
        view = queue.view_of(self.opened)
        if not queue.stands(self.opened, self.one):
            self.streams.say(f"{self.one.id or self.one.path} changed meanwhile, and is left out.")
            return _Turn(GONE)
        behind = background.of(self.opened, view, self.one, scope_of(self.streams, self.opened))
        self._show(behind, place)
        while True:
            key = self._asked()
            if key in (NEXT, QUIT, UNDO):
                return _Turn(key)
            if key == WHY:
                self._explain(behind)
                continue
            commit = self._done(key, behind)
            if commit is not None:
                return _Turn(DECIDED, commit)

    def takes_back(self, commit: str) -> bool:
        """Whether the decision of `commit` could be taken back, as `mem undo` does it."""
        from memcli.engine import undo

        try:
            undone = undo.run(self.opened, confirmed=commit)
        except MemError as error:
            self._complain(error)
            return False
        self.streams.line(("Taken back", "good"), f": {undone.entry.op} of {undone.entry.claim}")
        return True

    def _complain(self, error: MemError) -> None:
        self.streams.finish()
        complaint.tell(self.streams.err, error, as_json=False)

    def _show(self, behind: Background, place: tuple[int, int]) -> None:
        looks = card.Looks(self.streams.width, self.opened.settings.timezone, self.opened.now)
        for pieces in card.lines(self.one, behind, place, looks):
            self.streams.line(*pieces)

    def _explain(self, behind: Background) -> None:
        for pieces in card.because(self.one, behind, self.streams.width):
            self.streams.line(*pieces)

    def _asked(self) -> str:
        """The key that was pressed once the question stood there."""
        wanted = {card.KEYS[word] for word in DECISIONS[self.one.why]} | {NEXT, QUIT, WHY}
        wanted |= {UNDO} if self.undo else set()
        return self.keys.key(wanted, self._ask) or QUIT

    def _ask(self) -> None:
        self.streams.line((card.prompt(self.one.why, undo=self.undo), "dim"))
        self.streams.finish()

    def _done(self, key: str, behind: Background) -> str | None:
        """The commit of what the key stands for, "" for none; None where nothing was decided."""
        word = next(word for word in DECISIONS[self.one.why] if card.KEYS[word] == key)
        try:
            if self.one.schema is None:
                return "" if self._mended() else None
            done = self._acts[word](behind)
        except MemError as error:
            self._complain(error)
            return None
        if done is None:
            return None
        verb.tell(self.streams, done)
        return done.commit or ""

    @property
    def _acts(self) -> Mapping[str, Callable[[Background], Decided | None]]:
        """What each decision does; None from it is a change of mind."""
        return {
            "accept": self._accept,
            "reopen": self._accept,
            "reject": self._reject,
            "leave": self._reject,
            "edit": self._edit,
            "supersede": self._supersede,
            "forget": self._forget,
        }

    def _reason(self) -> str:
        return self.streams.call.text("reason") or ""

    def _accept(self, _: Background) -> Decided:
        return verb.decided(self.opened, self.one, "accept", self._reason())

    def _reject(self, _: Background) -> Decided:
        return verb.decided(self.opened, self.one, "reject", self._reason())

    def _edit(self, _: Background) -> Decided | None:
        """Other words, in the person's editor; left as they were, nothing is decided."""
        written: list[str] = []
        before = f"{self.one.claim}\n".encode()
        if not editor.edited(
            self._editor(),
            "claim.md",
            before,
            engine.misfit,
            lambda after: written.append(after.decode("utf-8", "replace").strip()),
        ):
            self.streams.say("The words are as they were: nothing was decided.")
            return None
        return verb.decided(self.opened, self.one, "accept", self._reason(), written[0])

    def _mended(self) -> bool:
        """Whether a file that git left in conflict was resolved, whole, in the person's editor."""
        from memcli.engine import writing

        draft = writing.taken_at(self.opened, self.one.path)
        then: list[str] = []
        editor.edited(
            self._editor(),
            draft.path.rpartition("/")[2],
            draft.before,
            lambda after: writing.problems(self.opened, draft, after),
            lambda after: then.append(writing.resolved(self.opened, draft, after)),
        )
        for what in then:
            self.streams.line(("Resolved", "good"), f": {self.one.path}; {what}.")
        return bool(then)

    def _editor(self) -> str:
        environment = self.streams.surroundings.environment
        self.streams.finish()
        return editor.command(environment, lambda: configured.editor(self.opened), terminal=True)

    def _supersede(self, behind: Background) -> Decided | None:
        """It counts in place of another one, which the person names."""
        active = [each.id for each in behind.beside if each.status == Status.ACTIVE.value]
        offered = f" (Enter: {active[0]})" if active else ""
        typed = self.keys.line(f"Which memory does it replace? Its id{offered}: ")
        old = typed or (active[0] if active else "")
        return engine.supersede(self.opened, self.one, old, self._reason()) if old else None

    def _forget(self, _: Background) -> Decided:
        """Forgotten, as `mem forget` does it: its id is typed back."""
        person.word_for(self.streams, verb.forgetting(self.one))
        return verb.forgotten(self.opened, self.one, self._reason())
