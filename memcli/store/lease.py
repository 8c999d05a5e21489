"""The one consolidation of a store: a lock of its own, so that nobody waits for it who only writes.

Like the writer's lock it is judged by being held and let go of by the kernel; unlike that
one it is never waited for: who finds it held has nothing to do, since the work is being done.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from memcli.errors import Unavailable
from memcli.store import inside
from memcli.store.place import Place

_OPEN: Final = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@contextmanager
def held(place: Place, file: Path | None = None) -> Iterator[bool]:
    """Whether the lease is this process's during a `with` block; False where another one has it.

    `file` is that of another work of which there is one at a time.

    Raises Unavailable where the store cannot be written, or its file system keeps no locks.
    """
    path = (file or place.lease_file).relative_to(place.root).as_posix()
    with inside.parent(place, path, make=True) as (folder, name):
        descriptor = inside.opened(name, _OPEN, folder)
    try:
        yield _taken(descriptor)
    finally:
        os.close(descriptor)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise Unavailable(
            "The file system of this store keeps no locks, so nothing can be consolidated safely.",
            "Move the store to a local disk.",
        ) from error
    return True
