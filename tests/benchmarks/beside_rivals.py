"""What else one could use, on the same questions in the same run: quality, silence and speed.

    python tests/benchmarks/beside_rivals.py --data ../shared/eval --work WORK --mem .venv/bin/mem --out docs/figures

Every program is installed into WORK from its registry (packages.py) and runs offline. Each
takes in some of LoCoMo's conversations, drawn by --seed, a turn a document, and DevMemBench, a
message a document; every corpus is a scope, project, collection or repository of its own. All
are asked the same questions, of each conversation also in the next one, where nothing answers.
PYTHON is one that the rivals run on (3.12 at least). Texts of the sets stay in WORK.
"""

import json
import os
import resource
import time
from dataclasses import asdict
from pathlib import Path

import rivals
from clock import Act, brief, timed
from contenders import Agentlore, AgentMemoryGit, Ripgrep
from corpora import CODED, CONVERSED, coding, conversations
from kept import Kept, write_figures, write_lines
from ours import Mem
from program import circumstances, measuring
from rivals_summary import OURS, Found, records, summary
from served import BY_BOTH, BasicMemory, Qmd

BASELINES = ("bm25_spk_stem", "rrf60_spk", "best")
NO_VECTORS = {
    "basic-memory by words and meaning": "the Python that it ran on cannot load extensions into SQLite",
}
NOT_RUN = {
    "qmd's `vsearch` and `query`": "their three models are fetched from a hub, and what they are told to "
    "encode is worded for those models",
    "basic-memory with its own model": "bge-small is fetched from a hub; where its Python can, it is given "
    "the model that mem ships with",
    "search by meaning on agent-memory-git's web page": "its model of 625 MB is fetched from a hub, and every text "
    "is put to it with that model's instruction",
    "mem0, Graphiti, cognee, Letta": "they need a language model to take anything in",
}


def taken_in(contender, corpora, work):
    """Take in every corpus once: {corpus: [documents, seconds, seconds of CPU]}."""
    kept = Kept(work / f"{contender.folder.name}-taken.jsonl")
    known = {name for name, *_ in kept.rows}
    for corpus in (one for one in corpora if one.name not in known):
        began, cpu = time.perf_counter(), _of_children()
        contender.take_in(corpus)
        took, spent = time.perf_counter() - began, _of_children() - cpu
        kept.add([corpus.name, len(corpus.texts), round(took, 2), round(spent, 2)])
        print(contender.name, kept.rows[-1], flush=True)
    return {name: row for name, *row in kept.rows}


def _of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def asked(contender, questions, work):
    """Way -> {(question, corpus): answer}, while whatever the program keeps running runs."""
    kept = {way.name: Kept(work / f"{_file(way.name)}.jsonl") for way in contender.ways}
    wanted = {(one.id, one.corpus) for one in questions}
    if all(wanted <= _answers(one).keys() for one in kept.values()):
        return {name: _answers(one) for name, one in kept.items()}
    contender.opened()
    try:
        for way in contender.ways:
            contender.ready(way)
            known = _answers(kept[way.name])
            for sought in questions:
                if (sought.id, sought.corpus) not in known:
                    kept[way.name].add(asdict(_answer(contender, way, sought)))
            print(way.name, flush=True)
    finally:
        contender.closed()
    return {name: _answers(one) for name, one in kept.items()}


def _answer(contender, way, sought):
    says = contender.corpora[sought.corpus].says
    began = time.perf_counter()
    names, score = contender.ask(way, sought)
    took = round(1000 * (time.perf_counter() - began), 1)
    order = [sorted({says[name] for name in one.split()}) for one in names]
    return Found(sought.id, sought.corpus, order, score, took)


def _answers(kept):
    found = (Found(**row) for row in kept.rows)
    return {one.key: one for one in found}


def _file(way):
    return "asked-" + way.replace(", ", "-").replace(" ", "-")


def cold(contender, questions, work):
    """Milliseconds of a whole process that asks the first question, measured once."""
    kept = Kept(work / f"{contender.folder.name}-cold.jsonl")
    if not kept.rows:
        way, sought = contender.ways[-1], next(one for one in questions if one.evidence)
        contender.ready(way)
        argv, folder = contender.cold(way, sought)
        act = Act(way.name, [str(word) for word in argv], runs=contender.runs)
        kept.add(brief(timed(act, folder, contender.environment)))
    return kept.rows[0]


def speed(contender, taken, answers, alone):
    """What taking in cost, a whole process that asks (`alone`), and an answer as the questions were put."""
    documents, seconds, cpu = (sum(column) for column in zip(*taken.values(), strict=True))
    way = contender.ways[-1]
    took = sorted(one.took_ms for one in answers[way.name].values())
    return {
        "way": way.name,
        "documents": documents,
        "taken_in_s": round(seconds, 1),
        "taken_in_cpu_ms_each": round(1000 * cpu / documents, 2),
        "cold": alone,
        "asked_ms": {"n": len(took), "p50": took[len(took) // 2], "p95": took[int(0.95 * len(took))]},
    }


def contending(given, corpora):
    """Every program, ours first; or those that are named in --only."""
    work, tokenizer = given.work, given.data.absolute().parent / "model" / "tokenizer.json"
    made = {
        "mem": lambda: Mem.at(work, corpora, given.mem),
        "rg": lambda: Ripgrep.at(work, corpora, given.python),
        "agentlore": lambda: Agentlore.at(work, corpora, given.python),
        "agent-memory-git": lambda: AgentMemoryGit.at(work, corpora, given.python),
        "qmd": lambda: Qmd.at(work, corpora),
        "basic-memory": lambda: BasicMemory.at(work, corpora, given.python, tokenizer),
    }
    return [make() for name, make in made.items() if not given.only or name in given.only]


def main():
    """Install, take in, ask, time; print and write."""
    given = _given()
    given.work.mkdir(parents=True, exist_ok=True)
    told, conversed = conversations(given.data / "data", given.conversations, given.questions, given.seed)
    sessions, coded = coding(given.data / "data")
    every, questions = [*told, sessions], {CONVERSED: conversed, CODED: coded}
    contenders = contending(given, {one.name: one for one in every})
    found = circumstances() | {
        "programs": [one.name for one in contenders],
        "seed": given.seed,
        "corpora": {one.name: len(one.texts) for one in every},
        "questions": {
            kind: [len(group), sum(bool(one.evidence) for one in group)] for kind, group in questions.items()
        },
    }
    answers, speeds = {}, {}
    for one in contenders:
        less = one.folder.name in given.coding_only
        taken = taken_in(one, [sessions] if less else every, given.work)
        answers |= asked(one, coded if less else [*conversed, *coded], given.work)
        speeds[one.name] = speed(one, taken, answers, cold(one, coded, given.work))
        print(json.dumps(speeds[one.name]), flush=True)
    if OURS not in answers:
        return  # what was answered is kept in WORK for the run that has all
    found |= summary(questions, answers, _baselines(given, conversed))
    found |= {
        "ours": OURS,
        "coding_only": list(given.coding_only),
        "speed": speeds,
        "not_run": _not_run(answers),
        "load_after": round(os.getloadavg()[0], 1),
    }
    print(json.dumps(found, indent=1))
    if given.out:
        write_figures(given.out / "rivals.json", {"format": "mem.benchmark.rivals/1", **found})
        write_lines(given.out / "rivals-records.jsonl", records(questions, answers))


def _not_run(answers):
    return NOT_RUN if BY_BOTH.name in answers else NO_VECTORS | NOT_RUN


def _baselines(given, conversed):
    ids = [one.id for one in conversed if one.evidence]
    placed = rivals.placed(given.data, BASELINES, ids, given.work)
    return {rivals.NAMES[name]: rows for name, rows in placed.items()}


def _given():
    words = measuring(__doc__)
    words.add_argument("--data", type=Path, required=True, help="folder with data/ and baselines/")
    words.add_argument("--python", default="python3", help="what the rivals run on")
    words.add_argument("--conversations", type=int, default=2, help="how many of LoCoMo's")
    words.add_argument("--questions", type=int, default=60, help="how many of each conversation")
    words.add_argument("--seed", type=int, default=6)
    words.add_argument("--only", nargs="*", help="only these programs")
    words.add_argument("--coding-only", nargs="*", default=(), help="these take in the coding sessions alone")
    return words.parse_args()


if __name__ == "__main__":
    main()
