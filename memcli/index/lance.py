"""Tables with blocking calls: the native way first, the public one when anything fails.

LanceDB is asynchronous; here is the one event loop of the process, entered by one thread at
a time. What fails both ways is damage: the index is derived, so nobody is told more than
that it has to be rebuilt.
"""

import asyncio
import atexit
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import cache
from typing import Any, Final, TypeVar

import pyarrow as pa

from memcli.errors import Unavailable
from memcli.index.port import Handle, Kind, Merge, Query, Way

_Result = TypeVar("_Result")
_Call = Callable[[Way, Handle], Awaitable[_Result]]
_TURN: Final = threading.RLock()
_started_in = 0  # the process that opened the first table
_SAID: Final = 200  # characters of what LanceDB says: it quotes whole call stacks


class Damaged(Unavailable):
    """The index cannot be read. It is derived from the files, which are unharmed: rebuild it."""


class Table:
    """One table of a LanceDB folder; reads see the version of `open` or of the last `refresh`."""

    def __init__(self, folder: str, name: str, way: Way, inner: Handle) -> None:
        self._folder = folder
        self._name = name
        self._way = way
        self._inner = inner

    def refresh(self) -> int:
        """See what has been written since; the number of the version seen."""
        return self._do(lambda way, table: way.latest(table))

    def search(self, query: Query) -> pa.Table:
        """The rows that `query` asks for."""
        return self._do(lambda way, table: way.search(table, query))

    def searches(self, queries: Sequence[Query]) -> list[pa.Table]:
        """Several readings at the same time, answers in order."""
        return self._do(lambda way, table: _together([way.search(table, query) for query in queries]))

    def batches(self, query: Query) -> Iterator[pa.RecordBatch]:
        """The rows that `query` asks for, some thousands at a time."""
        stream = self._do(lambda way, table: way.batches(table, query))
        while True:
            try:
                batch = _run(_next(stream))
            except Exception as error:
                raise _damaged(self._folder, error) from error
            if batch is None:
                return
            yield batch

    def take(self, rowids: list[int], columns: Sequence[str]) -> pa.Table:
        """Rows by the ids that a search of this version gave, in any order."""
        return self._do(lambda way, table: way.take(table, rowids, columns))

    def count(self, where: str = "") -> int:
        """How many rows `where` holds for."""
        return self._do(lambda way, table: way.count(table, where))

    def append(self, batch: pa.RecordBatch) -> None:
        """Add rows that are known to be new."""
        self._do(lambda way, table: way.append(table, batch))

    def merge(self, merge: Merge) -> None:
        """Add or replace rows in one step."""
        self._do(lambda way, table: way.merge(table, merge))

    def delete(self, where: str) -> None:
        """Remove the rows that `where` holds for."""
        self._do(lambda way, table: way.delete(table, where))

    def index(self, column: str, kind: Kind) -> None:
        """Build the index of `column` anew."""
        self._do(lambda way, table: way.index(table, column, kind))

    def _do(self, call: _Call[_Result]) -> _Result:
        try:
            return _run(call(self._way, self._inner))
        except Exception as error:  # noqa: BLE001 - a private interface may raise anything
            return self._again(call, error)

    def _again(self, call: _Call[_Result], first: Exception) -> _Result:
        try:
            self._way = _public()
            self._inner = _run(self._way.open(self._folder, self._name))
            return _run(call(self._way, self._inner))
        except Exception as second:
            raise _damaged(self._folder, first, second) from second


def open_table(folder: str, name: str) -> Table:
    """The table `name` in `folder`. Raises Damaged where it is absent or cannot be read."""
    return _either(folder, name, lambda way: way.open(folder, name))


def create_table(folder: str, name: str, layout: pa.Schema) -> Table:
    """An empty table of that layout, in place of any that was there."""
    return _either(folder, name, lambda way: way.create(folder, name, layout))


def _either(folder: str, name: str, call: Callable[[Way], Awaitable[Any]]) -> Table:
    try:
        way = _native()
        return Table(folder, name, way, _run(call(way)))
    except Exception as first:  # noqa: BLE001 - a private interface may raise anything
        try:
            way = _public()
            return Table(folder, name, way, _run(call(way)))
        except Exception as second:
            raise _damaged(folder, first, second) from second


def _damaged(folder: str, *errors: Exception) -> Damaged:
    """The refusal that names the folder, and what LanceDB said either way, each on one line."""
    said = dict.fromkeys(" ".join(str(error).split())[:_SAID] for error in errors)
    return Damaged(f"the index in {folder} cannot be used", "rebuild it: mem index rebuild", tuple(said))


@cache
def _native() -> Way:
    from memcli.index.native import Native  # may fail, then the other way serves

    return Native()


@cache
def _public() -> Way:
    from memcli.index.public import Public  # a second and more

    return Public()


async def _next(stream: AsyncIterator[pa.RecordBatch]) -> pa.RecordBatch | None:
    return await anext(stream, None)


async def _together(calls: Sequence[Awaitable[pa.Table]]) -> list[pa.Table]:
    return await asyncio.gather(*calls)


def _run(call: Awaitable[_Result]) -> _Result:
    """The result of `call`; whatever is no ordinary exception (a panic in Rust) becomes one."""
    with _TURN:
        try:
            return _loop().run_until_complete(call)
        except (Exception, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as panic:
            raise RuntimeError(str(panic)) from panic


def forked() -> bool:
    """Whether this is a child of the process that opened a table: LanceDB's threads did not come along.

    Whatever it is asked there may wait for them for ever, or crash.
    """
    return _started_in not in (0, os.getpid())


@cache
def _loop() -> asyncio.AbstractEventLoop:
    global _started_in  # noqa: PLW0603 - of the process, as the loop is
    _started_in = os.getpid()
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(_silently)
    atexit.register(loop.close)
    return loop


def _silently(_loop: asyncio.AbstractEventLoop, _context: dict[str, Any]) -> None:
    """Say nothing of calls that an interrupt left unfinished; failures reach the caller anyway."""
