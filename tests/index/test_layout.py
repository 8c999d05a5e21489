"""What the index holds of a schema, and that its number goes up when that changes."""

import hashlib
import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from rowmaking import DIMENSIONS, NOW, row, vectors

from memcli.index import arrow, layout, rest
from memcli.index.rows import number
from memcli.memory.schema import (
    ArchiveReason,
    Evidence,
    Link,
    Origin,
    Review,
    ReviewReason,
    Schema,
    Status,
    Trust,
    Validity,
)
from memcli.memory.scope import GLOBAL

# Whoever changes what a row holds (here, in the tokeniser, in memory.subject) raises LAYOUT and
# writes the new digest beside the new number: every index is then rebuilt by itself.
DIGESTS = {7: "16cf4f3003d2fced"}

ROWS = [
    row(
        1,
        "Refunds go down to 14 days; see `max_retries` in parseHTTPResponse.",
        title="Refunds",
        detail="Gift cards are excluded. Größe, café, 日本語, C#, a=b, @jpl.nasa.gov",
        concept="Refund  Window",
        validity=Validity(NOW, None),
        tags=("billing", "it's"),
        evidence=(Evidence("01abc", "a quote"),),
        hidden_in=("project:other",),
    ),
    row(2, "Is it Tuesday?", where=GLOBAL, status=Status.FORGOTTEN, superseded_by="id000001"),
]


def test_a_change_of_what_a_row_holds_goes_with_another_layout_number():
    made = layout.batch(ROWS, [vectors(1, 2), None], DIMENSIONS).drop_columns(["vector"])
    text = json.dumps([made.schema.to_string(), made.to_pydict()], ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == DIGESTS.get(layout.LAYOUT)


def test_further_pieces_repeat_what_filters_look_at_and_no_word():
    made = layout.batch(ROWS[:1], [vectors(1, 3)], DIMENSIONS).to_pylist()
    assert [one["piece"] for one in made] == [0, 1, 2]
    assert {one["pieces"] for one in made} == {3}
    assert [bool(one["stems"]) for one in made] == [True, False, False]
    assert [one["length"] > 0 for one in made] == [True, False, False]
    for column in (
        "path",
        "scope",
        "status",
        "tags",
        "hidden",
        "hidden_in",
        "valid_from",
        "valid_to",
        "type",
    ):
        assert made[0][column] == made[1][column] == made[2][column]


def test_no_column_may_be_null():
    for dimensions in (0, DIMENSIONS):
        assert not any(field.nullable for field in layout.layout(dimensions))


PACKED = some.builds(
    Schema,
    id=some.just("a"),
    scope=some.just(GLOBAL),
    claim=some.just(""),
    archive_reason=some.none() | some.sampled_from(ArchiveReason),
    confidence=some.floats(0, 1),
    evidence=some.lists(some.builds(Evidence, some.text(max_size=9)), max_size=3).map(tuple),
    key=some.text(max_size=9),
    links=some.lists(
        some.builds(Link, some.text(max_size=5), some.text(max_size=5), some.floats(0, 1)), max_size=2
    ).map(tuple),
    origin=some.sampled_from(Origin),
    overrides=some.lists(some.text(max_size=5), max_size=3).map(tuple),
    review=some.none()
    | some.builds(Review, some.sampled_from(ReviewReason), some.lists(some.text(max_size=5)).map(tuple)),
    stage_pinned=some.booleans(),
    supersedes=some.lists(some.text(max_size=5), max_size=3).map(tuple),
    trust=some.sampled_from(Trust),
)


@settings(deadline=None)
@given(PACKED)
def test_the_rest_of_the_keys_comes_back_as_it_was(schema):
    assert Schema("a", GLOBAL, "", **rest.unpack(rest.pack(schema))) == schema


def test_a_schema_of_defaults_packs_to_nothing():
    assert rest.pack(Schema("a", GLOBAL, "text")) == ""


def test_the_number_of_a_stem_is_the_same_everywhere_and_positive():
    assert number("refund") == 4122621226790999788
    assert number("refund") != number("refunds")
    assert number("\udcff") > 0
    assert all(0 <= number(str(one)) < 2**63 for one in range(1000))


@pytest.mark.parametrize("cut", [(0, 4), (1, 3), (2, 2), (3, 4)])
def test_columns_are_read_right_from_any_slice_of_them(cut):
    lists = pa.array([[1, 2], [], [3], [4, 5, 6]], pa.list_(pa.int64()))
    unit = pa.FixedSizeListArray.from_arrays(arrow.vector(np.arange(8)), 2)
    table = pa.table({"n": pa.array([10, 20, 30, 40], pa.int32()), "l": lists, "v": unit})
    for given_table in (table, pa.concat_tables([table, table])):
        part = given_table.slice(cut[0], cut[1] - cut[0])
        plain = part.to_pydict()
        assert arrow.numbers(part.column("n")).tolist() == plain["n"]
        flat, lengths = arrow.lists(part.column("l"))
        assert flat.tolist() == [one for many in plain["l"] for one in many]
        assert lengths.tolist() == [len(many) for many in plain["l"]]
        assert arrow.matrix(part.column("v")).tolist() == plain["v"]
