"""The guard: what was taken out stays out, and what merely resembles it is held for a person.

A forgotten claim walks back in through a transcript, an import, a paraphrase. No cosine
threshold stops that alone: real re-derivations seldom come close, and updates, which must
pass, often do. So `layers` finds what is said again, and here ENGINE section 2's table says
what becomes of it, by the reason for which the other one does not count. Pure: whoever asks
gives the neighbours and their cosines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.layers import HELD_AGAINST, Claimed, Neighbour, Reach, Rule, buried, match, pieces
from memcli.memory.schema import ArchiveReason, ReviewReason, Schema, Status, Validity

__all__ = [
    "HELD_AGAINST",
    "Claimed",
    "Neighbour",
    "Reach",
    "Rule",
    "Ruling",
    "Verdict",
    "buried",
    "covers",
    "judge",
    "match",
    "pieces",
]


class Verdict(IntEnum):
    """What becomes of the candidate, the strongest first."""

    SKIP = 0  # nothing is stored
    ADD = 1  # its evidence goes to a schema that exists, whose status stays
    PROMOTE = 2  # as ADD, and the schema becomes active
    REVIEW = 3  # stored, but waits for a person
    REVIVE = 4  # an archived schema becomes what the candidate would have become
    PASS = 5


@dataclass(frozen=True, slots=True)
class Ruling:
    """The verdict, by which rule and score, because of which schema.

    `because` names what that schema is (forgotten, superseded, ended, rejected ...). `told`: a
    person said it on purpose, so the answer names what was removed and how to override.
    `hidden_in`: narrower scopes that must not see the candidate; nobody is told but review.
    """

    verdict: Verdict
    rule: Rule | None = None
    score: float = 0.0
    of: str = ""
    because: str = ""
    review: ReviewReason | None = None
    told: bool = False
    hidden_in: tuple[str, ...] = ()


PASSED: Final = Ruling(Verdict.PASS)


def judge(
    candidate: Claimed,
    neighbours: Sequence[Neighbour],
    idf: Mapping[str, float],
    constants: Constants = DEFAULTS,
) -> Ruling:
    """What becomes of `candidate` beside everything in reach that is not live at as_of (ENGINE section 2).

    `idf` maps stems to weights from the rows that the candidate's scope sees.
    """
    found = [
        (neighbour.reach, neighbour.schema.scope, ruling)
        for neighbour in neighbours
        if (ruling := _ruling(candidate, neighbour, idf, constants)).verdict is not Verdict.PASS
    ]
    hidden = {str(scope) for reach, scope, r in found if reach is Reach.NARROWER and _withholds(r)}
    open_to = [r for reach, _, r in found if reach is Reach.OWN or (reach is Reach.SEEN and _withholds(r))]
    best = min(open_to, key=_strength, default=PASSED)
    if best.verdict is Verdict.PROMOTE and any(r.verdict is Verdict.REVIEW for r in open_to):
        best = replace(best, verdict=Verdict.ADD)
    return replace(best, hidden_in=tuple(sorted(hidden)))


def _withholds(ruling: Ruling) -> bool:
    return ruling.verdict in (Verdict.SKIP, Verdict.REVIEW)


def _strength(ruling: Ruling) -> tuple[int, int, float, str]:
    return ruling.verdict, list(Rule).index(ruling.rule or Rule.HOLD), -ruling.score, ruling.of


def _ruling(candidate: Claimed, near: Neighbour, idf: Mapping[str, float], constants: Constants) -> Ruling:
    """What one neighbour alone would do to the candidate."""
    if near.schema.id in candidate.spared:
        return PASSED
    if candidate.arrived and near.schema.status not in HELD_AGAINST:
        return PASSED
    if near.schema.live and near.schema.validity.holds_at(candidate.as_of):
        return PASSED
    rule, score = match(candidate, near, idf, constants)
    if rule is None:
        return PASSED
    ruling = Ruling(Verdict.SKIP, rule, score, near.schema.id, told=candidate.person and candidate.explicit)
    if rule is Rule.HOLD:
        because = near.schema.status.value
        return replace(ruling, verdict=Verdict.REVIEW, because=because, review=ReviewReason.RESEMBLES)
    return _by_reason(candidate, near, ruling)


def _by_reason(candidate: Claimed, near: Neighbour, ruling: Ruling) -> Ruling:
    """ENGINE section 2's table for a certain match."""
    status = near.schema.status
    if status is Status.ARCHIVED:
        return _archived(near, ruling)
    if status is Status.ACTIVE:
        return _out_of_window(candidate, near.schema, ruling)
    if status in (Status.STAGED, Status.NEEDS_REVIEW):
        promotes = candidate.explicit and status is Status.STAGED
        verdict = Verdict.PROMOTE if promotes else Verdict.ADD
        return replace(ruling, verdict=verdict, because=status.value, told=False)
    newer = near.since is not None and candidate.evidence_at > near.since
    if status is Status.FORGOTTEN or not newer or ruling.told:
        return replace(ruling, because=status.value)
    return replace(ruling, verdict=Verdict.REVIEW, because=status.value, review=ReviewReason.NEWER_EVIDENCE)


def _archived(near: Neighbour, ruling: Ruling) -> Ruling:
    reason = near.schema.archive_reason
    because = reason.value if reason else Status.ARCHIVED.value
    if reason is ArchiveReason.REJECTED:
        return replace(ruling, because=because)
    if reason is ArchiveReason.DUPLICATE and near.canonical:
        return replace(ruling, verdict=Verdict.ADD, of=near.canonical, because=because, told=False)
    return replace(ruling, verdict=Verdict.REVIVE, because=because, told=False)


def _out_of_window(candidate: Claimed, schema: Schema, ruling: Ruling) -> Ruling:
    """An active claim whose window lies before or after as_of.

    A candidate that states a window of its own speaks of another time: it is no repetition.
    """
    window, stated = schema.validity, candidate.validity
    if stated != Validity() and not covers(window, stated):
        return PASSED
    if window.end is None or candidate.as_of < window.end:
        return replace(ruling, verdict=Verdict.ADD, because="not begun", told=False)
    return PASSED if candidate.evidence_at >= window.end else replace(ruling, because="ended")


def covers(window: Validity, other: Validity) -> bool:
    """Whether every moment of `other` lies in `window`."""
    begins = window.start is None or (other.start is not None and window.start <= other.start)
    ends = window.end is None or (other.end is not None and other.end <= window.end)
    return begins and ends
