"""A progress bar on stderr, for a person who waits; silent for everybody else."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from memcli.cli.streams import Streams

PATIENCE_S: Final = 0.5  # asserted: what is done sooner needs no bar, and no second to load one

Report = Callable[[int, int], None]


@contextmanager
def progress(streams: "Streams", what: str) -> Iterator[Report | None]:
    """A function that takes (done, all) and shows it; None where nobody looks at stderr."""
    if streams.quiet or not streams.surroundings.ttys[2]:
        yield None
        return
    bar = _Bar(streams, what)
    try:
        yield bar
    finally:
        bar.stop()


class _Bar:
    """A bar that appears once the work has taken a while."""

    def __init__(self, streams: "Streams", what: str) -> None:
        self._streams = streams
        self._what = what
        self._began = monotonic()
        self._shown: tuple[Progress, TaskID] | None = None

    def __call__(self, done: int, whole: int) -> None:
        if self._shown is None:
            if done >= whole or monotonic() - self._began < PATIENCE_S:
                return  # a bar for what is over would leave a blank line and say nothing
            self._shown = self._start(whole)
        bar, task = self._shown
        bar.update(task, completed=done, total=whole)

    def _start(self, whole: int) -> "tuple[Progress, TaskID]":
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(
            file=self._streams.err, width=self._streams.width, no_color=not self._streams.colour
        )
        bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        bar.start()
        return bar, bar.add_task(self._what, total=whole)

    def stop(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown[0].stop()
