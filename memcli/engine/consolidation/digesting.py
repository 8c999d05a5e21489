"""Digesting: what pending events say, worked out before anything is decided or locked.

The slow part of a consolidation, since it encodes what was said: which turns teach nothing and
why, and what the prototypes propose once the others have joined them.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from memcli.engine.consolidation import latent
from memcli.engine.consolidation.latent import Latent, Proposed, Told
from memcli.engine.consolidation.pending import Fresh, Pending
from memcli.engine.opened import Opened
from memcli.engine.task.shown import Showing
from memcli.engine.view import View
from memcli.memory import sieve
from memcli.memory.sieve import Sieve
from memcli.store.event import Event, Kind

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Digest:
    """What is to be decided about: `files` with their new events, and what was found out of these.

    `again` are the ids of events that were digested by older rules; `caught` says of each event
    that teaches nothing why, and `echo_of` which memory an echo repeats; `latent` is None without
    an encoder.
    """

    pending: Pending
    files: tuple[Fresh, ...]
    again: frozenset[str]
    caught: dict[str, Sieve]
    proposed: tuple[Proposed, ...] = ()
    latent: Latent | None = None
    path_of: dict[str, str] = field(default_factory=dict)
    echo_of: dict[str, str] = field(default_factory=dict)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """All of them, in order of id."""
        found = [one for file in self.files for one in (*file.pending, *file.older) if one.id in self.path_of]
        return tuple(sorted(found, key=lambda one: one.id))

    @property
    def echoes(self) -> frozenset[str]:
        """Those that repeat what their session had been shown."""
        return frozenset(id_ for id_, why in self.caught.items() if why is Sieve.ECHO)

    @property
    def telling(self) -> tuple[Event, ...]:
        """The turns and observed claims that may say something."""
        return tuple(
            one
            for one in self.events
            if one.id not in self.caught and (one.kind is Kind.TURN or observed(one))
        )


def observed(one: Event) -> bool:
    """Whether it is a claim that nobody has decided about when it came."""
    return one.kind is Kind.CLAIM and one.data.get("observed") is True


def of(
    opened: Opened,
    view: View,
    found: Pending,
    *,
    replay: bool = False,
    progress: Progress | None = None,
) -> Digest:
    """The digest of what is pending (with `replay`, of what older rules digested, alone)."""
    files = tuple(one for one in found.fresh if _concerned(one, replay=replay))
    again = frozenset(event.id for one in files for event in one.older)
    path_of = {
        event.id: one.path for one in files for event in (*(() if replay else one.pending), *one.older)
    }
    digest = Digest(found, files, again, {}, path_of=path_of)
    encoder = opened.encoder
    made = Latent(opened, encoder, found.kind) if encoder is not None else None
    caught, echo_of = _caught(opened, view, digest, made)
    proposed: Sequence[Proposed] = ()
    if made is not None:
        proposed = made.fold(_turns(found, caught, replay=replay), path_of.keys(), progress)
    return Digest(found, files, again, caught, tuple(proposed), made, path_of, echo_of)


def _concerned(one: Fresh, *, replay: bool) -> bool:
    """Whether the file has something to digest. In a replay what is pending must not be passed with it."""
    if not replay:
        return bool(one.pending or one.older)
    last = max((event.id for event in one.older), default="")
    return bool(last) and all(event.id > last for event in one.pending)


def _caught(
    opened: Opened, view: View, digest: Digest, made: Latent | None
) -> tuple[dict[str, Sieve], dict[str, str]]:
    """Why events teach nothing, by id, and what echoes repeat; those found to be echoes before stay so."""
    found: dict[str, Sieve] = {}
    echo_of: dict[str, str] = {}
    showing = Showing(opened, view)
    for file in digest.files:
        said = [one for one in (*file.pending, *file.older) if one.id in digest.path_of]
        for one in said:
            why = sieve.caught(one.text, str(one.data.get("role", ""))) if one.kind is Kind.TURN else None
            if one.id in file.found.echoes:
                why = Sieve.ECHO
            if why is not None:
                found[one.id] = why
        left = [one for one in said if one.id not in found and (one.kind is Kind.TURN or observed(one))]
        echo_of |= dict(_echoing(opened, showing, said, left, made))
    return found | dict.fromkeys(echo_of, Sieve.ECHO), echo_of


def _echoing(
    opened: Opened, showing: Showing, said: Sequence[Event], left: Sequence[Event], made: Latent | None
) -> Iterator[tuple[str, str]]:
    """(event, memory) of each event that repeats what its session had been shown."""
    for session in dict.fromkeys(one.session for one in left):
        shown = showing.to(session, [one for one in said if one.session == session])
        own = [one for one in left if one.session == session] if shown else []
        vectors = list(made.vectors(own)) if made and own else [None] * len(own)
        for one, vector in zip(own, vectors, strict=True):
            found = sieve.echoed(one.text, one.at, vector, shown, opened.settings.constants)
            if found is not None:
                yield one.id, found.id


def _turns(found: Pending, caught: Collection[str], *, replay: bool) -> list[Told]:
    """All turns that the prototypes have not met: those to be digested, and those that were elsewhere."""
    turns: list[Told] = []
    for file in found.fresh:
        waiting = {one.id for one in file.pending} if replay else set()
        turns += [
            Told(one, file.path)
            for one in file.found.events
            if one.id not in caught and one.id not in waiting and latent.learns(one, file.found.echoes)
        ]
    return turns
