"""Paths of rows, each read when it is asked for: a question names thousands, and looks at fifty."""

from collections.abc import Sequence
from typing import overload

import numpy as np
import pyarrow as pa


class Paths(Sequence[str]):
    """The paths at some places of a column of text, one after another of each of `chosen`."""

    def __init__(self, *chosen: "tuple[pa.Array, np.ndarray]") -> None:
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
        for column, rows in self.chosen:
            if 0 <= at < len(rows):
                path: str = column[int(rows[at])].as_py()
                return path
            at -= len(rows)
        raise IndexError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(list(self))
