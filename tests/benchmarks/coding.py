"""DevMemBench through the command: 25 coding sessions, 200 questions of eight kinds, 25 of them unanswerable.

    python tests/benchmarks/coding.py --data ../shared/eval --work WORK --mem .venv/bin/mem --out docs/figures

Each session is one `mem observe`, then comes one `mem consolidate`; in a second scope every
message is remembered instead. A resident answers. The set says which sessions answer a
question, so a thing shown counts as its session; and of the answer's own words, those that
the question does not say, it is counted how many stand in what is shown. Of the texts of the
set nothing is written.
"""

import json
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from conversations import OPTIONS
from inside import program_of
from intervals import wilson
from kept import Kept, write_figures, write_lines
from locomo_summary import OUTCOMES, leaks, times
from outcomes import share
from placed import Placed, figures, mean, percent
from program import circumstances, measuring
from published import asked_of_sessions, sessions

from memcli.memory import tokens

SAID, KEPT = "project:said", "project:kept"
UPDATE = "knowledge-update"
MEASURES = ("R@1", "R@5", "R@10", "full@5", "full@10", "MRR")
WITHOUT_NOTICE = "[recall]\nnotice = 0.0\n"


@dataclass(frozen=True)
class Run:
    """One way to ask: in which scope, with which options, by which settings."""

    name: str
    scope: str
    options: tuple = ()
    settings: str = ""


RUNS = (
    Run("observed, no floor", SAID, (*OPTIONS, "--floor", "0"), WITHOUT_NOTICE),
    Run("remembered, no floor", KEPT, (*OPTIONS, "--floor", "0"), WITHOUT_NOTICE),
    Run("observed, as shipped", SAID),
    Run("remembered, as shipped", KEPT),
)
RANKED, SHIPPED = RUNS[:2], RUNS[2:]


@dataclass(frozen=True)
class Answered:
    """One answer: the session of each thing shown, in order, and how much of the answer's words it holds."""

    question: str
    outcome: str
    shown: list
    words: list  # of the answer: those that stand in what is shown, and all
    best_match: int
    leaks: int
    took_ms: int

    @property
    def order(self):
        """The session of each thing shown, as a set."""
        return [frozenset(said) for said in self.shown]

    def placed(self, question):
        """Where the sessions that answer came."""
        return Placed.among(question.id, set(question.evidence), self.order)

    def newest_first(self, question):
        """Whether nothing of an older session stands before the newest one that answers."""
        named = [said for said in self.order if said & set(question.evidence)]
        return bool(named) and question.evidence[-1] in named[0]


def taken_in(program, told, work):
    """Observe, consolidate and remember, once: what came of it, and by the id of a thing its sessions."""
    kept = Kept(work / "taken-in.json")
    if not kept.rows:
        begun = time.perf_counter()
        consolidated, rows = _observed(program, told), _remembered(program, told)
        decisions = Counter(row.get("decision") or "refused" for row in rows)
        seconds = round(time.perf_counter() - begun, 1)
        came = {"consolidated": consolidated, "decisions": decisions, "seconds": seconds}
        kept.add([came, _memories(told, rows)])
    came, memories = kept.rows[0]
    return came, memories | _turns(program, told)


def _observed(program, told):
    """Observe every session and consolidate; the counts of that."""
    for name, day, said in told:
        lines = [json.dumps({"role": role, "text": text, "at": day}) for role, text in said]
        _done(program, "observe", "-", "--scope", SAID, "--session", name, stdin="\n".join(lines))
    ran = _done(program, "consolidate", "--scope", SAID, "--json", codes=(0, 1))
    return json.loads(ran.stdout).get("counts", {})


def _remembered(program, told):
    """Remember every message; the decisions in their order."""
    said = [(text, day) for _, day, messages in told for _, text in messages]
    return program.batch([{"text": text, "scope": KEPT, "occurred_at": day} for text, day in said])


def _done(program, *argv, stdin="", codes=(0,)):
    ran = program.ran(*argv, stdin=stdin)
    if ran.returncode not in codes:
        raise RuntimeError(f"{argv[0]} ended with {ran.returncode}: {ran.stderr}")
    return ran


def _memories(told, rows):
    """Memory -> the sessions whose messages it says."""
    names, found = [name for name, _, said in told for _ in said], {}
    for name, row in zip(names, rows, strict=True):
        if row.get("id"):
            found.setdefault(row["id"], []).append(name)
    return found


def _turns(program, told):
    """Turn -> its session."""
    found = {}
    for name, _, _ in told:
        for file in program.folder.glob(f"events/*/*/{name}.jsonl"):
            lines = [json.loads(line) for line in file.read_text().splitlines()]
            found |= {line["id"]: [name] for line in lines if line["kind"] == "turn"}
    return found


def ask(program, sources, question, run):
    """One question."""
    begun = time.perf_counter()
    answer = program.recall(question.text, "--scope", run.scope, *run.options)
    took_ms = round(1000 * (time.perf_counter() - begun))
    items = answer["items"]
    matches = [item["match"] for item in items] + [answer["withheld"]["top_score"] or 0]
    return Answered(
        question.id,
        answer["outcome"],
        [_sessions(item, sources) for item in items],
        words_shown(question, items),
        round(1000 * max(matches)),
        sum(item["scope"] != run.scope for item in items),
        took_ms,
    )


def _sessions(item, sources):
    """The sessions of a thing shown: a memory that was consolidated counts as those of its turns."""
    named = [item["id"], *item.get("evidence", ())]
    return sorted({name for one in named for name in sources.get(one, ())})


def words_shown(question, items):
    """Of the answer's content words that the question does not say: how many are shown, and how many there are."""
    wanted = set(tokens.content_words(question.answer)) - set(tokens.content_words(question.text))
    shown = {stem for item in items for stem in tokens.content_words(item["text"])}
    return [len(wanted & shown), len(wanted)]


def asked(program, run, questions, sources, work):
    """Question id -> answer."""
    kept = Kept(work / f"asked-{run.name.replace(', ', '-').replace(' ', '-')}.jsonl")
    (program.folder / "mem.toml").write_text(run.settings)
    known = {row["question"] for row in kept.rows}
    for question in questions:
        if question.id not in known:
            kept.add(asdict(ask(program, sources, question, run)))
    return {row["question"]: Answered(**row) for row in kept.rows}


def summary(questions, answers):
    """Quality by way and kind, updates, what the unanswerable ones got, leaks, times."""
    answerable = [one for one in questions if not one.absent]
    kinds = dict.fromkeys(one.kind for one in answerable)
    return {
        "questions": len(questions),
        "figures": {run.name: _figures(answerable, answers[run.name]) for run in RUNS},
        "kinds": {
            run.name: {
                kind: _figures([one for one in answerable if one.kind == kind], answers[run.name])
                for kind in kinds
            }
            for run in RUNS
        },
        "updates": {run.name: updates(answerable, answers[run.name]) for run in RUNS},
        "abstention": {
            f"{run.name}, {name}": outcomes([answers[run.name][one.id] for one in group])
            for run in SHIPPED
            for name, group in (
                ("answerable", answerable),
                ("unanswerable", [one for one in questions if one.absent]),
            )
        },
        "leaks": leaks(answers),
        "recall_ms": {name: times(found) for name, found in answers.items()},
    }


def _figures(questions, answers):
    found = figures([answers[one.id].placed(one) for one in questions])
    shares = [held / of for held, of in (answers[one.id].words for one in questions) if of]
    return {"n": found["n"], **{name: found[name] for name in MEASURES}, "words": percent(mean(shares))}


def updates(questions, answers):
    """Of the updates that several sessions tell of: whether the newest of them comes first."""
    told_again = [one for one in questions if one.kind == UPDATE and len(one.evidence) > 1]
    first = sum(answers[one.id].newest_first(one) for one in told_again)
    return {"n": len(told_again), "newest first": first, "percent": percent(wilson(first, len(told_again)))}


def outcomes(answers):
    """How often each outcome came."""
    counted = Counter(one.outcome for one in answers)
    return {"n": len(answers), **{kind: share(counted[kind], len(answers)) for kind in OUTCOMES}}


def records(questions, answers):
    """One row a question: by way to ask the places of its sessions, words shown, outcome and best match."""
    for one in questions:
        found = {name: given[one.id] for name, given in answers.items()}
        yield {
            "id": one.id,
            "kind": one.kind,
            "wanted": list(one.evidence),
            **{
                name: [list(got.placed(one).places), got.words, got.outcome, got.best_match]
                for name, got in found.items()
            },
        }


def main():
    """Take in, ask, write."""
    words = measuring(__doc__)
    words.add_argument("--data", type=Path, required=True, help="folder with data/devmembench/")
    given = words.parse_args()
    questions, told = asked_of_sessions(given.data / "data"), sessions(given.data / "data")
    program = program_of(given)
    came, sources = taken_in(program, told, given.work)
    program.ran("watch", "--detach")
    try:
        answers = {run.name: asked(program, run, questions, sources, given.work) for run in RUNS}
    finally:
        program.ran("watch", "--stop")
    found = circumstances(program) | came | summary(questions, answers)
    print(json.dumps(found, indent=1))
    if given.out:
        write_figures(given.out / "coding.json", {"format": "mem.benchmark.coding/1", **found})
        write_lines(given.out / "coding-records.jsonl", records(questions, answers))


if __name__ == "__main__":
    main()
