"""Forget and unforget: a person's act that holds against whatever would bring the claim back."""

from dataclasses import dataclass

from memcli.engine.opened import Opened


@dataclass(frozen=True, slots=True)
class Target:
    """What an act is about to touch, for the person to see before agreeing."""

    id: str
    path: str
    claim: str
    status: str
    scope: str
    type: str


@dataclass(frozen=True, slots=True)
class Acted:
    """One act carried out (or found done already: `commit` None)."""

    op: str
    id: str
    prior_status: str
    status: str
    commit: str | None
    remains: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def targets(opened: Opened, ids: tuple[str, ...]) -> tuple[Target, ...]:
    """What `ids` (prefixes of four or more) name. Raises NoSuchMemory."""
    raise NotImplementedError


def forget(opened: Opened, targets: tuple[Target, ...], reason: str = "") -> tuple[Acted, ...]:
    """Forget each target, one commit for all; the caller has a person's word."""
    raise NotImplementedError


def unforget(opened: Opened, targets: tuple[Target, ...], reason: str = "") -> tuple[Acted, ...]:
    """Give each target its prior status and bytes back, one commit for all."""
    raise NotImplementedError
