"""Which programs a repository's own configuration names, for a person to judge before trusting it.

Git runs them for commands that look harmless. What `refuse_untrusted` holds back is a part
of them; the others are shown since git itself would run them for whoever works there.
"""

import re
from typing import Final

from memcli.journal.configuration import Configuration
from memcli.journal.repository import Journal

_NAMES: Final = re.compile(
    r"core\.(fsmonitor|hookspath|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)"
    r"|sequence\.editor|interactive\.difffilter|uploadpack\.packobjectshook|web\.browser|pager\..+"
    r"|(diff|difftool|merge|mergetool|browser|man|trailer|tar|hook)\..+\.(command|cmd|path|driver|textconv)"
    r"|diff\.external|filter\..+\.(clean|smudge|process)|gpg(\..+)?\.(program|defaultkeycommand)"
    r"|credential(\..+)?\.helper|remote\..+\.(uploadpack|receivepack|vcs)|submodule\..+\.update"
    r"|include(if\..+)?\.path",
    re.DOTALL,
)
_SWITCHES: Final = frozenset({"", "true", "false", "yes", "no", "on", "off", "0", "1"})


def named(journal: Journal) -> tuple[str, ...]:
    """One line for each hook and each setting of the repository's own that names a program."""
    configuration = journal.configuration
    hooks = [f"hook {name}" for name in configuration.hooks(journal.found, journal.home)]
    return (*hooks, *(f"{key} = {configuration.text(key)}" for key in _keys(configuration)))


def _keys(configuration: Configuration) -> list[str]:
    return [
        key
        for key in sorted(configuration.own)
        if configuration.text(key).lower() not in _SWITCHES
        and (_NAMES.fullmatch(key) or (key.startswith("alias.") and configuration.text(key).startswith("!")))
    ]
