"""What is acknowledged can be read back: whatever words were given, no act leaves a file that is set aside."""

import json

import pytest

CLAIM = "The refund window is 30 days."
LONG = "x" * 70_000
UNFIT = {
    "evidence with a space": ("--evidence", "a b"),
    "evidence of two lines": ("--evidence", "a\nb"),
    "evidence that is blank": ("--evidence", ""),
    "evidence too long": ("--evidence", "x" * 65),
    "a blank tag": ("--tag", ""),
    "a tag of spaces": ("--tag", "billing", "--tag", " "),
    "a long tag": ("--tag", LONG),
    "a long concept": ("--concept", LONG),
    "a long key": ("--key", LONG),
}


@pytest.mark.case("P-CLI-07")
@pytest.mark.parametrize("known", [False, True], ids=["new", "said before"])
@pytest.mark.parametrize("words", UNFIT.values(), ids=UNFIT)
def test_words_that_no_file_could_hold_are_refused_before_anything_is_written(trial, words, known):
    other = trial.remember(CLAIM if known else "Parcels leave at noon.")["id"]
    head, raw = trial.head(), trial.path(other).read_bytes()
    ran = trial.ran("remember", CLAIM, *words)
    assert (ran.code, ran.out) == (2, ""), ran.err
    assert "Hint: " in ran.err
    assert trial.head() == head
    assert trial.statuses() == {other: "active"}
    assert trial.path(other).read_bytes() == raw


@pytest.mark.parametrize("verb", [("remember", "--batch"), ("import", "--yes")])
def test_a_line_that_no_file_could_hold_keeps_back_itself_alone(trial, verb):
    lines = [
        {"text": "Invoices run per country.", "evidence": ["x y"]},
        {"text": "Parcels leave at noon.", "tags": [""]},
        {"text": "Stock is counted in June.", "concept": LONG},
        {"text": CLAIM, "evidence": ["01m8pegs7kaat9wv3n4anvtke2"], "tags": ["billing"]},
    ]
    given = "".join(json.dumps(line) + "\n" for line in lines)
    ran = trial.ran(*verb, "-", stdin=given)
    assert ran.code in (4, 5), ran.err
    assert trial.told("check")["set_aside"] == 0
    assert [one["text"] for one in trial.recall("refund window 30 days")["items"]] == [CLAIM]
    assert len(trial.statuses()) == 1


def test_a_reason_that_no_file_could_hold_is_refused_with_what_is_wrong(trial):
    id_ = trial.remember(CLAIM)["id"]
    head = trial.head()
    ran = trial.ran("retract", id_, "--reason", LONG, "--yes")
    assert (ran.code, ran.out) == (4, "")
    assert "larger than 64 KiB" in ran.err
    assert (trial.head(), trial.status(id_)) == (head, "active")


def test_a_memory_with_all_the_evidence_that_a_file_holds_is_still_reinforced_and_changed(trial):
    id_ = trial.remember(CLAIM)["id"]
    path = trial.path(id_)
    many = "".join(f"  - event: 01m8pegs7kaat9wv3n4a{number:06}\n" for number in range(1_000))
    path.write_text(path.read_text().replace("evidence:\n", f"evidence:\n{many}"))
    trial.did("save")
    for _ in range(2):
        told = trial.remember(CLAIM)
        assert (told["decision"], told["id"]) == ("reinforced", id_)
    assert trial.found("refund window") == [id_]
    trial.forget(id_)
    trial.unforget(id_)
    assert trial.found("refund window") == [id_]
