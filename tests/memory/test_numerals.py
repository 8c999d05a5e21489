import pytest

from memcli.memory.numerals import counted


@pytest.mark.parametrize(
    ("many", "words", "said"),
    [
        (1, ("file",), "1 file"),
        (0, ("file",), "0 files"),
        (3, ("file",), "3 files"),
        (1, ("memory", "memories"), "1 memory"),
        (2, ("memory", "memories"), "2 memories"),
    ],
)
def test_a_count_is_said_as_a_person_says_it(many, words, said):
    assert counted(many, *words) == said
