"""Links of the documentation lead somewhere, and nothing in it names the machine that it was written on."""

import re
import unicodedata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WANTED = (
    *("architecture", "audit", "benchmarks", "changelog", "cli", "contributing", "errors"),
    *("format", "glossary", "moving", "mutation", "purging", "refund", "reliability", "retracting"),
    *("review", "security", "tasks"),
)
FIGURES = ROOT / "docs" / "benchmarks.md"  # written from the records of a run: not there before the first one
LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
OF_A_MACHINE = re.compile(
    r"/(?:home|Users|root|work|workspace|mnt|var/folders)/\w|/tmp/(?!mem-demo)\w|[A-Z]:\\Users"
)


def anchor(heading):
    """A heading's anchor, as GitHub makes it."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    kept = (c for c in plain if c in "-_ " or unicodedata.category(c)[0] in "LN")
    return "".join(kept).replace(" ", "-")


def anchors(page):
    text = FENCED.sub("", page.read_text("utf-8"))
    return {anchor(line.lstrip("# ")) for line in text.splitlines() if line.startswith("#")}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_to_a_file_and_a_heading(page):
    broken = []
    for target in LINK.findall(FENCED.sub("", page.read_text("utf-8"))):
        if "://" in target:
            continue
        path, _, part = target.partition("#")
        to = (page.parent / path).resolve() if path else page
        if to == FIGURES and not to.exists():
            continue
        if not to.exists() or (part and part not in anchors(to)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_page_names_a_machine(page):
    assert OF_A_MACHINE.findall(page.read_text("utf-8")) == []


def test_every_page_is_there_and_reached_from_the_readme():
    reached = LINK.findall((ROOT / "README.md").read_text("utf-8"))
    assert [name for name in WANTED if f"docs/{name}.md" not in reached] == []
    assert {FIGURES.stem, *(page.stem for page in PAGES[1:])} == set(WANTED)


def test_an_anchor_is_made_as_github_makes_it():
    assert anchor("What `--json` prints") == "what---json-prints"
    assert anchor("1: nothing found") == "1-nothing-found"


def test_the_marked_commands_of_the_readme_are_one_line_each():
    text = (ROOT / "README.md").read_text("utf-8")
    for mark, end in (("demo", "mem demo"), ("tests", "python -m pytest -n auto")):
        (command,) = re.findall(rf"^<!-- {mark} -->\n```sh\n([^\n]+)\n```$", text, re.MULTILINE)
        assert command.endswith(end)
