"""Answers while something in the store is broken, doubled, busy or ambiguous."""

import re

import pytest

from memcli.engine import reconcile
from memcli.store import lock
from memcli.store.place import Place

CURRENT = ".mem/index/current"


@pytest.mark.case("P-FM-03")
def test_one_broken_file_hides_and_delays_none_of_two_hundred(trial):
    for number in range(200):
        trial.write(f"good{number:04}", f"Shelf number {number} holds paper of kind k{number}.")
    trial.write("broken00", "Nobody reads this.", head="status: actve\n")
    assert trial.found("k0 paper", "-k", "1") == ["good0000"]
    for number in (3, 50, 99, 120, 199):
        trial.write(f"good{number:04}", f"Shelf number {number} holds glass of make m{number}.")
    assert [trial.found(f"glass m{number}", "-k", "1") for number in (3, 199)] == [["good0003"], ["good0199"]]
    assert trial.found("nobody reads this") == []
    told = trial.told("check", code=4)
    assert (told["understood"], told["set_aside"], len(told["findings"])) == (200, 1, 1)


@pytest.mark.case("P-FILE-03")
def test_two_files_with_one_id_are_both_named_and_never_picked_from(trial):
    trial.write("twice000", "Lamps are switched off at ten.")
    trial.write("other000", "Doors are locked at eleven.")
    copy = trial.write("twice000", "Lamps are switched off at nine.", folder="project/t/sub")
    first = trial.recall("when are lamps switched off", "--as-of", "2026-12-01")
    assert first["outcome"] == "found"
    assert trial.recall("when are lamps switched off", "--as-of", "2026-12-01") == first
    (paths,) = trial.told("status")["duplicates"]
    assert len(paths) == 2
    ran = trial.ran("forget", "twice000", "--yes")
    assert ran.code == 3
    assert all(path in ran.err for path in paths)
    assert copy.exists()


@pytest.mark.case("P-CONC-06")
def test_a_busy_index_answers_from_the_files_and_is_left_alone(trial, monkeypatch):
    trial.remember("The lighthouse blinks every ten seconds.")
    assert trial.recall("lighthouse")["outcome"] == "found"
    before = (trial.root / CURRENT).read_bytes()
    monkeypatch.setattr(reconcile, "READ_WAIT_S", 0.1)
    with lock.hold(Place(trial.root), wait_s=1, holder="somebody slow"):
        trial.write("fresh000", "The ferry leaves at noon.")
        answer = trial.recall("when does the ferry leave")
    assert [item["id"] for item in answer["items"]][:1] == ["fresh000"]
    assert any("somebody slow" in notice for notice in answer["notices"])
    assert (trial.root / CURRENT).read_bytes() == before
    assert trial.found("when does the ferry leave")[:1] == ["fresh000"]


@pytest.mark.case("P-TIME-06")
def test_hours_that_come_twice_or_not_at_all_are_read_by_one_rule(trial):
    (trial.root / "mem.toml").write_text('timezone = "Europe/Rome"\n')
    night = trial.remember(
        "The night train runs.", "--valid-from", "2026-03-29 02:30", "--valid-to", "2026-10-25 02:30"
    )["id"]
    for moment, holds in {
        "2026-03-29T01:29:59Z": False,  # 02:30 does not exist that night: read with the offset before it
        "2026-03-29T01:30:00Z": True,
        "2026-10-25T00:29:59Z": True,
        "2026-10-25T00:30:00Z": False,  # 02:30 comes twice: the first one
        "2026-10-25 02:30": False,
    }.items():
        assert (trial.found("night train", "--as-of", moment) == [night]) is holds, moment


@pytest.mark.case("P-FILE-01")
def test_the_next_command_reads_what_an_editor_saved_however_it_did(trial):
    path = trial.write("edited00", "The kettle is blue.")
    for number, save in enumerate((renamed_over, moved_away, rewritten) * 3):
        save(path, path.read_text().replace("kettle", f"kettle v{number}"))
        answer = trial.recall(f"v{number} kettle")
        assert [item["id"] for item in answer["items"]] == ["edited00"]
        assert f"v{number}" in answer["items"][0]["text"]
    assert trial.told("status")["schemas"] == 1


def renamed_over(path, text):
    beside = path.with_name(f".{path.name}.tmp")
    beside.write_text(text)
    beside.replace(path)


def moved_away(path, text):
    old = path.rename(path.with_name(f"{path.name}~"))
    path.write_text(text)
    old.unlink()


def rewritten(path, text):
    path.write_text(text)


@pytest.mark.case("P-FILE-05", "P-CONC-08")
def test_what_was_deleted_or_changed_behind_every_back_is_never_current(trial):
    gone = trial.write("gone0000", "The umbrella stands in the hall.")
    trial.write("stays000", "The umbrella stand is made of brass.")
    assert set(trial.found("umbrella")) == {"gone0000", "stays000"}
    gone.unlink()
    assert trial.found("umbrella") == ["stays000"]
    trial.write("stays000", "The coat rack is made of brass.")
    assert trial.found("umbrella") == []
    assert trial.found("coat rack") == ["stays000"]


@pytest.mark.case("P-FILE-10")
def test_a_folder_renamed_in_one_step_keeps_every_memory_and_doubles_none(trial):
    for number in range(100):
        trial.write(f"box{number:05}", f"Box {number} holds item i{number}.", folder="project/t/before")
    trial.commit_by_hand()
    ids = trial.statuses()
    (trial.root / "schemas/project/t/before").rename(trial.root / "schemas/project/t/after")
    assert trial.statuses() == ids
    answer = trial.recall("i7 item", "-k", "1")
    assert [item["id"] for item in answer["items"]] == ["box00007"]
    assert answer["items"][0]["path"] == "schemas/project/t/after/box00007.md"
    assert trial.told("status")["duplicates"] == []
    trial.did("save")
    assert trial.git("status", "--porcelain") == ""


@pytest.mark.case("P-LIFE-05")
def test_no_mode_and_no_name_lets_a_memory_out_of_its_scope_that_earned_nothing(trial):
    trial.write("other000", "The orchard is pruned in March.", "stage: scoped\n", folder="project/farm")
    assert trial.found("orchard pruned", "--scope", "project:farm") == ["other000"]
    for mode in ("default", "wide", "history"):
        assert trial.recall("orchard pruned", "--mode", mode, "--floor", "0")["outcome"] == "absent"
    assert trial.found("other000") == []


@pytest.mark.case("P-LIFE-05")
@pytest.mark.parametrize("stage", ["portable", "contextual", "global"])
def test_what_earned_more_is_found_from_another_scope_by_what_it_says_and_where_free_by_its_name(
    trial, stage
):
    trial.write("other000", "The orchard is pruned in March.", f"stage: {stage}\n", folder="project/farm")
    assert trial.found("orchard pruned in March") == []
    trial.did("save")  # a new file's stage counts once a person saved it
    for mode in ("default", "wide", "history"):
        assert trial.found("orchard pruned in March", "--mode", mode) == ["other000"]
    assert trial.recall("lighthouse keeper", "--floor", "0.3")["outcome"] == "absent"
    assert trial.found("other000") == (["other000"] if stage == "global" else [])


@pytest.mark.case("P-LIFE-05")
@pytest.mark.parametrize("whole", ["user", "global"])
def test_what_belongs_to_everybody_is_seen_from_every_scope(trial, whole):
    trial.write("ours0000", "The orchard is pruned in March.", folder=whole)
    assert trial.found("orchard pruned") == ["ours0000"]
    assert trial.found("orchard pruned", "--scope", "project:farm") == ["ours0000"]


@pytest.mark.parametrize("kind", ['["turn"]', '{"a": 1}', "null", "5"])
def test_a_line_of_events_whose_kind_is_no_word_hides_nothing(trial, kind):
    kept = trial.remember("Kingfishers eat minnows.")["id"]
    path = next(trial.root.glob("events/**/*.jsonl"))
    line = path.read_text().splitlines()[-1]
    foreign = re.sub(r'"kind":"[a-z]+"', f'"kind":{kind}', line)
    assert foreign != line
    path.write_text(f"{line}\n{foreign}\n")
    for argv in (
        ("recall", "minnows"),
        ("status",),
        ("stats",),
        ("consolidate",),
        ("timeline",),
        ("doctor",),
    ):
        assert trial.ran(*argv).code in (0, 1), argv
    assert kept in trial.found("minnows")
