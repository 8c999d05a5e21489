"""Staged: a claim too weak to believe, kept for a while to see whether anything resonates with it.

The danger is a claim that promotes itself: by what was similar before it came, by its own
session saying it again, by an echo of what recall has just returned. So only what a later
and independent session says on its own counts, and what nothing resonates with is given up
after some days, as a file that can still be brought back.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.lifecycle import Change, reinforce
from memcli.memory.schema import ArchiveReason, Evidence, Schema, Status

DAY_S: Final = 86_400
_DAY_MS: Final = DAY_S * 1000


@dataclass(frozen=True, slots=True)
class Heard:
    """One event beside a staged claim: its id, its session, its cosine with the claim.

    `session` is as `session_of` names it; `echo` says that the event repeats what recall
    returned in that session.
    """

    event: str
    session: str
    cosine: float
    echo: bool = False


def session_of(session: str, moment_ms: int) -> str:
    """What counts as one session: the named one, else all that was said on that day (UTC) without one.

    `moment_ms` are milliseconds since 1970.
    """
    return session or f"day {moment_ms // _DAY_MS}"


def resonates(
    schema: Schema, sessions: Collection[str], heard: Heard, constants: Constants = DEFAULTS
) -> bool:
    """Whether `heard` promotes the staged `schema`, whose evidence was said in `sessions` (`session_of`).

    Later means by the ids of events, which sort by time: so it does not matter in which batch,
    or in how many, they are digested.
    """
    if schema.status is not Status.STAGED or heard.echo or heard.session in sessions:
        return False
    later = all(heard.event > one.event for one in schema.evidence)
    return later and heard.cosine >= constants.resonance


def promoted(schema: Schema, by: Evidence) -> Change:
    """The staged `schema` as it counts from now on, `by` being the event that resonated."""
    change = reinforce(schema, (by,), promote=True)
    if change is None:
        raise ValueError(f"{schema.id} is {schema.status.value}, not staged")
    return change


def expires_at(since: int, constants: Constants = DEFAULTS) -> int:
    """When a claim that was last said at `since` is given up; both in seconds since 1970."""
    return since + constants.expires_days * DAY_S


def is_expired(since: int, as_of: int, constants: Constants = DEFAULTS) -> bool:
    """Whether a claim that was last said at `since` (seconds since 1970) is given up at `as_of`."""
    return as_of >= expires_at(since, constants)


def given_up(schema: Schema) -> Change:
    """The staged `schema` archived, because nothing resonated with it."""
    keys = {"status": Status.ARCHIVED.value, "archive_reason": ArchiveReason.NEVER_RESONATED.value}
    return Change(schema.id, schema.status, Status.ARCHIVED, keys)
