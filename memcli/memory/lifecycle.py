"""Which act is legal from which status, and which keys it writes; never how a file is written.

Two dangers: an act that loses what was there before (unforget must give back `superseded`,
not `active`), and a status that comes back by itself when an old editor buffer is saved. So
every act is a `Change` with its prior status, and `effective` decides what a status that
somebody wrote by hand is worth.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from memcli.errors import NoSuchMemory, Refused
from memcli.memory import times
from memcli.memory.schema import Evidence, ReviewReason, Schema, StaleReason, Status, fold_concept

Plain = str | bool | float | int | Sequence["Plain"] | Mapping[str, "Plain"]
"""A value of the frontmatter, as store.edit takes it."""

Keys = Mapping[str, "Plain | None"]
"""Dotted key of the frontmatter -> what to write there (None: take the key out), as store.edit takes it."""

Spell = Callable[[int], str]
"""How a moment is spelled in a file."""

# How strongly a status withholds: by hand one may go up at once, never down (FORMAT section 5).
_WITHHELD: Final[Mapping[Status, int]] = MappingProxyType(
    {Status.RETRACTED: 1, Status.ARCHIVED: 2, Status.FORGOTTEN: 3},
)
EVIDENCE_MOST: Final = 1000  # asserted: 40 KiB of the 64 that a frontmatter may have
_REPORTABLE: Final = frozenset({Status.ACTIVE, Status.STAGED, Status.NEEDS_REVIEW})
REPORTED: Final[Mapping[str, str]] = MappingProxyType({"reason": ReviewReason.REPORTED.value})
"""The key `review` of what somebody reported: done already, and waiting for a person to agree."""

_LEFT_BY_A_PERSON: Final = frozenset({Status.FORGOTTEN, Status.RETRACTED, Status.SUPERSEDED})


@dataclass(frozen=True, slots=True)
class Change:
    """What one act does to one schema: its keys, and the two statuses that the journal names."""

    id: str
    prior: Status
    status: Status
    keys: Keys


@dataclass(frozen=True, slots=True)
class Supersession:
    """Both sides of a switch at `until` (seconds since 1970): one commit, two files."""

    old: Change
    new: Keys
    until: int


def effective(stated: Status, confirmed: Status | None) -> tuple[Status, bool]:
    """The status that counts when a file states `stated` and the journal last said `confirmed`.

    Towards withholding a hand may go at once; out of forgotten, retracted and superseded the
    confirmed status holds (and the second value is True) until a person confirms the change.
    """
    if confirmed is None or stated is confirmed or confirmed not in _LEFT_BY_A_PERSON:
        return stated, False
    if _WITHHELD.get(stated, 0) > _WITHHELD.get(confirmed, 0):
        return stated, False
    return confirmed, True


def forget(schema: Schema, status: Status | None = None) -> Change | None:
    """The act of forgetting; None where it is forgotten already (no commit then).

    `status` is the effective one where it is not what the file says.
    """
    prior = status or schema.status
    if prior is Status.FORGOTTEN and schema.status is Status.FORGOTTEN:
        return None
    return Change(schema.id, prior, Status.FORGOTTEN, {"status": Status.FORGOTTEN.value})


def unforget(schema: Schema, prior: Status, *, stated: bool = True) -> Change | None:
    """The exact way back to `prior`, or None where the schema is not forgotten.

    `prior` is the status of the last committed version that was not forgotten, and `stated`
    whether that version had the key at all: where it had none, the key goes again.
    """
    if schema.status is not Status.FORGOTTEN or prior is Status.FORGOTTEN:
        return None
    return Change(schema.id, Status.FORGOTTEN, prior, {"status": prior.value if stated else None})


def retract(schema: Schema, block: Plain, status: Status | None = None) -> Change | None:
    """The act of retracting; None where it is retracted already. `block` is what its file says of it.

    `status` is the effective one where it is not what the file says. Raises Refused for what is
    forgotten: nobody is told any more what it said.
    """
    prior = status or schema.status
    if prior is Status.FORGOTTEN:
        raise Refused(
            f"{schema.id} is forgotten; it answers nothing any more.",
            f"Take it back first if its errors matter: mem unforget {schema.id}",
        )
    if prior is Status.RETRACTED:
        return None
    keys: Keys = {"status": Status.RETRACTED.value, "retraction": block}
    return Change(schema.id, prior, Status.RETRACTED, keys)


def unretract(prior: Status, *, stated: bool = True) -> Keys:
    """The keys that take a retraction back; `stated` as for `unforget`."""
    return {"status": prior.value if stated else None, "retraction": None}


def report_stale(
    schema: Schema, reason: StaleReason, moment: int, spell: Spell = times.show
) -> Change | None:
    """What a report that it no longer holds does: stale, closed at `moment`, and to be looked at by a person.

    `schema.status` is the effective one. None where it counts no more already. A window is only ever
    shortened, and one that would end before it began is left as it is.
    """
    if schema.status not in _REPORTABLE:
        return None
    keys: dict[str, Plain | None] = {
        "status": Status.STALE.value,
        "stale_reason": reason.value,
        "review": dict(REPORTED),
    }
    start, end = schema.validity.start, schema.validity.end
    if (start is None or start < moment) and (end is None or moment < end):
        keys["validity.to"] = spell(moment)
    return Change(schema.id, schema.status, Status.STALE, keys)


def supersede(
    old: Schema,
    switch: int,
    new_id: str,
    chain: Mapping[str, str] = MappingProxyType({}),
    *,
    spell: Spell = times.show,
) -> Supersession:
    """Close `old` at `switch` (seconds since 1970) and link it with `new_id`.

    `old.status` is the effective one; `chain` maps the id of each superseded schema of the
    store to its successor. The window is only ever shortened. The keys for the new side
    (`validity.from`, `supersedes`) are for a fresh file; see `succeeding` for one that exists.
    Raises Refused: itself, a cycle, not active, a switch at or before the old beginning.
    """
    if old.id == new_id or old.id in followers(new_id, chain):
        raise Refused(
            f"{old.id} cannot be superseded by {new_id}: that would be a circle",
            hint="Name the one that is right now as the second.",
        )
    if not old.live:
        raise Refused(
            f"{old.id} is {old.status.value}; only an active memory can be superseded",
            hint=f"`mem log {old.id}` says what became of it.",
        )
    start = old.validity.start
    if start is not None and switch <= start:
        raise Refused(
            f"{old.id} is true from {times.show(start)}; what replaces it must begin later",
            hint=f"Give a later time than {times.show(start)} with --from.",
        )
    keys: dict[str, Plain | None] = {"status": Status.SUPERSEDED.value}
    until = switch if old.validity.end is None else min(switch, old.validity.end)
    if until != old.validity.end:
        keys["validity.to"] = spell(until)
    keys["superseded_by"] = new_id
    change = Change(old.id, old.status, Status.SUPERSEDED, keys)
    return Supersession(change, {"validity.from": spell(switch), "supersedes": [old.id]}, until)


def succeeding(new: Schema | None, id_: str, old: str, switch: int, spell: Spell = times.show) -> Keys:
    """The keys that make an existing schema the successor of `old` from `switch` on.

    `id_` is what the user asked for. Raises NoSuchMemory where there is none, Refused where it
    is not active or its window is closed before it would begin.
    """
    if new is None:
        raise NoSuchMemory(f"There is no memory {id_} to replace {old}", "`mem list` shows those that count.")
    if not new.live:
        raise Refused(
            f"{new.id} is {new.status.value}; only an active memory can replace another",
            hint=f"`mem log {new.id}` says what became of it.",
        )
    if new.validity.end is not None and new.validity.end <= switch:
        raise Refused(
            f"{new.id} is true until {times.show(new.validity.end)}, which is not after the switch",
            hint="Give an earlier time with --from.",
        )
    keys: dict[str, Plain | None] = {"supersedes": [*new.supersedes, *({old} - set(new.supersedes))]}
    if new.validity.start != switch:
        keys["validity.from"] = spell(switch)
    return keys


def switch_of(new_from: int | None, as_of: int) -> int:
    """The instant of the switch: where the new claim begins to be true, else the operation's as_of."""
    return as_of if new_from is None else new_from


def followers(id_: str, chain: Mapping[str, str]) -> tuple[str, ...]:
    """Whoever superseded `id_`, and whoever superseded that, to the end; a circle made by hand ends it."""
    found: list[str] = []
    here = chain.get(id_, "")
    while here and here not in found and here != id_:
        found.append(here)
        here = chain.get(here, "")
    return tuple(found)


def forerunners(id_: str, chain: Mapping[str, str]) -> frozenset[str]:
    """All that `id_` supersedes, directly or through the chain."""
    return frozenset(old for old in chain if id_ in followers(old, chain))


def superseded_by_concept(
    candidates: Iterator[tuple[Schema, int]] | Sequence[tuple[Schema, int]],
    concept: str,
    tags: Sequence[str] = (),
) -> Schema | None:
    """The active schema that a claim about `concept` replaces: the newest, or None.

    `candidates` are schemas of exactly the scope of the claim, their status the effective
    one, each with the order in which it was recorded (a later one has a higher number).
    Those that lack one of `tags` do not count.
    """
    wanted = fold_concept(concept)
    eligible = [
        (order, schema.id, schema)
        for schema, order in candidates
        if schema.live and wanted and fold_concept(schema.concept) == wanted and set(tags) <= set(schema.tags)
    ]
    return max(eligible, key=lambda found: found[:2])[2] if eligible else None


def reinforce(
    schema: Schema, added: Sequence[Evidence], *, promote: bool = False, to: Status = Status.ACTIVE
) -> Change | None:
    """New evidence for a schema that exists; with `promote` it becomes active, or `to`. None: nothing new.

    What has all the evidence that a file holds keeps what it has: its events say what they led to.
    """
    known = {one.event for one in schema.evidence}
    fresh = [one for one in added if one.event not in known][: max(0, EVIDENCE_MOST - len(known))]
    keys: dict[str, Plain | None] = {}
    if fresh:
        keys["evidence"] = [_spelled(one) for one in (*schema.evidence, *fresh)]
    if promote and schema.status not in (Status.ACTIVE, to):
        keys |= {"status": to.value, "archive_reason": None, "review": None}
    status = to if promote and schema.status is not Status.ACTIVE else schema.status
    return Change(schema.id, schema.status, status, keys) if keys else None


def _spelled(evidence: Evidence) -> dict[str, str | float]:
    keys: dict[str, str | float] = {"event": evidence.event}
    if evidence.quote:
        keys["quote"] = evidence.quote
    if evidence.weight != 1.0:
        keys["weight"] = evidence.weight
    return keys
