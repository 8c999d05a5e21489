"""A store in memory: texts as the index would hold them, asked by the shipped ranking.

Rows, words and vectors come from the same functions as the index's; only LanceDB is left
out, so that thousands of small stores can be asked in minutes.
"""

from collections import Counter, defaultdict
from datetime import UTC, datetime

import numpy as np

from memcli.index.rows import IndexRow, meaning, words
from memcli.memory import ranking
from memcli.memory.pool import Candidate, WordHits
from memcli.memory.schema import Schema, Status, Validity
from memcli.memory.scope import USER
from memcli.memory.subject import asks, subjects
from memcli.memory.visibility import Row

ROW = Row(USER, Status.ACTIVE, None, Validity(), "fact")


class Vectors:
    """Vectors by text, each encoded once; kept in `file` (npz) between runs if one is given."""

    def __init__(self, encoder, file=None):
        self.encoder, self.file, self.known = encoder, file, {}
        if file and file.exists():
            kept = np.load(file)
            if str(kept["fingerprint"]) == encoder.fingerprint:
                self.known = dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True))

    def of(self, texts):
        """float32 [n, d] of `texts`, in their order."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        if new:
            self.known.update(zip(new, self.encoder.encode(new), strict=True))
        return np.array([self.known[text] for text in texts], np.float32)

    def keep(self):
        """Write what was encoded, where a file is given."""
        if self.file:
            texts, vectors = list(self.known), np.array(list(self.known.values()), np.float32)
            np.savez(self.file, texts=np.array(texts), vectors=vectors, fingerprint=self.encoder.fingerprint)


class Shelf:
    """Some memories that a question can be put to. `days` are ISO dates or empty."""

    def __init__(self, vectors, texts, days=None):
        self.vectors = vectors
        days = days or [""] * len(texts)
        rows = [_row(at, text, day) for at, (text, day) in enumerate(zip(texts, days, strict=True))]
        found = vectors.of([meaning(row.schema) for row in rows])
        self._stand([_candidate(row, found[at : at + 1]) for at, row in enumerate(rows)])

    def part(self, places):
        """The shelf that holds only the memories at `places`."""
        smaller = object.__new__(Shelf)
        smaller.vectors = self.vectors
        smaller._stand([self.candidates[at] for at in places])
        return smaller

    def _stand(self, candidates):
        self.candidates = candidates
        self.total = sum(one.length for one in candidates)
        self.matrix = np.concatenate([one.vectors for one in candidates])
        self.holding = defaultdict(list)
        for at, one in enumerate(candidates):
            for stem in one.counts:
                self.holding[stem].append(at)

    def hits(self, asked):
        """What the index's word search would give for `asked`."""
        columns = tuple(dict.fromkeys(asked.stems))
        held = sorted({at for stem in columns for at in self.holding.get(stem, ())})
        counts = np.array([[self.candidates[at].counts[stem] for stem in columns] for at in held], np.int32)
        counts = counts.reshape(len(held), len(columns))
        return WordHits(
            paths=[self.candidates[at].path for at in held],
            stems=columns,
            counts=counts,
            lengths=np.array([self.candidates[at].length for at in held], np.int32),
            document_counts=(counts > 0).sum(axis=0, dtype=np.int64),
            visible=len(self.candidates),
            total_length=self.total,
        )

    def ask(self, text, rules=ranking.DEFAULTS, *, by_words=False):
        """The ranked answer to `text`: pool by vectors and by words, then `ranking.rank`."""
        asked = ranking.query(text)
        hits = self.hits(asked)
        vector = None if by_words else self._vector(text, hits, rules)
        places = self._near(vector, rules.pool) | self._worded(hits, asked, rules)
        return ranking.rank(asked, hits, [self.candidates[at] for at in sorted(places)], vector, rules)

    def _vector(self, text, hits, rules):
        return self.vectors.of([ranking.cut_names(text, ranking.frequencies(hits), hits.visible, rules)])[0]

    def _near(self, vector, limit):
        if vector is None:
            return set()
        return set(np.argsort(-(self.matrix @ vector), kind="stable")[:limit].tolist())

    def _worded(self, hits, asked, rules):
        places = {one.path: at for at, one in enumerate(self.candidates)}
        best = np.argsort(-ranking.bm25(hits, asked, rules), kind="stable")[: rules.pool]
        return {places[hits.paths[at]] for at in best.tolist()}


def _row(at, text, day):
    moment = int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) if day else None
    schema = Schema(f"{at:012}", USER, text)
    return IndexRow(schema, f"{at:06}", "", Status.ACTIVE, occurred_at=moment)


def _candidate(row, vectors):
    found = words(row)
    return Candidate(
        row.path, "", ROW, row.schema, Counter(found), found.total(), vectors,
        subjects(row.schema), asks(row.schema.claim), row.day,
    )  # fmt: skip
