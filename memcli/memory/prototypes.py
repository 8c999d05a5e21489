"""Prototypes: what a scope keeps coming back to, as centres of the turns that say it.

Turns are taken in order of event id and one at a time, so the outcome is a function of the
events alone: not of the batches in which they came, nor of how often the state was put away
and read again. A scope keeps a bounded number of them, so a turn costs the same in a store
of a hundred thousand events as in one of a thousand.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from memcli.memory import episodes, proposals
from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.episodes import Episode
from memcli.memory.proposals import Member, Proposal

SESSIONS: Final = 8  # sessions of a prototype that are told apart; asserted: two make it independent
MEMBERS: Final = 6  # turns of a prototype whose words are kept, one an episode; asserted
TRIES: Final = 3  # times that a prototype looks for a sentence to propose; asserted
OPEN: Final = 64  # sessions whose last episode may go on; asserted
MARGIN: Final = 1e-4  # cosine: more than float32 and a matrix product may be off

Encode = Callable[[Sequence[str]], np.ndarray]
"""Texts -> unit vectors, float32 [texts, d]."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn that may teach something: `said_at` in seconds since 1970; `subject`: whose it is, if said.

    `place` is where its event is to be found again.
    """

    id: str
    session: str
    text: str
    said_at: int
    subject: str = ""
    place: str = ""


@dataclass
class Prototype:
    """One centre: the event that founded it, the sessions it was met in, the last event that touched it."""

    founder: str
    touched: str
    sessions: list[str] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)
    turns: int = 0
    tries: int = 0
    done: bool = False


@dataclass
class Prototypes:
    """All prototypes of one scope after the event `last`; `sums` are float64 [n, d], as `all` is ordered."""

    dimensions: int
    last: str = ""
    all: list[Prototype] = field(default_factory=list)
    sums: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    open: dict[str, Episode] = field(default_factory=dict)
    episodes: int = 0
    turns: int = 0
    _units: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        room = max(64, 2 * len(self.all))
        sums, units = np.zeros((room, self.dimensions)), np.zeros((room, self.dimensions), np.float32)
        if self.all:
            sums[: len(self.all)] = self.sums
            units[: len(self.all)] = self.sums / np.linalg.norm(self.sums, axis=1, keepdims=True)
        self.sums, self._units = sums, units

    def take(
        self, turn: Turn, vector: np.ndarray, encode: Encode, rules: Constants = DEFAULTS
    ) -> Proposal | None:
        """Take in the next turn with its unit vector [d]; what that lets a prototype propose.

        Raises ValueError for a turn that is not later than all before it.
        """
        if turn.id <= self.last:
            raise ValueError(turn.id)
        self.last, self.turns = turn.id, self.turns + 1
        episode = self._episode(turn, vector, rules)
        at = self._nearest(vector, rules)
        if at is None:
            at = self._found(turn, rules)
        self._join(at, turn, vector, episode)
        return self._proposed(at, turn, encode, rules)

    def copied(self) -> "Prototypes":
        """The same, apart: what happens to one does not happen to the other."""
        return Prototypes(
            self.dimensions,
            self.last,
            [replace(one, sessions=[*one.sessions], members=[*one.members]) for one in self.all],
            self.sums[: len(self.all)].copy(),
            dict(self.open),
            self.episodes,
            self.turns,
        )

    def centres(self) -> np.ndarray:
        """The unit centres, float32 [n, d]."""
        return self._units[: len(self.all)]

    def _episode(self, turn: Turn, vector: np.ndarray, rules: Constants) -> str:
        """The first event of the episode that the turn belongs to."""
        before = self.open.pop(turn.session, None)
        if before is not None and before.goes_on(turn.said_at, vector, rules):
            now = before.extended(turn.said_at, vector)
        else:
            now = episodes.begun(turn.id, turn.said_at, vector)
            self.episodes += 1
        self.open[turn.session] = now  # the last one heard of stands last
        if len(self.open) > OPEN:
            self.open.pop(next(iter(self.open)))
        return now.first

    def _nearest(self, vector: np.ndarray, rules: Constants) -> int | None:
        """The place of the prototype that the turn joins: the nearest, of equally near ones the oldest."""
        if not self.all:
            return None
        rough = self.centres() @ vector
        near = np.flatnonzero(rough >= max(float(rough.max()), rules.join) - MARGIN)
        exact = [(self._cosine(int(at), vector), self.all[int(at)].founder, int(at)) for at in near]
        cosine, _, place = min(exact, key=lambda one: (-one[0], one[1]), default=(0.0, "", -1))
        return place if cosine >= rules.join else None

    def _cosine(self, at: int, vector: np.ndarray) -> float:
        total = self.sums[at]
        length: float = float((total * total).sum()) ** 0.5
        return round(float((total * vector).sum()) / length, 6)

    def _found(self, turn: Turn, rules: Constants) -> int:
        """Room for a new prototype: at the end, or in the place of the one untouched for longest."""
        fresh = Prototype(turn.id, turn.id)
        if len(self.all) >= rules.prototypes:
            at = min(range(len(self.all)), key=lambda one: self.all[one].touched)
            self.all[at], self.sums[at] = fresh, 0.0
            return at
        self.all.append(fresh)
        if len(self.all) > len(self.sums):
            self.sums = np.concatenate([self.sums, np.zeros_like(self.sums)])
            self._units = np.concatenate([self._units, np.zeros_like(self._units)])
        return len(self.all) - 1

    def _join(self, at: int, turn: Turn, vector: np.ndarray, episode: str) -> None:
        one = self.all[at]
        self.sums[at] += vector
        self._units[at] = self.sums[at] / (self.sums[at] * self.sums[at]).sum() ** 0.5
        one.touched, one.turns = turn.id, one.turns + 1
        if turn.session not in one.sessions and len(one.sessions) < SESSIONS:
            one.sessions.append(turn.session)
        if not one.done and not any(each.episode == episode for each in one.members):
            fresh = Member(turn.id, turn.session, turn.text, episode, turn.subject, turn.place)
            one.members = [*one.members, fresh]
            one.members = (
                one.members[:1] + one.members[-(MEMBERS - 1) :] if len(one.members) > MEMBERS else one.members
            )

    def _proposed(self, at: int, turn: Turn, encode: Encode, rules: Constants) -> Proposal | None:
        """What the prototype proposes once two sessions have said it; it does so once."""
        one = self.all[at]
        fresh = bool(one.members) and one.members[-1].event == turn.id
        if one.done or not fresh or len(one.sessions) < proposals.INDEPENDENT:
            return None
        one.tries += 1
        found = proposals.proposed(one.members, self._units[at], encode, rules)
        if found is not None or one.tries >= TRIES:
            one.done, one.members = True, []
        return found
