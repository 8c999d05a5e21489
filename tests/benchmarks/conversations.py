"""Conversations as memories: a turn is remembered, a conversation is a scope, questions are recalled.

`program` is anything with `batch(lines)` and `recall(query, *options)`: real processes, or a
store on trial within one.
"""

import time
from collections import Counter, defaultdict
from dataclasses import dataclass

from placed import DEPTH, Placed

RECORDED = 10  # turns of each answer that are kept in the records
PER_MILLE = 1000
OPTIONS = ("-k", str(DEPTH), "--budget", "1000000")


@dataclass(frozen=True)
class Held:
    """What a scope holds: by memory id the turns that it says, and how many turns were decided how."""

    scope: str
    turns: dict
    decisions: Counter

    @classmethod
    def of(cls, told, decisions):
        """From the (id, decision) of each turn. A turn that reinforced a memory is said by that memory."""
        turns = defaultdict(set)
        for turn, (memory, decision) in zip(told.places, decisions, strict=True):
            if memory and decision != "skipped":
                turns[memory].add(turn)
        return cls(scope_of(told), dict(turns), Counter(decision for _, decision in decisions))


def scope_of(told):
    """The scope that a conversation is remembered in."""
    return f"conversation:{told.name}"


def take_in(program, told):
    """Remember every turn of a conversation in one batch; the (id, decision) of each."""
    lines = [
        {"text": text, "scope": scope_of(told), "occurred_at": day}
        for text, day in zip(told.texts, told.days, strict=True)
    ]
    return [(one.get("id"), one.get("decision") or "refused") for one in program.batch(lines)]


@dataclass(frozen=True)
class Answered:
    """One question in one scope: the memories of the answer in order, with scores in 1/1000.

    `best_match` is the best that was shown or withheld; `leaks` counts rows that the scope
    does not hold.
    """

    question: str
    outcome: str
    order: list
    scores: list
    best_match: int
    leaks: int
    took_ms: int

    def placed(self, asked, held):
        """Where the evidence of `asked` came in this answer."""
        order = [held.turns.get(one, ()) for one in self.order]
        return Placed.among(asked.id, set(asked.evidence), order)

    def first(self, held):
        """The first memories as [turn, score]; one that says several turns goes by the earliest."""
        named = [min(held.turns[one], key=_number) for one in self.order[:RECORDED]]
        return [list(pair) for pair in zip(named, self.scores, strict=False)]


def ask(program, question, held, *options):
    """The answer to a question in the scope that `held` describes."""
    start = time.perf_counter()
    answer = program.recall(question.text, "--scope", held.scope, *OPTIONS, *options)
    took_ms = round(1000 * (time.perf_counter() - start))
    rows = answer["items"]
    matches = [one["match"] for one in rows] + [answer["withheld"]["top_score"] or 0]
    return Answered(
        question.id,
        answer["outcome"],
        [one["id"] for one in rows],
        [round(PER_MILLE * one["score"]) for one in rows],
        round(PER_MILLE * max(matches)),
        sum(one["scope"] != held.scope or one["id"] not in held.turns for one in rows),
        took_ms,
    )


def _number(turn):
    return [int(part) for part in turn.removeprefix("D").split(":")]
