"""Who stands in a commit as author and committer: what git has configured, else a stated fallback.

A machine without user.name must be able to remember; git would guess from the host or
refuse. The fallback counts for that one commit and is written to no configuration.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from memcli.journal.configuration import Configuration

FALLBACK_NAME: Final = "mem"
FALLBACK_EMAIL: Final = "mem@localhost"
_CRUD: Final = "".join(map(chr, range(33))) + ".,:;<>\"\\'"  # git cuts these at both ends of a name
_INSIDE: Final = str.maketrans("", "", "\n<>\0")


@dataclass(frozen=True, slots=True)
class Identity:
    """A name and an address as a commit carries them; neither is empty."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"


def author(environment: Mapping[str, str], configuration: Configuration, actor_name: str) -> Identity:
    """Who wrote it: GIT_AUTHOR_*, author.*, user.*, EMAIL, else `actor_name` at FALLBACK_EMAIL."""
    return _identity("author", environment, configuration, actor_name)


def committer(environment: Mapping[str, str], configuration: Configuration, actor_name: str) -> Identity:
    """Who committed it: as `author`, from GIT_COMMITTER_* and committer.*."""
    return _identity("committer", environment, configuration, actor_name)


def variables(who: Identity, role: str) -> dict[str, str]:
    """`who` as the environment of a git process, for the `role` author or committer."""
    prefix = f"GIT_{role.upper()}"
    return {f"{prefix}_NAME": who.name, f"{prefix}_EMAIL": who.email}


def _identity(role: str, environment: Mapping[str, str], own: Configuration, actor_name: str) -> Identity:
    upper = role.upper()
    names = (environment.get(f"GIT_{upper}_NAME", ""), own.text(f"{role}.name"), own.text("user.name"))
    emails = (
        environment.get(f"GIT_{upper}_EMAIL", ""),
        own.text(f"{role}.email"),
        own.text("user.email"),
        environment.get("EMAIL", ""),
    )
    fallback = actor_name.rpartition(":")[2]
    return Identity(_first(*names, fallback, FALLBACK_NAME), _first(*emails, FALLBACK_EMAIL))


def _first(*texts: str) -> str:
    clean = (text.translate(_INSIDE).strip(_CRUD) for text in texts)
    return next(text for text in clean if text)
