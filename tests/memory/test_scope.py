"""Scopes are names with folders: what is one, what is none, and that a folder says it back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from memcli.memory.scope import GLOBAL, LIMIT_BYTES, USER, NotAScope, Scope, of_folder, parse

NAMES = some.text(min_size=1, max_size=40)


@pytest.mark.parametrize(
    "text",
    [
        "project:shop",
        "project:a:b",
        "p:x",
        "team_2-b:ops",
        "project:é",
        "project:..",
        "project:a/b",
        "global",
        "user",
    ],
)
def test_a_scope_is_spelled_as_it_is_read(text):
    assert str(parse(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "project",
        "project:",
        ":shop",
        "global:x",
        "user:x",
        "Project:x",
        "2p:x",
        "-p:x",
        "pröject:x",
        f"{'k' * 33}:x",
        "project: shop",
        "project:shop ",
        "project:a\nb",
        "project:a\x1bb",
        "project:a\u202eb",
    ],
)
def test_what_is_no_scope_is_refused_by_name(text):
    with pytest.raises(NotAScope, match="is not a scope"):
        parse(text)


def test_a_kind_may_have_thirty_two_characters():
    assert parse(f"{'k' * 32}:x").kind == "k" * 32


def test_an_id_may_have_as_many_bytes_as_the_limit_says_and_no_more():
    assert parse("p:" + "x" * LIMIT_BYTES).name == "x" * LIMIT_BYTES
    with pytest.raises(NotAScope, match="longer than 128 bytes"):
        parse("p:" + "x" * (LIMIT_BYTES + 1))
    assert parse("p:" + "é" * 42).name == "é" * 42
    with pytest.raises(NotAScope, match="longer than 128 bytes"):
        parse("p:" + "é" * 65)


def test_an_id_whose_folder_no_disk_takes_is_refused():
    assert len(parse("p:" + "é" * 42 + "a" * 3).folder) == len("p/") + 255
    with pytest.raises(NotAScope, match="shorten it"):
        parse("p:" + "é" * 42 + "a" * 4)


def test_both_spellings_of_a_letter_are_one_scope():
    assert parse("project:cafe\u0301") == parse("project:caf\u00e9")


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("project:shop", "project/shop"),
        ("project:Shop", "project/%53hop"),
        ("project:.git", "project/%2egit"),
        ("project:..", "project/%2e."),
        ("project:a.b_c-1", "project/a.b_c-1"),
        ("project:a/b", "project/a%2fb"),
        ("project:50%", "project/50%25"),
        ("global", "global"),
        ("user", "user"),
    ],
)
def test_the_folder_is_one_plain_name_below_its_kind(text, folder):
    assert parse(text).folder == folder
    assert of_folder((*folder.split("/"), "deeper")) == parse(text)


@settings(max_examples=60, deadline=None)
@given(name=NAMES)
def test_any_scope_is_read_back_from_its_folder_which_is_one_safe_name(name):
    try:
        one = parse(f"project:{name}")
    except NotAScope:
        return
    kind, folder = one.folder.split("/")
    assert of_folder((kind, folder)) == one
    assert not folder.startswith(".")
    assert folder == folder.lower()  # two scopes never share a folder where a disk folds case
    assert folder.isascii()


@pytest.mark.parametrize(
    "parts", [(), ("project",), ("Project", "shop"), ("project", "%00"), ("project", " x"), ("project", "")]
)
def test_a_folder_that_names_no_scope_has_none(parts):
    assert of_folder(parts) is None


def test_a_folder_of_bytes_that_are_no_text_has_a_scope_or_none_and_never_fails():
    assert of_folder(("project", "caf\udce9")) == Scope("project", "caf?")
    assert of_folder(("project", "%ff")) == Scope("project", "\ufffd")
    assert of_folder(("project", "%4")) == Scope("project", "%4")


def test_every_scope_sees_itself_first_and_what_is_everybodys():
    shop = parse("project:shop")
    assert shop.seen == (shop, GLOBAL, USER)
    assert GLOBAL.seen == (GLOBAL, USER)
    assert USER.seen == (USER, GLOBAL)
