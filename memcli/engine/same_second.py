"""Changes that fall into one second: the later one waits, since a memory cannot end as it begins."""

import time
from collections.abc import Callable
from typing import Final, TypeVar

from memcli.engine.opened import Opened
from memcli.errors import TryAgain
from memcli.memory.schema import Schema

Answer = TypeVar("Answer")
PATIENCE: Final = 8  # asserted: times that a change waits for one of the same second
LONGEST_WAIT_S: Final = 60  # asserted: twice what a writer waits for the lock


class SameSecondError(TryAgain):
    """What is to be superseded began `ahead` seconds after the present of this command, or in it."""

    def __init__(self, id_: str, ahead: int) -> None:
        super().__init__(f"{id_} began this very second.", "Try again in a second.")
        self.ahead = ahead


def refuse(old: Schema, start: int | None, now: int) -> None:
    """Raise SameSecondError where the switch is now but `old` did not begin before.

    Another process may have made it while this one, whose present is older, waited for the lock.
    """
    began = old.validity.start
    if start is None and began is not None and now <= began <= now + LONGEST_WAIT_S:
        raise SameSecondError(old.id, began - now)


def waited_out(opened: Opened, act: Callable[[Opened], Answer]) -> Answer:
    """What `act` gives; tried again a second later, a few times, where two changes fall into one second."""
    present = time.monotonic()  # when it was `opened.now`
    for _ in range(PATIENCE):
        try:
            return act(opened)
        except SameSecondError as error:
            ahead = error.ahead + 1
            present += ahead
            time.sleep(max(0.0, present - time.monotonic()))
            opened = opened.later(ahead)
    return act(opened)
