"""docs/reliability.md names every case, with the tests that cover it as the tests themselves say."""

import re
from collections import Counter
from pathlib import Path

import doc_tables

ROOT = Path(__file__).parents[2]
KINDS = {"ENC": 8, "FM": 15, "FILE": 15, "GIT": 20, "CONC": 12, "IDX": 10, "EMB": 6, "CLI": 12, "SEC": 12}
KINDS |= {"TIME": 8, "LIFE": 8}
PAGE = doc_tables.RELIABILITY.read_text("utf-8")
ROWS = {row["id"]: row for row in doc_tables.ROW.finditer(PAGE)}


def test_every_case_of_every_kind_has_one_row():
    wanted = {f"P-{kind}-{number:02}" for kind, many in KINDS.items() for number in range(1, many + 1)}
    assert set(ROWS) == wanted
    assert Counter(row["id"] for row in doc_tables.ROW.finditer(PAGE)).most_common(1)[0][1] == 1


def test_the_tests_in_the_table_are_those_that_are_marked():
    assert doc_tables.with_cases(PAGE) == PAGE, "run: python tests/docs/doc_tables.py"


def test_the_numbers_in_the_format_are_those_of_the_code():
    page = doc_tables.FORMAT.read_text("utf-8")
    assert doc_tables.with_numbers(page) == page, "run: python tests/docs/doc_tables.py"


def test_the_campaigns_in_the_table_are_those_on_record():
    assert doc_tables.with_campaigns(PAGE) == PAGE, "run: python tests/docs/doc_tables.py"


def test_no_case_is_claimed_without_a_test():
    assert [case for case, row in ROWS.items() if not row["shown"].strip()] == []


def test_no_test_names_a_case_that_does_not_exist():
    assert {case for case in doc_tables.files_by_case() if case.startswith("P-")} <= set(ROWS)


def test_every_mark_spells_out_its_case():
    assert list(doc_tables.computed()) == [], "the page is made from the source: write the case as a literal"


def test_the_marks_read_from_the_source_are_those_that_pytest_collects(request):
    """Of the tests of this run: alone it says little, in the whole suite it says all."""
    collected = {
        (case, item.path.relative_to(doc_tables.TESTS).as_posix())
        for item in request.session.items
        if item.path.is_relative_to(doc_tables.TESTS)
        for mark in item.iter_markers("case")
        for case in mark.args
    }
    read = {(case, path) for case, paths in doc_tables.files_by_case().items() for path in paths}
    unseen = "".join(f"\n  {path}: {case}" for case, path in sorted(collected - read))
    assert not unseen, f"doc_tables.py does not see these marks in the source:{unseen}"


def test_every_case_that_a_page_names_exists():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    named = {case for page in pages for case in re.findall(r"P-[A-Z]+-\d\d", page.read_text("utf-8"))}
    assert named <= set(ROWS)
