"""What the match floor costs in both directions: answers withheld, and noise let through.

    python tests/benchmarks/floor.py --data DATA [--out docs/figures/floor.json] [--vectors CACHE.npz]

DATA holds locomo/, devmembench/ and letta/ as published; nothing of their texts is written,
only question ids and scores. Questions are put where the answer is (own) and where it is
not (foreign): LoCoMo's answerable questions to their own conversation and to the next one,
whole and cut to a few memories; DevMemBench's answerable and absent questions; letta's
facts, ten a store; and short questions that share no telling word with their answer
(fixtures/gold/meaning_only.json). The constants under test are the shipped defaults.
"""

import argparse
import json
import re
import zlib
from pathlib import Path

import splits
from outcomes import Evidence, Group, kept, pairs, records, separation, sweep, table
from published import devmembench, letta, locomo
from shelf import Shelf, Vectors

from memcli.index import encoder
from memcli.memory.constants import DEFAULTS, constants
from memcli.memory.ranking import SCALE

GOLD = Path(__file__).parents[2] / "fixtures" / "gold" / "meaning_only.json"
SIZES = (1, 3, 10, 30, 100, 300)
EVERY = 3  # of LoCoMo's questions, those that are put to the small stores
STEP = 7  # from one store to another that has nothing to do with it
NAMELESS = "locomo foreign, nameless"
FIT_ALONE = constants({"match.company": 0.0})


def conversations(told, shelves):
    """LoCoMo whole, by fusion and by words alone; and the adversarial questions, of which figures only."""
    own, foreign = Group("locomo own", "locomo foreign"), Group("locomo foreign")
    worded, strange = Group("locomo own, words", "locomo foreign, words"), Group("locomo foreign, words")
    twisted = Group("locomo adversarial")
    unnamed, strangers = Group("locomo own, nameless", NAMELESS), Group(NAMELESS)
    for at, one in enumerate(told):
        here, there = shelves[at], shelves[(at + 1) % len(shelves)]
        for question in one.answerable:
            own.add(question.id, here.ask(question.text))
            foreign.add(question.id, there.ask(question.text))
            worded.add(question.id, here.ask(question.text, by_words=True))
            strange.add(question.id, there.ask(question.text, by_words=True))
        for question in one.adversarial:
            twisted.add(question.id, here.ask(question.text))
        for name, text in nameless(one):
            unnamed.add(name, here.ask(text))
            strangers.add(name, there.ask(text))
    return [own, foreign, worded, strange, twisted, unnamed, strangers]


def nameless(told):
    """Every second answerable question with `they` for whoever speaks, as far as it names nobody else."""
    speakers = sorted({text.partition(":")[0] for text in told.texts})
    spoken = re.compile(rf"\b(?:{'|'.join(map(re.escape, speakers))})(['\u2019]s)?\b")
    for question in told.answerable[::2]:
        text = spoken.sub(lambda found: "their" if found[1] else "they", question.text)
        if not re.search(r"\w \W?[A-Z]", text):
            yield question.id, text


def evidence(told, shelves, rules=DEFAULTS):
    """Where the turns that answer LoCoMo's questions came, by conversation."""
    return [
        [
            Evidence.among(
                question.id,
                {f"{one.places[turn]:06}" for turn in question.evidence},
                shelf.ask(question.text, rules),
            )
            for question in one.answerable
        ]
        for one, shelf in zip(told, shelves, strict=True)
    ]


def small_stores(told, shelves):
    """LoCoMo cut to a few memories, one of them an answer, and as many of another conversation."""
    groups = []
    for size in SIZES:
        own = Group(f"locomo {size} own", f"locomo {size} foreign")
        foreign = Group(f"locomo {size} foreign")
        for at, one in enumerate(told):
            other = shelves[(at + 1) % len(shelves)]
            for question in one.answerable[::EVERY]:
                answer = one.places[question.evidence[0]]
                rest = [place for place in _drawn(question.id, len(one.texts)) if place != answer]
                there = _drawn(question.id, len(other.candidates))[:size]
                own.add(question.id, shelves[at].part([answer, *rest[: size - 1]]).ask(question.text))
                foreign.add(question.id, other.part(there).ask(question.text))
        groups += [own, foreign]
    return groups


def _drawn(seed, n):
    """The places 0 .. n-1 in an order that only `seed` decides."""
    return sorted(range(n), key=lambda at: zlib.crc32(f"{seed} {at}".encode()))


def coding(data, vectors):
    """DevMemBench, every message a memory."""
    sessions = devmembench(data)
    shelf = Shelf(vectors, sessions.texts, sessions.days)
    own, absent = Group("devmembench answerable", "devmembench absent"), Group("devmembench absent")
    for question in sessions.questions:
        (absent if question.absent else own).add(question.id, shelf.ask(question.text))
    return [own, absent]


def facts(data, vectors):
    """Letta, ten facts a store."""
    cases = letta(data)
    shelves = [Shelf(vectors, case.facts) for case in cases]
    own, foreign = Group("letta ten own", "letta ten foreign"), Group("letta ten foreign")
    for at, case in enumerate(cases):
        own.add(case.id, shelves[at].ask(case.question))
        foreign.add(case.id, shelves[(at + STEP) % len(shelves)].ask(case.question))
    return [own, foreign]


def meanings(vectors):
    """Questions without a shared word, put to one claim, to five and to all; and unrelated questions."""
    gold = json.loads(GOLD.read_text())
    claims = [pair["claim"] for pair in gold["pairs"]]
    shelf, n = Shelf(vectors, claims), len(claims)
    groups = []
    for size in (1, 5, n):
        stores = [shelf.part([(at + STEP * step) % n for step in range(size)]) for at in range(n)]
        own = Group(f"meaning {size} own", f"meaning {size} unrelated")
        unrelated = Group(f"meaning {size} unrelated")
        for pair, store in zip(gold["pairs"], stores, strict=True):
            own.add(pair["id"], store.ask(pair["question"]))
        strangers = gold["unrelated"]
        for at, store in enumerate(stores if size < n else stores[: len(strangers)]):
            stranger = strangers[at % len(strangers)]
            unrelated.add(stranger["id"], store.ask(stranger["question"]))
        groups += [own, unrelated]
    return groups


def measured(data, vectors):
    """Groups, and the evidence of LoCoMo with and without what a sure answer lends to the others."""
    told = locomo(data)
    shelves = [Shelf(vectors, one.texts, one.days) for one in told]
    groups = conversations(told, shelves) + small_stores(told, shelves)
    groups += coding(data, vectors) + facts(data, vectors) + meanings(vectors)
    return groups, evidence(told, shelves), evidence(told, shelves, FIT_ALONE)


def figures(groups, found, alone, fingerprint, held):
    """All of it as plain values; `held` tells by group which questions no number was chosen on."""
    decided = [one for one in DEFAULTS if one.key.split(".")[0] in {"ranking", "match", "recall"}]
    return {
        "format": "mem.figures/1",
        "measured_by": "tests/benchmarks/floor.py",
        "encoder": fingerprint,
        "constants": {one.key: one.value for one in decided},
        "scale": SCALE,
        "outcomes": [group.figures() for group in groups],
        "reported_ids": {
            group.name: group.part(held[group.name]).ids for group in groups if group.name in held
        },
        "outcomes_reported": [
            group.part(held[group.name]).figures() for group in groups if group.name in held
        ],
        "auroc": separation(groups),
        "evidence": kept(found),
        "evidence_first_five": kept(found[:5]),  # weights were tuned here
        "evidence_last_five": kept(found[5:]),  # and not here
        "evidence_by_fit_alone": kept(alone),
        "sweep_floor_lost_let_through": {own.name: sweep(own, other) for own, other in pairs(groups)},
        "records": records(groups),
        "records_evidence": [[one.id, one.wanted, one.places] for asked in found for one in asked],
    }


def main():
    """Measure, print, and write where asked to."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--data", type=Path, required=True, help="folder of the published sets")
    words.add_argument("--out", type=Path, help="figures and records as JSON")
    words.add_argument("--vectors", type=Path, help="npz file that keeps vectors between runs")
    given = words.parse_args()
    vectors = Vectors(encoder.load(None), given.vectors)
    groups, found, alone = measured(given.data, vectors)
    vectors.keep()
    all_of_it = figures(groups, found, alone, vectors.encoder.fingerprint, splits.reported(given.data))
    print(table(groups))
    print("AUROC", all_of_it["auroc"])
    for name in ("evidence", "evidence_first_five", "evidence_last_five", "evidence_by_fit_alone"):
        print(name, all_of_it[name])
    if given.out:
        given.out.write_text(json.dumps(all_of_it, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
