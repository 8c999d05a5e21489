"""Paths of rows, each looked up when it is asked for: a question names thousands, and looks at fifty."""

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np


class Paths(Sequence[str]):
    """The paths at some places of a list of them, one after another of each of `chosen`."""

    def __init__(self, *chosen: tuple[Sequence[str], np.ndarray]) -> None:
        self.chosen = chosen

    def and_those(self, *more: "Paths") -> "Paths":
        """These, then those of `more`."""
        return Paths(*self.chosen, *(one for paths in more for one in paths.chosen))

    def __len__(self) -> int:
        return sum(len(rows) for _, rows in self.chosen)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> list[str]: ...

    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return list(self)[at]
        at = at if at >= 0 else at + len(self)
        for paths, rows in self.chosen:
            if 0 <= at < len(rows):
                return paths[int(rows[at])]
            at -= len(rows)
        raise IndexError

    def __iter__(self) -> Iterator[str]:
        for paths, rows in self.chosen:
            yield from [paths[row] for row in rows.tolist()]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(list(self))
