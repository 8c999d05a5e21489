"""Text to unit vectors, by a local model and in this process.

Equal text gives equal bits, whatever the batch, the order, the number of workers or the
file that served the weights: a cosine may be rounded and compared, and an index can be
made in any order. The danger is the opposite, vectors of two models side by side: the
`fingerprint` changes with everything that moves a bit, and a model that cannot be read,
opened or run raises NoEncoder instead of being replaced by something else.
"""

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memcli.index import chunks, model, runtime
from memcli.index.batches import Batch, Vectors, spread
from memcli.index.ledger import Ledger
from memcli.index.prepared import NOTHING, Prepared, prepared
from memcli.index.runtime import Arithmetic, Network, NoEncoder, Optimisation, open_network
from memcli.index.tokenizer import Tokens, tokens_of
from memcli.index.wordpiece import WordPiece
from memcli.memory.constants import DEFAULTS

__all__ = ["Encoder", "NoEncoder", "Vectors", "load"]

LOGIC: Final = 1  # raised whenever the same text would get other bits: pooling, framing, limit
LIMIT_TOKENS: Final = 256  # max_seq_length in the sentence_bert_config.json of all-MiniLM-L6-v2
SLICE: Final = 2048  # texts tokenised and sorted at a time, which bounds the memory
LASTING_FROM: Final = 20  # texts after which packing the weights (40 ms) has paid (2 ms a text)

# Pairs that say the same in other words; a sentence of one and the next one's are unrelated.
PARAPHRASES: Final = (
    ("The cat is sleeping on the sofa.", "A kitten naps on the couch."),
    ("Invoices must be paid within thirty days.", "Customers have one month to settle their bills."),
    ("The server crashed because it ran out of memory.", "An out-of-memory error took the machine down."),
    ("She moved to Berlin last spring.", "In April she relocated to Germany's capital."),
)

Progress = Callable[[int, int], None]


class Encoder:
    """A model in memory; safe to use from several threads at once.

    `quick` answers at once; `open_lasting` gives a network of the same bits that is slower
    to open and faster to run. `encoded` counts the texts that it was given so far.
    """

    limit_tokens: Final = LIMIT_TOKENS

    def __init__(
        self,
        tokens: Tokens,
        fingerprint: str,
        quick: Network,
        open_lasting: Callable[[], Network],
        ledger: Ledger,
    ) -> None:
        self.fingerprint = fingerprint
        self.dimensions = quick.dimensions
        self._tokens = tokens
        self._network = quick
        self._open_lasting: Callable[[], Network] | None = open_lasting
        self._ledger = ledger
        self.encoded = 0
        self._opening = Lock()

    def encode(self, texts: Sequence[str], progress: Progress | None = None, workers: int = 1) -> Vectors:
        """float32 [texts, dimensions], each row of length 1; of a long text its first 256 tokens.

        `progress` is told texts done and texts in all; `workers` threads share the work.
        Raises NoEncoder.
        """
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        done = 0
        for rows, found in self.batches(texts, workers):
            vectors[rows] = found
            done += len(rows)
            if progress is not None:
                progress(done, len(texts))
        return vectors

    def batches(self, texts: Sequence[str], workers: int = 1) -> Iterator[Batch]:
        """The vectors of `texts` as they come, with the places of their texts. Raises NoEncoder."""
        self._count(len(texts))
        for start in range(0, len(texts), SLICE):
            framed = [self._tokens.framed(text, LIMIT_TOKENS) for text in texts[start : start + SLICE]]
            for places, vectors in spread(self._vectors, framed, workers):
                yield [start + place for place in places], vectors

    def warm(self) -> None:
        """Open the network that serves many texts best, if that has not happened yet."""
        with self._opening:
            if self._open_lasting is not None:
                self._network = self._open_lasting()
                self._open_lasting = None

    def meaningful(self, margin: float = DEFAULTS.self_test) -> bool:
        """Whether every paraphrase is nearer than any unrelated sentence, by `margin` in cosine.

        A stub, a wrong tokenizer or a damaged model gives vectors too, but not that.
        """
        found = self._ledger.margin(self.fingerprint)
        if found is None:
            try:
                found = self._margin()
            except NoEncoder:
                return False
            self._ledger.remember_margin(self.fingerprint, found)
        return found >= margin

    def chunks(self, text: str, limit: int | None = None) -> list[str]:
        """Pieces that the model can read whole and that leave out nothing but blank stretches.

        With `limit` the first so many, and what follows them is not even looked at.
        """
        return chunks.chunks(text, self._tokens.room(LIMIT_TOKENS), self._tokens.spans, limit)

    def _margin(self) -> float:
        first, second = (self.encode([pair[side] for pair in PARAPHRASES]) for side in (0, 1))
        cosines = (first[:, None].astype(np.float64) * second).sum(axis=2)
        alike = np.eye(len(PARAPHRASES), dtype=bool)
        return float(cosines[alike].min() - cosines[~alike].max())

    def _count(self, texts: int) -> None:
        self.encoded += texts
        if self.encoded >= LASTING_FROM:
            self.warm()

    def _vectors(self, framed: Sequence[Sequence[int]]) -> Vectors:
        hidden = self._network.run(framed)
        if hidden.ndim == 2:  # noqa: PLR2004 - rows, dimensions: the model pools by itself
            return _unit(hidden.astype(np.float64))
        # Row by row and in float64: the sum must know nothing of its neighbours' lengths.
        means = [hidden[row, : len(ids)].sum(axis=0, dtype=np.float64) for row, ids in enumerate(framed)]
        return _unit(np.stack(means))


def load(path: str | None = None, workspace: Path | None = None) -> Encoder:
    """The encoder at `path` (a folder or an ONNX file), or the one that comes with mem.

    In `workspace` it keeps its model prepared for a fast start (140 MB); without one, or
    where nothing can be written, the same vectors come slower. Raises NoEncoder.
    """
    source = model.find(path)
    ledger = Ledger(workspace)
    digest = model.digest(source, ledger)
    tokens = tokens_of(source.tokenizer) if source.tokenizer else WordPiece()
    how = runtime.arithmetic()
    ready = NOTHING
    if workspace is not None:
        ready = prepared(workspace, _key(digest, how), source.model, lambda: _probes(tokens))
    quick, lasting = _networks(source.model, ready)
    return Encoder(tokens, _fingerprint(source.name, digest, tokens, how), quick, lasting, ledger)


def _networks(shipped: Path, ready: Prepared) -> tuple[Network, Callable[[], Network]]:
    """The network to begin with, and how to open the one to go on with."""

    def lasting() -> Network:
        if ready.lasting is not None:
            try:
                return open_network(ready.lasting, Optimisation.NONE)
            except NoEncoder:
                pass  # it vanished since it was looked at
        return open_network(shipped, Optimisation.BASIC)

    if ready.quick is not None:
        try:
            return open_network(ready.quick, Optimisation.NONE), lasting
        except NoEncoder:
            pass
    begun = lasting()
    return begun, lambda: begun


def _fingerprint(name: str, digest: str, tokens: Tokens, how: Arithmetic) -> str:
    parts = (str(LOGIC), str(LIMIT_TOKENS), digest, tokens.identity, how.version, how.kernels)
    return f"{name}-{_short(parts)}"


def _key(digest: str, how: Arithmetic) -> str:
    return _short((digest, how.version, how.features))


def _short(parts: Sequence[str]) -> str:
    return sha256("\n".join(parts).encode()).hexdigest()[:16]


def _probes(tokens: Tokens) -> list[list[list[int]]]:
    """Inputs of several lengths, alone and side by side."""
    text = " ".join(sentence for pair in PARAPHRASES for sentence in pair)
    ids = [tokens.framed(" ".join([text] * 8), limit) for limit in (3, 17, 40, 130)]
    return [*([row] for row in ids), ids[:3]]


def _unit(sums: NDArray[np.float64]) -> Vectors:
    lengths = np.sqrt((sums * sums).sum(axis=1, keepdims=True))
    vectors: Vectors = (sums / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    if not np.isfinite(vectors).all():
        raise NoEncoder("The encoder's model gives no numbers.")
    return vectors
