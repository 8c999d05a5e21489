"""Config: the settings in force and where each comes from."""

from dataclasses import dataclass

from memcli.engine.opened import Opened


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting; `where` is a file's line or `default`."""

    key: str
    value: str
    where: str


def settings(opened: Opened) -> tuple[Setting, ...]:
    """Every setting with its value in force. Raises BadFile."""
    from memcli.store.settings import origin_of

    return tuple(Setting(one.key, one.value, one.where) for one in origin_of(opened.place))


def editor(opened: Opened) -> str:
    """The editor that the user's git configuration names, empty where it names none.

    A repository's own setting does not count: it can come from somebody else, and would run.
    """
    journal = opened.readable_journal
    if journal is None:
        return ""
    configuration = journal.configuration
    return "" if "core.editor" in configuration.own else configuration.text("core.editor").strip()
