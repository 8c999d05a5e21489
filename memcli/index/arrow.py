"""pyarrow as we need it: a few of its detours cost more than a whole search.

The first list that becomes an array makes it import dateutil (10 ms) and, wherever that is
installed, pandas (300 ms and more); so does its own way to numpy. Flattening a list column
imports its compute functions (30 ms). So numbers are read from the buffers, and where an
array has to be made from a list, pandas is hidden.
"""

import sys
from collections.abc import Iterator, Sequence
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
    """Import no pandas meanwhile; one that is there already is no harm."""
    absent: Any = _Absent()
    sys.meta_path.insert(0, absent)
    try:
        yield
    finally:
        sys.meta_path.remove(absent)


def array(values: Sequence[Any], kind: "pa.DataType") -> "pa.Array":
    """The values as an array of that type."""
    with _without_pandas():
        return pa.array(values, kind)


def vector(values: np.ndarray) -> "pa.Array":
    """Numbers as a float32 array."""
    plain = np.ascontiguousarray(values, np.float32).ravel()
    return pa.Array.from_buffers(pa.float32(), len(plain), [None, pa.py_buffer(plain)])


def mask(values: np.ndarray) -> "pa.Array":
    """Truth values as an array to filter by."""
    bits = np.packbits(np.asarray(values, bool), bitorder="little")
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, pa.py_buffer(bits)])


def whole(column: "pa.ChunkedArray") -> "pa.Array":
    """A column in one piece, copied only where it is in several."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def numbers(column: "pa.ChunkedArray") -> np.ndarray:
    """A column of numbers, none of them null, as numpy has it."""
    return _plain(whole(column))


def _plain(values: "pa.Array") -> np.ndarray:
    if not len(values):
        return np.zeros(0, values.type.to_pandas_dtype())  # so it is called; numpy's, without pandas
    stored = np.frombuffer(values.buffers()[1], values.type.to_pandas_dtype())
    return stored[values.offset : values.offset + len(values)]


def lists(column: "pa.ChunkedArray") -> tuple[np.ndarray, np.ndarray]:
    """A column of lists of numbers: all the numbers, and the length of each list."""
    array = whole(column)
    ends = _plain(array.offsets)
    return _plain(array.values)[ends[0] : ends[-1]], np.diff(ends)


def matrix(column: "pa.ChunkedArray") -> np.ndarray:
    """A column of vectors as float32 [rows, dimensions]."""
    array = whole(column)
    size = array.type.list_size
    values = _plain(array.values)[array.offset * size : (array.offset + len(array)) * size]
    return values.reshape(len(array), size)
