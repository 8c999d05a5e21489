"""The mutator makes one change at a time, of code that a test could hold, and nothing else."""

import ast

import aims
import pytest
from mutations import mutated, mutations, nodes, within_functions

SOURCE = '''
"""Words about it."""

from os import path

__all__ = ["first"]
LIMIT = 3


def first(values: "list[int]", wide: bool = False) -> int:
    """More words."""
    if not values:
        raise ValueError("nothing is first of nothing")
    for value in values:
        if value < LIMIT and wide:
            continue
        print("seen")
        return value + 1
    return None
'''


def told():
    return [one.told for one in mutations(SOURCE)]


@pytest.mark.parametrize(
    "change",
    [
        "3 → 4",
        "False → True",
        "not values → values",
        "raise ValueError('nothing is first of nothing') → pass",
        "value < LIMIT → value <= LIMIT",
        "value < LIMIT and wide → value < LIMIT or wide",
        "continue → break",
        "print('seen') → pass",
        "'seen' → ''",
        "return value + 1 → return None",
        "value + 1 → value - 1",
        "1 → 2",
    ],
)
def test_a_small_mistake_is_made(change):
    assert told().count(change) == 1


def test_what_no_test_should_hold_is_left_alone():
    assert len(told()) == 12, told()  # no docstring, annotation, public name or word of an error


def test_each_differs_from_the_source_in_one_place():
    tree = ast.parse(SOURCE)
    for one in mutations(SOURCE):
        before, after = (ast.unparse(tree), mutated(SOURCE, one))
        changed = [
            pair for pair in zip(before.splitlines(), after.splitlines(), strict=True) if len(set(pair)) > 1
        ]
        assert len(changed) == 1, (one, changed)


def test_each_names_the_lines_that_it_stands_in():
    lines = SOURCE.splitlines()
    (found,) = (one for one in mutations(SOURCE) if one.told == "value < LIMIT → value <= LIMIT")
    assert (found.first, found.last) == (15, 15)
    assert "value < LIMIT" in lines[found.first - 1]


@pytest.mark.parametrize("part", aims.PARTS)
def test_of_every_module_on_trial_each_mistake_is_a_program(part):
    assert aims.modules(part)
    for name in aims.modules(part):
        source = (aims.ROOT / "memcli" / name).read_text("utf-8")
        every = mutations(source)
        assert len({(one.at, one.variant) for one in every}) == len(every)
        for one in every[::20]:
            assert compile(mutated(source, one), name, "exec"), one


def test_nodes_come_in_the_order_of_the_source():
    lines = [node.lineno for node in nodes(ast.parse("a = 1\nb = [c,\n d]\nif a:\n    b = 2\n"))]
    assert lines == sorted(lines)


def test_what_runs_at_import_is_told_from_what_runs_at_a_call():
    within = within_functions(SOURCE)
    lines = SOURCE.splitlines()
    assert {lines[number - 1].strip() for number in within} >= {"if not values:", "return None"}
    assert not {number for number in within if lines[number - 1].startswith(("LIMIT", "def", "from"))}
