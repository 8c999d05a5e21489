"""One blob of history, read without a process where it is loose or packed as git does."""

from memcli.engine.opened import Opened
from memcli.journal.objects import Objects


def content(opened: Opened, blob: str) -> bytes:
    """The bytes of a blob. Raises Unavailable where it is missing or damaged."""
    journal = opened.journal
    return Objects(journal.found.common_dir / "objects", journal.git).read(blob, "blob")
