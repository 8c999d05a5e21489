"""Killed while it takes a store in or meets another clone: whole or absent, and the next command needs no repair."""

import random
import signal

import pytest
from faults.last_change import POINTS, killed
from faults.wholeness import check_before_or_after, files

TEXTS = ["The refund window is 30 days.", "Stock is counted in June.", "Wages are paid on the 25th."]
OTHERS = ["Deploys happen on Tuesdays only.", "The warehouse is in Gdansk.", "Tea costs 2 euros a pot."]


def points(changes, campaign, seed):
    return sorted(random.Random(seed).sample(range(1, changes + 1), min(changes, POINTS * campaign)))


@pytest.mark.case("P-CONC-03")
def test_an_import_is_whole_or_absent(trial, empty, tmp_path, campaign):
    trial.batch(TEXTS)
    other = empty.copy(tmp_path / "other")
    other.forget(other.batch(OTHERS)[0]["id"])
    page = other.root / "procedures/project/t/tea/SKILL.md"
    page.parent.mkdir(parents=True)
    page.write_text("---\nname: tea\ndescription: Make tea.\n---\n\n1. Boil water.\n")
    lines = tmp_path / "lines.jsonl"
    lines.write_text(other.did("export"))
    argv = ["import", str(lines), "--yes"]
    whole = trial.copy(tmp_path / "whole")
    code, changes = killed(whole, 10**6, argv)
    assert code == 0
    assert len(whole.statuses()) == 6
    for number in points(changes, campaign, 3):
        victim = trial.copy(tmp_path / str(number))
        head, before = victim.head(), files(victim)
        code, _ = killed(victim, number, argv)
        assert code in (-signal.SIGKILL, 0), number
        check_before_or_after(victim, head, before)
        victim.did(*argv)
        assert {
            id_: status for id_, status in victim.statuses().items() if id_ in whole.statuses()
        } == whole.statuses()
        assert victim.did("skills", "list") == whole.did("skills", "list")


@pytest.mark.case("P-CONC-03")
def test_a_sync_that_was_cut_short_is_made_whole_by_the_next(trial, tmp_path, campaign):
    ids = [one["id"] for one in trial.batch(TEXTS)]
    bare = tmp_path / "t.git"
    trial.git("init", "-q", "--bare", "-b", "main", str(bare))
    trial.git("remote", "add", "origin", str(bare))
    trial.told("sync")
    other = trial.clone(tmp_path / "other")
    other.git("remote", "set-url", "origin", str(bare))
    for store, tag in ((trial, "billing"), (other, "shop")):
        path = store.path(ids[1])
        path.write_text(path.read_text().replace("status: active", f"status: active\ntags: [{tag}]"))
        store.did("save")
    other.forget(ids[0])
    other.told("sync")
    trial.remember(OTHERS[0])
    whole = trial.copy(tmp_path / "whole")
    before = bare / "refs/heads/main"
    kept = before.read_bytes()
    code, changes = killed(whole, 10**6, ["sync"])
    assert code == 0
    for number in points(changes, campaign, 5):
        before.write_bytes(kept)
        victim = trial.copy(tmp_path / str(number))
        code, _ = killed(victim, number, ["sync"])
        assert code in (-signal.SIGKILL, 0), number
        assert victim.ran("recall", "stock in June").code == 0
        victim.told("sync")
        assert victim.statuses() == whole.statuses()
        assert victim.status(ids[0]) == "forgotten"
        assert victim.told("show", ids[1])["tags"] == ["billing", "shop"]
        assert victim.git("status", "--porcelain") == ""
        assert victim.ran("check").code == 0
        assert not list((victim.root / ".git").glob("**/*.lock"))
        victim.git("fsck", "--strict")
