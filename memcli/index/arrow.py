"""pyarrow as we need it: a few of its detours cost more than a whole search.

The first list that becomes an array makes it import pandas wherever that is installed
(300 ms and more), and flattening a list column imports its compute functions (30 ms).
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import pyarrow as pa

_PANDAS: Final = "pandas"


class _Absent:
    """An import finder that says that there is no pandas."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        """Raise ModuleNotFoundError for pandas; leave every other module to the next finder."""
        if name == _PANDAS:
            raise ModuleNotFoundError(name=name)


@contextmanager
def _without_pandas() -> Iterator[None]:
    absent: Any = _Absent()
    sys.meta_path.insert(0, absent)
    try:
        yield
    finally:
        sys.meta_path.remove(absent)


def numbers(column: "pa.ChunkedArray | pa.Array") -> np.ndarray:
    """A column of numbers as numpy has it."""
    values: np.ndarray = column.to_numpy()
    return values


def lists(column: "pa.ChunkedArray") -> tuple[np.ndarray, np.ndarray]:
    """A column of lists of numbers: all the numbers, and the length of each list."""
    whole = column.combine_chunks()
    ends = whole.offsets.to_numpy()
    return whole.values.to_numpy()[ends[0] : ends[-1]], np.diff(ends)


def matrix(column: "pa.ChunkedArray") -> np.ndarray:
    """A column of vectors as float32 [rows, dimensions]."""
    whole = column.combine_chunks()
    size = whole.type.list_size
    values: np.ndarray = whole.values.to_numpy()[whole.offset * size : (whole.offset + len(whole)) * size]
    return values.reshape(len(whole), size)


if _PANDAS not in sys.modules:
    with _without_pandas():
        pa.array([0])  # it asks once in a process, and remembers the answer
