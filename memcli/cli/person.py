"""A person's word: asked for on the controlling terminal, where no pipe and no agent can give it.

What is forgotten is gone from every answer, so it is shown first and its id typed back.
Letters typed ahead of the question do not count.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from memcli.cli.render.paint import Piece, painted
from memcli.cli.streams import Streams
from memcli.errors import Refused
from memcli.memory.schema import PREFIX_LENGTH
from memcli.surroundings import Permit, person_allowed, sign_of_agent

if TYPE_CHECKING:
    from memcli.engine.forget import Target

TERMINAL: Final = "/dev/tty"
_LONGEST_ANSWER: Final = 256


@dataclass(frozen=True, slots=True)
class Act:
    """What a person is asked to agree to: `name` as in "Forgetting", `token` to be typed back.

    `ask` is what an agent can do instead.
    """

    name: str
    token: str
    shown: str
    about: str = ""
    ask: str = "Tell the person what should be done and why."


def about(name: str, target: "Target", ask: str) -> Act:
    """The act called `name` on one memory, which is shown with what it is and where it stands."""
    return Act(name, target.id, target.claim, f"{target.type}  {target.status}  {target.scope}", ask)


def word_for(streams: Streams, *acts: Act) -> None:
    """A person's word for every act, or none of them. Raises Refused."""
    if allowed(streams, acts[0]) is Permit.ASK:
        _ask(streams, acts)


def allowed(streams: Streams, act: Act) -> Permit:
    """Whether a person can be asked for `act`, or has answered beforehand. Raises Refused for neither."""
    permit = permit_for(streams)
    if permit is Permit.AGENT:
        raise _agent(streams, act)
    if permit is Permit.NO_TERMINAL:
        raise Refused(f"{act.name} is a person's act, and there is no terminal here.", _beforehand(streams))
    return permit


def refuse_ahead(streams: Streams, as_of: int, now: int) -> None:
    """Refuse an agent that judges as of later than now: it would drop what may yet be borne out."""
    if as_of > now and not streams.call.flag("dry_run") and permit_for(streams) is Permit.AGENT:
        raise Refused(
            "Judging as of a moment that has not come is a person's choice.",
            "Leave --as-of out, or see with --dry-run what it would do.",
        )


def permit_for(streams: Streams) -> Permit:
    """Whether a person may be asked, has answered beforehand, or is not there."""
    return person_allowed(
        streams.surroundings.environment,
        tty=streams.surroundings.terminal,
        yes=streams.call.flag("yes"),
        actor=streams.call.text("actor") or "",
    )


def _beforehand(streams: Streams) -> str:
    """How a person answers where nobody can be asked; only what is missing is named."""
    if streams.surroundings.environment.get("MEM_ACTOR"):
        return "A person runs it in a terminal, or adds --yes."
    return "A person runs it in a terminal, or sets MEM_ACTOR=human:NAME and adds --yes."


def _agent(streams: Streams, act: Act) -> Refused:
    sign = sign_of_agent(streams.surroundings.environment)
    who = f"{sign[0]} says that an agent acts here" if sign else "an agent acts here"
    return Refused(f"{act.name} is a person's act, and {who}.", act.ask)


def _ask(streams: Streams, acts: Sequence[Act]) -> None:
    streams.finish()
    terminal = os.open(TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        for act in acts:
            _confirm(terminal, act, colour=streams.colour)
    finally:
        os.close(terminal)


def _confirm(terminal: int, act: Act, *, colour: bool) -> None:
    """Show one memory and have its token typed back; any beginning of an id that is long enough does."""
    _forget_typed_ahead(terminal)
    for pieces in _question(act):
        os.write(terminal, (painted(pieces, colour=colour) + "\n").encode("utf-8", "backslashreplace"))
    os.write(terminal, f"Type {act.token} to go on, or press Enter to leave it: ".encode())
    typed = _line(terminal)
    if not typed or len(typed) < min(PREFIX_LENGTH, len(act.token)) or not act.token.startswith(typed):
        raise Refused(
            f"{act.name} was not agreed to: {act.token} was not typed back.", "Nothing was changed."
        )


def _question(act: Act) -> list[tuple[Piece, ...]]:
    lines: list[tuple[Piece, ...]] = [((act.token, "name"), f"  {act.about}" if act.about else "")]
    return [*lines, *(((line),) for line in act.shown.splitlines())]


def _line(terminal: int) -> str:
    """One line from the terminal, without its end."""
    typed = b""
    while not typed.endswith(b"\n") and len(typed) < _LONGEST_ANSWER:
        piece = os.read(terminal, 1)
        if not piece:
            break
        typed += piece
    return typed.decode("utf-8", "replace").strip()


def _forget_typed_ahead(terminal: int) -> None:
    """Throw away what was typed before the question was there to be read."""
    import termios

    try:
        termios.tcflush(terminal, termios.TCIFLUSH)
    except termios.error:
        return
