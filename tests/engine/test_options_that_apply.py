"""An option that an action has no use for is refused by name, and one that it has is used."""

import json

import pytest
from trial import AGENT, DAY

STAGED = "status: staged\n"


@pytest.fixture
def staged(trial):
    trial.write("stag0000aaaa", "Invoices are numbered per country.", STAGED)
    trial.commit_by_hand()
    return trial


@pytest.mark.parametrize(
    "words",
    [
        ("stage", "list", "--reason", "why"),
        ("review", "list", "--reason", "why"),
        ("review", "--reason", "why"),
        ("review", "accept", "stag0000aaaa", "--ids", "--yes"),
    ],
    ids=" ".join,
)
def test_what_does_not_apply_is_a_wrong_command_line(staged, words):
    head = staged.head()
    ran = staged.ran(*words)
    assert (ran.code, ran.out) == (2, "")
    assert ("--reason" if "--reason" in words else "--ids") in ran.err
    assert (staged.head(), staged.status("stag0000aaaa")) == (head, "staged")


@pytest.mark.parametrize(
    ("words", "op"),
    [
        (("sweep",), "sweep"),
        (("promote", "stag0000aaaa", "--yes"), "promote"),
        (("drop", "stag0000aaaa", "--yes"), "drop"),
    ],
    ids=["sweep", "promote", "drop"],
)
def test_the_reason_of_each_act_on_a_staged_memory_is_in_the_journal(staged, words, op):
    staged.did("stage", *words, "--reason", "tidied up", now=staged.moment + 30 * DAY)
    (entry,) = staged.told("log", "--op", op)["entries"]
    assert entry["reason"] == "tidied up"


def test_a_list_fills_every_field_that_a_memory_has(trial):
    trial.remember("Coffee is free on Fridays.", "--concept", "coffee", "--tag", "office", "--tag", "b")
    trial.remember("Parcels go by rail.")
    rows = trial.did("list", "--format", "{text}|{concept}|{tags}|{stage}|{score}").splitlines()
    assert sorted(rows) == [
        "Coffee is free on Fridays.|coffee|office,b|scoped|",
        "Parcels go by rail.|||scoped|",
    ]


def test_what_does_not_fit_a_prompt_with_its_frame_is_counted(trial, monkeypatch):
    from memcli.cli.render import prompt

    for day in ("Monday", "Friday", "Sunday"):
        trial.remember(f"Coffee is free on every {day}.")
    whole = trial.ran("recall", "free coffee", "--prompt")
    assert (len(whole.out.splitlines()), "did not fit" in whole.err) == (5, False)
    monkeypatch.setattr(prompt, "line_overhead", lambda: 0)
    ran = trial.ran("recall", "free coffee", "--prompt", "--budget", "75")
    shown = len(ran.out.splitlines()) - 2
    assert 0 < shown < 3
    assert f"{3 - shown} match" in ran.err
    assert "did not fit the budget with the frame" in ran.err


def test_what_a_prompt_had_no_room_for_was_not_shown_to_its_session(trial, monkeypatch):
    """With control: without the frame the session is shown all of it."""
    from memcli.cli.render import prompt

    ids = {trial.remember(f"Coffee is free on every {day}.")["id"] for day in ("Monday", "Friday", "Sunday")}
    trial.told("activate", "--task", "Mend the printer", env=AGENT)
    monkeypatch.setattr(prompt, "line_overhead", lambda: 0)
    framed = trial.did("recall", "free coffee", "--prompt", "--budget", "75", env=AGENT)
    trial.did("recall", "free coffee", env=AGENT)
    (session,) = trial.root.glob(".mem/sessions/*.json")
    first, second = json.loads(session.read_text("utf-8"))["receipts"][-2:]
    assert {id_ for id_ in ids if id_ in framed} == set(first["exposed"]) != ids
    assert set(second["exposed"]) == ids
