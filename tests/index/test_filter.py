"""The filter text says what the rule says, and stored text stays text."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from rowmaking import NOW, OTHER, SHOP, build, paths, row, vectors, viewer

from memcli.index import filter as sql
from memcli.memory import scope
from memcli.memory.schema import Stage, StaleReason, Status, Type, Validity
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
