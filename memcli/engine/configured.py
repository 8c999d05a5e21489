"""The settings in force, each with where it comes from."""

from dataclasses import dataclass

from memcli.engine.opened import Opened
from memcli.store import settings as store_settings


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: `where` is the file's line that says it, or `default`."""

    key: str
    value: str
    where: str


def settings(opened: Opened) -> tuple[Setting, ...]:
    """Every setting of the store. Raises BadFile where the file is wrong."""
    return tuple(Setting(one.key, one.value, one.where) for one in store_settings.origin_of(opened.place))


def editor(opened: Opened) -> str:
    """The editor that the user's git configuration names, empty where it names none.

    A repository's own setting does not count: it can come from somebody else, and would run.
    """
    journal = opened.readable_journal
    if journal is None:
        return ""
    configuration = journal.configuration
    return "" if "core.editor" in configuration.own else configuration.text("core.editor").strip()
