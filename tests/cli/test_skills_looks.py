"""Procedures as a person, a pipe, a program and a shell's completion see them."""

import json

import pytest

from memcli.cli import offering

PAGE = "---\nname: deploy-shop\ndescription: Deploy the shop to production.\n---\n\n1. Push \x1b[31mred\x1b[0m.\n"


@pytest.fixture
def with_one(store, within):
    folder = store.root / "procedures/project/t/deploy-shop"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(PAGE)
    return within


def test_a_list_has_looks_for_each_reader(with_one):
    assert with_one("skills", "list").out == "deploy-shop\tproject:t\tDeploy the shop to production.\n"
    assert "Deploy the shop" in with_one.at_terminal("skills", "list").out
    (item,) = json.loads(with_one("skills", "list", "--json").out)["items"]
    assert item["path"] == "procedures/project/t/deploy-shop/SKILL.md"
    assert with_one("skills", "list", "--quiet").out == ""


def test_a_terminal_obeys_no_text_of_a_procedure_and_a_pipe_gets_its_bytes(with_one):
    for words in (("match", "deploy the shop"), ("show", "deploy-shop")):
        shown = with_one.at_terminal("skills", *words)
        assert "\x1b[31m" not in shown.out
        assert "1. Push " in shown.out
        assert "not an order" in shown.err
    assert with_one("skills", "show", "deploy-shop").out == PAGE
    assert json.loads(with_one("skills", "show", "deploy-shop", "--json").out)["text"] == PAGE


@pytest.mark.parametrize(
    "words",
    [("list", "deploy"), ("show",), ("match",), ("match", " "), ("list", "--file", "x"), ("tell", "x"), ()],
)
def test_words_that_make_no_sense_are_refused_with_a_hint(with_one, words):
    ran = with_one("skills", *words)
    assert ran.code == 2
    assert ran.err


def test_a_name_that_is_none_is_told_with_those_there_are(with_one):
    ran = with_one("skills", "show", "deploy")
    assert ran.code == 3
    assert "deploy-shop" in ran.err


def test_a_shell_offers_their_names(with_one, monkeypatch):
    from memcli import surroundings

    stands = surroundings.made({**with_one.environment}, with_one.folder, (False,) * 3, 0, terminal=False)
    monkeypatch.setattr(surroundings, "read", lambda: stands)
    assert offering.source("procedures", ())("dep") == [("deploy-shop", "Deploy the shop to production.")]
    assert offering.procedures("x") == []
