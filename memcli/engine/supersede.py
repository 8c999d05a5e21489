"""Supersede: the old claim was right until the new one began; both files in one commit."""

from dataclasses import dataclass

from memcli.engine.opened import Opened


@dataclass(frozen=True, slots=True)
class Request:
    """`old` and `new` are ids, or `text` is a claim to make first; `start` is the switch instant as text."""

    old: str
    new: str | None = None
    text: str | None = None
    start: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Superseded:
    """The pair after the switch; `until` in seconds since 1970."""

    old: str
    new: str
    until: int
    claim: str
    path: str
    commit: str | None
    notices: tuple[str, ...] = ()


def run(opened: Opened, request: Request) -> Superseded:
    """Close the window of `old` where that of `new` begins. Raises Refused for cycles and illegal states."""
    raise NotImplementedError
