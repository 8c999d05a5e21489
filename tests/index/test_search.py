"""Words, nearness and whole rows: what is found, and that how the index came to be does not matter."""

import random

import numpy as np
import pytest
from rowmaking import DIMENSIONS, NOW, OTHER, SHOP, build, paths, reopen, row, vectors, viewer

from memcli.index import around, search, views
from memcli.index.lance import Table
from memcli.index.rows import date_words, meaning, words
from memcli.memory import pool, subject
from memcli.memory.schema import (
    ArchiveReason,
    Evidence,
    Link,
    Origin,
    Review,
    ReviewReason,
    Schema,
    Stage,
    StaleReason,
    Status,
    Trust,
    Type,
    Validity,
    fold_concept,
)
from memcli.memory.scope import GLOBAL, USER
from memcli.memory.tokens import stems
from memcli.memory.visibility import Mode


@pytest.fixture(autouse=True, params=["read whole", "searched", "read whole when asked again"])
def size(request, monkeypatch):
    """Every test runs as in a small scope, whose rows are read whole, as in a larger one, and a large one."""
    if request.param != "read whole":
        monkeypatch.setattr(views, "FEW_ROWS", 0)
    if request.param == "searched":
        monkeypatch.setattr(views, "MANY_ROWS", 0)


FULL = row(
    7,
    "",
    type=Type.DECISION,
    status=Status.STALE,
    stale_reason=StaleReason.OUTDATED,
    stage=Stage.PORTABLE,
    validity=Validity(NOW - 5, NOW + 5),
    concept="Refund  Window",
    evidence=(Evidence("01abc"), Evidence("01abd")),
    supersedes=("id000001", "id000002"),
    superseded_by="id000009",
    overrides=("id000003",),
    confidence=0.65,
    origin=Origin.AGENT,
    trust=Trust.UNTRUSTED,
    tags=("billing", "it's"),
    links=(Link("id000004", "supports", 0.5),),
    key="k/1",
)


def test_a_row_comes_back_as_it_was_but_for_its_text(tmp_path):
    others = [
        row(1, status=Status.ARCHIVED, archive_reason=ArchiveReason.LOW_SALIENCE),
        row(2, status=Status.NEEDS_REVIEW, review=Review(ReviewReason.RESEMBLES, ("id000001",))),
        row(3, where=GLOBAL),
        row(4, where=USER, hidden_in=("project:shop",)),
        row(5, "Ana: which day is it?", concept="days"),
    ]
    with build(tmp_path, [FULL, *others]) as index:
        for made in (FULL, *others):
            (taken,) = index.take([made.path], vectors=False)
            blank = {"claim": "", "title": "", "detail": ""}
            assert taken.schema == Schema(**{**_keys(made.schema), **blank})
            assert (taken.path, taken.digest) == (made.path, made.digest)
            assert taken.row.status is made.effective
            assert taken.row.hidden_in == made.hidden_in
            assert taken.row.validity == made.schema.validity
            assert taken.vectors is None
            assert taken.subjects == subject.subjects(made.schema)
            assert taken.asks == subject.asks(made.schema.claim)
            assert taken.length == sum(words(made).values())


def _keys(schema):
    return {name: getattr(schema, name) for name in Schema.__slots__}


def test_words_gives_every_visible_row_that_holds_a_stem_and_what_the_stems_weigh(tmp_path):
    rows = [row(number, f"apple {'pear ' * (number % 3)} plum{number}") for number in range(30)]
    rows += [row(40, "apple pear", where=OTHER), row(41, "apple", status=Status.FORGOTTEN)]
    with build(tmp_path, rows) as index:
        hits = index.words(viewer(), ("pear", "appl", "nothing", "pear"))
        assert hits.stems == ("pear", "appl", "nothing")
        found = dict(zip(hits.paths, hits.counts.tolist(), strict=True))
        assert found == {one.path: [words(one)["pear"], 1, 0] for one in rows[:30]}
        assert dict(zip(hits.paths, hits.lengths.tolist(), strict=True)) == {
            one.path: sum(words(one).values()) for one in rows[:30]
        }
        assert hits.document_counts.tolist() == [20, 30, 0]
        assert (hits.visible, hits.total_length) == (30, sum(sum(words(one).values()) for one in rows[:30]))


def test_without_stems_words_still_counts_what_is_visible(tmp_path):
    with build(tmp_path, [row(1), row(2), row(3, where=OTHER)]) as index:
        hits = index.words(viewer(), ())
        assert (list(hits.paths), hits.counts.shape, hits.visible) == ([], (0, 0), 2)
        assert index.words(viewer(GLOBAL), ("number1",)).visible == 0


def test_nearest_is_the_exact_order_of_cosines(tmp_path):
    rows = [row(number) for number in range(200)]
    given = [vectors(number) for number in range(200)]
    asked = vectors(999)[0]
    with build(tmp_path, rows, given) as index:
        near = index.nearest(viewer(), asked, 50)
        exact = pool.cosines(np.concatenate(given), asked)
        best = sorted(range(200), key=lambda number: (-exact[number], rows[number].path))[:50]
        assert [one.path for one in near] == [rows[number].path for number in best]
        assert [one.cosine for one in near] == exact[best].tolist()
        assert index.nearest(viewer(), asked, 0) == ()
        assert len(index.nearest(viewer(), asked, 1000)) == 200
        assert index.nearest(viewer(OTHER), asked, 5) == ()


def test_a_schema_counts_by_its_nearest_piece_and_once(tmp_path):
    rows = [row(number) for number in range(30)]
    given = [vectors(number, 1 + 40 * (number < 3)) for number in range(30)]
    asked = given[2][33]
    with build(tmp_path, rows, given) as index:
        near = index.nearest(viewer(), asked, 10)
        assert near[0].path == rows[2].path
        assert near[0].cosine == pytest.approx(1, abs=1e-6)
        assert len({one.path for one in near}) == 10
        best = sorted(range(30), key=lambda number: -pool.cosine(given[number], asked))[:10]
        assert [one.path for one in near] == [rows[number].path for number in best]


def test_equal_vectors_are_cut_by_path_and_not_by_the_order_of_writing(tmp_path):
    rows = [row(number) for number in range(300)]
    same = [vectors(1)] * 300
    shuffled = random.Random(1).sample(rows, 300)
    with build(tmp_path / "a", rows, same) as one, build(tmp_path / "b", shuffled, same) as other:
        first = one.nearest(viewer(), vectors(1)[0], 20)
        assert [near.path for near in first] == sorted(made.path for made in rows)[:20]
        assert other.nearest(viewer(), vectors(1)[0], 20) == first


def test_a_row_without_a_vector_is_found_by_words_and_is_near_to_nothing(tmp_path):
    rows = [row(1, "apple"), row(2, "pear"), row(3, "plum")]
    away = -vectors(1)
    with build(tmp_path, rows, [None, vectors(1), away]) as index:
        near = index.nearest(viewer(), vectors(1)[0], 10)
        assert [one.path for one in near] == [rows[1].path, rows[2].path]
        assert list(index.words(viewer(), ("appl",)).paths) == [rows[0].path]
        index.upsert([row(number, "plum") for number in range(10, 90)], [None] * 80)
        assert [one.path for one in index.nearest(viewer(), vectors(1)[0], 2)] == [rows[1].path, rows[2].path]
        assert pool.cosine(index.take([rows[0].path])[0].vectors, vectors(1)[0]) == 0


def test_take_gives_all_vectors_of_a_schema_in_order_and_only_the_stems_asked_for(tmp_path):
    rows = [row(number, f"apple pear pear plum{number}") for number in range(20)]
    given = [vectors(number, 1 + number % 4) for number in range(20)]
    with build(tmp_path, rows, given) as index:
        for prepared in (False, True):
            if prepared:  # the rows' places are known from here on
                index.words(viewer(), ("appl",))
                index.nearest(viewer(), vectors(0)[0], 20)
            taken = index.take(
                [one.path for one in rows[::-1]] + ["schemas/none.md"], ("pear", "plum3", "none")
            )
            assert [one.path for one in taken] == sorted(one.path for one in rows)
            for one in taken:
                number = int(one.schema.id[2:])
                assert np.array_equal(one.vectors, given[number])
                assert one.counts == ({"pear": 2, "plum3": 1} if number == 3 else {"pear": 2})


def test_a_place_that_was_remembered_is_forgotten_with_the_next_write(tmp_path):
    rows = [row(number, "apple") for number in range(9)]
    with build(tmp_path, rows) as index:
        index.words(viewer(), ("appl",))
        index.upsert([row(0, "apple pie")], [vectors(77)])
        index.tidy(force=True)
        taken = index.take([one.path for one in rows])
        assert [one.path for one in taken] == [one.path for one in rows]
        assert np.array_equal(taken[0].vectors, vectors(77))


@pytest.mark.case("P-IDX-08")
def test_a_thousand_close_rows_of_another_scope_starve_nobody(tmp_path):
    asked = vectors(5)[0]
    close = asked + 0.01 * np.concatenate([vectors(number) for number in range(1000)])
    close /= np.linalg.norm(close, axis=1, keepdims=True)
    mine = [row(number, "refund window far away", where=OTHER) for number in (2001, 2002, 2003)]
    rows = [row(number, "refund window") for number in range(1000)] + mine
    given = [one[None].astype(np.float32) for one in close] + [-vectors(5) for _ in mine]
    with build(tmp_path, rows, given) as index:
        expected = {one.path for one in mine}
        assert {one.path for one in index.nearest(viewer(OTHER), asked, 3)} == expected
        assert set(index.words(viewer(OTHER), ("refund",)).paths) == expected
        assert len(index.nearest(viewer(SHOP), asked, 3)) == 3


def test_held_gives_what_matches_and_is_withheld_and_nothing_else(tmp_path):
    rows = [
        row(1, "refund window"),
        row(2, "refund window", status=Status.RETRACTED),
        row(3, "refund window", status=Status.FORGOTTEN),
        row(4, "refund window", status=Status.ARCHIVED),
        row(5, "refund window", validity=Validity(None, NOW - 1)),
        row(6, "refund window", status=Status.STAGED, where=OTHER),
        row(7, "something else", status=Status.STAGED),
        row(8, "refund window", status=Status.STAGED, hidden_in=("project:shop",)),
    ]
    with build(tmp_path, rows) as index:
        by_words = index.held(viewer(), ("refund",), None, 10)
        assert [one.path for one in by_words] == [rows[1].path, rows[4].path]
        assert all(one.counts == {"refund": 1} for one in by_words)
        near = index.held(viewer(), ("refund",), vectors(6)[0], 10)
        assert [one.path for one in near] == [rows[1].path, rows[4].path, rows[6].path]
        few = index.held(viewer(), ("refund",), vectors(6)[0], 1)
        assert [one.path for one in few] == [rows[1].path, rows[4].path, rows[6].path]
        assert index.held(viewer(mode=Mode.HISTORY), ("refund",), None, 10) == ()
        assert index.held(viewer(GLOBAL), ("refund",), None, 10) == ()


def test_an_id_is_found_by_its_beginning_within_reach(tmp_path):
    rows = [row(11), row(12, status=Status.FORGOTTEN), row(13, where=OTHER), row(14, where=GLOBAL)]
    with build(tmp_path, rows) as index:
        assert [one.schema.id for one in index.by_id("id00001", viewer())] == [
            "id000014",
            "id000011",
            "id000012",
        ]
        assert len(index.by_id("id0000")) == 4
        assert index.by_id("ID0000") == ()
        assert [one.path for one in index.by_id("id000013")] == [rows[2].path]
        assert index.by_id("id000013", viewer()) == ()


def test_a_concept_is_the_same_whatever_its_case_width_and_spaces(tmp_path):
    rows = [
        row(1, concept="Refund  Window"),
        row(2, concept="refund window", status=Status.SUPERSEDED),
        row(3, concept="refund window", where=OTHER),
        row(4, concept="refund windows"),
    ]
    with build(tmp_path, rows) as index:
        same = index.same_concept(SHOP, "\uff32\uff25FUND window ")
        assert [one.path for one in same] == [rows[0].path, rows[1].path]
    assert fold_concept(" Straße  ") == "strasse"


def test_what_stands_around_a_claim(tmp_path):
    rows = [
        row(1),
        row(2, status=Status.FORGOTTEN),
        row(3, validity=Validity(NOW + 1)),
        row(4, status=Status.RETRACTED, where=OTHER),
    ]
    given = [vectors(number, 2) for number in range(4)]
    with build(tmp_path, rows, given) as index:
        unsettled = around.unsettled(index, [SHOP], NOW)
        assert [one.path for one in unsettled] == [rows[1].path, rows[2].path]
        assert np.array_equal(unsettled[0].vectors, given[1])
        assert len(around.unsettled(index, None, NOW)) == 3
        assert [one.schema.id for one in around.removed(index)] == ["id000004", "id000002"]
        found, matrix = around.live_vectors(index, viewer())
        assert found == [rows[0].path]
        assert np.array_equal(matrix, given[0][:1])


def test_an_index_of_words_alone_finds_by_words(tmp_path):
    rows = [row(1, "apple"), row(2, "pear"), row(3, "pear", status=Status.STAGED)]
    with build(tmp_path, rows, [None] * 3, dimensions=0, fingerprint="words") as index:
        assert list(index.words(viewer(), ("pear",)).paths) == [rows[1].path]
        assert index.nearest(viewer(), vectors(0)[0], 5) == ()
        assert index.take([rows[0].path])[0].vectors is None
        assert [one.path for one in index.held(viewer(), ("pear",), None, 5)] == [rows[2].path]
        assert around.live_vectors(index, viewer())[0] == []
        index.upsert([row(4, "plum")], [None])
        assert len(paths(index)) == 4


def test_an_empty_index_answers(tmp_path):
    with build(tmp_path, []) as index:
        assert index.words(viewer(), ("pear",)).visible == 0
        assert index.nearest(viewer(), vectors(0)[0], 5) == ()
        assert index.take(["schemas/none.md"]) == ()
        assert index.held(viewer(), ("pear",), vectors(0)[0], 5) == ()
        assert around.live_vectors(index, viewer())[1].shape == (0, DIMENSIONS)
        assert index.counts() == {}
        index.upsert([row(1, "pear")], [vectors(1)])
        assert list(index.words(viewer(), ("pear",)).paths) == [row(1).path]


# A10: the same answers however the index came to be.

CORPUS = [
    row(
        number,
        f"claim about {'apple' if number % 3 else 'pear'} number{number} and {'plum ' * (number % 4)}",
        where=(SHOP, OTHER, GLOBAL)[number % 3 if number % 5 else 0],
        status=Status.RETRACTED if number % 11 == 0 else Status.ACTIVE,
        tags=("odd",) if number % 2 else (),
    )
    for number in range(120)
]
VECTORS = {one.path: vectors(number, 1 + number % 3) for number, one in enumerate(CORPUS)}
EXTRA = [row(1000 + number, f"apple pear noise{number}") for number in range(400)]


def _given(rows):
    return [VECTORS[one.path] for one in rows]


def _at_once(folder):
    return build(folder, CORPUS, _given(CORPUS))


def _shuffled(folder):
    rows = random.Random(4).sample(CORPUS, len(CORPUS))
    return build(folder, rows, _given(rows))


def _one_by_one(folder):
    index = build(folder, [])
    for one in CORPUS:
        index.upsert([one], _given([one]))
    return index


def _with_rows_that_went(folder):
    index = build(folder, CORPUS[:60], _given(CORPUS[:60]))
    index.upsert(EXTRA, [vectors(number) for number in range(400)])
    index.upsert(CORPUS[60:], _given(CORPUS[60:]))
    index.drop([one.path for one in EXTRA])
    return index


def _compacted(folder):
    index = _with_rows_that_went(folder)
    wrong = [row(number, "apple wrong", path=one.path) for number, one in enumerate(CORPUS[:30])]
    index.upsert(wrong, [vectors(5, 4) for _ in wrong])
    index.upsert(CORPUS, _given(CORPUS))
    index.tidy(force=True)
    return index


def _answers(index):
    for where in (SHOP, OTHER, GLOBAL):
        for mode in Mode:
            asker = viewer(where, mode=mode)
            hits = index.words(asker, stems("apples and plums number7"))
            order = np.argsort(hits.paths)
            yield (
                [hits.paths[place] for place in order],
                hits.counts[order].tolist(),
                hits.lengths[order].tolist(),
            )
            yield hits.document_counts.tolist(), hits.visible, hits.total_length
            near = index.nearest(asker, vectors(3)[0], 20)
            yield near
            for one in index.take([*hits.paths, *(one.path for one in near)], ("appl", "plum")):
                yield (
                    one.path,
                    one.digest,
                    one.row,
                    one.schema,
                    dict(one.counts),
                    one.length,
                    one.vectors.tobytes(),
                )
            yield [one.path for one in index.held(asker, ("appl",), vectors(3)[0], 5)]


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    assert views.FEW_ROWS > 1000
    with _at_once(tmp_path_factory.mktemp("at-once")) as index:
        return list(_answers(index))


@pytest.mark.parametrize("way", [_at_once, _shuffled, _one_by_one, _with_rows_that_went, _compacted])
def test_however_the_index_was_built_it_answers_alike(tmp_path, reference, way):
    with way(tmp_path) as index:
        assert list(_answers(index)) == reference
        assert index.verify() == []
    with reopen(tmp_path) as index:
        assert list(_answers(index)) == reference


def test_beyond_the_exact_limit_cells_are_searched_within_the_filter(tmp_path, monkeypatch):
    rows = [row(number, where=OTHER if number % 100 == 0 else SHOP) for number in range(1500)]
    given = [vectors(number) for number in range(1500)]
    monkeypatch.setattr(search, "EXACT_ROWS", 300)
    monkeypatch.setattr("memcli.index.writer.EXACT_ROWS", 300)
    asked = vectors(5000)[0]
    with build(tmp_path, rows, given) as index:
        near = index.nearest(viewer(), asked, 10)
        mine = [number for number, one in enumerate(rows) if one.schema.scope == SHOP]
        best = sorted(mine, key=lambda number: -pool.cosine(given[number], asked))[:10]
        assert len({one.path for one in near} & {rows[number].path for number in best}) >= 9
        assert len(index.nearest(viewer(OTHER), asked, 30)) == 15
        index.upsert([row(9999)], [asked[None]])
        assert index.nearest(viewer(), asked, 3)[0].path == row(9999).path


def test_the_words_of_a_row_hold_its_day_concept_title_and_detail():
    schema = Schema("a", SHOP, "the claim", title="Heading", detail="more detail", concept="key idea")
    dated = row(1, validity=Validity(1_683_504_000))
    assert date_words(dated) == "8 may 2023"
    assert date_words(row(1)) == ""
    assert words(dated)["2023"] == 1
    made = row(1, "")
    made = type(made)(schema, made.path, made.digest, Status.ACTIVE)
    assert set(stems("claim heading detail key idea")) <= set(words(made))
    assert made.text == "Heading\nthe claim\nmore detail"


def test_the_text_to_embed_is_led_by_a_concept_that_the_claim_leaves_out():
    assert (
        meaning(Schema("a", SHOP, "It is 14 days.", concept="refund window"))
        == "refund window: It is 14 days."
    )
    assert meaning(Schema("a", SHOP, "The refund window is 14 days.", concept="Refund window")).startswith(
        "The"
    )
    assert meaning(Schema("a", SHOP, "It is 14 days.")) == "It is 14 days."


@pytest.mark.parametrize("mode", list(Mode))
def test_one_index_asked_at_many_moments_answers_as_one_opened_for_each(tmp_path, mode):
    windows = [Validity(), Validity(NOW - 9, NOW), Validity(NOW, NOW + 9), Validity(None, NOW + 9)]
    windows += [Validity(NOW + 9, None), Validity(-(2**35), 2**35)]
    made = [row(at, "refund window", validity=one) for at, one in enumerate(windows)]
    made.append(row(9, "refund window", status=Status.SUPERSEDED, validity=Validity(None, NOW)))
    index = build(tmp_path, made)
    query = vectors(6)[0]
    for moment in (NOW + 3, NOW + 3, NOW - 1, NOW, NOW + 1, NOW + 8, NOW + 9, NOW + 10, 0, -(2**36), 2**36):
        asked, fresh = viewer(as_of=moment, mode=mode), reopen(tmp_path)
        for ask in (
            lambda one, who=asked: one.words(who, stems("refund")).paths,
            lambda one, who=asked: one.nearest(who, query, 20),
            lambda one, who=asked: one.held(who, stems("refund"), query, 20),
        ):
            assert str(ask(index)) == str(ask(fresh)), moment


@pytest.mark.parametrize("seed", range(4))
def test_an_index_that_is_written_and_asked_by_turns_answers_as_one_opened_anew(tmp_path, monkeypatch, seed):
    monkeypatch.setattr(
        "memcli.index.view.FRESH", 3 * seed
    )  # rows that lie apart before they join the others
    chance = random.Random(seed)
    build(tmp_path, [row(at, f"claim {at} refund") for at in range(6)])
    index = reopen(tmp_path, writable=True)
    index.refresh()
    for _ in range(12):
        changed = [
            row(
                at,
                f"claim {at} {chance.choice(['refund', 'window', 'harbour'])} refund",
                status=chance.choice([Status.ACTIVE, Status.SUPERSEDED, Status.STAGED, Status.FORGOTTEN]),
                validity=chance.choice([Validity(), Validity(NOW, None), Validity(None, NOW + 5)]),
                where=chance.choice([SHOP, OTHER, GLOBAL]),
            )
            for at in chance.sample(range(12), chance.randrange(1, 4))
        ]
        if chance.random() < 0.3:
            index.drop([one.path for one in changed])
        else:
            index.upsert(changed, [vectors(chance.randrange(9)) for _ in changed])
        fresh = reopen(tmp_path)
        for asked in (
            viewer(),
            viewer(OTHER),
            viewer(mode=Mode.HISTORY),
            viewer(as_of=NOW + chance.randrange(9)),
        ):
            words = stems("refund harbour")
            for ask in (
                lambda one, who=asked, said=words: sorted(one.words(who, said).paths),
                lambda one, who=asked, said=words: sorted(map(str, one.words(who, said).document_counts)),
                lambda one, who=asked: one.nearest(who, vectors(6)[0], 20),
                lambda one, who=asked, said=words: one.held(who, said, vectors(6)[0], 20),
                lambda one, said=words: one.take([row(at).path for at in range(12)], said),
            ):
                assert str(ask(index)) == str(ask(fresh))


@pytest.mark.case("P-LIFE-05")
def test_what_may_travel_is_found_apart_and_counted_apart(tmp_path):
    own = [row(number, "the refund window closes") for number in range(6)]
    far = [
        row(10 + number, "the refund window opens", where=OTHER, stage=Stage(number % 4))
        for number in range(8)
    ]
    with build(tmp_path, [*own, *far]) as index:
        assert index.travels()
        here, abroad = viewer(), viewer(abroad=True)
        alone = index.words(here, ("refund", "opens"))
        assert set(index.words(abroad, ("refund", "opens")).paths) == {
            one.path for one in far if one.schema.stage
        }
        again = index.words(here, ("refund", "opens"))
        assert (again.visible, again.total_length) == (alone.visible, alone.total_length)
        assert set(alone.paths) == {one.path for one in own}
        near = index.nearest(abroad, vectors(0)[0], 99)
        assert {one.path for one in near} == {one.path for one in far if one.schema.stage}
        assert index.held(abroad, ("refund",), vectors(0)[0], 99) == ()
        index.drop([one.path for one in far])
        assert index.words(abroad, ("refund",)).visible == 0


def test_an_index_knows_whether_anything_in_it_travels(tmp_path):
    with build(tmp_path, [row(1), row(2)]) as index:
        assert not index.travels()
        index.upsert([row(2, stage=Stage.PORTABLE)], [vectors(2)])
        assert index.travels()
        index.upsert([row(2)], [vectors(2)])
        index.tidy(force=True)
        assert not index.travels()


def test_what_is_held_in_memory_outlives_a_save_and_the_tidying_after_it(tmp_path, monkeypatch):
    asked = []
    search_ = Table.search

    def counted(table, query):
        asked.append(query)
        return search_(table, query)

    build(tmp_path, [row(at, f"claim {at} refund") for at in range(9)])
    with reopen(tmp_path, writable=True) as index:
        index.refresh()
        for _ in range(2):  # rows that are asked about again are read whole
            index.words(viewer(), stems("refund"))
        if not index.reading.holds(viewer()):
            return  # too many rows to be held at all
        monkeypatch.setattr(Table, "search", counted)
        for act in (
            lambda: index.upsert([row(3, "a harbour refund")], [vectors(7)]),
            lambda: index.drop([row(4).path]),
            lambda: index.tidy(force=True),
        ):
            act()
            found = index.words(viewer(), stems("refund harbour"))
            near = index.nearest(viewer(), vectors(7)[0], 3)
            assert asked == []
            fresh = reopen(tmp_path)
            assert sorted(found.paths) == sorted(fresh.words(viewer(), stems("refund harbour")).paths)
            assert near == fresh.nearest(viewer(), vectors(7)[0], 3)
            asked.clear()
