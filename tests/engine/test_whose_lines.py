"""Whose word each line of a memory is, and every state that it had: blame and history."""

import json

from trial import AGENT, PERSON

CLAIM = "The refund window is 30 days."
LATER = "The refund window is 14 days since July."


def voices(trial, id_, **how):
    """Text → (whose, actor) of every line of the file."""
    found = trial.told("blame", id_, **how)["lines"]
    return {one["text"]: (one["voice"], one["actor"]) for one in found}


def append(trial, id_, text):
    path = trial.path(id_)
    path.write_text(path.read_text() + text)


def test_each_line_is_its_writers(trial):
    id_ = trial.remember(CLAIM, env=AGENT)["id"]
    append(trial, id_, "\nGift cards are excluded.\n")
    trial.did("save", env=PERSON)
    append(trial, id_, "\nSo are vouchers.\n")
    found = voices(trial, id_)
    assert found[CLAIM] == ("agent", "agent:claude")
    assert found["Gift cards are excluded."] == ("person", "human:ana")
    assert found["So are vouchers."] == ("unsaved", None)
    lines = trial.told("blame", id_)["lines"]
    assert [one["text"] for one in lines] == trial.path(id_).read_text().splitlines()
    assert [one["line"] for one in lines] == list(range(1, len(lines) + 1))
    assert {one["commit"] is None for one in lines if one["voice"] == "unsaved"} == {True}


def test_a_line_that_was_changed_on_disk_is_nobodys_yet_and_the_others_stay(trial):
    id_ = trial.remember(CLAIM)["id"]
    append(trial, id_, "\nOne.\nTwo.\nThree.\n")
    trial.did("save")
    path = trial.path(id_)
    path.write_text(path.read_text().replace("Two.", "Zwei."))
    found = voices(trial, id_)
    assert found["Zwei."][0] == "unsaved"
    assert {found["One."][0], found["Three."][0], found[CLAIM][0]} == {"person"}


def test_a_merge_leaves_each_line_with_its_writer(trial, tmp_path):
    id_ = trial.remember(CLAIM)["id"]
    append(trial, id_, "\n" + "\n\n".join(f"Line {n}." for n in range(9)) + "\n")
    trial.did("save")
    there = trial.clone(tmp_path / "there")
    for store, old, new, who in (
        (trial, "Line 1.", "Line one.", "human:ana"),
        (there, "Line 7.", "Line seven.", "human:bo"),
    ):
        path = store.path(id_)
        path.write_text(path.read_text().replace(old, new))
        store.did("save", env={"MEM_ACTOR": who})
    trial.git("pull", "-q", "--no-rebase", "--no-edit", str(there.root), "main")
    found = voices(trial, id_)
    assert (found["Line one."][1], found["Line seven."][1]) == ("human:ana", "human:bo")


def test_what_consolidation_and_import_wrote_is_neither_a_persons_nor_an_agents(trial, tmp_path):
    id_ = trial.remember(CLAIM)["id"]
    lines = trial.did("export")
    other = trial.made(tmp_path / "other")
    other.ran("import", "-", stdin=lines)
    taken = next(iter(other.statuses("--scope", "*")))
    assert {voice for voice, _ in voices(other, taken).values()} <= {"import", "person"}
    assert voices(trial, id_)[CLAIM][0] == "person"


def test_no_program_that_the_repository_names_is_run(trial, tmp_path):
    id_ = trial.remember(CLAIM)["id"]
    mark = tmp_path / "ran"
    (trial.root / ".git" / "info" / "attributes").write_text("*.md filter=evil diff=evil\n")
    for key in ("filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv", "diff.evil.command"):
        trial.git("config", key, f"touch {mark}; cat")
    trial.git("config", "core.fsmonitor", f"touch {mark}")
    append(trial, id_, "\nMore.\n")
    for words in (("blame", id_), ("history", id_), ("diff",), ("timeline",)):
        assert trial.ran(*words).code == 0, words
    assert not mark.exists()


def test_reading_what_is_forgotten_is_a_persons_choice(trial):
    id_ = trial.remember(CLAIM)["id"]
    beside = trial.remember("The otter swims.")["id"]
    trial.forget(id_)
    for verb in ("blame", "history"):
        assert trial.ran(verb, id_, env=AGENT).code == 5
        assert trial.ran(verb, beside, env=AGENT).code == 0
        assert trial.ran(verb, id_, env=PERSON).code == 0
    assert trial.ran("blame", "nosuchmemory").code == 3


def states(trial, id_):
    """(status, until, act, saved) of every state."""
    found = trial.told("history", id_)["versions"]
    return [(one["status"], one["validity"]["to"], one["op"], one["commit"] is not None) for one in found]


def test_the_grid_says_what_was_known_when_about_which_time(trial):
    """A7: valid January to March, corrected to end in February."""
    id_ = trial.remember("The toll is 5 euros.", "--valid-from", "2026-01-01", "--valid-to", "2026-04-01")[
        "id"
    ]
    path = trial.path(id_)
    path.write_text(path.read_text().replace("2026-04-01", "2026-03-01"))
    trial.did("save")
    grid = trial.told("history", id_)["grid"]
    days = [bound and bound[:10] for bound in grid["from"]]
    assert days == [None, "2026-01-01", "2026-03-01", "2026-04-01"]
    assert grid["holds"] == [[False, True, True, False], [False, True, False, False]]


def test_a_state_that_is_not_saved_comes_last(trial):
    id_ = trial.remember(CLAIM)["id"]
    assert len(states(trial, id_)) == 1
    path = trial.path(id_)
    path.write_text(path.read_text().replace("30 days", "31 days"))
    assert states(trial, id_)[-1] == ("active", None, None, False)
    trial.did("save")
    assert [saved for *_, saved in states(trial, id_)] == [True, True]


def test_a_memory_whose_file_is_gone_has_its_history_still(trial):
    id_ = trial.remember(CLAIM)["id"]
    trial.remember("The otter swims.")
    trial.path(id_).unlink()
    trial.did("save")
    found = trial.told("history", id_[:6])
    assert (found["gone"], found["id"]) == (True, id_)
    assert [one["text"] for one in found["versions"]] == [CLAIM]
    assert trial.ran("history", "zzzzzzzz").code == 3


def test_the_history_of_a_forgotten_memory_without_a_file_is_a_persons_choice(trial):
    id_ = trial.remember(CLAIM)["id"]
    trial.remember("The otter swims.")
    trial.forget(id_)
    trial.path(id_).unlink()
    trial.ran("save")
    assert trial.ran("history", id_, env=AGENT).code == 5
    ran = trial.ran("history", id_, "--json", env=PERSON)
    assert json.loads(ran.out)["versions"][-1]["status"] == "forgotten"


def test_a_file_that_was_moved_keeps_its_states(trial):
    id_ = trial.remember(CLAIM)["id"]
    trial.did("move", id_, "project:other")
    found = trial.told("history", id_)["versions"]
    assert [one["op"] for one in found] == ["remember", "move"]
    assert voices(trial, id_)[CLAIM] == ("person", "human:ana")
