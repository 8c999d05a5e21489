"""Values as YAML text: what some reader would take for something else is quoted, and nothing else is."""

import pytest

from memcli.store import plain


@pytest.mark.parametrize(
    "word", ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf"]
)
def test_a_word_that_some_reader_takes_for_a_switch_or_a_number_is_quoted(word):
    for spelled in (word, word.upper(), word.capitalize()):
        assert plain.inline(spelled) == f'"{spelled}"'
        assert plain.inline(f"{spelled}x") == f"{spelled}x"


@pytest.mark.parametrize(
    "text",
    [
        "1",
        "1.5",
        "0x1F",
        "0o17",
        "1e3",
        "1_000",
        "12:30",
        "2026-01-01",
        "2026-01-01T00:00:00Z",
        "1:20:30.5",
        "0b1",
    ],
)
def test_what_may_be_a_number_a_date_or_a_time_is_quoted(text):
    assert plain.inline(text) == f'"{text}"'
    assert plain.inline(f"v{text}") == f"v{text}"


@pytest.mark.parametrize(
    "text", ["a", "two words", "a/b", "a.b", "a-b", "a+b", "a(b)", "a:b", "é", "a 1", "1st"]
)
def test_what_means_itself_stands_without_quotes(text):
    assert plain.inline(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        " a",
        "a ",
        "a: b",
        "a #b",
        "- a",
        "a:",
        "[a]",
        "{a}",
        "*a",
        "&a",
        "!a",
        "|",
        ">",
        "'a'",
        "@a",
        "`a`",
        "a,b",
    ],
)
def test_what_has_a_meaning_to_yaml_is_quoted(text):
    assert plain.inline(text) == f'"{text}"'


def test_between_brackets_a_colon_is_quoted_too():
    assert plain.inline("a:b") == "a:b"
    assert plain.inline(["a:b", "c"]) == '["a:b", c]'
    assert plain.inline({"a:b": "c"}) == '{"a:b": c}'


@pytest.mark.parametrize(
    ("character", "escape"),
    [
        ("\x7f", "\\u007f"),
        ("\x9f", "\\u009f"),
        ("\u00ad", "\\u00ad"),
        ("\u200b", "\\u200b"),
        ("\u2028", "\\u2028"),
        ("\ufeff", "\\ufeff"),
        ("\uffff", "\\uffff"),
        ("\U000e0000", "\\U000e0000"),
        ("\U000e007f", "\\U000e007f"),
        ("\n", "\\n"),
        ("\t", "\\t"),
        ("\x1b", "\\u001b"),
        ('"', '\\"'),
        ("\\", "\\\\"),
        ("é", "é"),
        ("\U0001f469", "\U0001f469"),
    ],
)
def test_what_nobody_sees_is_written_by_its_number(character, escape):
    assert plain.quoted(f"a{character}b") == f'"a{escape}b"'


@pytest.mark.parametrize(
    ("text", "style", "written"),
    [
        ("a", "'", "'a'"),
        ("it's", "'", "'it''s'"),
        ("two\nlines", "'", '"two\\nlines"'),
        ("a", '"', '"a"'),
        ("no", "", '"no"'),
        ("no", "'", "'no'"),
    ],
)
def test_a_text_keeps_the_quotes_that_stand_there(text, style, written):
    assert plain.inline(text, style) == written


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ("x", ["k: x"]),
        ("", ["k:"]),
        (True, ["k: true"]),
        (False, ["k: false"]),
        (0.5, ["k: 0.5"]),
        (3, ["k: 3"]),
        ([], ["k: []"]),
        ({}, ["k: {}"]),
        (["a", "no"], ['k: [a, "no"]']),
        ({"a": "x", "b": {"c": "z"}}, ["k:", "  a: x", "  b:", "    c: z"]),
        ([{"a": "x", "b": "z"}, {"c": "w"}], ["k:", "  - a: x", "    b: z", "  - c: w"]),
        ([{"a": "x"}, "b"], ["k: [{a: x}, b]"]),
        ([{"a": [{"b": "x"}]}], ["k:", "  - a:", "      - b: x"]),
    ],
)
def test_mappings_and_lists_of_them_are_blocks_and_all_else_stands_on_one_line(value, lines):
    assert plain.lines("k", value) == lines
    assert plain.lines("k", value, "  ") == [f"  {line}" for line in lines]
