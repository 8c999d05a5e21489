"""What becomes of a claim that is said again, by the reason for which the earlier one does not count."""

import pytest
from trial import AGENT, DAY, PERSON

CLAIM = "The refund window is 30 days."
SAID = "the refund window is 30 days"
BESIDE = "Deploys to production happen on Tuesdays only."
ID = "first000aaaa"


@pytest.fixture
def beside(trial):
    """A store with one other memory."""
    trial.write("beside00aaaa", BESIDE)
    return trial


def wrote(store, head):
    """The claim with this frontmatter, committed by hand."""
    store.write(ID, CLAIM, head)
    store.commit_by_hand()
    return store


def said_by(store, who, *options, code=0):
    """What is decided about the claim said again, and the statuses of what then says it."""
    told = store.remember(SAID, *options, code=code, env=who)
    found = store.statuses()
    assert found.pop("beside00aaaa") == "active"
    return told["decision"], found


@pytest.mark.parametrize(
    ("head", "who", "decision", "statuses"),
    [
        ("status: forgotten\n", AGENT, "skipped", {ID: "forgotten"}),
        ("status: retracted\n", AGENT, "skipped", {ID: "retracted"}),
        ("status: archived\narchive_reason: rejected\n", AGENT, "skipped", {ID: "archived"}),
        ("status: archived\narchive_reason: rejected\n", PERSON, "skipped", {ID: "archived"}),
        ("status: archived\narchive_reason: low_salience\n", AGENT, "reinforced", {ID: "active"}),
        ("status: archived\narchive_reason: never_resonated\n", PERSON, "reinforced", {ID: "active"}),
        ("status: archived\narchive_reason: duplicate\n", AGENT, "reinforced", {ID: "active"}),
        ("status: staged\n", AGENT, "reinforced", {ID: "active"}),
        ("status: needs_review\nreview:\n  reason: proposal\n", AGENT, "reinforced", {ID: "needs_review"}),
        ("status: superseded\nvalidity:\n  to: 2026-01-01\n", AGENT, "skipped", {ID: "superseded"}),
        ("status: stale\nstale_reason: contradicted\n", AGENT, "skipped", {ID: "stale"}),
        ("validity:\n  from: 2027-06-01\n", AGENT, "reinforced", {ID: "active"}),
        ("", AGENT, "reinforced", {ID: "active"}),
    ],
)
def test_said_again_it_is(beside, head, who, decision, statuses):
    code = 5 if decision == "skipped" else 0
    assert said_by(wrote(beside, head), who, code=code) == (decision, statuses)
    if code:
        (line,) = beside.skips()
        assert line["of"] == ID
        assert beside.found("refund window", "--floor", "0.6") == []
    if decision == "reinforced":
        assert len(beside.told("show", ID)["evidence"]) == 1
        assert "archive_reason" not in beside.path(ID).read_text()
    if statuses[ID] == "active" and "2027" not in head:
        assert beside.found("refund window")[0] == ID
    beside.forgets_the_index()
    assert beside.statuses()[ID] == statuses[ID]


def test_a_duplicate_said_again_reinforces_what_it_repeats(beside):
    beside.write("canon000aaaa", "You can return things for a refund during a month.")
    wrote(
        beside,
        "status: archived\narchive_reason: duplicate\nlinks:\n  - to: canon000aaaa\n    rel: duplicate_of\n",
    )
    told = beside.remember(SAID, env=AGENT)
    assert (told["decision"], told["id"]) == ("reinforced", "canon000aaaa")
    assert len(beside.told("show", "canon000aaaa")["evidence"]) == 1
    assert beside.status(ID) == "archived"


def test_what_was_superseded_said_again_by_an_agent_with_newer_evidence_waits_for_review(beside):
    old = beside.remember(CLAIM)["id"]
    new = beside.told("supersede", old, "--with", "The refund window is 14 days.")["new"]
    told = beside.remember(SAID, env=AGENT)
    assert (told["decision"], beside.status(told["id"])) == ("review", "needs_review")
    assert "newer_evidence" in beside.path(told["id"]).read_text()
    assert told["id"] not in beside.found("refund window", "--floor", "0")
    assert told["id"] in beside.found("refund window", "--mode", "wide")
    assert beside.found("refund window")[0] == new


def test_what_was_superseded_said_again_with_older_evidence_is_skipped(beside):
    old = beside.remember(CLAIM)["id"]
    beside.told("supersede", old, "--with", "The refund window is 14 days.")
    assert beside.remember(SAID, "--occurred-at", "2026-01-01", code=5, env=AGENT)["decision"] == "skipped"


def test_thirty_fourteen_thirty_passes_when_each_is_said_to_replace_the_other(beside):
    first = beside.remember(CLAIM, "--concept", "refund window")["id"]
    second = beside.told("supersede", first, "--with", "The refund window is 14 days.")["new"]
    third = beside.told("supersede", second, "--with", CLAIM)["new"]
    assert beside.found("refund window")[0] == third
    fourth = beside.remember(
        "The refund window is 14 days.", "--concept", "refund window", "--supersede-concept"
    )
    assert (fourth["decision"], fourth["superseded"]) == ("superseded", [third])
    fifth = beside.remember(CLAIM, "--concept", "refund window", "--supersede-concept")
    assert beside.found("refund window")[0] == fifth["id"]
    for _ in range(2):
        found = beside.statuses()
        assert [found[one] for one in (first, second, third, fourth["id"], fifth["id"])] == [
            "superseded"
        ] * 4 + ["active"]
        assert beside.found("refund window")[0] == fifth["id"]
        beside.forgets_the_index()


def test_a_supersession_does_not_bring_back_what_was_forgotten(beside):
    lost = beside.remember("The refund window is 60 days.", "--concept", "refund window")["id"]
    beside.forget(lost)
    live = beside.remember(CLAIM, "--concept", "refund window")["id"]
    head = beside.head()
    ran = beside.ran("supersede", live, "--with", "The refund window is sixty days.")
    assert ran.code == 5
    assert lost in ran.err
    told = beside.remember(
        "the refund window is 60 days", "--concept", "refund window", "--supersede-concept", code=5
    )
    assert told["decision"] == "skipped"
    assert (beside.head(), beside.status(live)) == (head, "active")


@pytest.mark.parametrize(
    ("occurred", "decision"), [("2026-06-30", "skipped"), ("2026-07-01", "created"), (None, "created")]
)
def test_what_ended_comes_again_only_with_evidence_from_after_its_end(beside, occurred, decision):
    wrote(beside, "validity:\n  from: 2026-01-01\n  to: 2026-07-01\n")
    told = beside.remember(
        SAID,
        *(["--occurred-at", occurred] if occurred else []),
        code=5 if decision == "skipped" else 0,
        env=AGENT,
    )
    assert told["decision"] == decision


def test_a_window_of_its_own_is_another_fact(beside):
    wrote(beside, "validity:\n  from: 2026-01-01\n  to: 2026-07-01\n")
    told = beside.remember(SAID, "--valid-from", "2027-01-01", "--occurred-at", "2026-02-01", env=AGENT)
    assert told["decision"] == "created"


def test_what_resembles_is_held_for_review_and_never_lost(beside):
    lost = beside.remember("The staging database is wiped every Sunday night.")["id"]
    beside.forget(lost)
    told = beside.remember("On Sunday nights somebody wipes the staging database clean.", env=AGENT)
    assert told["decision"] in ("review", "skipped")
    if told["decision"] == "review":
        assert beside.status(told["id"]) == "needs_review"
        assert lost in beside.path(told["id"]).read_text()
        assert told["id"] not in beside.found("staging database wiped", "--floor", "0")
        assert told["id"] in beside.found("staging database wiped", "--mode", "wide", "--floor", "0")


def test_an_override_names_the_removed_one_though_a_copy_was_withheld_for_it(beside):
    lost = beside.remember(CLAIM)["id"]
    beside.forget(lost)
    beside.write("0000copyaaaa", SAID)
    beside.commit_by_hand()
    assert "0000copyaaaa" not in beside.found("refund window")
    told = beside.remember(CLAIM, code=5)
    assert told["id"] == lost
    beside.write("again000aaaa", CLAIM, f"overrides: [{lost}]\n")
    beside.did("save", "--yes", str(beside.path("again000aaaa").relative_to(beside.root)))
    for _ in range(2):
        assert beside.found("refund window")[0] == "again000aaaa"
        assert "0000copyaaaa" not in beside.found("refund window", "--floor", "0")
        beside.forgets_the_index()


SCOPES = ("project:t", "project:other", "user", "global")


@pytest.mark.parametrize("where", SCOPES)
@pytest.mark.parametrize("said", SCOPES)
def test_what_is_forgotten_in_one_scope_binds_where_it_is_seen(beside, where, said):
    lost = beside.remember(CLAIM, "--scope", where)["id"]
    beside.forget(lost)
    sees = said == where or where in ("user", "global")
    ran = beside.ran("remember", "--json", "--scope", said, SAID, env=AGENT)
    assert ran.code == (5 if sees else 0)
    if sees:
        return
    assert lost not in ran.out + ran.err
    if said == "user":
        beside.forgets_the_index()
    for scope in SCOPES:
        reaches = scope == said or said in ("user", "global")
        hidden = scope == where and said in ("user", "global")
        found = beside.found("refund window", "--scope", scope, "--floor", "0.6")
        assert bool(found) is (reaches and not hidden), scope


def test_a_file_by_hand_in_a_wider_scope_is_saved_without_a_word_of_the_narrower_one(beside):
    lost = beside.remember(CLAIM)["id"]
    beside.forget(lost)
    beside.write("copy0000aaaa", SAID, folder="user")
    ran = beside.ran("save", env=AGENT)
    assert (ran.code, lost in ran.out + ran.err) == (0, False)
    for _ in range(2):
        assert "copy0000aaaa" not in beside.found("refund window", "--floor", "0")
        assert "copy0000aaaa" in beside.found("refund window", "--scope", "project:other")
        beside.forgets_the_index()
    assert lost not in beside.path("copy0000aaaa").read_text()


def test_moving_a_copy_into_the_scope_where_it_was_forgotten_is_refused(beside):
    copy = beside.remember(CLAIM, "--scope", "project:other")["id"]
    lost = beside.remember(CLAIM)["id"]
    other = beside.remember("Tea is free on Mondays.", "--scope", "project:other")["id"]
    beside.forget(lost)
    ran = beside.ran("move", copy, "project:t", env=AGENT)
    assert (ran.code, beside.found("refund window", "--floor", "0.6")) == (5, [])
    beside.did("move", other, "project:t", env=AGENT)
    assert beside.found("tea free mondays")[0] == other
    path = beside.path(copy)
    path.rename(beside.root / "schemas/project/t" / path.name)
    moved = beside.path(copy)
    moved.write_text(moved.read_text().replace("project:other", "project:t"))
    beside.commit_by_hand()
    for _ in range(2):
        assert beside.found("refund window", "--floor", "0.6") == []
        beside.forgets_the_index()


def test_editing_another_memory_into_the_forgotten_claim_is_asked_about(beside):
    other = beside.remember("The refund window is 14 days.")["id"]
    lost = beside.remember(CLAIM)["id"]
    beside.forget(lost)
    path = beside.path(other)
    path.write_text(path.read_text().replace("14 days", "30 days"))
    for _ in range(2):
        assert beside.found("refund window", "--floor", "0.6") == []
        beside.forgets_the_index()
    assert beside.ran("save").code == 5
    path.write_text(path.read_text().replace("30 days", "15 days"))
    beside.did("save")
    assert beside.found("refund window")[0] == other


def test_a_batch_sees_what_its_own_lines_said(beside):
    told = beside.batch([CLAIM, SAID, "The refund window is 14 days.", SAID.upper()])
    assert [one["decision"] for one in told] == ["created", "reinforced", "created", "reinforced"]
    assert len({one["id"] for one in told}) == 2
    assert len(beside.told("show", told[0]["id"])["evidence"]) == 3


@pytest.mark.case("P-LIFE-07")
def test_said_a_day_later_it_is_reinforced_in_one_file(beside):
    first = beside.remember(CLAIM)
    beside.moment += DAY
    again = beside.remember(SAID, env=AGENT)
    assert (again["decision"], again["id"]) == ("reinforced", first["id"])
    assert len(list(beside.root.glob("schemas/**/*.md"))) == 2
    assert len(beside.told("show", first["id"])["evidence"]) == 2
