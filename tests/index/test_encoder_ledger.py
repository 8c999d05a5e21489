"""The ledger of model files: a hash is taken once, and never believed of other bytes."""

import os
from hashlib import sha256

import pytest

from memcli.index import ledger
from memcli.index.ledger import NAME, Ledger


@pytest.fixture
def hashed(monkeypatch) -> list:
    """The files that are hashed from now on."""
    seen = []
    whole = ledger._hash
    monkeypatch.setattr(ledger, "_hash", lambda file: (seen.append(file.name), whole(file))[1])
    return seen


def test_a_file_is_hashed_once(tmp_path, hashed):
    file = tmp_path / "model"
    file.write_bytes(b"weights")
    digests = {Ledger(tmp_path / "workspace").digest(file) for _ in range(3)}
    assert digests == {sha256(b"weights").hexdigest()}
    assert hashed == ["model"]


@pytest.mark.case("P-IDX-03")
def test_other_bytes_of_the_same_size_and_time_are_hashed_again(tmp_path, hashed):
    file = tmp_path / "model"
    file.write_bytes(b"weights")
    seen = file.stat()
    first = Ledger(tmp_path).digest(file)
    file.write_bytes(b"WEIGHTS")
    os.utime(file, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert Ledger(tmp_path).digest(file) != first
    assert len(hashed) == 2


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"\xff", b'{"digests": {"x": 1}}', b'{"margins": {"x": "y"}}', b"null"]
)
def test_a_damaged_ledger_is_an_empty_one(tmp_path, content):
    (tmp_path / NAME).write_bytes(content)
    assert Ledger(tmp_path).margin("x") is None
    Ledger(tmp_path).remember_margin("x", 0.5)
    assert Ledger(tmp_path).margin("x") == 0.5


def test_without_a_workspace_nothing_is_kept(tmp_path):
    file = tmp_path / "model"
    file.write_bytes(b"weights")
    assert Ledger(None).digest(file)
    assert list(tmp_path.iterdir()) == [file]


def test_a_ledger_that_cannot_be_written_is_no_failure(tmp_path):
    (tmp_path / "file").touch()
    Ledger(tmp_path / "file").remember_margin("x", 0.5)
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_a_write_that_fails_leaves_no_half_file(tmp_path, monkeypatch):
    (tmp_path / NAME).mkdir()
    with pytest.raises(OSError, match=NAME):
        ledger.write(tmp_path / NAME, {})
    assert [file.name for file in tmp_path.iterdir()] == [NAME]
