"""How often the forget guard catches what says a removed claim again, and how often it errs.

    python tests/benchmarks/guard.py --data DATA [--locomo] [--out docs/figures/guard.json] [--vectors NPZ]

DATA holds paraphrase/, letta/ and (for --locomo, some minutes of encoding) locomo/ as published;
nothing of their texts is written, only ids, scores and verdicts. Each pair is put to
`memory.guard.judge` as shipped: the first text is a forgotten schema, the second a candidate that
rests on an event of its own, compared whole and sentence by sentence. Word weights come from
the texts of the set.
"""

import argparse
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from intervals import wilson
from pairs import UPDATE, frozen, paraphrase_sets, rederived, updates
from shelf import Vectors

from memcli.index import encoder
from memcli.memory import claim, pool, tokens
from memcli.memory.constants import DEFAULTS
from memcli.memory.guard import Claimed, Neighbour, Rule, judge, pieces
from memcli.memory.rarity import rarity
from memcli.memory.schema import Schema, Status
from memcli.memory.scope import USER


@dataclass(frozen=True)
class Verdict:
    """One pair: the cosine of the whole texts, the layer that caught it or "", the veto or "".

    `words`: the layer that catches it without an encoder.
    """

    id: str
    cosine: float
    rule: str
    veto: str
    words: str


def judged(pair, vectors, idf):
    """The shipped guard's verdict about a pair."""
    parts = pieces(pair.candidate)
    removed, *said = vectors.of([pair.removed, *parts])
    cosines = tuple(pool.cosine(one[None, :], removed) for one in said)
    removed_schema = Schema("removed", USER, pair.removed, status=Status.FORGOTTEN)
    layers = [
        judge(Claimed(pair.candidate, 0, 0), [Neighbour(removed_schema, cosines=known)], idf).rule or ""
        for known in (cosines, None)
    ]
    return Verdict(
        pair.id, cosines[0], str(layers[0]), claim.veto(pair.candidate, pair.removed), str(layers[1])
    )


def weights(pairs):
    """Stem -> rarity among the texts of the set."""
    texts = {text for pair in pairs for text in (pair.removed, pair.candidate)}
    held = Counter(stem for text in texts for stem in tokens.content_words(text))
    return {stem: rarity(rows, len(texts)) for stem, rows in held.items()}


def measured(one, vectors):
    """All verdicts of a set."""
    vectors.of([text for pair in one.pairs for text in (pair.removed, *pieces(pair.candidate))])
    idf = weights(one.pairs)
    return [judged(pair, vectors, idf) for pair in one.pairs]


def counts(verdicts):
    """How many a cosine alone catches, the certain layers, these or hold, and all without vectors."""
    return {
        "cosine": sum(v.cosine >= DEFAULTS.same_claim for v in verdicts),
        "block": sum(v.rule not in ("", Rule.HOLD) for v in verdicts),
        "block or hold": sum(v.rule != "" for v in verdicts),
        "words only": sum(v.words != "" for v in verdicts),
    }


def shown(one, verdicts):
    """One line of the table, in percent with 95 % intervals."""
    n = len(verdicts)
    cells = [
        f"{100 * s:5.2f} ({100 * lo:.2f}-{100 * hi:.2f})"
        for s, lo, hi in (wilson(hits, n) for hits in counts(verdicts).values())
    ]
    return f"| {one.kind} | {one.name}{' (seen)' if one.seen else ''} | {n} | {' | '.join(cells)} |"


def figures(one, verdicts):
    """What is kept of a set: counts, and of the pairs to report on [id, cosine, layer, veto] where caught."""
    vetoed = Counter(v.veto for v in verdicts if v.veto and v.cosine >= DEFAULTS.hold)
    report = {
        "set": one.name,
        "kind": one.kind,
        "seen": one.seen,
        "pairs": len(verdicts),
        "caught": counts(verdicts),
        "vetoed": dict(sorted(vetoed.items())),
    }
    caught = [[v.id, round(v.cosine, 3), v.rule, v.veto] for v in verdicts if v.rule]
    return report if one.seen and one.kind != UPDATE else report | {"records": caught}


def written(report):
    """JSON with one line a set and one a hundred records, small and still readable as a difference."""
    return json.dumps(report, ensure_ascii=False, separators=(",", ":")).replace('],["', '],\n["') + "\n"


def main():
    """Measure, print the table, write the figures."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--data", type=Path, required=True)
    asked.add_argument("--locomo", action="store_true")
    asked.add_argument("--out", type=Path)
    asked.add_argument("--vectors", type=Path)
    options = asked.parse_args()
    model = encoder.load()
    vectors = Vectors(model, options.vectors)
    sets = [*frozen(), *paraphrase_sets(options.data), updates(options.data)]
    sets += rederived(options.data) if options.locomo else []
    print(f"| kind | set | pairs | cosine >= {DEFAULTS.same_claim} | block | block or hold | words only |")
    print("|---|---|---|---|---|---|---|")
    kept = []
    for one in sets:
        verdicts = measured(one, vectors)
        print(shown(one, verdicts), flush=True)
        kept.append(figures(one, verdicts))
    vectors.keep()
    if options.out:
        rules = {c.key: c.value for c in DEFAULTS if c.key.startswith("guard.")}
        report = {
            "format": "mem.benchmark.guard/1",
            "encoder": model.fingerprint,
            "rules": rules,
            "sets": kept,
        }
        options.out.write_text(written(report), encoding="utf-8")


if __name__ == "__main__":
    main()
