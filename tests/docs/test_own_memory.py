"""The project's own decisions, kept as memories: they fit the format and answer in a fresh clone."""

import shutil
from pathlib import Path

import pytest
from trial import Trial

ROOT = Path(__file__).parents[2]
LEAST = 15


@pytest.fixture(scope="module")
def clone(tmp_path_factory, one_encoder):
    """What a clone has: the schemas and the settings in pyproject.toml, nothing of `.mem/`."""
    made = Trial.made(tmp_path_factory.mktemp("own"))
    folder = made.root.parent / "memcli"
    folder.mkdir()
    shutil.copytree(ROOT / "schemas", folder / "schemas")
    shutil.copy(ROOT / "pyproject.toml", folder)
    there = Trial(folder, made.environment, made.moment)
    there.git("init", "-q", "-b", "main")
    there.commit_by_hand()
    return there


def test_every_decision_fits_the_format(clone):
    told = clone.told("check")
    assert told["findings"] == []
    assert told["understood"] >= LEAST


@pytest.mark.parametrize(
    ("question", "concept"),
    [
        ("why not use the full-text score", "full-text score of LanceDB"),
        ("who may forget a memory", "person behind a removal"),
        ("why is GitPython not used for commits", "GitPython and writing"),
        ("what happens after a crash in the middle", "crash in the middle"),
    ],
)
def test_a_question_about_the_project_is_answered(clone, question, concept):
    first = clone.recall(question)["items"][0]
    assert clone.told("show", first["id"])["concept"] == concept
    assert first["scope"] == "project:memcli"


def test_a_decision_is_one_claim_with_its_reason(clone):
    for path in (clone.root / "schemas").rglob("*.md"):
        shown = clone.told("show", path.stem.rpartition("-")[2])
        assert shown["detail"], path
        assert shown["concept"], path
