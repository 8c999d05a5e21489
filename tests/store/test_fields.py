"""Keys that were misspelt or left standing empty are told, by the word that was meant."""

from datetime import UTC

import pytest

from memcli.store import format as files


def read(head):
    return files.parse(f"---\nid: refund00aaaa\n{head}\n---\nClaim\n".encode(), "schemas/project/t/a.md", UTC)


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("valid_from", "validity: from"),
        ("Valid-To", "validity: to"),
        ("Status", "status"),
        ("status\u200b", "status"),
        ("SCOPE", "scope"),
    ],
)
def test_a_misspelt_key_that_withholds_sets_the_file_aside_and_names_the_right_one(key, meant):
    parsed = read(f"{key}: x")
    assert parsed.schema is None
    assert [problem.what.rpartition("; ")[2] for problem in parsed.problems] == [f"write {meant}"]


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("Tags", "tags"),
        ("stage-pinned", "stage_pinned"),
    ],
)
def test_any_other_misspelt_key_is_remarked_on(key, meant):
    parsed = read(f"{key}: x")
    assert parsed.schema is not None
    assert [notice.what.rpartition("; ")[2] for notice in parsed.notices] == [f"{meant} may be meant"]


@pytest.mark.parametrize(("key", "used"), [("status", "active is used"), ("scope", "the folder's is used")])
def test_a_key_left_standing_empty_says_what_is_used_instead(key, used):
    parsed = read(f"{key}:")
    assert parsed.schema is not None
    assert [notice.what for notice in parsed.notices] == [f"is empty; {used}"]


def test_an_ordinary_key_of_somebody_elses_is_not_remarked_on():
    assert read("colour: blue").notices == ()
