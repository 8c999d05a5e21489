"""Ids as they are given: as words, or on stdin."""

from memcli.cli.streams import Streams
from memcli.errors import Usage


def ids(streams: Streams) -> tuple[str, ...]:
    """The ids of this call, each once, in order. Raises Usage where stdin brings none."""
    call = streams.call
    if not call.flag("stdin"):
        return tuple(dict.fromkeys(call.texts("ids")))
    written = streams.read_text().split("\0" if call.flag("null") else "\n")
    found = tuple(dict.fromkeys(filter(None, (one.strip() for one in written))))
    if not found:
        raise Usage("There is no id on stdin.", "For example: mem recall --ids refund | mem show --stdin")
    return found
