"""The saver: commits what a person edited, once the editor has been quiet for a while.

Only plain edits: what needs a person's word, what looks like a secret and a store that
suddenly has no files are left, and `mem status` and `mem save` speak of them.
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from memcli.engine import saving
from memcli.engine.kept import Kept
from memcli.errors import MemError, TryAgain
from memcli.memory.numerals import counted
from memcli.resident.quiet import Quiet
from memcli.surroundings import SAVER

if TYPE_CHECKING:
    from memcli.engine.opened import Opened
    from memcli.store.settings import Settings


class Saver:
    """Waits after each edit and then commits, if `[watch] save` says so."""

    def __init__(
        self,
        opening: "Callable[[], Opened]",
        kept: Kept,
        turn: threading.Lock,
        say: Callable[[str], None],
    ) -> None:
        self._opening = opening
        self._kept = kept
        self._turn = turn
        self._say = say
        self._quiet = Quiet(self._save)
        self._quiet_s = 0.0  # seconds without an edit, as the settings last said

    def heard(self, dirty: frozenset[str], settings: "Settings") -> None:
        """`dirty` are the files that HEAD holds otherwise: begin to wait, anew after every change."""
        self.stop()
        if dirty and settings.watch_save:
            self._quiet_s = settings.watch_quiet_s
            self._quiet.wait(self._quiet_s)

    def stop(self) -> None:
        """Wait no more."""
        self._quiet.stop()

    def _save(self) -> None:
        with self._turn:
            try:
                opened = self._opening()
                opened.actor_text = SAVER  # whoever edited, it was not the process that started us
                self._kept.serve(opened)
                edits = tuple(one for one in saving.plan(opened) if _plain(one))
                if not edits or saving.missing(opened, edits):
                    return
                saved = saving.run(opened, edits)
                self._say(
                    f"Saved {counted(len(saved.edits), 'edit')} in {counted(len(saved.commits), 'commit')}."
                )
            except TryAgain:
                self._quiet.wait(self._quiet_s)
            except (MemError, OSError) as error:
                self._say(f"Not saved: {error.message if isinstance(error, MemError) else error}")


def _plain(edit: saving.HandEdit) -> bool:
    return not (edit.needs_person or edit.refused or edit.overrides)
