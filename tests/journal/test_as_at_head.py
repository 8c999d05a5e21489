"""What a crash staged is taken back without git, which would leave a lock that nobody may remove."""

import pytest

from memcli.journal.process import Git
from memcli.journal.staging import Staging

A, B, C = (f"schemas/project/t/{name}.md" for name in "abc")


@pytest.fixture
def staged(begun):
    """HEAD holds `a` and `b`; staged are other words for `a`, `b` gone and `c` new. The disk is as HEAD."""
    begun.remember(A, "a\n")
    begun.remember(B, "b\n")
    for path in (A, C):
        begun.write(path, "other\n")
    begun.git("add", A, C)
    begun.git("rm", "-q", "--cached", B)
    begun.write(A, "a\n")
    (begun.root / C).unlink()
    return begun


def as_at_head(store):
    Staging(store.journal, store.journal.object_format()).as_at_head([A, B, C])


@pytest.fixture
def by_hand(monkeypatch):
    """Git writes nothing."""

    def never(*_args, **_how):
        raise AssertionError

    monkeypatch.setattr(Git, "act", never)


@pytest.mark.case("P-CONC-03")
def test_the_staging_area_is_as_head_again(staged, by_hand):
    as_at_head(staged)
    assert staged.git("status", "--porcelain") == ""
    assert staged.git("diff-index", "--cached", "HEAD") == ""


def test_where_it_is_so_already_nothing_is_written(staged):
    as_at_head(staged)
    before = (staged.root / ".git/index").stat()
    as_at_head(staged)
    assert (staged.root / ".git/index").stat() == before


def test_a_staging_area_of_another_form_is_gits_to_write(staged):
    staged.git("update-index", "--index-version", "4")
    as_at_head(staged)
    assert staged.git("status", "--porcelain") == ""


def test_an_edit_on_disk_shows_as_one(staged, by_hand):
    staged.write(A, "b\n")
    as_at_head(staged)
    assert staged.git("status", "--porcelain").split() == ["M", A]
