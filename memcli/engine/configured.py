"""The settings in force, each with where it comes from."""

from collections.abc import Sequence
from dataclasses import dataclass

from memcli.engine.opened import Opened
from memcli.errors import Usage
from memcli.store import setting_keys
from memcli.store import settings as store_settings


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: `where` is the file's line that says it, or `default`; `value` None says nothing."""

    key: str
    value: str | bool | float | None
    where: str

    @property
    def plain(self) -> str:
        """The value for a shell: text without quotes, a boolean as TOML has it."""
        if isinstance(self.value, bool):
            return str(self.value).lower()
        return "" if self.value is None else str(self.value)

    @property
    def toml(self) -> str:
        """The value as the file would say it."""
        return "" if self.value is None else setting_keys.written(self.value)


def settings(opened: Opened, key: str | None = None) -> tuple[Setting, ...]:
    """Every setting of the store, or the one called `key`.

    Raises BadFile where the file is wrong, Usage where there is no such key.
    """
    every = [Setting(one.key, one.value, one.where) for one in store_settings.origin_of(opened.place)]
    found = tuple(one for one in every if key in (None, one.key))
    if not found:
        raise _no_setting(key or "", [one.key for one in every])
    return found


def _no_setting(key: str, keys: Sequence[str]) -> Usage:
    import difflib

    near = difflib.get_close_matches(key, keys, n=1)
    meant = f"Did you mean {near[0]}? " if near else ""
    return Usage(f"There is no setting {key!r}.", f"{meant}`mem config` lists them all.")


def editor(opened: Opened) -> str:
    """The editor that the user's git configuration names, empty where it names none.

    A repository's own setting does not count: it can come from somebody else, and would run.
    """
    journal = opened.readable_journal
    if journal is None:
        return ""
    configuration = journal.configuration
    return "" if "core.editor" in configuration.own else configuration.text("core.editor").strip()
