"""What recall is worth when claims are believed beside what was said: LoCoMo with its observations.

    python tests/benchmarks/beside.py --data ../shared/eval --work WORK --mem .venv/bin/mem --out docs/figures

The sessions are observed as in observed.py; then the set's own observations, sentences that
somebody distilled from the turns, are remembered with those turns as their evidence, as an
agent would that works along. The same questions are asked for turns alone, for memories
alone, and by the default recall. A memory counts as the turns that it rests on: that
it says what they say is the set's word, not checked here.
"""

import json
from collections import Counter

from conversations import scope_of
from intervals import wilson
from kept import Kept, write_figures, write_lines
from locomo_summary import leaks, table, times
from observed import MEASURES, Run, asked, chosen, prepared, turns_of, within
from placed import DEPTH, figures, gained, mean, percent
from program import Program, circumstances, measuring
from published import observations

TURNS, MEMORIES, BOTH = "turns alone", "memories alone", "default"
ASKED = {TURNS: ("--events", "only"), MEMORIES: ("--events", "none"), BOTH: ()}
AS_SHIPPED = "{}, as shipped"  # with the k and the budget of a recall that names neither
RUNS = (
    *(Run(name, options) for name, options in ASKED.items()),
    *(Run(AS_SHIPPED.format(name), options, much=()) for name, options in ASKED.items()),
)


def remembered(program, told, distilled, turns, work):
    """Remember what was distilled of each conversation, once; how many were decided how."""
    kept = Kept(work / "remembered.json")
    events = {(one, turn): event for event, (one, turn) in turns.items()}
    for one in told[len(kept.rows) :]:
        lines = [
            {
                "text": text,
                "scope": scope_of(one),
                "evidence": [events[one.name, turn] for turn in said],
                "occurred_at": one.days[one.places[said[0]]],
            }
            for text, said in distilled[one.name]
        ]
        kept.add(Counter(answer.get("decision", "refused") for answer in program.batch(lines)))
    return dict(sum((Counter(row) for row in kept.rows), Counter()))


def by_conversation(program, told):
    """Event id -> (conversation, turn): two conversations number their turns alike."""
    return {event: (one.name, turn) for one in told for event, turn in turns_of(program, [one]).items()}


def summary(told, answers):
    """Quality of each way to ask, what one gains over another, and what stands within so many words."""
    questions = [question for one in told for question in one.answerable]
    placed = {name: [found[one.id].placed(one) for one in questions] for name, found in answers.items()}
    whole = {name: [one.full(DEPTH) for one in placed[AS_SHIPPED.format(name)]] for name in ASKED}
    return {
        "figures": {name: figures(placed[name]) for name in ASKED},
        "gains": {
            over: {name: gained(placed[BOTH], placed[over], name) for name in MEASURES}
            for over in (TURNS, MEMORIES)
        },
        "within_words": {name: within(answers[name], questions) for name in ASKED},
        "as_shipped": {name: percent(wilson(sum(found), len(found))) for name, found in whole.items()},
        "gains_as_shipped": {
            over: percent(mean([here - there for here, there in zip(whole[BOTH], whole[over], strict=True)]))
            for over in (TURNS, MEMORIES)
        },
        "shown": {name: _shown(found) for name, found in answers.items()},
        "leaks": leaks(answers),
        "recall_ms": {name: times(found) for name, found in answers.items()},
    }


def _shown(found):
    """How many things of each kind, and how many words, an answer shows on average."""
    kinds = Counter(kind for one in found.values() for _, _, kind in one.shown)
    words = sum(many for one in found.values() for _, many, _ in one.shown)
    return {kind: round(many / len(found), 1) for kind, many in kinds.items()} | {
        "words": round(words / len(found))
    }


def records(told, answers):
    """One row a question: the places of its evidence by each way to ask, and the kinds that were shown."""
    for one in told:
        for question in one.answerable:
            given = {name: found[question.id] for name, found in answers.items()}
            yield {
                "id": question.id,
                "wanted": len(question.evidence),
                **{name: answer.placed(question).places for name, answer in given.items()},
                "kinds": Counter(kind for _, _, kind in given[AS_SHIPPED.format(BOTH)].shown),
            }


def main():
    """Take in, distil, ask, compare; print the table and write figures and records."""
    words = measuring(__doc__)
    given, told = chosen(words)
    program = Program.at(given.work, given.mem)
    found = circumstances(program) | prepared(program, told, given.work)
    turns = by_conversation(program, told)
    found["decisions"] = remembered(program, told, observations(given.data / "data"), turns, given.work)
    program.ran("watch", "--detach")
    try:
        named = {event: turn for event, (_, turn) in turns.items()}
        answers = {run.name: asked(program, run, told, named, given.work) for run in RUNS}
    finally:
        program.ran("watch", "--stop")
    found |= summary(told, answers)
    print(table(found))
    print(
        json.dumps(
            {
                name: found[name]
                for name in ("decisions", "within_words", "gains", "as_shipped", "gains_as_shipped", "shown")
            }
        )
    )
    if given.out:
        write_figures(given.out / "beside.json", {"format": "mem.benchmark.beside/1", **found})
        write_lines(given.out / "beside-records.jsonl", records(told, answers))


if __name__ == "__main__":
    main()
