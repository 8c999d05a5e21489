"""What was taken out and has no file: its line is never lost, and no agent writes or brings one."""

import json

import pytest
from trial import AGENT, PERSON

from memcli.memory import claim

CLAIM = "The zebrafish kettle boils at 95 degrees."
OTHER = "Deploys to production happen on Tuesdays only."


def buried(trial):
    """A store in which CLAIM was forgotten and its file deleted; the id."""
    id_ = trial.remember(CLAIM)["id"]
    trial.remember(OTHER)
    trial.forget(id_)
    trial.path(id_).unlink()
    trial.did("save")
    return id_


def lines(trial):
    return (trial.root / "tombstones.jsonl").read_text()


def line_of(text, id_="yyyyyyyyyyyy", scope="project:t"):
    return {"id": id_, "scope": scope, "digest": claim.digest(text), "act": "forgotten", "claim": text}


def brought(trial, *graves, **how):
    head = {"format": "mem.export/1", "scope": "project:t", "timezone": "UTC"}
    objects = [head, *({"kind": "tombstone", "tombstone": one} for one in graves)]
    return trial.told("import", "-", stdin="\n".join(map(json.dumps, objects)), **how)


@pytest.mark.parametrize("who", [PERSON, AGENT], ids=["person", "agent"])
@pytest.mark.parametrize("gone", [False, True], ids=["emptied", "deleted"])
def test_a_line_that_somebody_took_out_is_put_back_and_still_guards(trial, who, gone):
    id_ = buried(trial)
    before = lines(trial)
    (trial.root / "tombstones.jsonl").unlink() if gone else (trial.root / "tombstones.jsonl").write_text("")
    ran = trial.ran("remember", CLAIM, env=who)
    assert (ran.code, id_ in ran.err, "put back" in ran.err) == (5, True, True)
    assert lines(trial) == before
    assert trial.remember("The lamp is green.", env=who)["decision"] == "created"
    assert trial.found("when does the kettle boil", "--events", "none") == []


def test_a_removal_taken_out_of_the_file_cannot_be_saved_away(trial):
    buried(trial)
    before = lines(trial)
    (trial.root / "tombstones.jsonl").write_text("")
    assert "Nothing to save" in trial.ran("save", env=AGENT).err
    assert lines(trial) == before == trial.git("show", "HEAD:tombstones.jsonl") + "\n"


def test_an_agent_that_writes_a_removal_by_hand_cannot_save_it(trial):
    id_ = trial.remember(CLAIM)["id"]
    (trial.root / "tombstones.jsonl").write_text(json.dumps(line_of(CLAIM)) + "\n")
    ran = trial.ran("save", env=AGENT)
    assert (ran.code, "yyyyyyyyyyyy" in ran.err) == (5, True)
    assert trial.found("when does the kettle boil", "--events", "none") == [id_]
    trial.did("save")  # a person may: it is their word
    assert "tombstones.jsonl" in trial.git("ls-files")


def test_an_agent_saves_the_removal_that_a_deletion_left(trial):
    id_ = trial.remember(CLAIM)["id"]
    trial.forget(id_)
    trial.path(id_).unlink()
    assert trial.ran("save", env=AGENT).code == 0
    assert id_ in trial.git("show", "HEAD:tombstones.jsonl")


def test_a_removal_from_elsewhere_holds_down_nothing_that_counts_here(trial):
    id_ = trial.remember(CLAIM)["id"]
    told = brought(trial, line_of(CLAIM), line_of("Stock is counted in June.", "zzzzzzzzzzzz"), env=AGENT)
    assert (told["left"], told["tombstones"]) == ({"removals of what counts here": 1}, 1)
    assert trial.found("when does the kettle boil", "--events", "none") == [id_]
    assert trial.ran("remember", "Stock is counted in June.", env=AGENT).code == 5  # what counted nowhere


def test_a_person_brings_a_removal_of_what_counts_here_on_their_word(trial):
    trial.remember(CLAIM)
    told = trial.told(
        "import",
        "--yes",
        "-",
        stdin="\n".join(
            map(
                json.dumps,
                [{"format": "mem.export/1"}, {"kind": "tombstone", "tombstone": line_of(CLAIM)}],
            )
        ),
    )
    assert (told["left"], told["tombstones"]) == ({}, 1)
    assert trial.found("when does the kettle boil", "--events", "none") == []


def test_undo_passes_over_removals_and_takes_back_what_it_names(trial):
    id_ = trial.remember(OTHER)["id"]
    brought(trial, line_of("Stock is counted in June."))
    assert "undo" not in trial.ran("import", "-", stdin="", env=AGENT).err
    told = trial.told("undo")
    assert (told["undone"]["op"], trial.ran("show", id_).code) == ("remember", 3)
    assert "yyyyyyyyyyyy" in lines(trial)


def rejected(trial):
    """A store in which a person rejected CLAIM; the id."""
    id_ = "hand0000aaaa"
    trial.write(id_, CLAIM, "status: needs_review\nreview: {reason: proposal}\n")
    trial.remember(OTHER)
    trial.did("save")
    trial.did("review", "reject", id_, "--yes")
    return id_


@pytest.mark.parametrize("who", [PERSON, AGENT], ids=["person", "agent"])
@pytest.mark.parametrize("index", [True, False], ids=["index", "no index"])
@pytest.mark.parametrize("how", ["saved at once", "seen first", "by git alone"])
def test_what_was_rejected_stays_out_when_its_file_is_deleted(trial, how, index, who):
    id_ = rejected(trial)
    trial.found("kettle")
    trial.path(id_).unlink()
    if how == "by git alone":
        trial.commit_by_hand()
    elif not index:
        trial.forgets_the_index()
    if how == "seen first":
        trial.found("kettle")
    trial.did("save", env=who)
    (line,) = map(json.loads, lines(trial).splitlines())
    assert (line["id"], line["act"], line["claim"]) == (id_, "rejected", CLAIM)
    assert trial.git("status", "--porcelain") == ""
    for _ in range(2):
        again = trial.remember(CLAIM, code=5, env=AGENT)
        assert (again["decision"], trial.found("kettle", "--events", "none")) == ("skipped", [])
        trial.forgets_the_index()


def test_what_is_archived_for_another_reason_leaves_no_tombstone(trial):
    trial.write("hand0000aaaa", CLAIM, "status: archived\narchive_reason: low_salience\n")
    trial.remember(OTHER)
    trial.did("save")
    trial.path("hand0000aaaa").unlink()
    trial.found("kettle")
    trial.did("save", "--yes")
    assert not (trial.root / "tombstones.jsonl").exists()
    assert trial.remember(CLAIM)["decision"] == "created"


def test_a_rejected_memory_that_was_deleted_and_comes_back_may_count_again(trial):
    id_ = rejected(trial)
    trial.path(id_).unlink()
    trial.did("save")
    trial.did("undo")
    assert trial.status(id_) == "archived"
    trial.did("reopen", id_, "--yes")
    trial.ran("review", "accept", id_, "--yes")
    assert trial.found("kettle") == [id_]
    assert trial.remember("The zebrafish kettle boils at 96 degrees.")["decision"] == "created"


@pytest.mark.parametrize("saved", [False, True], ids=["unsaved", "saved"])
@pytest.mark.parametrize("how", ["other words", "another scope"])
def test_what_was_removed_stays_out_when_its_file_says_something_else(trial, how, saved):
    """With control: what it says now stays out, too, and what a person takes back may be said."""
    id_ = trial.remember(CLAIM)["id"]
    trial.forget(id_)
    path = trial.path(id_)
    if how == "other words":
        path.write_text(path.read_text("utf-8").replace(CLAIM, OTHER), "utf-8")
    else:
        folder = trial.root / "schemas/project/elsewhere"
        folder.mkdir(parents=True)
        (folder / path.name).write_text(path.read_text("utf-8").replace("project:t", "project:elsewhere"))
        path.unlink()
    if saved:
        trial.did("save", env=AGENT)
        assert trial.git("status", "--porcelain") == ""
    for _ in range(2):
        assert trial.ran("remember", CLAIM, env=AGENT).code == 5
        assert trial.found("when does the kettle boil", "--events", "none") == []
        if how == "other words":
            assert trial.ran("remember", OTHER, env=AGENT).code == 5
        else:
            assert trial.ran("remember", CLAIM, "--scope", "project:elsewhere", env=AGENT).code == 5
        trial.forgets_the_index()
    assert len(lines(trial).splitlines()) == 1
    if not saved:
        trial.did("save", "--yes")
    trial.unforget(id_)
    assert trial.remember(CLAIM)["decision"] in ("created", "reinforced")
    assert trial.found("when does the kettle boil", "--events", "none") != []


def test_what_was_removed_and_said_something_else_leaves_a_line_for_both_when_it_is_deleted(trial):
    id_ = trial.remember(CLAIM)["id"]
    trial.forget(id_)
    path = trial.path(id_)
    path.write_text(path.read_text("utf-8").replace(CLAIM, OTHER), "utf-8")
    trial.did("save", "--yes")
    path.unlink()
    trial.did("save", "--yes")
    for text in (CLAIM, OTHER):
        assert trial.ran("remember", text).code == 5


DAMAGES = {
    "a status that is none": lambda raw: raw.replace(b"status: forgotten", b"status: forgoten"),
    "no YAML": lambda raw: raw.replace(b"status: forgotten", b"status: [forgotten"),
    "a conflict": lambda raw: raw.replace(
        b"status: forgotten",
        b"<<<<<<< HEAD\nstatus: forgotten\n=======\nstatus: stale\n>>>>>>> other",
    ),
    "no text": lambda raw: b"\xff\xfe\x00" + raw,
    "nothing": lambda _: b"",
}


@pytest.mark.parametrize("saved", [False, True], ids=["unsaved", "committed"])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_what_was_forgotten_stays_out_while_its_file_is_set_aside(trial, damage, saved):
    id_ = trial.remember(CLAIM)["id"]
    trial.remember(OTHER)
    trial.forget(id_)
    path = trial.path(id_)
    before = path.read_bytes()
    path.write_bytes(damage(before))
    if saved:
        trial.commit_by_hand()
    for _ in range(2):
        assert trial.ran("remember", CLAIM, env=AGENT).code == 5
        assert trial.found("when does the kettle boil", "--events", "none") == []
        trial.forgets_the_index()
    path.write_bytes(before)
    trial.did("save", "--yes")
    assert len(lines(trial).splitlines()) == 1
    trial.unforget(id_)
    assert trial.found("when does the kettle boil") == [id_]
