"""What a run beside the rivals comes to: quality, silence where nothing answers, and a row a question."""

from dataclasses import dataclass

from corpora import CONVERSED
from intervals import auroc
from outcomes import share
from placed import Placed, figures, gained

OURS = "mem, no floor"
MEASURES = ("R@1", "R@5", "R@10", "full@5", "full@10", "MRR")
GAINED = ("R@5", "full@10", "MRR")


@dataclass(frozen=True)
class Found:
    """One answer: what each thing shown counts as, in order, the score of the best if there is one."""

    id: str
    corpus: str
    order: list
    score: float | None
    took_ms: float

    @property
    def key(self):
        """Which question it answers."""
        return self.id, self.corpus

    def placed(self, sought):
        """Where the evidence came."""
        return Placed.among(sought.id, sought.evidence, [set(said) for said in self.order])


def summary(questions, answers, baselines):
    """By set of questions: figures of every way, what mem gains, silence where nothing answers."""
    found = {}
    for kind, group in questions.items():
        answered = [one for one in group if one.evidence]
        others = [one for one in group if not one.evidence]
        whole = {
            name: given
            for name, given in answers.items()
            if all((one.id, one.corpus) in given for one in group)
        }
        placed = {
            name: [given[one.id, one.corpus].placed(one) for one in answered] for name, given in whole.items()
        }
        every = placed | (baselines if kind == CONVERSED else {})
        found[kind] = {
            "figures": {name: _of(figures(rows)) for name, rows in every.items()},
            "gains": {
                name: {one: gained(placed[OURS], rows, one) for one in GAINED}
                for name, rows in every.items()
                if name != OURS
            },
            "silence": {name: silence(given, answered, others) for name, given in whole.items()},
        }
    return found


def _of(row):
    return {"n": row["n"], **{name: row[name] for name in MEASURES}}


def silence(given, answered, others):
    """How often nothing at all was shown, where an answer is and where none is; AUROC of the score."""
    rows = {"answerable": answered, "unanswerable": others}
    got = {name: [given[one.id, one.corpus] for one in group] for name, group in rows.items()}
    found = {name: share(sum(not one.order for one in group), len(group)) for name, group in got.items()}
    scores = {name: [one.score for one in group] for name, group in got.items()}
    if all(score is not None for group in scores.values() for score in group):
        found["auroc"] = round(auroc(scores["answerable"], scores["unanswerable"]), 3)
    return found


def records(questions, answers):
    """One row a question and corpus; by way: places of the evidence, how much was shown, the score."""
    for kind, group in questions.items():
        for one in group:
            key = one.id, one.corpus
            found = {name: given[key] for name, given in answers.items() if key in given}
            yield {
                "id": one.id,
                "set": kind,
                "corpus": one.corpus,
                "wanted": len(one.evidence),
                **{
                    name: [list(got.placed(one).places) if one.evidence else [], len(got.order), got.score]
                    for name, got in found.items()
                },
            }
