"""Keys that were misspelt or left standing empty are told, by the word that was meant."""

from datetime import UTC

import pytest

from memcli.memory.schema import Affected
from memcli.store import format as files
from memcli.store import keys


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


@pytest.mark.parametrize(
    ("affected", "mistake"),
    [
        ("- {id: aaaa, hop: 3}", 'retraction.affected.hop: "3" is not one of 1, 2'),
        ("- {id: aaaa, penalty: 1.5}", 'retraction.affected.penalty: "1.5" is not between 0 and 1'),
        ("- {id: aaaa, cleared: yes}", 'retraction.affected.cleared: "yes" is not one of true, false'),
        ("- {penalty: 0.5}", "retraction.affected.id: is missing"),
        ("- aaaa", "retraction.affected: every member has to be made of lines `key: value`"),
        ("aaaa", "retraction.affected: a list is expected, like [one, two]"),
    ],
)
def test_what_a_retraction_takes_from_others_is_read_whole_or_not_at_all(affected, mistake):
    parsed = read(f"retraction:\n  affected:\n    {affected}")
    assert parsed.schema is None
    (problem,) = parsed.problems
    assert f"{problem.key}: {problem.what}" == mistake
    assert problem.line in (4, 5)


def test_what_a_retraction_leaves_unsaid_of_another_is_one_step_and_a_whole_path():
    (one,) = read("retraction:\n  affected: [{id: aaaa, penalty: .5}]").schema.retraction.affected
    assert one == Affected("aaaa", 0.5, hop=1, path=1.0, cleared=False)
    (two,) = read(
        "retraction:\n  affected: [{id: aaaa, hop: 2, path: 0.25, cleared: true}]"
    ).schema.retraction.affected
    assert two == Affected("aaaa", 0.0, hop=2, path=0.25, cleared=True)


@pytest.mark.parametrize(
    ("head", "mistake"),
    [
        ("supersedes: [aaaa, -b]", 'supersedes: "-b" is not an id'),
        ("status: [active]", "status: one value is expected, not several"),
        ("tags: [[a]]", "tags: every member has to be one text"),
        ("tags: [a, '']", "tags: every member has to be one text"),
        ("validity: tomorrow", "validity: lines `key: value` are expected below it"),
    ],
)
def test_a_value_of_another_kind_sets_the_file_aside(head, mistake):
    parsed = read(head)
    assert parsed.schema is None
    assert [f"{one.key}: {one.what}" for one in parsed.problems] == [mistake]


@pytest.mark.parametrize(
    "key",
    [
        *("type", "stage", "stage_pinned", "concept", "evidence", "stale_reason", "archive_reason", "review"),
        *("supersedes", "superseded_by", "retraction", "overrides", "confidence", "origin", "trust", "tags"),
        *("links", "key"),
    ],
)
def test_every_key_is_known_by_its_own_name_alone(key):
    (notice,) = read(f"{key.upper()}: x").notices
    assert notice.what == f"is not a key that mem reads; {key} may be meant"
    assert [one for one in read(f"{key}:").notices if "not a key" in one.what] == []


@pytest.mark.parametrize("device", ["con", "PRN", "aux.txt", "nul", "com1", "LPT9.a.b"])
def test_a_name_that_opens_a_device_is_no_id(device):
    assert not keys.is_id(device)
    assert keys.is_id(f"{device}x".replace(".", "x"))
    assert keys.is_id(f"x{device}")
