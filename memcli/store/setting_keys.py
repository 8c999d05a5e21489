"""What each key of the settings takes, and what is said of a value that it does not take."""

from collections.abc import Callable, Mapping
from datetime import UTC, tzinfo
from types import MappingProxyType
from typing import Final

from memcli.memory import scope, times
from memcli.memory.constants import DEFAULTS, NotAConstant, constants
from memcli.store.problem import shown
from memcli.store.toml_file import Key

SCOPES: Final = "scopes"
_LONGEST_WAIT_S: Final = 3600.0
_LONGEST_IDLE_S: Final = 30 * 86_400.0
_SHOWN: Final = 60  # characters of a wrong value
_PLACES: Final = ("local", "git")  # where receipts are kept


class WrongValue(ValueError):
    """A value that its key does not take."""


class UnknownKey(ValueError):
    """A key that is no setting."""


def check(key: Key, value: object) -> object:
    """`value` as the setting `key` takes it. Raises WrongValue, UnknownKey."""
    if key in KEYS:
        return KEYS[key][1](value)
    if key in NUMBERS:
        return _number(dotted(key), value)
    if key[0] == SCOPES and len(key) > 1:
        return _mapped(key, value)
    if len(key) == 1 and key[0] in _TABLES:
        raise WrongValue(f"is a table: write [{key[0]}] above its keys")
    raise UnknownKey(_unknown(dotted(key)))


def _unknown(name: str) -> str:
    import difflib

    near = difflib.get_close_matches(name, [dotted(key) for key in (*KEYS, *NUMBERS)], n=1)
    return f"is not a setting, and nothing follows it{f'; did you mean {near[0]}?' if near else ''}"


def zone_of(name: str) -> tuple[tzinfo, str]:
    """The zone, and what is wrong with its name: an unknown one is read as UTC, and said so."""
    found = UTC if name == "UTC" else times.zone(name)
    unknown = found is UTC and name != "UTC"
    return found, f"{_quoted(name)} is not a known time zone; UTC is used" if unknown else ""


def _number(name: str, value: object) -> object:
    try:
        constants({name: value})
    except NotAConstant as error:
        raise WrongValue(str(error).removeprefix(f"{name} ")) from error
    return value


def _mapped(key: Key, value: object) -> str:
    """The scope of one folder, as text."""
    if len(key) != len((SCOPES, "folder")) or "\0" in key[1]:
        raise WrongValue("must be one folder, in quotes where its name has a dot")
    try:
        return str(scope.parse(_text(value)))
    except scope.NotAScope as error:
        raise WrongValue(shown(str(error))) from error


def _text(value: object) -> str:
    if not isinstance(value, str) or not value or "\0" in value:
        raise WrongValue(f"must be text in quotes, not {_quoted(value)}")
    return value


def _file(value: object) -> str:
    path = _text(value)
    if path.startswith("~"):
        raise WrongValue("must be a path from the root or from the store's folder; ~ is not replaced")
    return path


def _seconds(value: object, longest_s: float = _LONGEST_WAIT_S) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= longest_s:
        raise WrongValue(f"must be seconds from 0 to {longest_s:g}, not {_quoted(value)}")
    return float(value)


def _idle_seconds(value: object) -> float:
    return _seconds(value, _LONGEST_IDLE_S)


def _yes_or_no(value: object) -> bool:
    if not isinstance(value, bool):
        raise WrongValue(f"must be true or false, not {_quoted(value)}")
    return value


def _where_kept(value: object) -> str:
    if value not in _PLACES or not isinstance(value, str):
        raise WrongValue(f"must be {' or '.join(map(written, _PLACES))}, not {_quoted(value)}")
    return value


def _quoted(value: object) -> str:
    """A wrong value as the file has it, on one short line."""
    text = written(value) if isinstance(value, (str, bool, int, float)) else f"a {type(value).__name__}"
    return shown(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}\u2026")


def written(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def dotted(key: Key) -> str:
    """The key as a person reads it, like `recall.k`."""
    return ".".join(key)


KEYS: Final[Mapping[Key, tuple[str, Callable[[object], object]]]] = MappingProxyType(
    {
        ("timezone",): ("timezone_name", _text),
        ("encoder", "path"): ("encoder_path", _file),
        ("lock", "wait_s"): ("lock_wait_s", _seconds),
        ("session", "idle_s"): ("session_idle_s", _idle_seconds),
        ("journal", "sign"): ("journal_sign", _yes_or_no),
        ("journal", "require_signed"): ("require_signed", _yes_or_no),
        ("journal", "allowed_signers"): ("allowed_signers", _file),
        ("consolidate", "auto"): ("consolidate_auto", _yes_or_no),
        ("watch", "save"): ("watch_save", _yes_or_no),
        ("watch", "quiet_s"): ("watch_quiet_s", _seconds),
        ("watch", "autostart"): ("watch_autostart", _yes_or_no),
        ("watch", "events"): ("watch_events", _yes_or_no),
        ("watch", "tcp"): ("watch_tcp", _yes_or_no),
        ("receipts", "keep"): ("receipts_keep", _where_kept),
    },
)
NUMBERS: Final = frozenset(tuple(one.key.split(".")) for one in DEFAULTS)
_TABLES: Final = frozenset({SCOPES} | {key[0] for key in (*KEYS, *NUMBERS) if len(key) > 1})
