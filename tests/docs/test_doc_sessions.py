"""What the documentation shows is what happens: every console block is run."""

import re
from pathlib import Path

import pytest
from doc_sessions import Session, blocks, is_plain

from memcli.cli import words

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
WITH_SESSIONS = [page for page in PAGES if "```console\n" in page.read_text("utf-8")]
VERB = re.compile(r"(?:\w+=\S+ )*mem ([a-z]+) ")


@pytest.mark.parametrize("page", WITH_SESSIONS, ids=lambda page: page.name)
def test_the_sessions_of_a_page_happen_as_they_are_shown(page, tmp_path, one_encoder):
    told = tuple(blocks(page.read_text("utf-8")))
    session = Session(tmp_path, told[0].steps[0].at)
    for block in told:
        for step in block.steps:
            printed = session.run(step)
            assert session.agrees(step, printed), f"{page.name}:{step.line}: $ {step.command}\n{printed}"
            assert session.code in documented(step.command), f"{page.name}:{step.line}: {session.code}"
        said = re.match(r"(\d+): ", block.heading)
        assert not said or session.code == int(said[1]), f"{page.name}: {block.heading}: {session.code}"


def documented(command):
    """The exit codes that the reference gives for the verb of a plain command, else any."""
    called = VERB.match(f"{command} ")
    verb = words.find(called[1]) if called and is_plain(command) else None
    return verb.codes if verb else range(256)


@pytest.fixture
def session(tmp_path):
    return Session(tmp_path)


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("Nothing matches.", "Nothing matched.\n"),
        ("one", "one\ntwo\n"),
        ("one\ntwo", "one\n"),
        ("best 0.46", "best x\n"),
        ("", "a word\n"),
    ],
)
def test_a_page_that_shows_something_else_is_noticed(session, expected, printed):
    assert not session.agrees(step(expected), printed)


@pytest.mark.parametrize(
    ("expected", "printed"),
    [
        ("best 0.46, found", "best 0.51, found\n"),
        ("Commit 66af5ae112.", "Commit 0123456789.\n"),
        ("since 2025-11-30 09:12", "since 2031-01-02 03:04\n"),
        ("one\n…\nfour", "one\ntwo\nthree\nfour\n"),
        ("a … c", "a b c\n"),
        ("wide   cells", "wide\tcells\n"),
    ],
)
def test_what_differs_from_run_to_run_may_differ(session, expected, printed):
    assert session.agrees(step(expected), printed)


def test_an_id_stands_for_the_one_that_came_out_first(session):
    assert session.agrees(step("made k3v9x2m4p7q1"), "made 7zzz5zzz3zzz\n")
    assert session.agrees(step("again k3v9x2m4p7q1, k3v9"), "again 7zzz5zzz3zzz, 7zzz\n")
    assert not session.agrees(step("again k3v9x2m4p7q1"), "again 8zzz5zzz3zzz\n")


def step(expected):
    (made,) = (one for block in blocks(f"```console\n$ true\n{expected}\n```\n") for one in block.steps)
    return made
