"""What the system refuses is told as such, and what mem did not foresee as its own bug."""

import errno
import io

import pytest

from memcli.cli import complaint
from memcli.errors import MemError


def test_a_library_that_may_not_be_loaded_is_the_systems_refusal():
    error = ImportError("libx.so: cannot open shared object file: Too many open files", name="x")
    told = complaint.refused(error)
    assert told.code == 6
    assert told.message == "libx.so: cannot open shared object file: Too many open files."
    told = complaint.refused(ImportError("dlopen: Too many open files", name="x"))
    assert (told.code, told.message) == (6, "x: Too many open files.")


def test_a_library_that_is_not_there_is_a_bug():
    assert complaint.refused(ImportError("No module named 'x'", name="x")) is None


def test_a_refused_file_is_named():
    told = complaint.refused(OSError(errno.ENOSPC, "No space left on device", "/store/a.md"))
    assert (told.code, told.message) == (6, "/store/a.md: No space left on device.")


def test_a_name_that_is_too_long_is_the_users():
    told = complaint.refused(OSError(errno.ENAMETOOLONG, "File name too long", "x" * 300))
    assert (told.code, told.message) == (2, "A name that was given is longer than the system takes.")


def test_a_file_that_is_not_there_is_a_bug_where_nobody_expected_it():
    assert complaint.refused(FileNotFoundError(errno.ENOENT, "No such file", "/store/a.md")) is None


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("the store is not there", "The store is not there."),
        ("no permission for a.md", "No permission for a.md."),
        ("this text cannot stand in a file", "This text cannot stand in a file."),
        ("mem blame needs ID: whose.", "mem blame needs ID: whose."),
        ("git is not on the PATH.", "git is not on the PATH."),
        ("nope cannot be read.", "nope cannot be read."),
        ("origin could not be read", "origin could not be read."),
        ("Is it so?", "Is it so?"),
    ],
)
def test_a_sentence_has_its_capital_and_a_name_its_own_spelling(said, told):
    err = io.StringIO()
    complaint.tell(err, MemError(said), as_json=False)
    assert err.getvalue() == f"{told}\n"
