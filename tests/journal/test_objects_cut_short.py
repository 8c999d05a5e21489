"""An object of which the disk takes a part is no object: it is refused, and nothing is left under its name."""

import os
import resource
from contextlib import contextmanager

import pytest

from memcli.errors import Unavailable
from memcli.journal.objects import Objects

LIMIT_BYTES = 4000


@contextmanager
def no_file_longer(limit):
    """Files take so many bytes and no more: the write that reaches the limit does a part, the next one fails."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.case("P-FILE-04")
def test_an_object_that_fits_in_part_only_is_refused(tmp_path):
    objects = Objects(tmp_path, None)
    long, short = os.urandom(LIMIT_BYTES * 3), b"short"
    name = objects.write("blob", long)
    with no_file_longer(LIMIT_BYTES), pytest.raises(Unavailable, match="cannot be written"):
        objects.settle()
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    fits = objects.write("blob", short)
    with no_file_longer(LIMIT_BYTES):
        objects.settle()
    assert objects.read(fits, "blob") == short
    again = objects.write("blob", long)
    objects.settle()
    assert (again, objects.read(again, "blob")) == (name, long)
