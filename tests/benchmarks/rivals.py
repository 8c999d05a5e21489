"""The baselines of the evaluation folder, run as they are there and scored as `mem` is.

Their code stays where it is: it is loaded from the folder that the benchmark is given.
"""

import importlib
import os
import sys

from kept import Kept
from placed import DEPTH, Placed

NAMES = {
    "bm25_spk_stem": "words, BM25 stemmed",
    "rrf60_spk": "the usual hybrid: RRF, k = 60",
    "fused": "fused: .6 vectors + .4 words",
    "best": "best: with neighbour, session, window",
}


def placed(shared, names, questions, cache, turns=None):
    """{name: [Placed]} for the ids in `questions`, in their order.

    `shared` holds baselines/ and data/, vectors and answers are kept in the folder `cache`; `turns`
    cuts every conversation to its first so many.
    """
    kept = {name: Kept(cache / f"rival-{name}-{turns}.jsonl") for name in names}
    known = {
        name: {row[0]: Placed(row[0], row[1], tuple(row[2])) for row in one.rows}
        for name, one in kept.items()
    }
    if not all(set(questions) <= set(found) for found in known.values()):
        for name, found in _anew(shared, names, questions, cache, turns).items():
            known[name] = {one.id: one for one in found}
            for one in found:
                kept[name].add([one.id, one.wanted, list(one.places)])
    return {name: [known[name][one] for one in questions] for name in names}


def _anew(shared, names, questions, cache, turns):
    os.environ["EVAL_CACHE"] = str(cache)
    sys.path.insert(0, str(shared / "baselines"))
    try:
        retrieval = importlib.import_module("retrieval")
    finally:
        sys.path.pop(0)
    conversations = retrieval.get_convs()
    for one in conversations:
        one["mem"] = one["mem"][:turns]
    return {name: _asked(retrieval.CONFIGS[name], conversations, questions) for name in names}


def _asked(make, conversations, questions):
    found = {}
    for one in conversations:
        wanted = [asked for asked in one["qa"] if asked["id"] in questions]
        if wanted:
            found.update(_conversation(make(), one, wanted))
    return [found[name] for name in questions]


def _conversation(rival, one, wanted):
    rival.fit(one)
    said = [{turn["id"]} for turn in one["mem"]]
    for asked in wanted:
        order = [said[at] for at in rival.rank(asked["q"])[:DEPTH]]
        yield asked["id"], Placed.among(asked["id"], set(asked["ev"]), order)
