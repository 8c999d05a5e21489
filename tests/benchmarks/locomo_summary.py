"""What a run over LoCoMo comes to: quality beside the baselines, abstention, leaks, time."""

from collections import Counter

import numpy as np
import rivals
from intervals import auroc, wilson
from outcomes import share
from placed import figures, gained

KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
OUTCOMES = ("found", "withheld", "absent")
GAINS = ("R@10", "full@10", "full@20", "nDCG@10")
COLUMNS = ("R@1", "R@5", "R@10", "R@20", "full@5", "full@10", "full@20", "MRR", "nDCG@10")
UNFLOORED, SHIPPED = "mem, no floor", "mem, as shipped"


def summary(told, scopes, seconds, answers, others):
    """All figures as plain values. `others` are the baselines' places by name."""
    pairs = [(question, held) for one, held in zip(told, scopes, strict=True) for question in one.answerable]
    ours = {
        name: [answers[run][question.id].placed(question, held) for question, held in pairs]
        for name, run in ((UNFLOORED, "ranking"), (SHIPPED, "shipped"))
    }
    placed = ours | {rivals.NAMES[name]: found for name, found in others.items()}
    return {
        "taken_in": taken_in(scopes, seconds),
        "figures": {name: figures(found) for name, found in placed.items()},
        "kinds": kinds([question for question, _ in pairs], ours[UNFLOORED]),
        "gains": {
            rivals.NAMES[name]: {measure: gained(ours[UNFLOORED], found, measure) for measure in GAINS}
            for name, found in others.items()
        },
        "abstention": abstention(answers),
        "leaks": leaks(answers),
        "recall_ms": {run: times(found) for run, found in answers.items()},
    }


def taken_in(scopes, seconds):
    """How many turns, what was decided about them, how many a second."""
    decisions = sum((held.decisions for held in scopes), Counter())
    took = sum(seconds)
    return {
        "turns": decisions.total(),
        "decisions": dict(decisions),
        "seconds": round(took, 1),
        "turns_a_second": round(decisions.total() / took, 1),
    }


def kinds(questions, placed):
    """The figures by LoCoMo's kind of question."""
    return {
        kind: figures([placed[at] for at, one in enumerate(questions) if one.category == number])
        for number, kind in KINDS.items()
        if any(one.category == number for one in questions)
    }


def abstention(answers):
    """What was answered where the answer is (own) and where it is not (foreign), as shipped."""
    found = {}
    for name, run in (("own", "shipped"), ("foreign", "foreign")):
        counted = Counter(one.outcome for one in answers[run].values())
        n = counted.total()
        shown = [len(one.order) for one in answers[run].values()]
        found[name] = {"n": n, **{kind: share(counted[kind], n) for kind in OUTCOMES}}
        found[name]["shown_mean"] = round(sum(shown) / n, 1)
    matches = [[one.best_match for one in answers[run].values()] for run in ("shipped", "foreign")]
    return found | {"auroc": round(auroc(*matches), 3)}


def leaks(answers):
    """Rows that came from outside the scope that was asked, and the upper bound of their share."""
    every = [one for found in answers.values() for one in found.values()]
    rows, strange = sum(len(one.order) for one in every), sum(one.leaks for one in every)
    return {"answers": len(every), "rows": rows, "leaked": strange, "at_most": wilson(strange, rows)[2]}


def times(found):
    """Milliseconds of a whole process that recalls, two at a time."""
    took = [one.took_ms for one in found.values()]
    middle, late = np.percentile(took, [50, 95])
    return {"n": len(took), "p50": round(middle), "p95": round(late)}


def table(found):
    """The figures side by side."""
    lines = [f"{'':40}" + "".join(f"{name:>9}" for name in COLUMNS)]
    for name, row in found["figures"].items():
        lines.append(f"{name:40}" + "".join(f"{row[column][0]:9.1f}" for column in COLUMNS))
    lines += [f"{key}: {found[key]}" for key in ("gains", "abstention", "leaks", "recall_ms") if key in found]
    return "\n".join(lines)
