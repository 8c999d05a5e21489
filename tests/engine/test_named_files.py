"""A file that the command names and that is not there is a wrong command line, whatever it is for."""

import pytest

NAMING = {
    "gold": ("eval", "gold", "absent"),
    "gate": ("eval", "gate", "absent"),
    "clusters": ("eval", "retract", "absent"),
    "signers": ("audit", "--signers", "absent"),
    "batch": ("remember", "--batch", "absent"),
    "import": ("import", "absent", "--yes"),
    "onboard": ("onboard", "absent"),
    "observe": ("observe", "absent"),
}


@pytest.mark.case("P-CLI-07")
@pytest.mark.parametrize("words", NAMING.values(), ids=NAMING)
def test_a_named_file_that_is_not_there_ends_with_the_code_of_a_wrong_command_line(trial, words):
    trial.remember("The refund window is 30 days.")
    ran = trial.ran(*words)
    assert (ran.code, ran.out) == (2, ""), ran.err
    assert "absent cannot be read" in ran.err
    assert "Hint: " in ran.err


@pytest.mark.case("P-CLI-07")
def test_without_files_to_measure_with_the_command_line_lacks_them(trial):
    for part in ("gold", "retract"):
        ran = trial.ran("eval", part)
        assert (ran.code, ran.out) == (2, ""), ran.err
        assert f"mem eval {part} FILE" in ran.err
