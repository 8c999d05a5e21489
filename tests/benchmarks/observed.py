"""LoCoMo as a user meets it: sessions observed one by one, consolidated, and asked with what was said.

    python tests/benchmarks/observed.py --data ../shared/eval --work WORK --mem .venv/bin/mem --out docs/figures

Each of the 272 sessions is one `mem observe`, then comes one `mem consolidate`; a resident
answers. Every question is asked for turns alone without floor, for turns alone as shipped,
and by the default recall, which shows memories first; then in the next conversation's
scope, where nothing answers. DATA is the evaluation folder, of whose texts nothing is
written: only ids, places, scores and counts of words.
"""

import json
import re
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import rivals
from conversations import scope_of
from intervals import wilson
from kept import Kept, write_figures, write_lines
from locomo_summary import OUTCOMES, leaks, table, times
from outcomes import share
from placed import DEPTH, Placed, figures, gained, percent
from program import Program, circumstances, measuring
from published import locomo

OPTIONS = ("-k", str(DEPTH), "--budget", "1000000")
WITHOUT_NOTICE = "[recall]\nnotice = 0.0\n"
WORDS = (50, 100, 200, 400)  # shown to whoever asked
MEASURES = ("R@10", "full@10", "full@20", "nDCG@10")
BASELINE = "best"


@dataclass(frozen=True)
class Run:
    """One way to ask: the settings of the store, further options, how many conversations further on.

    `much` says how much of an answer is asked for: by default all that is looked at.
    """

    name: str
    options: tuple
    settings: str = ""
    step: int = 0
    much: tuple = OPTIONS


RUNS = (
    Run("turns, no floor", ("--events", "only", "--floor", "0"), WITHOUT_NOTICE),
    Run("turns, as shipped", ("--events", "only")),
    Run("default, as shipped", ()),
    Run("foreign, as shipped", (), step=1),
)


@dataclass(frozen=True)
class Asked:
    """The answer to one question: each thing shown with its turns, its words and its kind, in order."""

    question: str
    outcome: str
    shown: list
    best_match: int
    leaks: int
    took_ms: int

    @property
    def order(self):
        """The turns of each thing shown."""
        return [frozenset(turns) for turns, _, _ in self.shown]

    def placed(self, question):
        """Where the evidence came."""
        return Placed.among(question.id, set(question.evidence), self.order)

    def within(self, question, words):
        """Whether all of the evidence stands within so many words of what was shown."""
        left, found = words, set()
        for turns, many, _ in self.shown:
            left -= many
            if left < 0:
                break
            found |= set(turns)
        return set(question.evidence) <= found


def chosen(words):
    """The words of the command line, and the conversations that they choose."""
    words.add_argument("--data", type=Path, required=True, help="folder with data/locomo/ and baselines/")
    words.add_argument("--conversations", type=int, help="only the first so many")
    words.add_argument("--questions", type=int, help="only so many of each conversation")
    given = words.parse_args()
    told = locomo(given.data / "data")[: given.conversations]
    if given.questions is not None:
        told = [replace(one, questions=one.answerable[: given.questions]) for one in told]
    return given, told


def observed(program, told):
    """Take in every session by a command of its own; the seconds that each took."""
    taken = []
    for one in told:
        for session, turns in sessions_of(one).items():
            lines = [json.dumps(line_of(one, turn)) for turn in turns]
            options = ("--scope", scope_of(one), "--session", f"{one.name}-{session}")
            begun = time.perf_counter()
            ran = program.ran("observe", "-", *options, stdin="\n".join(lines))
            taken.append(time.perf_counter() - begun)
            if ran.returncode:
                raise RuntimeError(f"observe ended with {ran.returncode}: {ran.stderr}")
    return taken


def line_of(one, turn):
    """A turn as `mem observe` takes it."""
    place = one.places[turn]
    speaker, _, said = one.texts[place].partition(": ")
    return {"role": "user", "name": speaker, "text": said, "at": one.days[place]}


def turns_of(program, told):
    """Event id -> the turn that it is."""
    found = {}
    for one in told:
        for session, turns in sessions_of(one).items():
            (file,) = program.folder.glob(f"events/*/*/{one.name}-{session}.jsonl")
            lines = [json.loads(line) for line in file.read_text().splitlines()]
            said = [line["id"] for line in lines if line["kind"] == "turn"]
            found |= dict(zip(said, turns, strict=True))
    return found


def sessions_of(one):
    """Session -> its turns in order."""
    found = {}
    for turn in sorted(one.places, key=one.places.get):
        found.setdefault(turn.split(":")[0], []).append(turn)
    return found


def ask(program, turns, pair, options):
    """One question in one scope."""
    question, scope = pair
    begun = time.perf_counter()
    answer = program.recall(question.text, "--scope", scope, *options)
    took_ms = round(1000 * (time.perf_counter() - begun))
    shown = []
    for item in answer["items"]:
        said = [item["id"]] if item["kind"] == "event" else item["evidence"]
        words = len(re.findall(r"\S+", item["text"]))
        shown.append(([turns[id_] for id_ in said if id_ in turns], words, item["kind"]))
    matches = [item["match"] for item in answer["items"]] + [answer["withheld"]["top_score"] or 0]
    strange = sum(item["scope"] != scope for item in answer["items"])
    return Asked(question.id, answer["outcome"], shown, round(1000 * max(matches)), strange, took_ms)


def asked(program, run, told, turns, work):
    """Question id -> answer, of every answerable question."""
    kept = Kept(work / f"observed-{run.name.replace(', ', '-').replace(' ', '-')}.jsonl")
    (program.folder / "mem.toml").write_text(run.settings)
    known = {row["question"] for row in kept.rows}
    for at, one in enumerate(told):
        scope = scope_of(told[(at + run.step) % len(told)])
        for question in one.answerable:
            if question.id not in known:
                kept.add(asdict(ask(program, turns, (question, scope), (*run.much, *run.options))))
        print(f"{run.name}: {one.name}", flush=True)
    return {row["question"]: Asked(**row) for row in kept.rows}


def prepared(program, told, work):
    """Observe and consolidate, once; what that took and what came of it."""
    kept = Kept(work / "observed.json")
    if not kept.rows:
        seconds = observed(program, told)
        begun = time.perf_counter()
        ran = program.ran("consolidate", "--json")
        spent = time.perf_counter() - begun
        if ran.returncode not in (0, 1):
            raise RuntimeError(f"consolidate ended with {ran.returncode}: {ran.stderr}")
        kept.add([seconds, spent, json.loads(ran.stdout)])
    seconds, spent, told_of_it = kept.rows[0]
    return {
        "sessions": len(seconds),
        "turns": sum(len(one.texts) for one in told),
        "observe_s": round(sum(seconds), 1),
        "consolidate_s": round(spent, 1),
        "consolidated": told_of_it.get("counts", {}),
        "caught": told_of_it.get("caught", {}),
    }


def came_of_it(program, told):
    """How many memories of each status the scopes hold, and their words beside those of the turns."""
    every = [
        word for status in ("active", "needs_review", "staged", "archived") for word in ("--status", status)
    ]
    statuses, words = Counter(), 0
    for one in told:
        ran = program.ran("list", "--scope", scope_of(one), *every, "--json")
        items = json.loads(ran.stdout)["items"] if ran.stdout else []
        statuses.update(item["status"] for item in items)
        words += sum(len(item["text"].split()) for item in items)
    said = sum(len(text.split()) for one in told for text in one.texts)
    return {"statuses": dict(sorted(statuses.items())), "words": words, "words_said": said}


def summary(told, answers, others):
    """Quality beside the baselines, and what is shown within so many words."""
    questions = [question for one in told for question in one.answerable]
    ours = {
        run.name: [answers[run.name][one.id].placed(one) for one in questions] for run in RUNS if not run.step
    }
    base = others[BASELINE]
    return {
        "figures": {
            name: figures(found)
            for name, found in (ours | {rivals.NAMES[name]: found for name, found in others.items()}).items()
        },
        "gains": {
            rivals.NAMES[BASELINE]: {name: gained(ours["turns, no floor"], base, name) for name in MEASURES}
        },
        "within_words": {
            name: within(answers[name], questions) for name in ("turns, as shipped", "default, as shipped")
        },
        "abstention": {
            name: outcomes(answers[name]) for name in ("default, as shipped", "foreign, as shipped")
        },
        "leaks": leaks(answers),
        "recall_ms": {name: times(found) for name, found in answers.items()},
    }


def within(answers, questions):
    """For each number of words shown: in percent how often all of the evidence stands within them."""
    n = len(questions)
    return {
        words: percent(wilson(sum(answers[one.id].within(one, words) for one in questions), n))
        for words in WORDS
    }


def outcomes(answers):
    """How often each outcome came."""
    counted = Counter(one.outcome for one in answers.values())
    n = counted.total()
    return {"n": n, **{kind: share(counted[kind], n) for kind in OUTCOMES}}


def records(told, answers):
    """One row a question: places of its evidence in each run, and what the default showed."""
    for one in told:
        for question in one.answerable:
            default = answers["default, as shipped"][question.id]
            yield {
                "id": question.id,
                "wanted": len(question.evidence),
                **{
                    run.name: answers[run.name][question.id].placed(question).places
                    for run in RUNS
                    if not run.step
                },
                "kinds": Counter(kind for _, _, kind in default.shown),
                "foreign": answers["foreign, as shipped"][question.id].outcome,
            }


def main():
    """Take in, ask, compare; print the table and write figures and records."""
    words = measuring(__doc__)
    given, told = chosen(words)
    program = Program.at(given.work, given.mem)
    found = circumstances(program) | prepared(program, told, given.work)
    found |= came_of_it(program, told)
    program.ran("watch", "--detach")
    try:
        turns = turns_of(program, told)
        answers = {run.name: asked(program, run, told, turns, given.work) for run in RUNS}
    finally:
        program.ran("watch", "--stop")
    ids = [question.id for one in told for question in one.answerable]
    found |= summary(told, answers, rivals.placed(given.data, (*rivals.NAMES,), ids, given.work))
    print(table(found))
    print({name: found[name] for name in ("statuses", "words", "words_said", "within_words", "consolidated")})
    if given.out:
        write_figures(given.out / "observed.json", {"format": "mem.benchmark.observed/1", **found})
        write_lines(given.out / "observed-records.jsonl", records(told, answers))


if __name__ == "__main__":
    main()
