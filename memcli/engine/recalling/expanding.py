"""Expansion: the memories that belong to those of an answer, found by their ids."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memcli.engine.recalling.asking import Asked
from memcli.engine.recalling.source import Source
from memcli.memory import expansion, ranking
from memcli.memory.account import Account
from memcli.memory.constants import Constants
from memcli.memory.expansion import Answering
from memcli.memory.pool import Candidate
from memcli.memory.ranking import Scored
from memcli.memory.visibility import Verdict, verdict


@dataclass(frozen=True, slots=True)
class Reached:
    """A memory that is shown for another's sake, and along what it was reached."""

    scored: Scored
    candidate: Candidate
    via: str


def reached(  # noqa: PLR0913 - who answers, and what may follow
    source: Source,
    asked: Asked,
    answer: Sequence[Answering],
    known: Iterable[str],
    *,
    accounts: Mapping[str, Account],
    rules: Constants,
) -> tuple[Reached, ...]:
    """What the memories of `answer` lead to, strongest first; those with the ids `known` are left out.

    Nothing is reached where every scope is asked: a person then looks for what is there.
    """
    viewer = asked.viewer
    if not viewer.scopes or not answer:
        return ()
    shown_already = frozenset(known)
    carried = expansion.carried(answer, accounts, viewer.as_of, rules)
    led = [one for one in carried if one.id not in shown_already]
    if not led:
        return ()
    floor = round(asked.floor * ranking.SCALE)
    found = {one.schema.id: one for one in source.with_ids([one.id for one in led])}
    least = min(one.match for one in answer)
    shown = []
    for one in led:
        candidate = found.get(one.id)
        if candidate is None or not _seen(asked, candidate):
            continue
        match = expansion.let_in(one, candidate.row, viewer.scopes[0], floor, rules)
        if match is not None:
            score = min(match, least)
            parts = Scored(candidate.path, one.id, score, match, 0, 0, 0)
            shown.append(Reached(parts, candidate, one.via))
    return tuple(shown[: rules.expanded])


def _seen(asked: Asked, candidate: Candidate) -> bool:
    """Whether the question admits it: its own scopes, or another that lets it travel."""
    viewers = (asked.viewer, replace(asked.viewer, abroad=True))
    return any(verdict(viewer, candidate.row) is Verdict.ADMITTED for viewer in viewers)
