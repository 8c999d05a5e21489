"""A store's settings: what may be said in `mem.toml` (or `[tool.mem]`), checked, frozen.

The file may come with a store that somebody else made. So a key that mem does not know is
reported and obeyed by nothing, a wrong value stops with `path:line: key: what`, and no
value here names a program to run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from types import MappingProxyType
from typing import Any, Final

from memcli.errors import BadFile
from memcli.memory.constants import DEFAULTS, Constants, constants
from memcli.store import toml_file
from memcli.store.place import Place
from memcli.store.problem import Problem
from memcli.store.setting_keys import (
    KEYS,
    NUMBERS,
    SCOPES,
    UnknownKey,
    WrongValue,
    check,
    dotted,
    zone_of,
)
from memcli.store.toml_file import Document, Key


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for one store.

    `timezone` is read where a time in a file has no offset; `scopes` maps a folder (relative
    to the store, absolute, or below `~/`) to a scope; `encoder_path` is absolute, or None for
    the model that mem ships; a writer waits `lock_wait_s` seconds for another; a session that
    nobody ends is over `session_idle_s` seconds after it was last heard of; `journal_sign` has
    people's commits signed, `require_signed` demands it of a person's acts, by somebody whom the
    file `allowed_signers` (relative to the store, or absolute) names; `constants` are the
    numbers in force. `notices` names what was passed over. Of a resident: `consolidate_auto` lets it
    consolidate what was said, and `watch_save` commit edits, once `watch_quiet_s` seconds passed
    without another; `watch_autostart` lets the first recall start it, `watch_events` says
    whether the disk reports changes, `watch_tcp` that it listens on the loopback instead of a socket.
    `receipts_keep`: receipts are kept on this machine (local) or committed with the store (git).
    """

    timezone: tzinfo = UTC
    timezone_name: str = "UTC"
    scopes: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    encoder_path: str | None = None
    lock_wait_s: float = 30.0
    session_idle_s: float = 3600.0
    journal_sign: bool = False
    require_signed: bool = False
    allowed_signers: str = "allowed_signers"
    consolidate_auto: bool = False
    watch_save: bool = False
    watch_quiet_s: float = 5.0
    watch_autostart: bool = False
    watch_events: bool = True
    watch_tcp: bool = False
    receipts_keep: str = "local"
    constants: Constants = DEFAULTS
    notices: tuple[Problem, ...] = ()

    @property
    def k(self) -> int:
        """Memories in an answer at most."""
        return self.constants.k

    @property
    def budget_tokens(self) -> int:
        """Tokens in an answer at most."""
        return self.constants.budget_tokens

    @property
    def floor(self) -> float:
        """The match below which a memory is withheld."""
        return self.constants.floor


TEMPLATE: Final = """\
# Settings of this store. Every commented key shows its default, or an example where there
# is none: take the `# ` away and change it. `mem config --show-origin` says what holds.

# Where a time in a file has no offset, it is read in this zone.
# timezone = "UTC"

# Which scope a folder stands for, where its repository's name will not do. Folders are
# relative to this file, absolute, or below ~/.
# [scopes]
# "~/projects/shop" = "project:shop"

# What an answer holds at most, and how well a memory must match.
# [recall]
# k = 8
# budget_tokens = 800
# floor = 0.3

# How near something known must come to a text for it to need memory (mem gate, recall --gate auto).
# [gate]
# evidence = 0.25

# Another model than the one that comes with mem: a folder with model.onnx and tokenizer.json.
# [encoder]
# path = "models/other"

# Seconds that a command waits while another one writes.
# [lock]
# wait_s = 30

# Seconds after which a session that nobody committed counts as ended.
# [session]
# idle_s = 3600

# Where receipts of answers are kept: local (below .mem, of this machine) or git (below receipts,
# committed); of local ones how many at most, and for how many days.
# [receipts]
# keep = "local"
# most = 2000
# days = 400

# Signatures: whether the commits of people are signed (with the key that git's configuration
# names); whether a person's acts, like forget, must be; and the file of those who may sign,
# in the format of ssh's allowed_signers, with lines `openpgp FINGERPRINT` for gpg.
# [journal]
# sign = false
# require_signed = false
# allowed_signers = "allowed_signers"

# Whether the resident consolidates when it is idle and enough was said; after how many exchanges.
# [consolidate]
# auto = false
# batch = 6

# The resident (mem watch): whether it commits what you edit, after how many quiet seconds;
# whether the first recall starts it; whether this disk reports changes (network disks do
# not); whether it listens on the loopback, where a disk takes no sockets.
# [watch]
# save = false
# quiet_s = 5
# autostart = false
# events = true
# tcp = false
"""
SAVING: Final = """
[watch]
save = true

[consolidate]
auto = true
"""


@dataclass(frozen=True, slots=True)
class Origin:
    """One setting as `mem config --show-origin` prints it: `where` is a file's line or `default`.

    `value` is None where nothing is set.
    """

    key: str
    value: str | bool | float | None
    where: str


def load(place: Place) -> Settings:
    """The settings of the store at `place`, defaults without a file.

    Raises BadFile with one `path:line: key: what` for each mistake.
    """
    return _checked(toml_file.read(place), place)


def of_bytes(place: Place, name: str, raw: bytes) -> Settings:
    """The settings that the bytes of a file of that name say. Raises BadFile as `load` does."""
    return _checked(toml_file.of_bytes(name, raw), place)


def origin_of(place: Place) -> tuple[Origin, ...]:
    """Every setting with its value in force and where that comes from. Raises BadFile as `load` does."""
    document = toml_file.read(place)
    settings = _checked(document, place)
    return tuple(
        Origin(dotted(key), value, default if key not in document.values else document.where(key))
        for key, value, default in _in_force(settings)
    )


def _in_force(settings: Settings) -> Iterator[tuple[Key, str | bool | float | None, str]]:
    """(key, value, where it comes from unless a file says it)."""
    for key, (name, _) in KEYS.items():
        yield key, getattr(settings, name), "default"
    for one in settings.constants:
        yield tuple(one.key.split(".")), one.value, f"default ({one.provenance})"
    for folder, text in settings.scopes.items():
        yield (SCOPES, folder), text, "default"


def _checked(document: Document, place: Place) -> Settings:
    said: dict[Key, Any] = {}
    wrong: list[Problem] = []
    notices: list[Problem] = []
    for key, value in document.values.items():
        try:
            said[key] = check(key, value)
        except UnknownKey as error:
            notices.append(document.problem(key, str(error)))
        except WrongValue as error:
            wrong.append(document.problem(key, str(error)))
    if wrong:
        raise BadFile(
            f"{document.name} has {'a wrong value' if len(wrong) == 1 else f'{len(wrong)} wrong values'}.",
            "Correct it; `mem config` lists every key.",
            tuple(str(problem) for problem in wrong),
        )
    zone, unknown = zone_of(said.get(("timezone",), "UTC"))
    notices += [document.problem(("timezone",), unknown)] if unknown else []
    return _settings(said, place, zone, tuple(notices))


def _settings(said: Mapping[Key, Any], place: Place, zone: tzinfo, notices: tuple[Problem, ...]) -> Settings:
    fields = {name: said[key] for key, (name, _) in KEYS.items() if key in said}
    if "encoder_path" in fields:
        fields["encoder_path"] = str(place.root / fields["encoder_path"])
    return Settings(
        **fields,
        timezone=zone,
        scopes=MappingProxyType({key[1]: value for key, value in said.items() if key[0] == SCOPES}),
        constants=constants({dotted(key): value for key, value in said.items() if key in NUMBERS}),
        notices=notices,
    )
