"""Pairs of a removed claim and a candidate, read from sets that stay outside the project."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from published import locomo

PARAPHRASE, NEAR_MISS, UPDATE, REDERIVED, UNRELATED = (
    "paraphrase",
    "near miss",
    "update",
    "rederived",
    "unrelated",
)
GOLD = Path(__file__).parents[2] / "fixtures" / "gold" / "guard.json"
EVERY = 20  # unrelated candidates for each claim


@dataclass(frozen=True)
class Pair:
    """A claim that was forgotten, and a text that comes later."""

    id: str
    removed: str
    candidate: str


@dataclass(frozen=True)
class Set:
    """Pairs of one kind; `seen` where the rules were written while looking at it."""

    name: str
    kind: str
    seen: bool
    pairs: list


def frozen():
    """This project's own claims, twice forty; the guard was improved between the two."""
    gold = json.loads(GOLD.read_text(encoding="utf-8"))
    return [one for name in ("first", "second") for one in _own(name, gold[name], seen=name == "first")]


def _own(name, triples, *, seen):
    again = [Pair(f"{name}/{nth}", one[0], one[1]) for nth, one in enumerate(triples)]
    other = [Pair(f"{name}/{nth}", one[0], one[2]) for nth, one in enumerate(triples)]
    return [
        Set(f"own, {name} forty, paraphrase", PARAPHRASE, seen, again),
        Set(f"own, {name} forty, update or neighbour", UPDATE, seen, other),
    ]


def paraphrase_sets(data):
    """STS dev (scores 0 to 5) to report on; STS train and SICK train, seen while tuning."""
    dev, train, sick = _sts(data, "dev"), _sts(data, "train"), _sick(data)
    return [
        Set("STS dev, score 4 and more", PARAPHRASE, False, [p for p, s in dev if s >= 4]),
        Set("STS dev, score 4.5 and more", PARAPHRASE, False, [p for p, s in dev if s >= 4.5]),
        Set("STS dev, score 3 and less", NEAR_MISS, False, [p for p, s in dev if s <= 3]),
        Set("STS train, score 4 and more", PARAPHRASE, True, [p for p, s in train if s >= 4]),
        Set("STS train, score 3 and less", NEAR_MISS, True, [p for p, s in train if s <= 3]),
        Set("SICK train, entailed, 4.5 and more", PARAPHRASE, True, _of(sick, "ENTAILMENT", 4.5, 5)),
        Set("SICK train, contradicted", NEAR_MISS, True, _of(sick, "CONTRADICTION", 0, 5)),
        Set("SICK train, neutral, below 4", NEAR_MISS, True, _of(sick, "NEUTRAL", 0, 3.99)),
    ]


def updates(data):
    """letta: a fact and what contradicts it; each must pass the guard of the other."""
    lines = (data / "letta" / "core_memory_update.odd.jsonl").read_text(encoding="utf-8").splitlines()
    return Set("letta, old fact and its update", UPDATE, True, list(_updates(lines)))


def rederived(data):
    """LoCoMo: an observation that was forgotten, and the turn that it was distilled from."""
    turns = [dict(zip(told.places, told.texts, strict=True)) for told in locomo(data)]
    found = [
        (at, f"{at}/{nth}", text, turns[at][turn])
        for at, nth, text, turn in _observations(data)
        if turn in turns[at]
    ]
    own = [Pair(name, text, turn) for _, name, text, turn in found]
    foreign = [
        Pair(f"{name}/{n}", text, _foreign(turns, at, 7919 * nth + 104_729 * n))
        for nth, (at, name, text, _) in enumerate(found)
        for n in range(EVERY)
    ]
    return [
        Set("LoCoMo, observation and its turn", REDERIVED, False, own),
        Set("LoCoMo, observation and another conversation's turn", UNRELATED, False, foreign),
    ]


def _sts(data, split):
    lines = (data / "paraphrase" / f"stsb_sts-{split}.csv").read_text(encoding="utf-8").splitlines()
    parts = [line.split("\t") for line in lines]
    return [(Pair("/".join(p[:4]), p[5], p[6]), float(p[4])) for p in parts]


def _sick(data):
    lines = (data / "paraphrase" / "SICK_train.txt").read_text(encoding="utf-8").splitlines()[1:]
    parts = [line.split("\t") for line in lines]
    return [(Pair(p[0], p[1], p[2]), p[4], float(p[3])) for p in parts]


def _of(sick, judgment, least, most):
    return [pair for pair, judged, score in sick if judged == judgment and least <= score <= most]


def _updates(lines) -> Iterator[Pair]:
    for nth, line in enumerate(lines):
        about = json.loads(line)["agent_args"]["extra"]
        new = about["contradicting_fact"].strip().strip('"')
        for at in about["supporting_fact_indices"]:
            yield Pair(f"{nth}/{at}", about["facts"][at], new)


def _observations(data):
    """(conversation, number, text, turn) of each observation that names a turn."""
    told = json.loads((data / "locomo" / "locomo10.json").read_text(encoding="utf-8"))
    for at, one in enumerate(told):
        listed = [o for said in one["observation"].values() for person in said.values() for o in person]
        for nth, observed in enumerate(listed):
            if len(observed) == 2:
                turn = observed[1][0] if isinstance(observed[1], list) else observed[1]
                yield at, nth, observed[0], turn


def _foreign(turns, at, step):
    other = list(turns[(at + 1 + step % (len(turns) - 1)) % len(turns)].values())
    return other[step % len(other)]
