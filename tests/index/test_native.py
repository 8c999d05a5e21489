"""The private way to LanceDB gives what the public one gives, and the public one steps in."""

import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pytest
from rowmaking import DIMENSIONS, NOW, SHOP, build, reopen, row, vectors, viewer

from memcli.index import filter as sql
from memcli.index import lance, layout
from memcli.index.lance import Damaged, Table, create_table, open_table
from memcli.index.native import Native
from memcli.index.port import DISTANCE, ROWID, Kind, Merge, Query
from memcli.index.public import Public

ROWS = [row(number, f"refund window claim number{number} apple{number % 3}") for number in range(40)]
GIVEN = [vectors(number, 1 + number % 3) for number in range(40)]


def _table(folder, way) -> Table:
    """A table as that way makes and changes it."""
    table = Table(
        str(folder), "schemas", way, lance._run(way.create(str(folder), "schemas", layout.layout(DIMENSIONS)))
    )
    table.append(layout.batch(ROWS[:30], GIVEN[:30], DIMENSIONS))
    table.index("stems", Kind.LABELS)
    table.index("scope", Kind.VALUES)
    again = layout.batch(ROWS[20:], [one[:1] for one in GIVEN[20:]], DIMENSIONS)
    gone = sql.both(sql.PIECE, sql.among("path", [one.path for one in ROWS[20:]]))
    table.merge(Merge(again, layout.KEY, gone))
    table.delete(sql.among("path", [ROWS[0].path, ROWS[39].path]))
    return table


@pytest.fixture(params=["made natively", "made publicly"])
def folder(request, tmp_path):
    _table(tmp_path, Native() if request.param == "made natively" else Public())
    return tmp_path


def _opened(folder, way) -> Table:
    return Table(str(folder), "schemas", way, lance._run(way.open(str(folder), "schemas")))


def _sorted(found: pa.Table) -> list[dict]:
    return sorted(found.to_pylist(), key=lambda one: (one["path"], one.get("piece", 0)))


QUERIES = {
    "everything": Query(layout.layout(DIMENSIONS).names),
    "a filter": Query(("path", "piece", "status"), sql.both(sql.where(viewer(SHOP, NOW)), sql.CLAIM)),
    "a limit": Query(("path",), limit=7, rowid=True),
    "stems": Query(("path", "piece"), sql.where_any_stem(["number3", "number20"])),
    "no row": Query(("path", "vector"), sql.NOTHING),
    "nearest": Query(("path", "piece", DISTANCE), sql.PIECE, 5, pa.array(vectors(3)[0]), rowid=True),
    "nearest by cells": Query(("path", "piece", DISTANCE), "", 50, pa.array(vectors(3)[0]), exact=False),
}


@pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES)
def test_both_ways_read_the_same(folder, query):
    native, public = (_opened(folder, way).search(query) for way in (Native(), Public()))
    assert native.schema.names == public.schema.names
    assert _sorted(native) == _sorted(public)
    assert (native.num_rows == 0) == (query.where == sql.NOTHING)


def test_both_ways_take_count_and_list_the_same(folder):
    for way in (Native(), Public()):
        table = _opened(folder, way)
        places = table.search(Query(("path",), sql.CLAIM, rowid=True))
        wanted = places.column(ROWID).to_pylist()[:9]
        assert sorted(table.take(wanted, ("path",)).column("path").to_pylist()) == sorted(
            places.column("path").to_pylist()[:9]
        )
        assert table.count() == 29 + 20 - 1 - 1 + sum(len(one) - 1 for one in GIVEN[1:20]) - 9
        assert table.count(sql.CLAIM) == 38


def test_both_ways_give_the_same_rows_in_batches(folder):
    given = [list(_opened(folder, way).batches(QUERIES["everything"])) for way in (Native(), Public())]
    native, public = (_sorted(pa.Table.from_batches(batches)) for batches in given)
    assert native == public == _sorted(_opened(folder, Native()).search(QUERIES["everything"]))
    assert list(_opened(folder, Native()).batches(QUERIES["no row"])) == []


class _Broken:
    """A private interface that changed: every call but the first few fails."""

    def __getattr__(self, name):
        raise TypeError(f"{name}() takes other arguments now")


def test_the_public_way_steps_in_where_the_private_one_fails(folder):
    good = _opened(folder, Native())
    table = Table(str(folder), "schemas", _Broken(), None)
    for query in QUERIES.values():
        assert _sorted(table.search(query)) == _sorted(good.search(query))
    table.delete(sql.among("path", [ROWS[5].path]))
    good.refresh()
    assert good.count(sql.among("path", [ROWS[5].path])) == 0


def test_a_whole_index_works_without_the_private_module(tmp_path, monkeypatch):
    with build(tmp_path / "native", ROWS, GIVEN) as native:
        monkeypatch.setattr(lance, "_native", _no_module)
        with build(tmp_path / "public", ROWS, GIVEN) as public:
            public.drop([ROWS[1].path])
            public.upsert([ROWS[1]], [GIVEN[1]])
            public.tidy(force=True)
            assert public.verify() == []
            hits, same = (index.words(viewer(), ("number3", "refund")) for index in (native, public))
            assert sorted(zip(hits.paths, hits.counts.tolist(), strict=True)) == sorted(
                zip(same.paths, same.counts.tolist(), strict=True)
            )
            asked = GIVEN[7][1]
            assert native.nearest(viewer(), asked, 9) == public.nearest(viewer(), asked, 9)


def _no_module():
    raise ImportError("lancedb._lancedb went away")


def test_what_fails_both_ways_is_damage(tmp_path):
    with pytest.raises(Damaged) as caught:
        open_table(str(tmp_path), "schemas")
    assert str(tmp_path) in caught.value.message
    assert caught.value.hint
    assert all("\n" not in line for line in caught.value.details)


def test_a_failing_filter_is_damage_and_not_a_traceback(tmp_path):
    table = create_table(str(tmp_path), "schemas", layout.layout(0))
    with pytest.raises(Damaged):
        table.search(Query(("path",), "no such column = 1"))
    assert table.count() == 0


def test_the_native_way_does_not_import_the_package():
    code = """
        import sys
        from memcli.index import lance
        from memcli.index.native import Native
        Native()
        heavy = [name for name in sys.modules if name == "lancedb" or name.startswith("lance_namespace")]
        assert not heavy, heavy
        assert "lancedb._lancedb" in sys.modules
        assert "pyarrow.compute" not in sys.modules
        import lancedb
        assert lancedb.connect
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, timeout=60)


def test_a_search_and_a_write_need_no_arrow_compute(tmp_path):
    (tmp_path / "pandas.py").write_text('__version__ = "3.0.0"')
    code = f"""
        import sys
        sys.path.insert(0, {str(tmp_path)!r})
        sys.path.insert(0, {str(__file__).rsplit("/", 1)[0]!r})
        from pathlib import Path
        from rowmaking import build, row, vectors, viewer
        index = build(Path({str(tmp_path)!r}) / "index", [row(1, "apple"), row(2, "pear")])
        index.upsert([row(3, "apple pear")], [vectors(3, 2)])
        assert len(index.words(viewer(), ("pear",)).paths) == 2
        near = [one.path for one in index.nearest(viewer(), vectors(3)[0], 5)]
        assert len(index.take(near, ("pear",))) == 3
        assert "pyarrow.compute" not in sys.modules  # 30 ms
        assert "pandas" not in sys.modules  # 300 ms, where it is installed
        assert "lancedb" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True, timeout=60)


def test_a_panic_below_is_damage(folder):
    class Panicking:
        async def search(self, table, query):
            raise BaseException("rust panicked")  # noqa: TRY002 - as pyo3 raises it

        async def open(self, folder, name):
            raise BaseException("rust panicked again")  # noqa: TRY002 - as above

    table = Table(str(folder), "schemas", Panicking(), None)
    assert table.search(Query(("path",))).num_rows  # the public way answers


def test_reopened_by_either_way_nothing_is_lost(tmp_path):
    build(tmp_path, ROWS, GIVEN).close()
    with reopen(tmp_path) as index:
        assert index.counts() == {"active": 40}
        taken = index.take([ROWS[4].path])[0]
        assert np.array_equal(taken.vectors, GIVEN[4])
