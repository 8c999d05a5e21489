"""Retract: the claim is gone from answers, its neighbours are doubted, no file but its own changes. (A5)"""

import json
import random
from dataclasses import replace

import pytest
from recorded import asked_both_ways
from trial import AGENT

from memcli.engine import reconcile
from memcli.engine import writer as writing
from memcli.store import atomic, intent

WRONG = "The refund window is 30 days for online orders."
RIGHT = "The refund window is 60 days for online orders."
PARCELS = "Support tells customers that they have 30 days to send a parcel back."
LABELS = "Return labels expire after 30 days."
KITCHEN = "The office kitchen closes at six."
TAGGED = "tags: [billing]\n"


def links(*to, weight=0.7):
    return "links:\n" + "".join(f"  - to: {one}\n    weight: {weight}\n" for one in to)


@pytest.fixture
def shop(trial):
    """A wrong claim, two that lean on it and on each other, and one that has nothing to do with it."""
    trial.write("wrong000", WRONG, f"concept: refund window\n{TAGGED}{links('parcels0', 'labels00')}")
    trial.write("parcels0", PARCELS, TAGGED + links("labels00"))
    trial.write("labels00", LABELS, TAGGED)
    trial.write("kitchen0", KITCHEN, TAGGED)
    trial.did("save")
    return trial


def retract(store, id_, *options, code=0, reason="misread the contract", **how):
    why = ("--reason", reason) if reason else ()
    return store.told("retract", id_, *why, "--yes", *options, code=code, **how)


def unretract(store, id_, **how):
    return store.told("unretract", id_, "--yes", **how)


def files(store):
    return {path.name: path.read_bytes() for path in store.root.glob("schemas/**/*.md")}


def confidence(store, query, *options):
    """Id → confidence of what is found."""
    return {one["id"]: one["confidence"] for one in store.recall(query, "--floor", "0", *options)["items"]}


def waiting(store, *options, **how):
    return {one["id"]: one["why"] for one in store.told("review", "list", *options, **how)["items"]}


def penalties(done):
    return {one["id"]: one["penalty"] for one in done["affected"]}


def test_what_is_retracted_answers_no_question_and_its_neighbours_are_doubted(shop):
    before = confidence(shop, "how long do refunds and return labels take")
    done = retract(shop, "wrong000")
    assert penalties(done) == {"parcels0": 0.105, "labels00": 0.105}
    assert (done["prior_status"], done["status"], done["cohesion"]) == ("active", "retracted", 1.0)
    found = confidence(shop, "how long do refunds and return labels take")
    assert "wrong000" in before
    assert "wrong000" not in found
    assert (found["parcels0"], found["labels00"]) == (0.695, 0.695)
    assert before["parcels0"] == before["labels00"] == confidence(shop, "kitchen")["kitchen0"] == 0.8
    assert "wrong000" in shop.found("refund window", "--mode", "history")


def test_no_file_but_its_own_changes_and_one_commit_holds_it(shop):
    before, commits = files(shop), shop.commits()
    retract(shop, "wrong000")
    after = files(shop)
    assert {name for name in before if before[name] != after[name]} == {"wrong000.md"}
    assert before.keys() == after.keys()
    assert shop.commits() == commits + 1
    assert shop.touched() == ["schemas/project/t/wrong000.md"]


def test_a_doubted_memory_stands_behind_one_that_fits_less(shop):
    query = "when do return labels expire and the kitchen close"
    before = shop.found(query, "--floor", "0")
    retract(shop, "wrong000")
    after = shop.found(query, "--floor", "0")
    assert before.index("labels00") < before.index("kitchen0")
    assert after.index("labels00") > after.index("kitchen0")


def test_a_dry_run_says_the_same_and_changes_nothing(shop):
    before, head, answer = files(shop), shop.head(), shop.found("refund window")
    planned = shop.told("retract", "wrong000", "--dry-run")
    assert (files(shop), shop.head(), shop.found("refund window")) == (before, head, answer)
    assert planned["commit"] is None
    done = retract(shop, "wrong000")
    assert {**done, "commit": None, "remains": []} == planned


def test_it_is_a_persons_act_and_anybody_may_ask_what_it_would_do(shop):
    before, head = files(shop), shop.head()
    for how in ({"env": AGENT}, {"env": {"CLAUDECODE": "1"}}):
        for argv in (("retract", "wrong000", "--reason", "x", "--yes"), ("unretract", "wrong000", "--yes")):
            ran = shop.ran(*argv, **how)
            assert (ran.code, "person's act" in ran.err) == (5, True)
    assert shop.ran("retract", "wrong000", "--reason", "x").code == 5  # nobody can be asked
    assert (files(shop), shop.head()) == (before, head)
    assert penalties(shop.told("retract", "wrong000", "--dry-run", env=AGENT))


def test_a_retraction_needs_its_reason_and_the_memory_to_exist(shop):
    head = shop.head()
    assert shop.ran("retract", "wrong000", "--yes").code == 2
    assert shop.ran("retract", "nothere0", "--reason", "x", "--yes").code == 3
    assert shop.ran("unretract", "nothere0", "--yes").code == 3
    assert shop.head() == head


def test_once_more_is_no_commit_and_neither_is_taking_back_what_is_not_retracted(shop):
    retract(shop, "wrong000")
    head = shop.head()
    assert retract(shop, "wrong000")["commit"] is None
    assert unretract(shop, "kitchen0")["commit"] is None
    assert shop.head() == head


def test_what_is_forgotten_is_not_retracted(shop):
    shop.forget("wrong000")
    assert shop.ran("retract", "wrong000", "--reason", "x", "--yes").code == 5
    assert shop.ran("unretract", "wrong000", "--yes").code == 5
    assert retract(shop, "kitchen0")["commit"]


STATES = {
    "unstated": "",
    "active": "status: active\n",
    "quoted": 'status: "active"  # believed\n',
    "superseded": "status: superseded\nvalidity:\n  to: 2026-01-01\nsuperseded_by: kitchen0\n",
    "stale": "status: stale\nstale_reason: outdated\n",
    "staged": "status: staged\n",
    "needs_review": "status: needs_review\nreview:\n  reason: proposal\n",
    "archived": "status: archived\narchive_reason: low_salience\n",
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_taken_back_it_is_what_it_was_to_the_byte(shop, state, ending):
    head = f"type: fact\n{STATES[state]}tags:   [billing]  # as ana writes them\nmine: [1,2]\n"
    path = shop.write("other000", "Parcels are weighed twice.", head)
    path.write_bytes(path.read_bytes().replace(b"\n", ending.encode()))
    shop.did("save", "--yes")
    status, before = shop.status("other000"), files(shop)
    assert retract(shop, "other000")["prior_status"] == status
    assert shop.status("other000") == "retracted"
    assert unretract(shop, "other000")["status"] == status
    assert (files(shop), shop.status("other000")) == (before, status)


def test_taken_back_an_edit_made_meanwhile_stays(shop):
    before = files(shop)
    retract(shop, "wrong000")
    path = shop.path("wrong000")
    path.write_text(path.read_text() + "\nGift cards are excluded.\n")
    shop.did("save")
    unretract(shop, "wrong000")
    assert path.read_bytes() == before["wrong000.md"] + b"\nGift cards are excluded.\n"
    assert confidence(shop, "return labels")["labels00"] == 0.8


def test_taken_back_after_it_was_forgotten_in_between_it_is_what_it_was(shop):
    before = files(shop)
    retract(shop, "wrong000")
    shop.forget("wrong000")
    assert confidence(shop, "return labels")["labels00"] == 0.8  # who is forgotten casts no doubt
    shop.unforget("wrong000")
    assert shop.status("wrong000") == "retracted"
    unretract(shop, "wrong000")
    assert files(shop) == before


def test_undo_takes_back_retraction_and_correction(shop):
    before = files(shop)
    retract(shop, "wrong000", "--correction", RIGHT)
    assert shop.ran("undo", env=AGENT).code != 0
    shop.did("undo", "--yes")
    assert files(shop) == before
    shop.did("retract", "wrong000", "--reason", "x", "--yes")
    shop.did("unretract", "wrong000", "--yes")
    shop.did("undo", "--yes")
    assert shop.status("wrong000") == "retracted"


def test_the_correction_answers_the_question_that_the_wrong_claim_answered(shop):
    (before,) = shop.found("refund window for online orders", "-k", "1")
    done = retract(shop, "wrong000", "--correction", RIGHT)
    for _ in range(2):
        found = shop.recall("refund window for online orders", "-k", "1")["items"]
        assert (before, [one["id"] for one in found]) == ("wrong000", [done["correction"]])
        assert found[0]["text"] == RIGHT
        shop.forgets_the_index()
    assert penalties(done) == {"parcels0": 0.105, "labels00": 0.105}
    text = shop.path(done["correction"]).read_text()
    assert "overrides: [wrong000]" in text
    assert "concept: refund window" in text
    assert text.count("weight: 0.49") == done["links_passed_on"] == 2
    assert sorted(change["id"] for change in shop.told("log", "-n", "1")["entries"][0]["changes"]) == sorted(
        ["wrong000", done["correction"]]
    )


@pytest.mark.parametrize("removed", [False, True])
def test_a_correction_is_said_to_go_on_counting_only_where_it_does(shop, removed):
    done = retract(shop, "wrong000", "--correction", RIGHT)
    if removed:
        shop.forget(done["correction"])
    ran = shop.ran("unretract", "wrong000", "--yes")
    assert ran.code == 0
    assert ("goes on counting" in ran.err) is not removed


def test_a_correction_inherits_the_window_and_no_link_that_is_weak_or_its_own(shop):
    shop.write(
        "windowed",
        "In spring the shop opens at nine.",
        "validity:\n  from: 2026-03-01\n  to: 2027-03-01\nlinks:\n"
        "  - {to: windowed, weight: 1}\n  - {to: kitchen0, weight: 0.39}\n  - {to: labels00, weight: 0.4}\n",
    )
    shop.did("save")
    done = retract(shop, "windowed", "--correction", "In spring the shop opens at ten.")
    text = shop.path(done["correction"]).read_text()
    assert 'from: "2026-03-01"\n  to: "2027-03-01"' in text
    assert "to: labels00" in text
    assert "kitchen0" not in text
    assert text.count("windowed") == 1  # what it may say again


def test_a_correction_that_says_the_same_or_what_was_forgotten_is_refused_whole(shop):
    forgotten = shop.remember("Refunds are paid in vouchers only.")["id"]
    shop.forget(forgotten)
    before, head = files(shop), shop.head()
    for correction in (WRONG, WRONG.upper(), "Refunds are paid in vouchers only.", " "):
        code = shop.ran("retract", "wrong000", "--reason", "x", "--yes", "--correction", correction).code
        assert code == (2 if correction == " " else 5)
    assert (files(shop), shop.head()) == (before, head)
    assert shop.status("wrong000") == "active"
    assert retract(shop, "wrong000", "--correction", RIGHT)["correction"]


def test_a_correction_that_is_believed_already_is_that_memory_and_it_is_not_doubted(shop):
    shop.write("sixty000", RIGHT, TAGGED + links("wrong000"))
    shop.did("save")
    done = retract(shop, "wrong000", "--correction", RIGHT)
    assert done["correction"] == "sixty000"
    assert "sixty000" not in penalties(done)
    assert confidence(shop, RIGHT)["sixty000"] == 0.8
    assert len(shop.statuses()) == 5


def test_who_says_it_again_is_skipped_and_with_newer_evidence_a_person_decides(shop):
    retract(shop, "wrong000")
    old = shop.remember(WRONG, "--occurred-at", "2026-01-01", code=5, env=AGENT)
    assert (old["decision"], old["id"]) == ("skipped", "wrong000")
    new = shop.remember(WRONG, "--occurred-at", "2027-06-01", env=AGENT)
    assert new["decision"] == "review"
    assert waiting(shop)[new["id"]] == "newer_evidence"
    assert new["id"] not in shop.found("refund window", "--mode", "wide")
    other = shop.remember("The refund window is 14 days for gift cards.", env=AGENT)
    assert other["decision"] == "created"
    shop.did("review", "accept", new["id"], "--yes")
    for _ in range(2):
        assert new["id"] in shop.found("refund window")
        assert "wrong000" not in shop.found("refund window")
        shop.forgets_the_index()


def test_what_was_taken_out_by_hand_casts_no_doubt(shop):
    path = shop.path("wrong000")
    path.write_text(path.read_text().replace("---\nid", "---\nstatus: retracted\nid", 1))
    shop.did("save", "--yes")
    assert shop.status("wrong000") == "retracted"
    assert confidence(shop, "return labels")["labels00"] == 0.8
    assert unretract(shop, "wrong000")["status"] == "active"


def test_a_status_that_comes_back_by_hand_counts_once_a_person_confirms_it(shop):
    retract(shop, "wrong000")
    path = shop.path("wrong000")
    path.write_text(path.read_text().replace("status: retracted\n", ""))
    assert "wrong000" not in shop.found("refund window")
    assert shop.ran("save", env=AGENT).code != 0
    shop.did("save", "--yes")
    assert "wrong000" in shop.found("refund window")
    assert confidence(shop, "return labels")["labels00"] == 0.8  # its block counts no more


def test_an_event_that_both_rest_on_ties_two_memories(trial):
    for id_, text, event in (("one00000", "Tea is free.", "01aaa"), ("two00000", "Milk is free.", "01aaa")):
        trial.write(id_, text, f"evidence:\n  - event: {event}\n")
    trial.write("three000", "Soup costs 3 euros.", "evidence:\n  - event: 01bbb\n")
    trial.did("save")
    assert penalties(retract(trial, "one00000")) == {"two00000": 0.05}


def test_what_was_shown_together_is_tied_by_use(shop):
    shop.did("activate", "--task", "Answer a customer", "--goal", "the right number of days")
    answer = shop.recall("kitchen closing time and refund window", "--floor", "0")
    shown = {one["id"] for one in answer["items"]}
    assert {"kitchen0", "wrong000"} <= shown
    used = [word for id_ in shown for word in ("--used", id_)]
    shop.did("feedback", answer["receipt"], *used)
    shop.did("consolidate")
    assert "kitchen0" in penalties(retract(shop, "wrong000"))


def test_a_hub_of_361_affects_exactly_20(trial):
    ids = [f"leaf{at:04}" for at in range(361)]
    for at, id_ in enumerate(ids):
        trial.write(id_, f"Shelf {at} holds {at + 3} boxes.", links("hub00000", weight=0.5))
    trial.write("hub00000", "Every shelf is made of oak.")
    trial.did("save")
    done = retract(trial, "hub00000")
    assert [one["id"] for one in done["affected"]] == ids[:20]
    found = confidence(trial, "shelf boxes", "-k", "400", "--budget", "99999")
    assert sum(left < 0.8 for left in found.values()) == 20


def test_a_prompt_says_of_a_doubted_memory_that_it_is_in_doubt_and_of_another_nothing(shop):
    retract(shop, "wrong000")
    lines = shop.did("recall", "return labels and the kitchen", "--floor", "0", "--prompt").splitlines()
    (labels,) = (line for line in lines if LABELS in line)
    (kitchen,) = (line for line in lines if KITCHEN in line)
    assert ("in doubt" in labels, "in doubt" in kitchen) == (True, False)


def test_show_says_what_was_lost_and_by_whom(shop):
    retract(shop, "wrong000")
    assert shop.told("show", "labels00")["confidence"] == 0.695
    assert shop.told("show", "kitchen0")["confidence"] == 0.8
    assert shop.told("show", "wrong000")["retraction"] == {
        "reason": "misread the contract",
        "correction": None,
    }
    why = shop.told("show", "labels00", "--why")["why"]
    assert why["confidence"] == {"stated": 0.8, "left": 0.695, "less": [{"by": "wrong000", "penalty": 0.105}]}
    assert (why["labile"], shop.told("show", "kitchen0", "--why")["why"]["labile"]) == (True, False)


def test_what_lost_much_waits_for_a_person_and_what_lost_little_does_not(shop):
    shop.write("little00", "Envelopes are grey.", links("wrong000", weight=0.1))
    shop.did("save")
    done = retract(shop, "wrong000")
    assert {one["id"]: one["review"] for one in done["affected"]} == {
        "parcels0": True, "labels00": True, "little00": False
    }  # fmt: skip
    assert waiting(shop) == {"parcels0": "contaminated", "labels00": "contaminated"}
    unretract(shop, "wrong000")
    assert shop.ran("review", "list").code == 1


def test_found_to_stand_it_loses_nothing_any_more_and_its_file_is_as_it_was(shop):
    before = files(shop)
    retract(shop, "wrong000")
    shop.did("review", "accept", "labels00", "--yes", "--reason", "checked with the carrier")
    assert waiting(shop) == {"parcels0": "contaminated"}
    found = confidence(shop, "return labels and parcels")
    assert (found["labels00"], found["parcels0"]) == (0.8, 0.695)
    now = files(shop)
    assert {name for name in before if before[name] != now[name]} == {"wrong000.md"}
    entry = shop.told("log", "-n", "1")["entries"][0]
    assert (entry["op"], entry["changes"][0]["id"]) == ("accept", "labels00")
    shop.did("undo", "--yes")
    assert waiting(shop).keys() == {"parcels0", "labels00"}
    shop.did("review", "accept", "labels00", "--yes")
    unretract(shop, "wrong000")
    assert files(shop) == before


def test_a_doubted_memory_that_is_rejected_or_forgotten_waits_no_longer(shop):
    retract(shop, "wrong000")
    shop.did("review", "reject", "labels00", "--yes")
    assert shop.status("labels00") == "archived"
    shop.forget("parcels0")
    assert shop.ran("review", "list").code == 1


def test_two_retractions_take_more_than_one_and_one_taken_back_leaves_the_other(shop):
    shop.write("second00", "Parcels travel for nine days.", TAGGED + links("parcels0"))
    shop.did("save")
    one = penalties(retract(shop, "wrong000"))["parcels0"]
    both = retract(shop, "second00")
    (row,) = [row for row in both["affected"] if row["id"] == "parcels0"]
    assert row["confidence"]["before"] == pytest.approx(0.8 - one)
    left = confidence(shop, "parcel")["parcels0"]
    assert left == row["confidence"]["after"] == pytest.approx(0.8 - one - row["penalty"])
    unretract(shop, "wrong000")
    assert confidence(shop, "parcel")["parcels0"] == pytest.approx(0.8 - row["penalty"])


def test_another_scope_is_affected_and_never_named(shop):
    shop.write("foreign0", "The other shop copies our terms.", links("wrong000"), folder="project/other")
    shop.write("globally", "Terms are printed on receipts.", links("wrong000"), folder="global")
    shop.did("save")
    ran = shop.ran("retract", "wrong000", "--reason", "x", "--yes", "--json")
    assert ("foreign0" in ran.out + ran.err, "other shop" in ran.out) == (False, False)
    assert {"globally", "parcels0"} <= {one["id"] for one in json.loads(ran.out)["affected"]}
    for argv in (("show", "wrong000", "--json"), ("recall", "terms", "--json"), ("review", "list", "--json")):
        assert "foreign0" not in shop.ran(*argv).out
    assert "foreign0" not in shop.path("wrong000").read_text()
    there = ("--scope", "project:other")
    why = shop.told("show", "foreign0", "--why", *there, env=AGENT)["why"]["confidence"]
    assert (why["left"] < why["stated"], why["less"]) == (True, [])
    (item,) = shop.recall("copies our terms", *there, "-k", "1")["items"]
    assert (item["id"], item["confidence"]) == ("foreign0", why["left"])


def test_the_files_alone_give_the_same_answer_as_the_index(shop, monkeypatch):
    retract(shop, "wrong000")
    asked = ("how long do refunds, parcels and return labels take", "--floor", "0", "--as-of", "2027-01-01")
    by_index, queue = shop.recall(*asked), waiting(shop)
    planned = shop.told("retract", "parcels0", "--dry-run")
    assert planned["affected"][0]["confidence"]["before"] == 0.695
    fresh = reconcile.freshen
    with monkeypatch.context() as patch:
        patch.setattr(reconcile, "freshen", lambda opened: replace(fresh(opened), index=None))
        assert shop.recall(*asked) == by_index
        assert waiting(shop) == queue
        assert shop.told("retract", "parcels0", "--dry-run") == planned
    shop.forgets_the_index()
    assert shop.recall(*asked) == by_index


def test_what_was_known_before_is_not_doubted_and_what_was_known_after_is(shop):
    before = shop.head()
    retract(shop, "wrong000")
    after = shop.head()
    unretract(shop, "wrong000")
    asked = "how long do return labels and refunds take"
    assert "wrong000" in confidence(shop, asked, "--known-at", before)
    assert confidence(shop, asked, "--known-at", before)["labels00"] == 0.8
    assert "wrong000" not in confidence(shop, asked, "--known-at", after)
    assert confidence(shop, asked, "--known-at", after)["labels00"] == 0.695
    assert confidence(shop, asked)["labels00"] == 0.8
    for commit in (before, after):
        by_index, by_tree = asked_both_ways(shop, asked, commit, floor=0.0)
        assert by_index == by_tree
        assert {"labels00", "parcels0"} <= {item["id"] for item in by_index["items"]}


class Killed(BaseException):
    """What a kill looks like from inside: nothing after it runs."""


def _killed(*_arguments, **_named):
    raise Killed


POINTS = {
    "before the first file": (atomic, "replace"),
    "between the files": (atomic, "create"),
    "before the commit": (writing.commits, "commit"),
    "after the commit": (intent, "end"),
}


@pytest.mark.parametrize("point", POINTS)
def test_killed_in_the_middle_it_is_whole_or_absent(shop, monkeypatch, point):
    before, head = files(shop), shop.head()
    with monkeypatch.context() as patch:
        patch.setattr(writing, "recover", lambda _opened: None)
        patch.setattr(*POINTS[point], _killed)
        with pytest.raises(Killed):
            shop.ran("retract", "wrong000", "--reason", "x", "--yes", "--correction", RIGHT)
    landed = point == "after the commit"
    assert (shop.head() == head) is not landed
    texts = [one["text"] for one in shop.recall("refund window")["items"]]
    assert ((RIGHT if landed else WRONG) in texts, (WRONG if landed else RIGHT) in texts) == (True, False)
    shop.remember("Milk is in the fridge.")
    if not landed:
        assert {name: raw for name, raw in files(shop).items() if name in before} == before
    assert shop.git("status", "--porcelain") == ""
    assert shop.ran("check").code == 0


@pytest.mark.parametrize("seed", range(4))
def test_whatever_hangs_together_the_order_of_files_decides_nothing_and_taking_back_is_exact(
    empty, tmp_path, seed
):
    dice = random.Random(seed)
    ids = [f"memo{at:04}" for at in range(14)]
    heads = {id_: _head(dice, ids) for id_ in ids}
    told = []
    for turn in range(2):
        store = empty.copy(tmp_path / str(turn))
        order = ids if turn == 0 else ids[::-1]
        for place, id_ in enumerate(order):
            folder = f"project/t/{place % 3}" if turn else "project/t"
            store.write(id_, f"Fact {ids.index(id_)} stands by itself.", heads[id_], folder=folder)
            store.did("save") if turn and place % 5 == 0 else None
        store.did("save")
        before = files(store)
        done = retract(store, ids[0])
        assert {name: raw for name, raw in files(store).items() if name != f"{ids[0]}.md"} == {
            name: raw for name, raw in before.items() if name != f"{ids[0]}.md"
        }
        told.append((done["affected"], done["cohesion"], confidence(store, "fact stands", "-k", "99")))
        unretract(store, ids[0])
        assert files(store) == before
    assert told[0] == told[1]


def _head(dice, ids):
    tags = dice.sample(["a", "b", "c"], dice.randrange(3))
    ties = [(one, round(dice.random(), 2)) for one in dice.sample(ids, dice.randrange(4))]
    lines = "".join(f"  - to: {one}\n    weight: {weight}\n" for one, weight in ties)
    return f"tags: [{', '.join(tags)}]\n" + (f"links:\n{lines}" if ties else "")


def test_in_a_pipe_the_memory_comes_first_and_each_neighbour_has_a_line(shop):
    rows = [line.split("\t") for line in shop.did("retract", "wrong000", "--dry-run").splitlines()]
    assert rows == [
        ["wrong000", "retract", "active", "retracted"],
        ["labels00", "affected", "0.8000", "0.6950"],
        ["parcels0", "affected", "0.8000", "0.6950"],
    ]


def test_a_dry_run_judges_the_correction_as_it_will_be_judged(shop):
    shop.write("sixty000", RIGHT, TAGGED + links("wrong000"))
    shop.did("save")
    forgotten = shop.remember("Refunds are paid in vouchers only.")["id"]
    shop.forget(forgotten)
    again = ("retract", "wrong000", "--correction", "Refunds are paid in vouchers only.", "--reason", "x")
    assert [shop.ran(*again, *flags).code for flags in (("--dry-run",), ("--yes",))] == [5, 5]
    planned = shop.told("retract", "wrong000", "--dry-run", "--correction", RIGHT)
    done = retract(shop, "wrong000", "--correction", RIGHT)
    assert {**done, "commit": None, "correction": None, "remains": []} == {**planned, "correction": None}


def test_a_correction_of_what_is_retracted_already_is_not_lost_in_silence(shop):
    retract(shop, "wrong000")
    for flags in (("--dry-run",), ("--yes",)):
        ran = shop.ran("retract", "wrong000", "--reason", "x", "--correction", RIGHT, *flags)
        assert (ran.code, "mem remember" in ran.err) == (5, True)
    assert RIGHT not in shop.did("list")


def test_the_text_of_a_correction_and_of_a_successor_comes_through_stdin_too(shop):
    new = retract(shop, "wrong000", "--correction", "-", stdin=RIGHT.encode())["correction"]
    assert RIGHT in shop.did("show", new)
    told = shop.told("supersede", new, "--with", "-", stdin=b"The refund window is 90 days.\n")
    assert "90 days" in shop.did("show", told["new"])
    assert shop.ran("supersede", told["new"], "--with", "-", stdin=b" ").code == 2
