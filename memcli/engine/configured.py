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
