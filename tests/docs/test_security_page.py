"""What docs/security.md says is shown by tests that are there."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "security.md"
TEXT = PAGE.read_text("utf-8")
SHOWN = re.compile(r"\]\((?P<path>\.\./tests/[\w/]+\.py)\)\s+\((?P<tests>[^)]*)\)")
NAMED = re.compile(r"`(test_\w+)`")
BEYOND = {
    "What is worth protecting",
    "Against loss",
    "Not defended",
}  # aims, cases of their own, and what is not shown


def test_every_test_that_the_page_names_is_there():
    named = [
        (match["path"], test) for match in SHOWN.finditer(TEXT) for test in NAMED.findall(match["tests"])
    ]
    assert len(named) == len(NAMED.findall(TEXT)), "each beside the file that it stands in"
    missing = [
        (path, test) for path, test in named if f"def {test}(" not in (PAGE.parent / path).read_text("utf-8")
    ]
    assert missing == []


def test_every_part_of_the_model_is_shown():
    parts = re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]
    without = {part.partition("\n")[0] for part in parts if "Shown by" not in part}
    assert without == BEYOND
