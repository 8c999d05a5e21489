"""All sets in one store, one configuration for all: what strangers cost, in other scopes and in the same.

    python tests/benchmarks/crowd.py --data ../shared/eval --work WORK --mem .venv/bin/mem --out docs/figures

LoCoMo is observed as in observed.py, the coding sessions are observed and remembered as in
coding.py, and the facts and updates of letta's cases remembered as in updates.py, all by one
actor into one store (WORK may be that of observed.py, which is then not said again). A
part of each set's questions, chosen by their number, is asked as shipped in the scope that
answers, where everything else must stay out of sight, and by a person in every scope at once
(`--scope '*'`), where everything is in the way. A resident answers.
"""

import json
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

import coding
import updates
from conversations import scope_of
from inside import program_of
from intervals import wilson
from kept import Kept, write_figures, write_lines
from locomo_summary import OUTCOMES, leaks, times
from observed import prepared, turns_of
from outcomes import share
from placed import Placed, figures, gained, percent
from program import circumstances, measuring
from published import asked_of_sessions, letta, locomo, sessions

EVERYWHERE = "*"
WAYS = ("its own scope", "every scope at once")
STEPS = {"LoCoMo": 12, "DevMemBench": 4, "letta": 1}  # of each set, every so manieth question
CASES = 50
SHOWN = ("-k", "10", "--budget", "4000")
MEASURES = ("R@1", "R@5", "R@10", "full@10", "MRR")


@dataclass(frozen=True)
class Wanted:
    """One question of one set: the scope that answers, and what answers there, by any id that says it."""

    set: str
    id: str
    text: str
    scope: str
    evidence: tuple


@dataclass(frozen=True)
class Answered:
    """One answer: what each thing shown says, its scope, and how many are not of the scope asked."""

    question: str
    outcome: str
    shown: list
    strangers: int  # things shown of another scope than that which answers
    leaks: int  # things shown of another scope than that which was asked
    took_ms: int

    @property
    def order(self):
        """What each thing shown says."""
        return [frozenset(said) for said in self.shown]

    def placed(self, one):
        """Where the evidence came."""
        return Placed.among(one.id, set(one.evidence), self.order)


def questions(told, data):
    """The chosen questions of all sets; evidence is named so that no two sets name alike."""
    found = []
    for one in told:
        found += [
            Wanted("LoCoMo", each.id, each.text, scope_of(one), _marked(one.name, each.evidence))
            for each in one.answerable[:: STEPS["LoCoMo"]]
        ]
    found += [
        Wanted("DevMemBench", each.id, each.text, coding.SAID, each.evidence)
        for each in asked_of_sessions(data)[:: STEPS["DevMemBench"]]
        if not each.absent
    ]
    found += [
        Wanted("letta", case.id, case.question, updates.scope_of(case), (f"{case.id}/new",))
        for case in updates.chosen(letta(data))[: CASES : STEPS["letta"]]
    ]
    return found


def _marked(name, turns):
    return tuple(f"{name}/{turn}" for turn in turns)


def sources(program, told, data, work):
    """By the id of everything that was taken in: what it says, in the names that evidence has."""
    found = {}
    for one in told:
        found |= {id_: [f"{one.name}/{turn}"] for id_, turn in turns_of(program, [one]).items()}
    _, known = coding.taken_in(program, sessions(data), work)
    cases = updates.chosen(letta(data))[:CASES]
    for case_id, rows in updates.remembered(program, cases, work).items():
        ids = [id_ for id_, _ in rows]
        found |= {id_: [f"{case_id}/{at}"] for at, id_ in enumerate(ids[:-1])}
        if ids[-1] not in ids[:-1]:
            found[ids[-1]] = [f"{case_id}/new"]
    return known | found


def ask(program, one, scope, known):
    """One question in one scope, or in all."""
    begun = time.perf_counter()
    answer = program.recall(one.text, "--scope", scope, *SHOWN)
    took_ms = round(1000 * (time.perf_counter() - begun))
    items = answer["items"]
    named = [[item["id"], *item.get("evidence", ())] for item in items]
    return Answered(
        one.id,
        answer["outcome"],
        [sorted({name for id_ in ids for name in known.get(id_, ())}) for ids in named],
        sum(item["scope"] != one.scope for item in items),
        0 if scope == EVERYWHERE else sum(item["scope"] != scope for item in items),
        took_ms,
    )


def asked(program, way, wanted, known, work):
    """Question id -> answer."""
    kept = Kept(work / f"crowd-{way.replace(' ', '-')}.jsonl")
    done = {row["question"] for row in kept.rows}
    for one in wanted:
        if one.id not in done:
            scope = EVERYWHERE if way == WAYS[1] else one.scope
            kept.add(asdict(ask(program, one, scope, known)))
    print(way, flush=True)
    return {row["question"]: Answered(**row) for row in kept.rows}


def summary(wanted, answers):
    """By set and way: quality, outcomes and strangers shown; what asking everywhere costs; leaks."""
    found, gains = {}, {}
    for name in STEPS:
        part = [one for one in wanted if one.set == name]
        placed = {way: [answers[way][one.id].placed(one) for one in part] for way in WAYS}
        for way in WAYS:
            found[f"{name}, {way}"] = _way([answers[way][one.id] for one in part], placed[way])
        gains[name] = {one: gained(placed[WAYS[1]], placed[WAYS[0]], one) for one in MEASURES}
    return {
        "sets": found,
        "everywhere_over_own": gains,
        "leaks": leaks({WAYS[0]: answers[WAYS[0]]}),
        "recall_ms": {name: times(one) for name, one in answers.items()},
    }


def _way(answers, placed):
    counted, rows = Counter(one.outcome for one in answers), sum(len(one.shown) for one in answers)
    strange, n = sum(one.strangers for one in answers), len(answers)
    quality = figures(placed)
    return {
        "n": n,
        **{one: quality[one] for one in MEASURES},
        **{kind: share(counted[kind], n) for kind in OUTCOMES},
        "rows": rows,
        "strangers": percent(wilson(strange, rows)),
    }


def main():
    """Take in all sets, ask, write."""
    words = measuring(__doc__)
    words.add_argument("--data", type=Path, required=True, help="folder with data/")
    given = words.parse_args()
    data = given.data / "data"
    told, program = locomo(data), program_of(given)
    prepared(program, told, given.work)
    known = sources(program, told, data, given.work)
    wanted = questions(told, data)
    program.ran("watch", "--detach")
    try:
        answers = {way: asked(program, way, wanted, known, given.work) for way in WAYS}
    finally:
        program.ran("watch", "--stop")
    held = {"turns and memories": len(known), "scopes": len({one.scope for one in wanted})}
    found = circumstances(program) | held | summary(wanted, answers)
    print(json.dumps(found, indent=1))
    if given.out:
        write_figures(given.out / "crowd.json", {"format": "mem.benchmark.crowd/1", **found})
        write_lines(given.out / "crowd-records.jsonl", _records(wanted, answers))


def _records(wanted, answers):
    for one in wanted:
        yield {
            "set": one.set,
            "id": one.id,
            "wanted": len(one.evidence),
            **{
                way: [list(found[one.id].placed(one).places), found[one.id].outcome, found[one.id].strangers]
                for way, found in answers.items()
            },
        }


if __name__ == "__main__":
    main()
