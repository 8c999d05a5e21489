"""Knowledge updates through the command: ten facts, one that contradicts one of them, and a question.

    python tests/benchmarks/updates.py --data ../shared/eval --work WORK --mem .venv/bin/mem --out docs/figures

Of letta's 550 cases the first about each set of facts, 200, each in a scope of its own (the others
are there to choose numbers with: --others). Facts and update are remembered one after the
other, and the question is asked while both are live; then `mem supersede OLD NEW`
is said of the same memories, and it is asked again, about now and about the day before. With
--said facts and update are, in another store, what was said in two sessions. A resident answers. Texts of
the set are not written: only ids, places and outcomes.
"""

import json
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from inside import program_of
from intervals import wilson
from kept import Kept, write_figures, write_lines
from locomo_summary import OUTCOMES, leaks, times
from outcomes import share
from placed import percent
from program import circumstances, measuring
from published import letta
from splits import first_of_facts

TOGETHER = 25  # cases in one batch
BEFORE = "2026-01-01"  # before anything was superseded
DAYS = {"facts": "2026-02-01", "update": "2026-02-02"}
SESSIONS = tuple(DAYS)
ABROAD = 7  # how many cases further on a question is asked where nothing answers it


@dataclass(frozen=True)
class Run:
    """One way to ask; in the store of what was said, or in the other one."""

    name: str
    options: tuple = ()
    step: int = 0


LIVE = (Run("both live"), Run("both live, another case's scope", step=ABROAD))
AFTER = (Run("superseded"), Run("superseded, asked about the day before", ("--as-of", BEFORE)))
SAID = (Run("both said"),)


@dataclass(frozen=True)
class Answered:
    """One answer: what it says in order, as `old`, `new` or the place of another fact."""

    question: str
    outcome: str
    shown: list
    best_match: int
    leaks: int
    took_ms: int

    @property
    def order(self):
        """What leaks counts."""
        return self.shown

    def first(self, *which):
        """Which of these comes first, or none."""
        return next((one for one in self.shown if one in which), "none")


def chosen(cases, *, others=False):
    """The first case about each set of facts, or all but these."""
    reported = first_of_facts(cases)
    return [case for case in cases if (case.id in reported) is not others]


def scope_of(case):
    """The scope of one case."""
    return f"case:{case.id}"


def remembered(program, cases, work):
    """Remember facts and update of every case, once; case -> [what became of each, by its memory]."""
    kept = Kept(work / "remembered.jsonl")
    for start in range(len(kept.rows) * TOGETHER, len(cases), TOGETHER):
        part = cases[start : start + TOGETHER]
        lines = [
            {"text": text, "scope": scope_of(case)} for case in part for text in (*case.facts, case.update)
        ]
        told = iter(program.batch(lines))
        rows = [[next(told) for _ in (*case.facts, case.update)] for case in part]
        kept.add([[[row.get("id"), row.get("decision") or "refused"] for row in one] for one in rows])
        print(f"remembered {start + len(part)}", flush=True)
    return dict(zip((one.id for one in cases), (one for row in kept.rows for one in row), strict=True))


def named(case, ids):
    """By id: `old` for what the update replaces, `new` for the update, else the place of the fact.

    An update that reinforced an old fact has no memory of its own and is never shown.
    """
    found = {id_: str(at) for at, id_ in enumerate(ids[:-1])}
    new = ids[-1]
    found |= {new: "new"} if new not in ids[:-1] else {}
    return found | {ids[at]: "old" for at in case.outdated}


def superseded(program, cases, kept, work):
    """Say of every case that the update replaces the old facts, once; how many were refused."""
    done = Kept(work / "superseded.jsonl")
    for case in cases[len(done.rows) :]:
        ids = [id_ for id_, _ in kept[case.id]]
        codes = [
            program.ran("supersede", ids[at], ids[-1], "--scope", scope_of(case)).returncode
            for at in case.outdated[:1]
            if ids[at] != ids[-1]
        ]
        done.add(codes)
    return sum(1 for row in done.rows for code in row if code)


def observed(program, cases, work):
    """Observe facts and update as two sessions of each case, once."""
    done = Kept(work / "observed.jsonl")
    for case in cases[len(done.rows) :]:
        for session, texts in zip(SESSIONS, (case.facts, [case.update]), strict=True):
            said = [{"role": "user", "text": text, "at": DAYS[session]} for text in texts]
            options = ("--scope", scope_of(case), "--session", f"{case.id}-{session}")
            ran = program.ran("observe", "-", *options, stdin="\n".join(map(json.dumps, said)))
            if ran.returncode:
                raise RuntimeError(f"observe ended with {ran.returncode}: {ran.stderr}")
        done.add(1)


def turns_of(program, cases):
    """Case -> [id of the turn that says each fact, and of the update]."""
    found = {}
    for case in cases:
        ids = []
        for session in SESSIONS:
            (file,) = program.folder.glob(f"events/*/*/{case.id}-{session}.jsonl")
            lines = [json.loads(line) for line in file.read_text().splitlines()]
            ids += [line["id"] for line in lines if line["kind"] == "turn"]
        found[case.id] = ids
    return found


def ask(program, case, there, names, options):
    """One question in the scope of the case `there`."""
    begun = time.perf_counter()
    answer = program.recall(case.question, "--scope", scope_of(there), *options)
    took_ms = round(1000 * (time.perf_counter() - begun))
    items = answer["items"]
    matches = [item["match"] for item in items] + [answer["withheld"]["top_score"] or 0]
    return Answered(
        case.id,
        answer["outcome"],
        [names.get(item["id"], "strange") for item in items],
        round(1000 * max(matches)),
        sum(item["scope"] != scope_of(there) or item["id"] not in names for item in items),
        took_ms,
    )


def asked(program, run, cases, ids, work):
    """Case -> answer."""
    kept = Kept(work / f"asked-{run.name.replace(', ', '-').replace(' ', '-').replace(chr(39), '')}.jsonl")
    known = {row["question"] for row in kept.rows}
    for at, case in enumerate(cases):
        if case.id not in known:
            there = cases[(at + run.step) % len(cases)]
            kept.add(asdict(ask(program, case, there, named(there, ids[there.id]), run.options)))
    print(run.name, flush=True)
    return {row["question"]: Answered(**row) for row in kept.rows}


def summary(answers):
    """By way to ask: what came first of old and new, whether either was shown at all, and the outcomes."""
    return {
        "ways": {name: _way(list(found.values())) for name, found in answers.items()},
        "leaks": leaks(answers),
        "recall_ms": {name: times(found) for name, found in answers.items()},
    }


def _way(answers):
    n = len(answers)
    counted = Counter(one.outcome for one in answers)

    def of(hits):
        return {"count": hits, "interval": percent(wilson(hits, n))}

    return {
        "n": n,
        "new before old": of(sum(one.first("old", "new") == "new" for one in answers)),
        "new first of all": of(sum(one.shown[:1] == ["new"] for one in answers)),
        "new shown": of(sum("new" in one.shown for one in answers)),
        "old before new": of(sum(one.first("old", "new") == "old" for one in answers)),
        "old shown": of(sum("old" in one.shown for one in answers)),
        **{kind: share(counted[kind], n) for kind in OUTCOMES},
    }


def records(cases, answers, kept):
    """One row a case: what became of the update, and by way to ask outcome and order."""
    for case in cases:
        yield {
            "id": case.id,
            "update": kept[case.id][-1][1],
            **{name: [found[case.id].outcome, found[case.id].shown] for name, found in answers.items()},
        }


def main():
    """Remember, ask, supersede, ask, observe, ask; write."""
    words = measuring(__doc__)
    words.add_argument("--data", type=Path, required=True, help="folder with data/letta/")
    words.add_argument("--others", action="store_true", help="the cases that are not reported")
    words.add_argument("--said", action="store_true", help="also what was said in two sessions")
    words.add_argument("--cases", type=int, help="only the first so many")
    given = words.parse_args()
    cases = chosen(letta(given.data / "data"), others=given.others)[: given.cases]
    program = program_of(given)
    kept = remembered(program, cases, given.work)
    ids = {name: [id_ for id_, _ in rows] for name, rows in kept.items()}
    answers = _with_resident(program, LIVE, cases, ids, given.work)
    refused = superseded(program, cases, kept, given.work)
    answers |= _with_resident(program, AFTER, cases, ids, given.work)
    if given.said:
        heard = program_of(given, "said")
        observed(heard, cases, given.work)
        answers |= _with_resident(heard, SAID, cases, turns_of(heard, cases), given.work)
    found = circumstances(program) | {
        "cases": len(cases),
        "decided": Counter(rows[-1][1] for rows in kept.values()),
        "supersede_refused": refused,
        **summary(answers),
    }
    print(json.dumps(found, indent=1))
    if given.out:
        write_figures(given.out / "updates.json", {"format": "mem.benchmark.updates/1", **found})
        write_lines(given.out / "updates-records.jsonl", records(cases, answers, kept))


def _with_resident(program, runs, cases, ids, work):
    program.ran("watch", "--detach")
    try:
        return {run.name: asked(program, run, cases, ids, work) for run in runs}
    finally:
        program.ran("watch", "--stop")


if __name__ == "__main__":
    main()
