"""What the process stands in, read once at the edge and passed down frozen.

Nothing below reads the clock, the environment, the working directory or the terminal, so
that a resident can answer for a client that stands elsewhere. Odd surroundings are normal
here: a deleted working directory, no HOME, closed descriptors, a terminal of no columns.
Who acts is worked out here too, because an agent must never pass for a person.
"""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from sys import platform
from types import MappingProxyType
from typing import Final

from memcli.environment import AGENT_SIGNS, NAMES
from memcli.errors import Usage

CONSOLIDATOR: Final = "system:consolidator"  # whoever had it consolidate
SAVER: Final = "system:watch"  # the resident, which commits what somebody edited by hand
NARROWEST: Final = 20  # columns, asserted: below this an id no longer fits beside a claim
USUAL_WIDTH: Final = 80
_WIDEST: Final = 10_000
_NAME_LIMIT: Final = 64
_OFF: Final = frozenset({"", "0", "false", "no", "off"})
_STORE_FOLDER: Final = "mem"


class Kind(StrEnum):
    """What sort of actor it is."""

    HUMAN = "human"
    AGENT = "agent"
    SYSTEM = "system"


class Permit(StrEnum):
    """Whether a person's act may go ahead, or what stands in its way."""

    GRANTED = "granted"
    ASK = "ask"  # show the schema and have its id typed back
    AGENT = "agent"  # somebody else than a person acts, or seems to
    NO_TERMINAL = "no_terminal"  # nobody can be asked


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts."""

    kind: Kind
    name: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """One command's surroundings.

    `environment` holds the variables of NAMES that are set. `cwd` is None where the working
    directory is gone; `now` counts whole seconds since 1970, and `fraction_ms` the
    milliseconds beyond, by which ids of one second sort; `width` columns; `ttys` says of
    descriptors 0 to 2 whether they are terminals, `terminal` whether the process can ask a
    person on its controlling one. `home` and `own` (the folder of the user's own store) are
    None where nothing says where they are.
    """

    environment: Mapping[str, str]
    cwd: Path | None
    now: int
    width: int
    ttys: tuple[bool, bool, bool]
    terminal: bool
    home: Path | None
    own: Path | None
    fraction_ms: int = 0


def read() -> Surroundings:
    """The surroundings of this process, now. Never fails."""
    environment = {name: os.environ[name] for name in NAMES if name in os.environ}
    ttys = (os.isatty(0), os.isatty(1), os.isatty(2))
    return made(environment, _cwd(), ttys, _columns(), terminal=_can_ask())


def made(
    environment: Mapping[str, str],
    cwd: Path | None,
    ttys: tuple[bool, bool, bool],
    columns: int,
    *,
    terminal: bool,
) -> Surroundings:
    """The surroundings, now, of a process with this environment (variables of NAMES alone).

    `columns` is what its terminal has, 0 without one; the rest as in `Surroundings`.
    """
    home = home_of(environment)
    second, fraction_ms = divmod(time.time_ns() // 1_000_000, 1000)
    return Surroundings(
        environment=MappingProxyType(dict(environment)),
        cwd=cwd,
        now=second,
        width=width_of(environment.get("COLUMNS", ""), columns),
        ttys=ttys,
        terminal=terminal,
        home=home,
        own=own_of(environment, home),
        fraction_ms=fraction_ms,
    )


def now() -> int:
    """The moment, whole seconds since 1970: for a process that works on for hours."""
    return int(time.time())


def now_as(before: Surroundings) -> Surroundings:
    """The same surroundings at this moment."""
    return replace(before, now=now())


def home_of(environment: Mapping[str, str]) -> Path | None:
    """HOME where it is absolute, else what the user database says, else None."""
    folder = Path(environment.get("HOME", ""))
    if not folder.is_absolute():
        try:
            import pwd

            folder = Path(pwd.getpwuid(os.getuid()).pw_dir)
        except (ImportError, KeyError, OSError):
            return None
    return folder if folder.is_absolute() else None


def own_of(environment: Mapping[str, str], home: Path | None) -> Path | None:
    """Where the user's own store lies: `mem` in the platform's data folder, or None without a home.

    The XDG rule is written out because importing platformdirs (20 ms) would be a tenth of a recall.
    """
    if platform in ("darwin", "win32"):
        import platformdirs

        return Path(platformdirs.user_data_dir(_STORE_FOLDER, appauthor=False))
    folder = Path(environment.get("XDG_DATA_HOME", ""))
    if folder.is_absolute():
        return folder / _STORE_FOLDER
    return home / ".local" / "share" / _STORE_FOLDER if home else None


def width_of(columns: str, terminal: int) -> int:
    """The width to lay out for: COLUMNS where it is a number above 0, else the terminal's, else 80."""
    said = int(columns) if columns.isascii() and columns.isdigit() and len(columns) < len("100000") else 0
    return min(max(said or terminal or USUAL_WIDTH, NARROWEST), _WIDEST)


def sign_of_agent(environment: Mapping[str, str]) -> tuple[str, str] | None:
    """The first variable by which an agent client shows, with the client's name."""
    for variable, client in AGENT_SIGNS.items():
        value = environment.get(variable, "").strip()
        if value.lower() not in _OFF:
            return variable, client or _printable(value) or "unknown"
    return None


def parse_actor(text: str) -> Actor:
    """The actor that `text` names, like `human:ana`. Raises Usage."""
    kind, colon, name = text.partition(":")
    if not colon or kind not in set(Kind) or not name or name != _printable(name):
        raise Usage(
            f"{_printable(text) or 'An empty name'} is not an actor.",
            "Write human:NAME, agent:NAME or system:PART, the name printable and up to 64 characters.",
        )
    return Actor(Kind(kind), name)


def actor_of(environment: Mapping[str, str], git_user_name: Callable[[], str | None]) -> Actor:
    """Who acts: MEM_ACTOR, else the agent whose client shows, else the person that git names.

    `git_user_name` is asked only when nothing else says. Raises Usage where MEM_ACTOR is not an actor.
    """
    said = environment.get("MEM_ACTOR", "")
    if said:
        return parse_actor(said)
    sign = sign_of_agent(environment)
    if sign:
        return Actor(Kind.AGENT, sign[1])
    names = (git_user_name(), environment.get("USER"), environment.get("LOGNAME"), "unknown")
    return Actor(Kind.HUMAN, next(filter(None, (_printable(name or "") for name in names))))


def person_allowed(environment: Mapping[str, str], *, tty: bool, yes: bool, actor: str = "") -> Permit:
    """Whether an act that only a person holds may go ahead (CLI section 1).

    `tty`: a person can be asked on the controlling terminal; `yes`: `--yes` was given, which
    stands for the answer only together with MEM_ACTOR=human:NAME; `actor`: what `--actor`
    says. A sign of an agent refuses whatever else is said. Raises Usage for a name that is
    not an actor.
    """
    said = environment.get("MEM_ACTOR", "")
    actors = [parse_actor(text) for text in (actor, said) if text]
    if sign_of_agent(environment) or any(one.kind is not Kind.HUMAN for one in actors):
        return Permit.AGENT
    if yes and said:
        return Permit.GRANTED
    return Permit.ASK if tty else Permit.NO_TERMINAL


def _printable(text: str) -> str:
    """`text` as one short line: nothing in it can become a trailer, an option or a terminal's command."""
    line = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(line.split())[:_NAME_LIMIT].strip()


def _cwd() -> Path | None:
    try:
        return Path.cwd()
    except OSError:
        return None


def _columns() -> int:
    for descriptor in (1, 2, 0):
        try:
            return os.get_terminal_size(descriptor).columns
        except OSError:
            continue
    return 0


def _can_ask() -> bool:
    try:
        descriptor = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    os.close(descriptor)
    return True
