"""docs/mutation.md says what the records say, and no reason is kept for what is noticed."""

import json

import page as pages
import yaml

ROWS = [
    json.loads(line) for line in (pages.FIGURES / "mutation-records.jsonl").read_text("utf-8").splitlines()
]


def test_the_page_is_that_of_the_records():
    assert pages.PAGE.read_text("utf-8") == pages.page(), "run: python tests/mutants/page.py"


def test_each_reason_is_one_for_a_mistake_that_no_test_notices():
    left = {(row["module"], row["told"]) for row in ROWS if row["outcome"] not in pages.NOTICED}
    given = [(one["module"], one["told"]) for one in yaml.safe_load(pages.EXPLAINED.read_text("utf-8"))]
    assert sorted(set(given)) == sorted(given)
    assert set(given) <= left


def test_no_mistake_was_tried_twice():
    tried = [(row["module"], *row["at"], row["told"]) for row in ROWS]
    assert len(set(tried)) == len(tried)


def test_lines_that_follow_each_other_are_told_as_one_run():
    assert pages._runs([1, 2, 3, 7, 9, 10]) == "1-3, 7, 9-10"
    assert pages._runs([]) == ""
