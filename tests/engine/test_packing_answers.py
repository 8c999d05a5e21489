"""The working set at the command: within the budget, nothing cut, the best first, the same said once."""

import json
import random

import pytest

from memcli.memory.tokens import estimate_tokens

QUERY = "refund window of the shops"
WORDS = [
    "applies",
    "after",
    "payment",
    "with",
    "receipt",
    "in",
    "every",
    "country",
    "except",
    "where",
    "law",
    "says",
    "otherwise",
    "for",
    "buyers",
]


@pytest.fixture(scope="module")
def shelf(empty, tmp_path_factory):
    """Memories about one thing, from a line to a page."""
    made = empty.copy(tmp_path_factory.mktemp("shelf"))
    roll = random.Random(5)
    for n in range(24):
        more = " ".join(roll.choices(WORDS, k=roll.choice((0, 3, 8, 30, 90))))
        made.write(f"s{n:02d}00aaaa", f"The refund window of shop {n} is {n + 7} days {more}.")
    made.write("twin0000aaaa", "The refund window of shop 3 is 10 days!")
    made.write("twin0000bbbb", "the refund window of shop 3 is 10 days")
    made.commit_by_hand()
    return made


def asked(store, budget, k, *options):
    """The answer as an object."""
    return store.recall(QUERY, "--budget", str(budget), "-k", str(k), "--floor", "0", *options)


def test_in_two_hundred_cases_what_is_shown_fits_and_is_whole(shelf):
    texts = {
        path.stem: path.read_text().rpartition("---\n\n")[2].strip()
        for path in shelf.root.glob("schemas/**/*.md")
    }
    roll = random.Random(6)
    for _ in range(200):
        budget, k = roll.randrange(1, 700), roll.randrange(1, 30)
        answer = asked(shelf, budget, k)
        items = answer["items"]
        assert len(items) <= k
        assert answer["tokens"] <= budget
        assert sum(estimate_tokens(item["text"]) for item in items) <= answer["tokens"]
        assert all(texts[item["id"]] == item["text"] for item in items)
        assert (answer["outcome"] == "found") is bool(items)


def test_header_footer_and_provenance_of_a_bundle_are_counted(shelf):
    roll = random.Random(7)
    for _ in range(40):
        budget = roll.randrange(1, 500)
        ran = shelf.ran("recall", QUERY, "--prompt", "--budget", str(budget), "--floor", "0", "-k", "20")
        assert estimate_tokens(ran.out) <= budget
        assert (ran.code == 0) is bool(ran.out)


def test_a_smaller_one_further_down_is_taken_where_a_larger_does_not_fit(shelf):
    everything = [item["id"] for item in asked(shelf, 10**6, 50)["items"]]
    sizes = {item["id"]: estimate_tokens(item["text"]) for item in asked(shelf, 10**6, 50)["items"]}
    skipped = 0
    for budget in range(10, 200, 7):
        answer = asked(shelf, budget, 50)
        shown = [item["id"] for item in answer["items"]]
        assert shown == [id_ for id_ in everything if id_ in shown]
        left = [id_ for id_ in everything if id_ not in shown]
        assert answer["withheld"]["by"]["budget"] == len(left)
        if left and shown:
            rest = budget - answer["tokens"]
            assert all(sizes[id_] > rest for id_ in left)
            skipped += everything.index(left[0]) < everything.index(shown[-1])
    assert skipped


def test_a_larger_budget_never_drops_the_best(shelf):
    best = asked(shelf, 10**6, 1)["items"][0]["id"]
    seen = False
    for budget in range(1, 400, 9):
        shown = [item["id"] for item in asked(shelf, budget, 8)["items"]]
        seen = seen or best in shown
        assert not seen or shown[0] == best
    assert seen


def test_what_says_the_same_is_shown_once_and_what_differs_in_a_number_is_not_the_same(shelf):
    shown = [item["text"].lower().rstrip(".!") for item in asked(shelf, 10**6, 50)["items"]]
    assert len(shown) == len(set(shown)) == 24
    assert sum("shop 3 is 10 days" in text for text in shown) == 1


def test_k_and_budget_of_the_settings_hold_where_none_is_given(shelf, tmp_path):
    store = shelf.copy(tmp_path)
    (store.root / "mem.toml").write_text("[recall]\nk = 3\nbudget_tokens = 60\nfloor = 0.1\n")
    answer = store.recall(QUERY)
    assert 0 < len(answer["items"]) <= 3
    assert answer["tokens"] <= 60
    assert answer["withheld"]["threshold"] == 0.1
    assert len(store.recall(QUERY, "-k", "9", "--budget", "4000")["items"]) == 9


@pytest.mark.parametrize(
    "words",
    [
        ("-k", "0"),
        ("-k", "-1"),
        ("--budget", "0"),
        ("--budget", "x"),
        ("-k", "1.5"),
        ("--floor", "2"),
        ("--floor", "-0.1"),
        ("--floor", "nan"),
    ],
)
def test_a_limit_that_is_none_is_a_wrong_command_line(shelf, words):
    ran = shelf.ran("recall", QUERY, *words)
    assert (ran.code, ran.out) == (2, "")
    assert json.loads(shelf.ran("recall", QUERY, "--json", *words).err)["code"] == 2
