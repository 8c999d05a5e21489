"""Which scopes look like a spelling of another, and which are different things."""

import pytest

from memcli.memory import spelling
from memcli.memory.scope import parse


def alike(new, *known):
    return [str(one) for one in spelling.alike(parse(new), [parse(one) for one in known])]


@pytest.mark.parametrize(
    ("new", "known"),
    [
        ("project:web-shop", "project:webshop"),
        ("project:Webshop", "project:webshop"),
        ("project:web_shop", "project:web-shop"),
        ("project:storefont", "project:storefront"),
        ("project:sotrefront", "project:storefront"),
        ("project:ledgr", "project:ledger"),
        ("project:kubernets", "project:kubernetes"),
        ("project:café", "project:cafe"),
        ("repo:shop", "project:shop"),
    ],
)
def test_a_slip_is_seen_both_ways(new, known):
    assert alike(new, known, "project:quite-another") == [known]
    assert alike(known, new, "project:quite-another") == [new]


@pytest.mark.parametrize(
    ("new", "known"),
    [
        ("project:app-1", "project:app-2"),
        ("project:v10", "project:v1"),
        ("project:cat", "project:car"),
        ("project:shop", "project:ledger"),
        ("project:frontend", "project:backend"),
        ("repo:storefont", "project:storefront"),
        ("user", "project:user1"),
    ],
)
def test_other_things_are_other_things(new, known):
    assert alike(new, known) == []


def test_a_scope_that_is_known_looks_like_nothing_else():
    assert alike("project:webshop", "project:webshop", "project:web-shop") == []


def test_slips_are_letters_left_out_put_in_changed_or_swapped():
    assert [spelling.slips("abcd", other) for other in ("abcd", "abd", "abxd", "abcde", "acbd", "")] == [
        0,
        1,
        1,
        1,
        1,
        4,
    ]
