"""With and without a resident a question has the same bytes and the same exit code for an answer (A25)."""

import json
import re
import shutil
from functools import partial

import pytest
from cli.conftest import Store, Within
from resident.conftest import House, housed

PERSON = {"MEM_ACTOR": "human:ana"}
AGENT = {"MEM_ACTOR": "agent:claude"}
ID = re.compile(r"\b[0-9a-z]{12}\b")
LONG = re.compile(r"\b[0-9a-z]{26}\b|\b[0-9a-f]{40}\b|\b[0-9a-f]{10}\b|\d{4}-\d\d-\d\dT[0-9:]+Z")


def filled(store):
    """Memories of every kind, something forgotten, and something that cannot be read."""
    store.write("expire00aaaa", "The refund desk is in hall 3.", head="validity:\n  to: 2020-01-01\n")
    store.write("future00aaaa", "The refund desk moves to hall 4.", head="validity:\n  from: 2199-01-01\n")
    store.write("staged00aaaa", "Refunds above 500 need a signature.", head="status: staged\ntags: [money]\n")
    store.write("tagged00aaaa", "Invoices are numbered per country.", head="tags: [money]\n")
    store.write("umlaut00aaaa", "Käse mit 字 kostet 3 €.", head="concept: Käse\n")
    store.write("escape00aaaa", "The \x1b[31mred\x1b[0m refund [bold]stamp[/bold] is in the drawer.")
    store.write("shared00aaaa", "Refunds are paid in euros.", folder="global")
    store.write("other000aaaa", "The refund rules of shop are older.", folder="project/shop")
    store.write(
        "abroad00aaaa", "The refund window is shut at noon.", head="stage: portable\n", folder="project/shop"
    )
    store.commit()
    (store.root / "schemas/project/t/deep/er").mkdir(parents=True)
    (store.root / "schemas/project/t/broken.md").write_text("---\nid: [\n---\n\nRefund nothing.\n")


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """A store with many memories and its resident."""
    with housed(tmp_path_factory.mktemp("asked")) as house:
        filled(house.store)
        house.start(TERM="dumb", NO_COLOR="1", COLUMNS="40")  # what the resident stands in is not what counts
        yield house


QUESTIONS = [
    ["recall", "refund window"],
    ["gate", "refund window"],
    ["gate", "--json", "what was the refund window again?"],
    ["gate", "thanks, that works"],
    ["gate", "-q", "What is the capital of Mongolia?"],
    ["recall", "--gate", "auto", "--json", "refund window"],
    ["recall", "--gate", "auto", "--json", "thanks!"],
    ["recall", "--json", "refund window"],
    ["--json", "recall", "refund window", "--evidence", "full"],
    ["recall", "--json", "--evidence", "none", "refund window"],
    ["recall", "--prompt", "refund window"],
    ["recall", "--prompt", "--budget", "30", "refund"],
    ["recall", "--json", "--receipt", "--as-of", "2026-12-01", "refund window"],
    ["recall", "--receipt", "--as-of", "2026-12-01", "--events", "none", "refund"],
    ["recall", "-l", "refund window"],
    ["recall", "-l", "-0", "refund window"],
    ["recall", "--ids", "refund"],
    ["recall", "--ids", "-0", "-k", "2", "refund"],
    ["recall", "--format", r"{id}\t{score}\t{text}", "refund"],
    ["recall", "--format", "{nothing}", "refund"],
    ["recall", "-k", "1", "refund"],
    ["recall", "-k1", "refund"],
    ["recall", "-k", "0", "refund"],
    ["recall", "--budget", "9", "refund"],
    ["recall", "--floor", "0", "--json", "refund"],
    ["recall", "--floor", "1", "refund window"],
    ["recall", "--json", "--as-of", "2026-11-01", "when is the refund window shut"],
    ["recall", "--json", "--known-at", "HEAD", "--as-of", "2026-11-01", "refund window"],
    ["recall", "--known-at", "1999-01-01", "refund window"],
    ["recall", "--known-at", "yesterday-ish", "refund window"],
    ["show", "abroad00aaaa", "--why"],
    ["recall", "--floor", "2", "refund window"],
    ["recall", "--as-of", "2019-06-01", "refund desk"],
    ["recall", "--as-of", "2199-06-01", "refund desk"],
    ["recall", "--as-of", "yesterday-ish", "refund desk"],
    ["recall", "--mode", "wide", "refund signature"],
    ["recall", "--mode", "history", "--json", "refund"],
    ["recall", "--mode", "none", "refund"],
    ["recall", "--type", "constraint", "deploys"],
    ["recall", "--type", "nothing", "deploys"],
    ["recall", "--tag", "money", "--tag", "other", "invoices"],
    ["recall", "--scope", "project:shop", "refund rules"],
    ["recall", "--scope", "global", "refund"],
    ["recall", "--scope", "no such", "refund"],
    ["recall", "--scope", "*", "refund"],
    ["recall", "xylophone quantum"],
    ["recall", "--ok-if-empty", "xylophone quantum"],
    ["recall", "--json", "xylophone quantum"],
    ["recall", "--quiet", "refund"],
    ["recall", "--color", "always", "refund"],
    ["recall", "--color", "never", "käse 字"],
    ["recall", ""],
    ["recall", " \n\t"],
    ["recall", "--json", ""],
    ["recall"],
    ["recall", "--no-such-option", "refund"],
    ["recall", "--json", "--ids", "refund"],
    ["recall", "--", "-k"],
    ["recall", "red stamp"],
    ["recall", "refund\udcff"],
    ["recall", "--help"],
    ["-q", "--store", ".", "recall", "refund"],
    ["recall", "--verbose", "refund"],
    ["show", "refund00aaaa"],
    ["show", "refu", "tagg"],
    ["show", "--json", "expire00aaaa"],
    ["show", "nothere"],
    ["show", "--json", "nothere"],
    ["show", "zz"],
    ["show", "other000aaaa"],
    ["show"],
    ["list"],
    ["list", "--json"],
    ["list", "--status", "staged", "--status", "active"],
    ["list", "--type", "constraint"],
    ["list", "--tag", "money", "-l"],
    ["list", "--ids", "-0"],
    ["list", "--concept", "Käse"],
    ["list", "--concept", "nothing"],
    ["list", "--limit", "2"],
    ["list", "--format", "{path}"],
    ["list", "--scope", "project:shop"],
]
DECLINED = [
    ["recall", "--help"],
    ["recall", "--verbose", "refund"],
    ["recall", "--scope", "*", "refund"],
]


def same(house, *argv, alone=None, **how):
    """Ask with the resident and without (by `alone`); what it did of it, and the answer."""
    alone = alone or partial(house.alone, **how)
    for _ in range(3):  # an answer tells its second
        before = house.tally()
        one = house.mem(*argv, **how)
        after = house.tally()
        other = alone(*argv)
        if (one.code, one.raw, one.err) == (other.code, other.raw, other.err):
            break
    assert (one.code, one.raw, one.err) == (other.code, other.raw, other.err)
    grown = after[0] - before[0], after[1] - before[1]
    return {(1, 0): "answered", (0, 1): "declined", (0, 0): "not asked"}[grown], one


@pytest.mark.parametrize("argv", QUESTIONS, ids=lambda argv: ascii(" ".join(argv)))
def test_a_question_is_answered_with_the_same_bytes(asked, one_encoder, argv):
    how, ran = same(asked, *argv, alone=Within(asked.root, asked.store.environment))
    explained = ran.code == 2 and how == "declined"  # wrong words are for typer, which no resident loads
    assert how == "answered" or explained or argv in DECLINED


ENVIRONMENTS = [
    PERSON,
    AGENT,
    {"CLAUDECODE": "1"},
    {"MEM_ACTOR": "nobody"},
    {"NO_COLOR": ""},
    {"FORCE_COLOR": "1"},
    {"CLICOLOR_FORCE": "1", "TERM": "xterm-256color"},
    {"COLUMNS": "200"},
    {"TZ": "Asia/Tokyo"},
    {"LC_ALL": "C"},
    {"PYTHONIOENCODING": "latin-1"},
    {"MEM_STORE": "."},
    {"MEM_STORE": "/nowhere"},
    {"HOME": "/nowhere"},
    {"PATH": "/nowhere"},
]


@pytest.mark.parametrize("env", ENVIRONMENTS, ids=str)
def test_what_the_asking_process_stands_in_counts(asked, env):
    how, _ = same(asked, "recall", "--color", "auto", "--mode", "wide", "käse refund", env=env)
    assert how == ("not asked" if env.get("MEM_STORE") == "/nowhere" else "answered")


@pytest.mark.parametrize(
    ("columns", "argv"),
    [
        (30, ["recall", "refund"]),
        (100, ["recall", "--color", "never", "--mode", "history", "refund"]),
        (100, ["recall", "xylophone"]),
        (40, ["show", "umlaut00aaaa"]),
        (100, ["list"]),
        (60, ["recall", "red stamp"]),
    ],
)
def test_a_terminal_shows_the_same(asked, argv, columns):
    env = {"COLORTERM": "truecolor", "TERM": "xterm-256color"}
    before = asked.tally()[0]
    one = asked.mem.at_terminal(*argv, columns=columns, env=env)
    assert asked.tally()[0] == before + 1
    other = asked.mem.at_terminal("--no-daemon", *argv, columns=columns, env=env)
    assert (one.code, one.screen) == (other.code, other.screen)


def test_it_is_found_from_wherever_the_store_is_found(asked, tmp_path):
    inner = asked.root / "schemas/project/t/deep/er"
    answered = [
        same(asked, "recall", "refund", cwd=inner),
        same(asked, "--store", str(asked.root), "recall", "refund", cwd=tmp_path),
        same(asked, f"--store={asked.root}", "recall", "refund", cwd=tmp_path),
        same(asked, "--store", "../../../..", "recall", "refund", cwd=inner.parent),
        same(asked, "recall", "refund", cwd="/", env={"MEM_STORE": str(asked.root)}),
        same(asked, "recall", "refund", cwd=inner, env={"MEM_STORE": "../../../../.."}),
        same(asked, "recall", "-", stdin="refund window"),
        same(asked, "recall", "-", stdin=b"\xff"),
        same(asked, "show", "--stdin", stdin="refund00aaaa\ndeploy00aaaa\n"),
    ]
    assert [how for how, _ in answered] == ["answered"] * len(answered)
    assert same(asked, "recall", "refund", cwd=tmp_path)[0] == "not asked"


def test_a_link_to_the_store_leads_to_its_resident(asked, tmp_path):
    (tmp_path / "link").symlink_to(asked.root)
    assert same(asked, "--store", str(tmp_path / "link"), "recall", "-l", "refund")[0] == "answered"
    assert same(asked, "recall", "-l", "refund", cwd=tmp_path / "link")[0] == "answered"


def test_a_nearer_store_is_not_answered_by_the_outer_ones_resident(asked):
    nearer = Store.made(asked.root / "vendor")
    nearer.write("nearer00aaaa", "The refund window here is 14 days.")
    nearer.commit()
    try:
        how, ran = same(asked, "recall", "--ids", "refund window", cwd=nearer.root)
        assert (how, ran.out) == ("declined", "nearer00aaaa\n")
    finally:
        shutil.rmtree(asked.root / "vendor")


def test_the_own_store_is_answered_from_anywhere(house, tmp_path):
    own = Store(tmp_path / "home/data/mem", house.store.environment)
    (own.root / "schemas").mkdir(parents=True)
    (own.root / "mem.toml").write_text("")
    own.write("mine0000aaaa", "Coffee is taken black.", folder="user")
    mine = House(own)
    try:
        mine.start()
        how, ran = same(mine, "recall", "--ids", "coffee", cwd=tmp_path)
        assert (how, ran.out) == ("answered", "mine0000aaaa\n")
        assert same(mine, "recall", "refund", cwd=house.root)[0] == "declined"
    finally:
        mine.stop()


@pytest.mark.case("P-GIT-11")
def test_a_linked_worktrees_store_is_answered_from_the_repository(house, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    house.store.environment["GIT_AUTHOR_NAME"] = house.store.environment["GIT_COMMITTER_NAME"] = "ana"
    house.store.environment["GIT_AUTHOR_EMAIL"] = house.store.environment["GIT_COMMITTER_EMAIL"] = "a@b.c"
    made = House(Store(work, house.store.environment))
    made.git("init", "-q", "-b", "main")
    made.git("commit", "-q", "--allow-empty", "-m", "begin")
    ran = made.mem("init", "--branch", "memory")
    assert ran.code == 0, ran
    tree = next(path.parent for path in tmp_path.rglob("mem.toml") if path.parent not in (house.root, work))
    linked = House(Store(tree, house.store.environment))
    try:
        assert linked.mem("remember", "Coffee is free on Fridays.", cwd=work).code == 0
        linked.start()
        how, ran = same(linked, "recall", "coffee", cwd=work)
        assert (how, ran.code) == ("answered", 0)
    finally:
        linked.stop()


def normal(text):
    """`text` with ids, commits and moments replaced by their order of appearance."""
    seen = {}
    for pattern in (ID, LONG):
        text = pattern.sub(lambda found: seen.setdefault(found[0], f"<{len(seen)}>"), text)
    return re.sub(r"-<\d+>\.md", ".md", text)


ACTS = [
    ["The office cat is called Miso."],
    ["--json", "The office cat is called Miso."],
    ["--json", "Coffee is free on Fridays.", "--tag", "food", "--concept", "coffee"],
    ["Coffee costs 2 euros now.", "--concept", "coffee", "--supersede-concept"],
    ["--json", "Coffee is 3 euros in the hall.", "--key", "k1"],
    ["--json", "Coffee is 3 euros in the hall.", "--key", "k1"],
    ["Tea is 3 euros.", "--key", "k1"],
    ["The key is AKIAIOSFODNN7EXAMPLE and ghp_abcdefghijklmnopqrstuvwxyz0123456789."],
    [""],
    ["--type", "nothing", "x"],
    ["--valid-from", "2026-01-01", "--valid-to", "2025-01-01", "Time runs backwards."],
    ["-"],
    ["--json", "--scope", "global", "Holidays are in August."],
    ["--quiet", "Lunch is at noon."],
    ["--", "-j4 is the fastest build here"],
    ["--evidence", "nothere", "Rests on nothing."],
    ["--batch", "-"],
]


def test_remembering_prints_the_same_and_keeps_the_same(tmp_path):
    told = {}
    for name in ("with", "without"):
        with housed(tmp_path / name) as house:
            if name == "with":
                house.start()
            claim = json.dumps({"text": "Invoices are numbered per country."}).encode()
            told[name] = [
                (ran.code, normal(ran.out), normal(ran.err))
                for act in ACTS
                for env in (PERSON if len(act) % 2 else AGENT,)
                for ran in [
                    house.mem("remember", *act, env=env, stdin=claim if "--batch" in act else b"From stdin.")
                ]
            ]
            files = [
                path.read_text("utf-8").split("---\n", 2)[1:] for path in house.root.glob("schemas/**/*.md")
            ]
            log = house.git("log", "--format=%an%n%ae%n%B%n--%n")
            told[name] += [normal(repr(one)) for one in sorted(files, key=lambda parts: parts[1])] + [
                normal(log)
            ]
            assert house.git("status", "--porcelain") == ""
            if name == "with":
                assert house.tally()[0] >= 12
    assert len(told["with"]) == len(told["without"])
    for one, other in zip(told["with"], told["without"], strict=True):
        assert one == other
