"""Where a value stands in its block: what is put in, changed and taken out leaves all beside it."""

import pytest

from memcli.errors import BadFile
from memcli.store.edit import set_keys


def changed(block, **changes):
    names = {name.replace("__", "."): value for name, value in changes.items()}
    raw = set_keys(f"---\n{block}---\nBody\n".encode(), names).decode()
    return raw.removeprefix("---\n").removesuffix("---\nBody\n")


@pytest.mark.parametrize(
    ("block", "changes", "wanted"),
    [
        ("\n  a: 1\n", {"b": "x"}, "\n  a: 1\n  b: x\n"),  # the indent of the first key, behind a blank line
        ("\na: 1\n", {"b": "x"}, "\na: 1\nb: x\n"),
        ("a: |\n  one\n\n\nb: 2\n", {"a": "z"}, "a: z\n\n\nb: 2\n"),
        ("a: >\n  one\nb: 2\n", {"a": None}, "b: 2\n"),
        ("a: |\n  one\n", {"a": ["x"]}, "a: [x]\n"),
        ("a:\n  - x\n  - y\n", {"a": "z"}, "a: z\n"),
        ("a:\n  k: x\n", {"a": "z"}, "a: z\n"),
        ("a: [x]\n", {"a": "z"}, "a: z\n"),
        ('a: "x"\n', {"a": 'say "y"'}, 'a: "say \\"y\\""\n'),
        ("a: 'x' # c\n", {"a": "y"}, "a: 'y' # c\n"),
        ("a: x\n", {"a": [{"k": "v"}]}, "a:\n  - k: v\n"),
        ("a:\nb: 2\n", {"a": "x"}, "a: x\nb: 2\n"),
        ("a:\nb: 2\n", {"a": None}, "b: 2\n"),
        ("a:\nb: 2\n", {"a": [{"k": "v"}]}, "a:\n  - k: v\nb: 2\n"),
        ("a: # c\nb: 2\n", {"a": None}, "b: 2\n"),
        ("a: {k: x, l: y, m: z}\n", {"a__l": None}, "a: {k: x, m: z}\n"),
        ("a: {k: x, l: y, m: z}\n", {"a__m": None}, "a: {k: x, l: y}\n"),
        ("a: {k: x}\n", {"a__l": "z"}, "a: {k: x, l: z}\n"),
        ("a: {k: 'x'}\n", {"a__k": "z"}, "a: {k: 'z'}\n"),
        ("a: {k: , l: y}\n", {"a__k": "x"}, "a: {k: x, l: y}\n"),
    ],
)
def test_one_value_changes_and_all_beside_it_stays(block, changes, wanted):
    assert changed(block, **changes) == wanted


@pytest.mark.parametrize(
    ("block", "changes"),
    [
        ("? a\n", {"b": "x"}),
        ("? a\n", {"a": [{"k": "v"}]}),
        ("? a\n: x\n", {"a": None}),
        ("  ? a\n  : x\n", {"a": None}),
    ],
)
def test_a_key_that_does_not_stand_as_most_do_is_left_to_a_person(block, changes):
    with pytest.raises(BadFile):
        changed(block, **changes)
