"""What no reader sees is found, and what every script is written with is not."""

import pytest

from memcli.cli.render.text import ESCAPES, visible
from memcli.memory import unseen

# fmt: off
HIDDEN = (
    *("\u202e", "\u2066", "\u200e", "\u061c", "\u200b", "\u2060", "\u2063", "\u206e", "\xad", "\u034f"),
    *("\u180e", "\u3164", "\uffa0", "\u115f", "\ufeff", "\ufff9", "\U000e0041", "\U000e0001", "\x1b"),
    *("\x07", "\x7f", "\x9b", "\u2028", "\u2029"),
)
ORDINARY = (
    *("plain words", "caf\xe9 e\u0301", "\u05e9\u05dc\u05d5\u05dd", "\u0928\u093f", "\u6f22\u5b57"),
    *("\u0e2a\u0e27", "a\nb\tc", "\U0001f469\u200d\U0001f467", "\u2764\ufe0f"),
    *("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u845b\U000e0100\u98fe"),
)
# fmt: on


@pytest.mark.case("P-ENC-08")
@pytest.mark.parametrize("character", HIDDEN, ids=lambda one: f"U+{ord(one):04X}")
def test_what_no_reader_sees_is_found_and_named(character):
    assert unseen.first(f"pay the {character}bill") == character
    assert f"U+{ord(character):04X}" in unseen.told(character)


@pytest.mark.case("P-ENC-08")
@pytest.mark.parametrize("text", ORDINARY)
def test_what_a_script_or_an_emoji_is_written_with_is_not(text):
    assert unseen.first(text) == ""
    assert visible(text) == text


def test_selectors_in_a_row_carry_bytes_and_are_found():
    assert unseen.first("\U0001f600\ufe0e\ufe01\ufe02")
    assert unseen.first("a\U000e0110\U000e0121")


def test_whatever_is_printed_as_an_escape_is_also_found():
    missed = [
        code for code in ESCAPES if code and not unseen.first(f"a{chr(code)}b") and code not in (0x0B, 0x0D)
    ]
    assert missed == []
