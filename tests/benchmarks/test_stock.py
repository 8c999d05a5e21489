"""The invented store: as many different claims as asked for, in files that fit the format."""

from datetime import UTC

import stock
from sentences import WORD, first

from memcli.store import format


def test_claims_differ_and_repeat_with_their_seed():
    assert len(set(first(3000))) == 3000
    assert first(5) == first(5)
    assert not set(first(50, seed=1)) & set(first(50, seed=2))


def test_every_file_is_understood_and_half_of_them_stand_in_the_large_scope(tmp_path):
    stock.fill(tmp_path, 60)
    files = stock.files(tmp_path)
    read = [format.parse(path.read_bytes(), path.relative_to(tmp_path).as_posix(), UTC) for path in files]
    assert [one.problems for one in read] == [()] * 60
    assert sum(str(one.schema.scope) == stock.LARGE for one in read) == 30
    assert len({one.schema.id for one in read}) == 60


def test_an_edit_puts_another_claim_under_the_same_id(tmp_path):
    stock.fill(tmp_path, 2)
    path = stock.files(tmp_path)[0]
    before = format.parse(path.read_bytes(), "schemas/user/one.md", UTC).schema
    stock.edit(path, "Nobody rounds subtotals any more.")
    after = format.parse(path.read_bytes(), "schemas/user/one.md", UTC).schema
    assert (after.id, after.claim) == (before.id, "Nobody rounds subtotals any more.")


def test_the_word_that_is_searched_for_stands_in_some_claims_and_not_in_most():
    held = sum(WORD in claim for claim in first(1000))
    assert 10 < held < 300
