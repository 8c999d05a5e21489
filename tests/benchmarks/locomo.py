"""LoCoMo through the command itself: ten conversations remembered, 1,536 questions recalled.

    python tests/benchmarks/locomo.py --data ../shared/eval --work WORK --mem .venv/bin/mem --out docs/figures

DATA holds data/locomo/ and baselines/ as published, or is that data/; nothing of its texts is
written, only ids of questions and turns, places and scores. Every question is asked three
times, beside a resident: for the ranking alone (no floor), as shipped, and in the next
conversation's scope, where nothing answers. The baselines are asked in the same run.
What was taken in and asked is kept in WORK, from where a run that was broken off goes on.
"""

import argparse
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import rivals
from conversations import Answered, Held, ask, take_in
from inside import program_of
from kept import Kept, write_figures, write_lines
from locomo_summary import summary, table
from program import circumstances
from published import locomo

AT_ONCE = 2  # processes at a time
WITHOUT_NOTICE = "[recall]\nnotice = 0.0\n"


@dataclass(frozen=True)
class Run:
    """One way to ask: the store's settings, further options, and how many conversations further on."""

    name: str
    settings: str = ""
    options: tuple = ()
    step: int = 0
    most: int | None = None  # questions of each conversation


RUNS = (
    Run("ranking", WITHOUT_NOTICE, ("--floor", "0")),
    Run("shipped"),
    Run("foreign", step=1),
)


def remembered(program, told, work):
    """What the scope of each conversation holds, and the seconds that taking it in took."""
    scopes, seconds = [], []
    for one in told:
        kept = Kept(work / f"taken-{one.name}.jsonl")
        if not kept.rows:
            start = time.perf_counter()
            decisions = take_in(program, one)
            kept.add([time.perf_counter() - start, decisions])
        took, decisions = kept.rows[0]
        scopes.append(Held.of(one, decisions))
        seconds.append(took)
        print(f"{one.name}: {len(one.texts)} turns, {took:.0f} s", flush=True)
    return scopes, seconds


def asked(program, run, told, scopes, work):
    """Question id -> answer, of every answerable question; two processes at a time."""
    kept = Kept(work / f"asked-{run.name}.jsonl")
    (program.folder / "mem.toml").write_text(run.settings)
    known = {row["question"] for row in kept.rows}
    places = [(at + run.step) % len(scopes) for at in range(len(scopes))]
    wanted = [
        (question, scopes[places[at]])
        for at, one in enumerate(told)
        for question in one.answerable[: run.most]
        if question.id not in known
    ]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for answer in pool.map(lambda pair: ask(program, *pair, *run.options), wanted):
            kept.add(asdict(answer))
    return {row["question"]: Answered(**row) for row in kept.rows}


def records(told, scopes, answers):
    """One row a question: places of its evidence without a floor and as shipped, first turns, matches."""
    for one, held in zip(told, scopes, strict=True):
        for question in one.answerable:
            ranking, shipped = (answers[name][question.id] for name in ("ranking", "shipped"))
            foreign = answers["foreign"].get(question.id)
            yield {
                "id": question.id,
                "wanted": len(question.evidence),
                "places": ranking.placed(question, held).places,
                "shipped": shipped.placed(question, held).places,
                "shown": len(shipped.order),
                "match": [shipped.best_match, foreign and foreign.best_match],
                "foreign": foreign and foreign.outcome,
                "first": ranking.first(held),
            }


def main():
    """Take in, ask, compare; print the table and write figures and records."""
    given = _given()
    shared = given.data if (given.data / "baselines").is_dir() else given.data.parent
    told = [_cut(one, given.questions) for one in locomo(shared / "data")[: given.conversations]]
    program = program_of(given)
    scopes, seconds = remembered(program, told, given.work)
    runs = [replace(run, most=given.foreign) if run.step else run for run in RUNS]
    program.ran("watch", "--detach")
    try:
        answers = {run.name: asked(program, run, told, scopes, given.work) for run in runs}
    finally:
        program.ran("watch", "--stop")
    ids = [question.id for one in told for question in one.answerable]
    others = rivals.placed(shared, rivals.NAMES, ids, given.work)
    found = circumstances(program) | summary(told, scopes, seconds, answers, others)
    print(table(found))
    if given.out:
        write_figures(given.out / "locomo.json", {"format": "mem.benchmark.locomo/1", **found})
        write_lines(given.out / "locomo-records.jsonl", records(told, scopes, answers))


def _given():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--data", type=Path, required=True, help="folder with data/locomo/ and baselines/")
    words.add_argument("--mem", type=Path, help="the executable to measure")
    words.add_argument("--work", type=Path, required=True, help="folder of the store and of its answers")
    words.add_argument("--out", type=Path, help="folder for figures and records")
    words.add_argument("--inside", action="store_true", help="run the commands within this process")
    words.add_argument("--conversations", type=int, help="only the first so many")
    words.add_argument("--questions", type=int, help="only so many of each conversation")
    words.add_argument(
        "--foreign", type=int, help="only so many of each conversation in the next one's scope"
    )
    return words.parse_args()


def _cut(told, questions):
    return told if questions is None else replace(told, questions=told.answerable[:questions])


if __name__ == "__main__":
    main()
