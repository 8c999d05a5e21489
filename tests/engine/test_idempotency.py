"""Keys: the same request again gives the first answer again; another request under its key is refused."""

import pytest
from trial import AGENT

CLAIM = "The refund window is 30 days."
OTHER = "Deploys to production happen on Tuesdays only."
KEYED = ("--key", "import-17")


def count(store):
    """Schema files, event lines and commits."""
    files = list(store.root.glob("schemas/**/*.md"))
    lines = [line for path in store.root.glob("events/**/*.jsonl") for line in path.read_text().splitlines()]
    return len(files), len(lines), store.commits()


def test_the_same_key_and_request_give_the_same_id_and_change_nothing(trial):
    first = trial.remember(CLAIM, *KEYED, "--tag", "a", "--tag", "b")
    before = count(trial)
    for who in ({}, AGENT):
        again = trial.remember(CLAIM, *KEYED, "--tag", "b", "--tag", "a", env=who)
        assert (again["decision"], again["id"], again["path"], again["commit"]) == (
            "repeated",
            first["id"],
            first["path"],
            None,
        )
    assert count(trial) == before
    assert trial.git("status", "--porcelain") == ""
    assert trial.found("refund window") == [first["id"]]


@pytest.mark.parametrize(
    "changed",
    [
        (OTHER,),
        (CLAIM, "--type", "lesson"),
        (CLAIM, "--tag", "new"),
        (CLAIM, "--concept", "refund"),
        (CLAIM, "--valid-from", "2026-01-01"),
        (CLAIM, "--occurred-at", "2026-01-01"),
        (CLAIM, "--evidence", "01m8n93v20b907t4v28zvje2gv"),
    ],
)
def test_the_same_key_with_another_request_is_refused_and_nothing_is_written(trial, changed):
    trial.remember(CLAIM, *KEYED)
    before = count(trial)
    ran = trial.ran("remember", *KEYED, *changed)
    assert ran.code == 5
    assert "import-17" in ran.err
    assert count(trial) == before
    assert trial.git("status", "--porcelain") == ""


def test_the_same_key_in_another_scope_is_another_key(trial):
    first = trial.remember(CLAIM, *KEYED)
    second = trial.remember(OTHER, *KEYED, "--scope", "project:other")
    assert second["decision"] == "created"
    assert first["id"] != second["id"]


def test_a_key_is_remembered_through_rebuild_clone_and_what_became_of_the_memory(trial, tmp_path):
    first = trial.remember(CLAIM, *KEYED)
    trial.forgets_the_index()
    assert trial.remember(CLAIM, *KEYED)["id"] == first["id"]
    clone = trial.clone(tmp_path / "clone")
    assert clone.remember(CLAIM, *KEYED)["decision"] == "repeated"
    trial.forget(first["id"])
    before = count(trial)
    assert trial.remember(CLAIM, *KEYED)["decision"] == "repeated"
    assert (count(trial), trial.status(first["id"])) == (before, "forgotten")
    assert "is forgotten by now" in trial.remember(CLAIM, *KEYED)["notices"][0]
    assert trial.found("refund window", "--floor", "0.5") == []


def test_a_key_of_what_was_skipped_is_free(trial):
    id_ = trial.remember(CLAIM)["id"]
    trial.forget(id_)
    assert trial.remember(CLAIM, *KEYED, code=5)["decision"] == "skipped"
    assert trial.remember(OTHER, *KEYED)["decision"] == "created"


def test_a_key_of_what_was_undone_gives_the_first_answer_again(trial):
    first = trial.remember(CLAIM, *KEYED)
    trial.did("undo")
    again = trial.remember(CLAIM, *KEYED)
    assert again["decision"] in ("repeated", "created")
    assert again["decision"] == "created" or again["id"] == first["id"]


def test_in_a_batch_each_line_has_its_own_key(trial):
    lines = [
        {"text": CLAIM, "key": "a"},
        {"text": OTHER, "key": "b"},
        {"text": CLAIM, "key": "a"},
        {"text": OTHER, "key": "a"},
    ]
    told = trial.batch(lines)
    assert [one["decision"] for one in told[:3]] == ["created", "created", "repeated"]
    assert told[2]["id"] == told[0]["id"]
    assert told[3]["error"]["code"] == 5
    before = count(trial)
    assert [one["decision"] for one in trial.batch(lines[:3])] == ["repeated"] * 3
    assert count(trial) == before


def test_a_reinforcement_under_a_key_happens_once(trial):
    first = trial.remember(CLAIM)
    assert trial.remember(CLAIM, *KEYED)["decision"] == "reinforced"
    before = count(trial)
    again = trial.remember(CLAIM, *KEYED)
    assert (again["decision"], again["id"]) == ("repeated", first["id"])
    assert count(trial) == before
    assert len(trial.told("show", first["id"])["evidence"]) == 2


def test_the_same_key_with_the_same_evidence_in_another_order_is_the_same_request(trial):
    one, other = (f"01m8n93v20b907t4v28zvje2g{end}" for end in "vw")
    first = trial.remember(CLAIM, *KEYED, "--evidence", one, "--evidence", other)
    again = trial.remember(CLAIM, *KEYED, "--evidence", other, "--evidence", one)
    assert (again["decision"], again["id"], "notices" in again) == ("repeated", first["id"], False)


@pytest.mark.parametrize("gone", ["undone", "deleted"])
def test_a_key_of_what_was_undone_or_deleted_keeps_it_anew(trial, gone):
    first = trial.remember(CLAIM, *KEYED)
    if gone == "undone":
        trial.did("undo")
    else:
        trial.path(first["id"]).unlink()
        trial.did("save", "--yes")
    again = trial.remember(CLAIM, *KEYED)
    assert again["decision"] == "created"
    assert trial.found("refund window") == [again["id"]]
    assert trial.remember(CLAIM, *KEYED)["decision"] == "repeated"
    assert count(trial)[0] == 1


def test_a_key_of_what_was_forgotten_and_deleted_stores_nothing(trial):
    first = trial.remember(CLAIM, *KEYED)
    trial.forget(first["id"])
    trial.path(first["id"]).unlink()
    trial.did("save", "--yes")
    told = trial.remember(CLAIM, *KEYED)
    assert (told["decision"], trial.statuses()) == ("repeated", {})
    assert told["notices"] == [f"{first['id']} is removed by now, and the same key stores nothing anew."]


def test_lines_whose_import_was_undone_are_taken_in_again(trial):
    line = '{"text": "We decided that invoices are numbered per country because of the tax office."}'
    trial.told("import", "-", "--yes", stdin=line)
    trial.did("undo")
    told = trial.told("import", "-", "--yes", stdin=line)
    assert told["counts"] == {"created": 1}
    assert trial.found("invoices per country")
    assert trial.told("import", "-", "--yes", stdin=line)["counts"] == {"repeated": 1}
