"""Gold sets: requirements as data, asked on the shipped path; a set that cannot fail would show nothing."""

import json
import os
import shutil
from pathlib import Path

import pytest
from trial import Trial

ROOT = Path(__file__).parents[2]
REFUND = ROOT / "fixtures/gold/refund.yaml"
OWN = ROOT / "fixtures/gold/schemas.yaml"


@pytest.fixture
def shop(trial):
    """The store that fixtures/gold/refund.yaml asks."""
    scope = ("--scope", "project:shop")
    old = trial.remember("The refund window is 30 days.", "--concept", "refund window", *scope)["id"]
    switch = ("--with", "The refund window is 14 days.", "--from", "2026-07-01")
    trial.new = trial.told("supersede", old, *switch, *scope)["new"]
    trial.old = old
    gone = trial.remember("The supplier with the fire was Halvorsen.", *scope)["id"]
    trial.forget(gone)
    trial.remember("All deploys happen on Tuesdays.", "--type", "constraint", *scope)
    trial.remember("Coffee is served at ten.", *scope)
    trial.remember("The refund window is 90 days.", "--scope", "project:other")
    return trial


def gold(trial, text, code=0):
    """Ask a set of one case; how it falls short."""
    file = trial.root / "gold" / "one.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    told = trial.told("eval", "gold", "--scope", "project:shop", code=code)
    ((case,),) = [one["cases"] for one in told["sets"]]
    return case["short"]


def test_the_example_set_holds(shop):
    ran = shop.ran("eval", "gold", str(REFUND))
    assert ran.code == 0, ran.out
    assert ran.out.count("ok\t") == len(ran.out.splitlines()) == 9


def test_the_projects_own_memories_are_found(trial, tmp_path):
    own = Trial(tmp_path / "memcli", trial.environment)
    own.root.mkdir()
    shutil.copytree(ROOT / "schemas", own.root / "schemas")
    shutil.copy(ROOT / "pyproject.toml", own.root)
    ran = own.ran("eval", "gold", str(OWN))
    assert ran.code == 0, ran.out + ran.err
    assert ran.out.count("ok\t") >= 12


SHORT = [
    ("required: [coffee is served]", "did not come"),
    ("required: [OLD]", "it is superseded"),
    ("required: [refund window is 90 days]", "nothing in this scope is it"),
    ("forbidden: [NEW]", "came, and must not"),
    ("history-only: [NEW]", "only history may show it"),
    ("history-only: [refund window is 77 days]", "not found in history either"),
    ("expected-empty: true", "nothing should"),
    ("required: [NEW]\n    optional: []\n    mode: history", "neither required nor optional"),
    ("max-items: 1\n    mode: history", "at most 1 should"),
    ("outcome: absent", "the outcome is found, not absent"),
]


@pytest.mark.parametrize(("wanted", "told"), SHORT, ids=[wanted.partition(":")[0] for wanted, _ in SHORT])
def test_an_answer_that_falls_short_fails_and_says_how(shop, wanted, told):
    wanted = wanted.replace("NEW", shop.new).replace("OLD", shop.old)
    short = gold(shop, f"cases:\n  - query: what is the refund window\n    {wanted}\n", code=1)
    assert any(told in one for one in short), short


def test_an_id_its_beginning_or_its_words_name_a_memory(shop):
    for name in (shop.new, shop.new[:4], "Refund window is 14 days", "the REFUND window is 14 days!"):
        assert gold(shop, f"cases:\n  - query: refund window\n    required: ['{name}']\n") == []


WRONG = [
    ("cases: []", 1, "cases"),
    ("cases:\n  - query: x\n    requird: [a]", 3, "requird"),
    ("cases:\n  - query: x", 2, "asks for nothing"),
    ("cases:\n  - required: [a]", 2, "query"),
    ("cases:\n  - query: x\n    mode: all\n    required: [a]", 3, "mode"),
    ("cases:\n  - query: x\n    as-of: july\n    required: [a]", 3, "as-of"),
    ("cases:\n  - query: x\n    max-items: many", 3, "max-items"),
    ("cases:\n  - query: x\n    required: {a: b}", 3, "required"),
    ("cases:\n  - query: x\n    required: [a]\n    expected-empty: true", 2, "contradicts"),
    ("cases:\n  - query: &x y\n    required: [a]", 2, "anchors"),
]


@pytest.mark.parametrize(("text", "line", "what"), WRONG, ids=[what for _, _, what in WRONG])
def test_a_mistake_is_named_with_its_line(trial, text, line, what):
    file = trial.root / "wrong.yaml"
    file.write_text(text)
    ran = trial.ran("--json", "eval", "gold", "wrong.yaml")
    assert ran.code == 4
    assert f"wrong.yaml:{line}: " in ran.err
    assert what in ran.err


def test_no_set_at_all_is_no_success(trial):
    assert trial.ran("eval", "gold").code == 2
    assert trial.ran("eval", "gold", "nowhere.yaml").code == 2


def test_one_set_that_fails_fails_all_and_each_is_named(shop):
    folder = shop.root / "gold"
    folder.mkdir()
    (folder / "a.yaml").write_text("cases:\n  - query: refund window\n    forbidden: [nothing like this]\n")
    (folder / "b.yml").write_text("cases:\n  - query: refund window\n    expected-empty: true\n")
    ran = shop.ran("eval", "gold", "--scope", "project:shop", "--json")
    told = json.loads(ran.out)
    assert (ran.code, told["held"], told["of"]) == (1, 1, 2)
    assert [one["path"] for one in told["sets"]] == ["gold/a.yaml", "gold/b.yml"]


def test_a_link_or_a_pipe_among_the_stores_own_is_not_followed(trial, tmp_path):
    (tmp_path / "secret").write_text("not for reading")
    (trial.root / "gold").mkdir()
    own = trial.root / "gold" / "a.yaml"
    own.symlink_to(tmp_path / "secret")
    assert trial.ran("eval", "gold").code == 4
    own.unlink()
    os.mkfifo(own)
    assert trial.ran("eval", "gold").code == 4
