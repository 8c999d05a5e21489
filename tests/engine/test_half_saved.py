"""A file that an editor is saving in place is compared once it is whole again."""

import threading
import time

import pytest
from trial import Trial

from memcli.engine import rows_for_guard
from memcli.errors import TryAgain
from memcli.store import format
from memcli.store.place import Place

CLAIM = "The refund window is 30 days."


def test_a_file_that_is_emptied_for_a_moment_is_read_when_it_is_back(tmp_path):
    trial = Trial.made(tmp_path)
    path = trial.path(trial.remember(CLAIM)["id"])
    whole = path.read_bytes()
    path.write_bytes(b"")

    def back():
        time.sleep(0.015)
        path.write_bytes(whole)

    saving = threading.Thread(target=back)
    saving.start()
    name = path.relative_to(trial.root).as_posix()
    raw = rows_for_guard._at_rest(Place(trial.root), name, format.digest(whole))
    saving.join()
    assert raw in (whole, b"")  # the machine may stall; half of it is never taken
    assert rows_for_guard._at_rest(Place(trial.root), name, format.digest(whole)) == whole


def test_an_edit_that_rests_is_taken_as_it_is(tmp_path):
    trial = Trial.made(tmp_path)
    path = trial.path(trial.remember(CLAIM)["id"])
    name = path.relative_to(trial.root).as_posix()
    before = format.digest(path.read_bytes())
    path.write_bytes(path.read_bytes().replace(b"30 days", b"14 days"))
    assert b"14 days" in rows_for_guard._at_rest(Place(trial.root), name, before)
    path.unlink()
    with pytest.raises(TryAgain):
        rows_for_guard._at_rest(Place(trial.root), name, before)
