"""The filter text says what the rule says, and stored text stays text."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from rowmaking import NOW, OTHER, SHOP, build, paths, row, vectors, viewer

from memcli.index import filter as sql
from memcli.memory import scope
from memcli.memory.schema import Evidence, Stage, StaleReason, Status, Type, Validity
from memcli.memory.scope import GLOBAL, USER, Scope
from memcli.memory.visibility import Mode, Row, Verdict, Viewer, verdict, viewer_from

WINDOWS = [
    Validity(start, end)
    for start in (None, NOW - 10, NOW, NOW + 10)
    for end in (None, NOW - 5, NOW, NOW + 20)
    if start is None or end is None or start < end
]
TEAM = scope.parse("team:shop")
STAGES = dict.fromkeys(Status, (Stage.SCOPED, Stage.GLOBAL)) | {Status.ACTIVE: tuple(Stage)}
HIDDEN = [(), ("project:shop",), ("project:other", "user")]
TAGS = [(), ("a",), ("b", "a"), ("it's", "x]')")]
NASTY = [
    "x' OR '1'='1",
    "'; DROP TABLE schemas; --",
    ") OR (1=1",
    'O\'Brien & "Sons"',
    "a\\",
    "a\\' OR 1=1 --",
    "%",
    "a_b",
    "--",
    "ü/*",
    "日本",
    "\udcff' OR 1=1 --",
    "\0",
]


def _every_row():
    reasons = {Status.STALE: list(StaleReason)}
    number = 0
    for status in Status:
        told = itertools.product(reasons.get(status, [None]), WINDOWS, STAGES[status])
        for reason, validity, stage in told:
            number += 1
            tags, hidden = TAGS[number % len(TAGS)], HIDDEN[(number // 3) % len(HIDDEN)]
            where = (SHOP, OTHER, GLOBAL, USER, TEAM)[number % 5]
            kind = list(Type)[number % len(Type)]
            yield row(
                number, where=where, hidden_in=hidden, type=kind, status=status,
                stale_reason=reason, validity=validity, tags=tags, stage=stage,
            )  # fmt: skip


def _seen(made) -> Row:
    schema = made.schema
    return Row(
        schema.scope,
        made.effective,
        schema.stale_reason,
        schema.validity,
        schema.type,
        schema.tags,
        made.hidden_in,
        schema.stage,
    )


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    rows = list(_every_row())
    with build(tmp_path_factory.mktemp("index"), rows) as index:
        yield index, rows


VIEWERS = [
    Viewer(scopes, as_of, mode, types, tags, abroad)
    for abroad in (False, True)
    for scopes in (None, (), SHOP.seen, USER.seen, (OTHER,), TEAM.seen)
    for as_of in (NOW - 10, NOW - 1, NOW, NOW + 19)
    for mode in Mode
    for types, tags in (
        ((), ()),
        (("fact", "decision"), ()),
        ((), ("a",)),
        (("lesson",), ("b", "a")),
        ((), ("it's",)),
    )
]


def test_the_filter_admits_exactly_the_rows_that_the_rule_admits(filled):
    index, rows = filled
    for asker in VIEWERS:
        admitted = {one.path for one in rows if verdict(asker, _seen(one)) is Verdict.ADMITTED}
        assert paths(index, asker) == admitted, asker


def test_the_filter_of_the_withheld_holds_neither_admitted_nor_invisible_rows(filled):
    index, rows = filled
    seen = 0
    for asker in VIEWERS:
        held = {
            one.path
            for one in rows
            if verdict(asker, _seen(one)) not in {Verdict.ADMITTED, Verdict.INVISIBLE}
        }
        found = index.reading.columns(("path",), sql.where_held(asker))[0]
        assert set(found) == held, asker
        seen += len(held)
    assert seen > 1000


@pytest.mark.case("P-LIFE-05")
def test_only_what_a_scope_believes_travels_as_far_as_its_stage_says(
    filled,
):
    _, rows = filled
    far = [one for one in VIEWERS if one.abroad and one.scopes]
    came = {(one.schema.stage, one.schema.scope.kind == asker.scopes[0].kind)
            for asker in far for one in rows if verdict(asker, _seen(one)) is Verdict.ADMITTED}  # fmt: skip
    assert came == {
        (Stage.PORTABLE, True),
        *((stage, kin) for stage in Stage if stage > 1 for kin in (True, False)),
    }
    for asker in far:
        for one in rows:
            seen = _seen(one)
            if verdict(asker, seen) is Verdict.ADMITTED:
                assert seen.scope not in asker.scopes
                assert str(asker.scopes[0]) not in seen.hidden_in
                assert seen.status in {Status.ACTIVE, Status.SUPERSEDED, Status.STALE}
            else:
                assert verdict(asker, seen) is Verdict.INVISIBLE


def test_every_status_is_both_admitted_and_withheld_by_some_viewer_or_always_invisible(filled):
    _, rows = filled
    verdicts = {(one.effective, verdict(asker, _seen(one))) for one in rows for asker in VIEWERS}
    for status in Status:
        gone = status in {Status.FORGOTTEN, Status.ARCHIVED}
        assert ((status, Verdict.ADMITTED) in verdicts) is not gone


@pytest.mark.case("P-SEC-02")
@pytest.mark.parametrize("text", NASTY)
def test_no_name_opens_another_scope(tmp_path, text):
    mine = row(1, "refund window mine", where=Scope("project", text.replace("\udcff", "ÿ")))
    others = [row(2, "refund window other"), row(3, "refund window third", where=OTHER)]
    with build(tmp_path, [mine, *others]) as index:
        asker = viewer_from(mine.schema.scope, NOW)
        assert list(index.words(asker, ("refund",)).paths) == [mine.path]
        assert [near.path for near in index.nearest(asker, vectors(0)[0], 10)] == [mine.path]
        stranger = viewer_from(Scope("project", text + "x"), NOW)
        assert list(index.words(stranger, ("refund",)).paths) == []
        assert index.by_id(text) == ()
        assert index.by_id("id0000", stranger) == ()
        assert index.take([text]) == ()
        assert index.words(viewer(tags=(text,)), ("refund", text)).visible == 0
        assert index.held(viewer(OTHER, tags=(text,)), ("refund",), None, 9)[0].path == others[1].path
        assert len(index.all_rows(("id",))) == 3


@pytest.mark.case("P-SEC-02")
@pytest.mark.parametrize("text", NASTY)
def test_dropping_a_nasty_path_drops_nothing_else(tmp_path, text):
    rows = [row(1), row(2), row(3, path=f"schemas/{text}.md".replace("\udcff", "ÿ"))]
    with build(tmp_path, rows) as index:
        index.drop([text])
        assert len(index.all_rows(("id",))) == 3
        index.drop([rows[2].path])
        assert paths(index) == {rows[0].path, rows[1].path}


@pytest.mark.case("P-SEC-03")
def test_quotes_in_a_scope_a_tag_and_an_id_are_letters(tmp_path):
    where = scope.parse('project:O\'Brien & "Sons"')
    made = row(1, "the refund window", where=where, tags=("it's",), concept='Bob\'s "rule"')
    with build(tmp_path, [made, row(2)]) as index:
        asker = viewer(where, tags=("it's",))
        assert list(index.words(asker, ("refund",)).paths) == [made.path]
        assert [one.path for one in index.same_concept(where, 'BOB\'S  "rule"')] == [made.path]
        assert index.take([made.path])[0].schema.scope == where


@pytest.mark.case("P-SEC-04")
def test_wildcards_in_a_scope_match_themselves_alone(tmp_path):
    names = ["a_b", "axb", "100%", "100x"]
    rows = [row(number, "refund", where=Scope("project", name)) for number, name in enumerate(names)]
    with build(tmp_path, rows) as index:
        for made in rows:
            found = index.words(viewer_from(made.schema.scope, NOW), ("refund",)).paths
            assert list(found) == [made.path]
        assert index.by_id("id______") == ()
        assert index.by_id("id%") == ()
        assert len(index.by_id("id0000")) == 4


def _named(index, condition):
    return {path.rpartition("-")[2] for path in index.reading.columns(("path",), condition)[0]}


def _those(rows, chosen):
    return {f"{one.schema.id}.md" for one in rows if chosen(one)}


def test_rows_are_chosen_by_any_of_several_statuses_and_by_none_where_none_is_named(filled):
    index, rows = filled
    dead = {Status.FORGOTTEN, Status.RETRACTED}
    assert _named(index, sql.where_status(dead)) == _those(rows, lambda one: one.effective in dead)
    assert _named(index, sql.where_status([])) == set()


def test_what_is_unsettled_is_of_another_status_or_outside_of_its_window(filled):
    index, rows = filled
    for as_of in (NOW - 10, NOW, NOW + 19, NOW + 20):
        chosen = _those(
            rows,
            lambda one, as_of=as_of: (
                one.effective is not Status.ACTIVE or not one.schema.validity.holds_at(as_of)
            ),
        )
        assert _named(index, sql.where_unsettled(as_of)) == chosen


def test_rows_are_chosen_by_the_scopes_that_are_named_and_all_where_none_is_asked_for(filled):
    index, rows = filled
    assert sql.where_any_scope(None) == ""
    assert _named(index, sql.where_any_scope([])) == set()
    chosen = _those(rows, lambda one: one.schema.scope in {SHOP, USER})
    assert _named(index, sql.where_any_scope([SHOP, USER])) == chosen
    assert _named(index, sql.where_scopes(viewer_from(TEAM, NOW))) == _those(
        rows, lambda one: one.schema.scope in TEAM.seen
    )


def test_rows_that_hold_or_cite_none_of_what_is_asked_for_are_not_chosen(tmp_path):
    rows = [
        row(1, "the refund window", evidence=(Evidence("e1"), Evidence("e2"))),
        row(2, "the parser", evidence=(Evidence("e2"),)),
        row(3, "the refund desk"),
    ]
    with build(tmp_path, rows) as index:
        assert _named(index, sql.where_any_stem(["refund", "nothing"])) == {"id000001.md", "id000003.md"}
        assert _named(index, sql.where_any_stem(["nothing"])) == set()
        assert _named(index, sql.where_any_stem([])) == set()
        assert _named(index, sql.where_citing(["e2", "e9"])) == {"id000001.md", "id000002.md"}
        assert _named(index, sql.where_citing(["e1"])) == {"id000001.md"}
        assert _named(index, sql.where_citing(["e9"])) == set()
        assert _named(index, sql.where_citing([])) == set()


def test_a_revision_is_known_from_its_first_position_to_before_its_last(tmp_path):
    rows = [
        replace(row(1), known_from=0, known_until=2),
        replace(row(2), known_from=2, known_until=None),
        replace(row(3), known_from=1, known_until=3),
    ]
    known = {0: {1}, 1: {1, 3}, 2: {2, 3}, 3: {2}}
    with build(tmp_path, rows) as index:
        for position, numbers in known.items():
            expected = {f"id{number:06d}.md" for number in numbers}
            assert _named(index, sql.where_known(position)) == expected
        assert _named(index, sql.where_open()) == {"id000002.md"}


def test_conditions_are_all_meant_and_empty_ones_mean_nothing():
    assert sql.both("a", "", "b") == "a AND b"
    assert sql.both("", "a") == "a"
    assert sql.both() == ""


@settings(max_examples=60, deadline=None)
@given(
    text=some.text(min_size=1, max_size=12).filter(
        lambda text: text.encode("utf-8", "replace").decode() == text
    )
)
def test_any_text_is_found_as_itself(filled, text):
    index, _ = filled
    wide = f"{sql.quote(text)} = {sql.quote(text)} AND {sql.quote(text)} <> {sql.quote(text + 'x')}"
    everything = index.reading.columns(("path",), wide)[0]
    assert len(everything) == len(paths(index))
