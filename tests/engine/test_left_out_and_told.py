"""What an export cannot take along is told, and `check --fix` puts right the files that it was given."""

import pytest

CLAIM = "Coffee is free on Fridays."
PAGE = "---\nname: tea\ndescription: How tea is made.\n---\n\nBoil water.\n"


def page(trial, text):
    path = trial.root / "procedures/project/t/tea/SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(text)


def test_a_store_that_can_be_read_whole_leaves_nothing_out(trial):
    trial.remember(CLAIM)
    page(trial, PAGE)
    ran = trial.ran("export")
    assert ran.code == 0
    assert "Left out" not in ran.err
    assert "1 file of a procedure" in ran.err


def test_a_procedure_that_nobody_understands_is_named(trial):
    trial.remember(CLAIM)
    page(trial, PAGE.replace("name: tea\n", ""))
    ran = trial.ran("export")
    assert ran.code == 0
    assert "Left out: procedures/project/t/tea/SKILL.md" in ran.err
    assert "Boil water" not in ran.out


@pytest.mark.parametrize("broken", ["torn\n", '{"id": "x"}\n'])
def test_lines_of_events_that_nobody_can_read_are_counted(trial, broken):
    trial.remember(CLAIM)
    (path,) = trial.root.glob("events/**/*.jsonl")
    path.write_text(path.read_text() + broken * 2)
    ran = trial.ran("export")
    assert ran.code == 0
    name = path.relative_to(trial.root).as_posix()
    assert f"Left out: 2 lines of {name} that nobody can read" in ran.err


@pytest.fixture
def misplaced(trial):
    """Two files that lie in the folder of another scope than theirs."""
    for id_ in ("first000aaaa", "second00aaaa"):
        trial.write(id_, f"{CLAIM} Says {id_}.", "scope: project:other\n")
    trial.commit_by_hand()
    return trial


def test_only_the_named_file_is_put_right(misplaced):
    told = misplaced.told("check", "--fix", "schemas/project/t/first000aaaa.md")
    assert told["set_aside"] == 0
    assert misplaced.path("first000aaaa").parent == misplaced.root / "schemas/project/other"
    assert misplaced.path("second00aaaa").parent == misplaced.root / "schemas/project/t"


def test_without_a_name_all_are_put_right_and_for_a_wrong_one_none(misplaced):
    head = misplaced.head()
    assert misplaced.ran("check", "--fix", "schemas/project/t/nowhere.md").code == 2
    assert misplaced.head() == head
    misplaced.told("check", "--fix")
    assert len(list((misplaced.root / "schemas/project/other").iterdir())) == 2
