"""Asks git to pack what has piled up, as `git commit` itself would at its end.

A store that only mem writes to never runs a porcelain command, and thousands of loose
objects make history slow to read.
"""

import contextlib
from typing import Final

from memcli.errors import Unavailable
from memcli.journal.configuration import Configuration
from memcli.journal.repository import Journal

_DEFAULT: Final = 6700  # git's own default of gc.auto
_SAMPLE: Final = "17"  # git estimates by this one of 256 folders, too


def when_due(journal: Journal, configuration: Configuration) -> None:
    """Start git's upkeep in the background when about gc.auto loose objects have gathered."""
    limit = _number(configuration.text("gc.auto"))
    if limit <= 0:
        return
    try:
        loose = sum(1 for _ in (journal.found.common_dir / "objects" / _SAMPLE).iterdir())
    except OSError:
        return
    if loose > (limit + 255) // 256:
        with contextlib.suppress(Unavailable):  # the commit stands; upkeep will be due again
            journal.git.act(
                "-c", "gc.autoDetach=true", "-c", "gc.recentObjectsHook=", "gc", "--auto", "--quiet"
            )


def _number(text: str) -> int:
    try:
        return int(text) if text else _DEFAULT
    except ValueError:
        return 0
