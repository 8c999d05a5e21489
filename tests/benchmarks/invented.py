"""`mem` with invented vectors, for huge.py: a store of so many texts that encoding them would take hours.

Its words are those of mem. A text's vector is the sum of one vector for each of its words, drawn by
chance from the word itself, so that texts with the same words are near. They go where the encoder's
would go: what is kept of vectors is filled with them, and rebuilds and questions find it so. What they
mean is worth nothing.
"""

import re
import zlib

import numpy as np

from memcli.__main__ import process
from memcli.index import encoder

EACH = 1024  # texts at a time
WORD = re.compile(r"\w+")


class Words:
    """Vectors of words, each drawn when it is first met."""

    def __init__(self, dimensions):
        self._dimensions = dimensions
        self._known = {}

    def vectors(self, texts):
        """float32 [texts, dimensions], each row of length 1."""
        rows = np.stack([sum(map(self._of, WORD.findall(f"text {text.lower()}"))) for text in texts])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    def _of(self, word):
        if word not in self._known:
            drawn = np.random.default_rng(zlib.crc32(word.encode()))
            self._known[word] = drawn.standard_normal(self._dimensions)
        return self._known[word]


def inventing(load):
    """As `encoder.load`, but what it gives invents the vectors of whatever is to be encoded."""

    def loaded(*words, **named):
        found = load(*words, **named)
        found.meaningful()  # by its own vectors, and noted: these here mean nothing, and would be refused
        words_of = Words(found.dimensions)

        def batches(texts, workers=1):
            for start in range(0, len(texts), EACH):
                part = texts[start : start + EACH]
                yield list(range(start, start + len(part))), words_of.vectors(part)

        found.batches = batches
        return found

    return loaded


if __name__ == "__main__":
    encoder.load = inventing(encoder.load)
    process()
