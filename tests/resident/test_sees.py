"""Whatever changed the files, the very next answer of the resident is right, or says that it may be behind."""

import json
import os
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest
from cli.conftest import Store
from resident.conftest import House, housed, until

from memcli.engine import reconcile
from memcli.engine.kept import Kept
from memcli.engine.opened import open_store
from memcli.resident import residence, watcher
from memcli.store import lock
from memcli.surroundings import Surroundings

FLOOD = 500  # files switched at once, in the short form
PERSON = {"MEM_ACTOR": "human:ana"}
SECRET = "The deploy key is AKIA2E0A8F3B244C9986 and must not be lost."


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One store with a resident for all that leaves it as it was."""
    with housed(tmp_path_factory.mktemp("shared")) as house:
        house.start()
        yield house


def file(house, id_):
    return next(house.root.glob(f"schemas/**/{id_}.md"))


def text_of(house, query, **how):
    """The texts of the answer, given by the resident."""
    before = house.tally()[0]
    ran = house.mem("recall", "--json", "--", query, **how)
    assert house.tally()[0] == before + 1
    return [one["text"] for one in json.loads(ran.out)["items"]]


def renamed(path, text):
    """As most editors save."""
    new = path.with_name(f".{path.name}.tmp")
    new.write_text(text)
    new.rename(path)


def beside(path, text):
    """As emacs and others save: the old file moved aside first."""
    old = path.rename(path.with_name(f"{path.name}~"))
    path.write_text(text)
    old.unlink()


def unnoticed(path, text):
    """In place, with the size and the time of before."""
    stood = path.stat()
    raw = text.encode()
    with path.open("r+b") as opened:
        opened.write(raw[: stood.st_size].ljust(stood.st_size))
        opened.truncate(stood.st_size)
    os.utime(path, ns=(stood.st_atime_ns, stood.st_mtime_ns))


@pytest.mark.case("P-FILE-01")
@pytest.mark.parametrize("save", [renamed, beside, unnoticed, Path.write_text], ids=lambda one: one.__name__)
def test_a_save_is_in_the_next_answer(shared, save):
    path = file(shared, "refund00aaaa")
    before = path.read_text()
    for number in range(31, 37):
        save(path, before.replace("30 days", f"{number} days"))
        assert text_of(shared, "refund window")[0] == f"The refund window is {number} days."
    save(path, before)
    assert text_of(shared, "refund window")[0] == "The refund window is 30 days."


def test_what_is_appended_renamed_moved_and_deleted_is_in_the_next_answer(shared):
    path = shared.store.write("coffee00aaaa", "Coffee is free on Fridays.")
    assert shared.found("coffee free Fridays")[0] == "coffee00aaaa"
    with path.open("a") as opened:
        opened.write("\nPistachio biscuits are in the drawer.\n")
    assert shared.found("pistachio biscuits")[0] == "coffee00aaaa"
    path = path.rename(path.with_name("renamed.md"))
    assert shared.mem("recall", "-l", "-k", "1", "pistachio biscuits").out == f"{path}\n"
    new = path.parent / "kitchen/deep"
    new.mkdir(parents=True)
    path = path.rename(new / "renamed.md")
    assert shared.mem("recall", "-l", "-k", "1", "pistachio biscuits").out == f"{path}\n"
    new.parent.rename(new.parent.with_name("pantry"))
    assert "pantry/deep/renamed.md" in shared.mem("recall", "-l", "-k", "1", "pistachio biscuits").out
    shared.store.write("teapot00aaaa", "Teapots stand on the upper shelf.", folder="project/t/pantry/new")
    assert shared.found("teapots upper shelf")[0] == "teapot00aaaa"
    shutil.rmtree(shared.root / "schemas/project/t/pantry")
    assert {"coffee00aaaa", "teapot00aaaa"}.isdisjoint(shared.found("pistachio biscuits teapots"))


@pytest.mark.case("P-FILE-05")
def test_a_deleted_file_is_not_in_the_next_answer(shared):
    path = shared.store.write("ghost000aaaa", "The ghost lives in the attic.")
    assert shared.found("ghost attic")[0] == "ghost000aaaa"
    path.unlink()
    assert "ghost000aaaa" not in shared.found("ghost attic")


@pytest.mark.case("P-ENC-06")
def test_a_name_that_is_not_utf8_is_told_of_as_without_a_resident(shared):
    path = os.fsencode(file(shared, "refund00aaaa").parent) + b"/caf\xe9.md"
    Path(os.fsdecode(path)).write_text("---\nid: zebra000aaaa\n---\n\nZebras are striped.\n")
    try:
        one, other = (ask("recall", "zebras refund") for ask in (shared.mem, shared.alone))
        assert (one.code, one.out, one.err) == (other.code, other.out, other.err)
        assert "refund" in one.out
    finally:
        os.unlink(path)  # noqa: PTH108 - a name of bytes


@pytest.mark.case("P-FILE-02")
@pytest.mark.case("P-FILE-07")
def test_side_files_and_links_are_not_in_the_next_answer(shared, tmp_path):
    folder = file(shared, "refund00aaaa").parent
    text = "---\nid: zebra000aaaa\n---\n\nZebras are striped.\n"
    (tmp_path / "outside.md").write_text(text)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/inner.md").write_text(text)
    (folder / "link.md").symlink_to(tmp_path / "outside.md")
    (folder / "linked").symlink_to(tmp_path / "folder")
    for name in (".a.md.swp", "a.md~", "#a.md#", "a.md___jb_tmp___", "4913", "a.md.orig"):
        (folder / name).write_text(text)
    try:
        assert "zebra000aaaa" not in shared.found("zebras striped")
        (tmp_path / "folder/inner.md").write_text(text.replace("striped", "striped twice"))
        assert "zebra000aaaa" not in shared.found("zebras striped")
    finally:
        for path in folder.iterdir():
            if "refund" not in path.name and "deploy" not in path.name:
                path.unlink()


def test_what_another_process_keeps_or_forgets_is_in_the_next_answer(watched):
    id_ = json.loads(watched.alone("remember", "--json", "The cat is called Miso.").out)["id"]
    assert watched.found("cat Miso")[0] == id_
    assert watched.alone("forget", id_, "--yes", env=PERSON).code == 0
    assert id_ not in watched.found("cat Miso")
    assert watched.alone("unforget", id_, "--yes", env=PERSON).code == 0
    assert watched.found("cat Miso")[0] == id_
    told = watched.mem("remember", "--json", "The dog is called Udon.")
    assert (
        json.loads(watched.alone("recall", "--json", "dog Udon").out)["items"][0]["id"]
        == (json.loads(told.out)["id"])
    )


@pytest.mark.case("P-GIT-18")
def test_branches_stashes_and_pulls_are_in_the_next_answer(watched, tmp_path):
    before = watched.found("office refund deploys")
    watched.git("switch", "-q", "-c", "other")
    watched.store.write("branch00aaaa", "Bananas grow on the other branch.")
    watched.git("add", "-A")
    watched.git("commit", "-qm", "other")
    assert watched.found("bananas branch")[0] == "branch00aaaa"
    watched.git("switch", "-q", "main")
    assert "branch00aaaa" not in watched.found("bananas branch")
    watched.git("clone", "-q", str(watched.root), str(tmp_path / "clone"))
    watched.git("merge", "-q", "other")
    assert watched.found("bananas branch")[0] == "branch00aaaa"
    file(watched, "branch00aaaa").write_text("---\nid: branch00aaaa\n---\n\nCherries grow here.\n")
    assert watched.found("cherries")[0] == "branch00aaaa"
    watched.git("stash", "-q")
    assert text_of(watched, "bananas")[0].startswith("Bananas")
    watched.git("stash", "pop", "-q")
    assert text_of(watched, "cherries")[0] == "Cherries grow here."
    watched.git("reset", "-q", "--hard", "HEAD~1")
    assert watched.found("office refund deploys") == before
    (tmp_path / "clone/schemas/project/t/pulled.md").write_text(
        "---\nid: pulled00aaaa\n---\n\nPears ripen.\n"
    )
    watched.git("-C", str(tmp_path / "clone"), "add", "-A")
    watched.git("-C", str(tmp_path / "clone"), "commit", "-qm", "pears")
    watched.git("pull", "-q", "--ff-only", str(tmp_path / "clone"), "main")
    assert watched.found("pears ripen")[0] == "pulled00aaaa"
    assert watched.git("log", "--oneline").count("\n") == 2  # the resident committed nothing of all that


@pytest.mark.case("P-FILE-14")
def test_a_store_that_vanishes_is_not_a_mass_deletion(house):
    for number in range(8):
        house.store.write(f"shelf{number}00aaaa"[:12], f"Shelf {number} holds folder {number * 7}.")
    house.store.commit()
    house.start()
    head = house.store.head()
    away = house.root.parent / "away"
    away.mkdir()
    files = list((house.root / "schemas/project/t").iterdir())
    for path in files:
        path.rename(away / path.name)
    ran = house.mem("recall", "--json", "shelf folder")
    assert json.loads(ran.out)["stale"] is True
    assert not json.loads(ran.out)["items"]
    for path in files:
        (away / path.name).rename(path)
    assert len(house.found("shelf folder")) == 8
    (house.root / "schemas").rename(away / "schemas")
    one, other = house.mem("recall", "shelf"), house.alone("recall", "shelf")
    assert (one.code, one.out, one.err) == (other.code, other.out, other.err)
    assert one.code == 6
    (away / "schemas").rename(house.root / "schemas")
    assert len(house.found("shelf folder")) == 8
    assert house.store.head() == head
    assert house.git("status", "--porcelain") == ""


def test_a_writer_that_takes_long_is_no_trouble_and_is_looked_past_soon(watched):
    before = watched.standing()["memories"]
    with lock.hold(watched.place, wait_s=20, holder="a long one"):
        watched.store.write("coffee00aaaa", "Coffee is free on Fridays.")
        time.sleep(2 * reconcile.READ_WAIT_S)
        assert watched.standing()["trouble"] is None
        assert watched.standing()["memories"] == before
    begun = time.monotonic()
    until(lambda: watched.standing()["memories"] == before + 1, "a look without a question")
    assert time.monotonic() - begun < watcher.RESCAN_S / 2  # and not only when all is looked at anyway


def test_a_store_that_is_moved_away_and_back_is_watched_again(watched):
    away = watched.root.with_name("elsewhere")
    watched.root.rename(away)
    elsewhere = House(Store(away, watched.store.environment))
    until(lambda: elsewhere.standing()["trouble"], "a word about it")
    time.sleep(watcher.RETURN_S)
    assert watched.mem("recall", "--scope", "project:t", "--ids", "refund", cwd=away).out == "refund00aaaa\n"
    away.rename(watched.root)
    assert watched.found("refund") == ["refund00aaaa"]
    watched.store.write("coffee00aaaa", "Coffee is free on Fridays.")
    assert watched.found("coffee Fridays")[0] == "coffee00aaaa"
    looked = watched.standing()["memories"]
    watched.store.write("teapot00aaaa", "Teapots stand on the upper shelf.")
    until(lambda: watched.standing()["memories"] > looked, "a look without a question")


def test_without_its_index_it_answers_from_a_new_one(watched):
    shutil.rmtree(watched.place.index_folder)
    assert watched.found("refund") == ["refund00aaaa"]
    watched.store.write("coffee00aaaa", "Coffee is free on Fridays.")
    assert watched.found("coffee Fridays")[0] == "coffee00aaaa"
    assert watched.alone("index", "verify").code == 0


def test_settings_count_from_the_next_question(watched):
    (watched.root / "mem.toml").write_text("[recall]\nk = 1\n")
    one, other = watched.mem("recall", "--ids", "refund"), watched.alone("recall", "--ids", "refund")
    assert (one.out, one.err) == (other.out, other.err)
    (watched.root / "mem.toml").write_text("[recall\n")
    one, other = watched.mem("recall", "--ids", "refund"), watched.alone("recall", "--ids", "refund")
    assert (one.code, one.out, one.err) == (other.code, other.out, other.err)
    (watched.root / "mem.toml").write_text("")
    assert watched.found("refund") == ["refund00aaaa"]


@pytest.mark.case("P-CONC-10")
def test_a_flood_of_changes_settles_to_what_a_rebuild_holds(house, campaign):
    many = FLOOD * campaign
    house.git("switch", "-q", "-c", "many")
    for number in range(many):
        house.store.write(
            f"m{number:07}aaaa",
            f"Shelf {number} holds folder {number * 7 + 3}.",
            folder=f"project/t/{number % 9}",
        )
    house.git("add", "-A")
    house.git("commit", "-qm", "many")
    house.git("switch", "-q", "main")
    house.start()
    for branch in ("many", "main", "many"):
        house.git("switch", "-q", branch)
    until(lambda: house.standing()["memories"] == many + 2, "all files", 30 * campaign)
    asked = ("recall", "--json", "-k", "20", "shelf 77 folder")
    answer = [one["id"] for one in json.loads(house.mem(*asked).out)["items"]]
    ids = house.mem("list", "--ids").out
    assert len(ids.split()) == many + 2
    assert house.standing()["memory_bytes"] < 700e6
    house.stop()
    shutil.rmtree(house.place.private)
    patient = replace(house.mem, patience_s=60 * campaign)  # every text is encoded anew
    assert patient("list", "--ids").out == ids
    assert [one["id"] for one in json.loads(patient(*asked).out)["items"]] == answer


@pytest.mark.case("P-CONC-08")
def test_a_change_that_nobody_reports_is_found_by_looking(house, one_encoder, monkeypatch):
    """A file written through another name of it is no event of the store's folder."""
    other = house.root.parent / "other-name"
    path = file(house, "refund00aaaa")
    stands = Surroundings(
        {"XDG_CACHE_HOME": os.environ["XDG_CACHE_HOME"], "PATH": os.environ["PATH"]},
        house.root,
        int(time.time()),
        80,
        (False, False, False),
        terminal=False,
        home=house.root.parent,
        own=None,
    )
    kept = []
    monkeypatch.setattr(residence, "Kept", lambda *how: kept.append(Kept(*how)) or kept[0])
    home = residence.Residence(lambda: open_store(stands), lambda _: None, print)
    os.link(path, other)

    class Still:
        def heard(self, *_):
            pass

    home._look(Still(), heard=True)
    home._look(Still(), heard=True)
    digest = kept[0]._held.view.known["schemas/project/t/refund00aaaa.md"].digest
    with other.open("r+") as opened:
        opened.write(path.read_text().replace("30 days", "14 days"))
    home._look(Still(), heard=False)
    assert kept[0]._held.view.known["schemas/project/t/refund00aaaa.md"].digest != digest
    home._witness.close()


SAVE = "[watch]\nsave = true\nquiet_s = 0.4\n"


@pytest.fixture
def saving(house):
    """A store whose edits are committed after 0.4 quiet seconds."""
    (house.root / "mem.toml").write_text(SAVE)
    house.git("add", "-A")
    house.git("commit", "-qm", "settings")
    house.start()
    return house


def test_an_edit_is_committed_once_it_is_quiet(saving):
    path = file(saving, "refund00aaaa")
    for number in range(4):
        path.write_text(path.read_text().replace("30 days", f"{number} days").replace("3 days", "5 days"))
        time.sleep(0.1)
    until(lambda: saving.git("status", "--porcelain") == "", "the commit")
    assert saving.git("log", "--format=%s").count("\n") == 3
    assert saving.git("log", "-1", "--format=%(trailers:key=Mem-Actor,valueonly)").strip() == "system:watch"
    saving.store.write("coffee00aaaa", "Coffee is free on Fridays.")
    until(lambda: saving.git("status", "--porcelain") == "", "the second commit")
    assert saving.found("coffee Fridays")[0] == "coffee00aaaa"


def test_what_needs_a_person_or_is_a_secret_is_not_committed(saving):
    assert saving.alone("forget", "deploy00aaaa", "--yes", env=PERSON).code == 0
    path = next(saving.root.glob("schemas/**/deploy00aaaa.md"), None)
    commits = saving.git("log", "--oneline")
    saving.store.write(
        "deploy00aaaa", "Deploys to production happen on Tuesdays only.", head="type: constraint\n"
    )
    saving.store.write("secret00aaaa", SECRET)
    time.sleep(1.5)
    assert path is not None
    assert saving.git("log", "--oneline") == commits
    assert saving.git("status", "--porcelain", "-uall").count("\n") == 2
    assert "deploy00aaaa" not in saving.found("deploys production Tuesdays")


def test_saving_ends_with_its_setting(saving):
    (saving.root / "mem.toml").write_text(SAVE.replace("true", "false"))
    saving.store.write("coffee00aaaa", "Coffee is free on Fridays.")
    assert saving.found("coffee Fridays")[0] == "coffee00aaaa"
    time.sleep(1.2)
    assert "coffee00aaaa" in saving.git("status", "--porcelain", "-uall")


def test_sudden_emptiness_is_not_committed(saving):
    for number in range(6):
        saving.store.write(f"shelf{number}00aaaa"[:12], f"Shelf {number} holds folder {number * 7}.")
    until(lambda: saving.git("status", "--porcelain") == "", "the commit")
    head = saving.store.head()
    for path in saving.root.glob("schemas/**/*.md"):
        path.unlink()
    time.sleep(1.5)
    assert saving.store.head() == head


def test_a_repository_that_goes_and_comes_is_no_trouble(watched):
    (watched.root / ".git").rename(watched.root / ".git2")
    one, other = watched.mem("recall", "--ids", "refund"), watched.alone("recall", "--ids", "refund")
    assert (one.code, one.out, one.err) == (other.code, other.out, other.err)
    assert watched.mem("remember", "The cat is called Miso.").code == 6
    (watched.root / ".git2").rename(watched.root / ".git")
    assert watched.found("refund") == ["refund00aaaa"]
    assert subprocess.run(["git", "fsck"], cwd=watched.root, capture_output=True, check=False).returncode == 0


def test_a_folder_that_becomes_a_repository_by_a_file_is_no_part_of_the_store(watched):
    folder = watched.root / "schemas" / "project" / "t" / "sub"
    folder.mkdir(parents=True)
    (folder / "lagoon.md").write_text("---\nid: lagoon00aaaa\n---\n\nThe lagoon is full of algae.\n")
    assert watched.found("lagoon algae") == ["lagoon00aaaa"]
    (folder / ".git").write_text("gitdir: /nowhere\n")
    assert watched.found("lagoon algae") == []
    (folder / ".git").unlink()
    assert watched.found("lagoon algae") == ["lagoon00aaaa"]


def test_a_person_undoes_what_the_resident_saved(house):
    (house.root / "mem.toml").write_text("[watch]\nsave = true\nquiet_s = 0.2\n")
    house.start()
    house.mem("remember", "Beta team sits on floor nine.", env=PERSON)
    path = file(house, "refund00aaaa")
    before = path.read_bytes()
    path.write_bytes(before.replace(b"30 days", b"31 days"))
    until(lambda: b"31 days" in house.git("show", "HEAD").encode(), "the save")
    assert house.mem("undo", env={"MEM_ACTOR": "agent:x"}).code != 0
    ran = house.mem("undo", env=PERSON)
    assert (ran.code, path.read_bytes()) == (0, before), ran
