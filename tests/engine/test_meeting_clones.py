"""Two clones that work on the same scope and meet: nothing lost, nothing doubled, a forget holds on both."""

import json
import os
import subprocess
import sys

import pytest
from trial import AGENT, DAY

REFUND = "The refund window is 30 days."
SUCCESSOR = "The refund window is 14 days."
TUESDAYS = "Deploys to production happen on Tuesdays only."
WAREHOUSE = "The warehouse is in Gdansk."
TEA = "Tea is free on Mondays."


@pytest.fixture
def pair(trial, tmp_path):
    """Two clones of a bare repository, and the ids of the two memories that both hold."""
    bare = tmp_path / "t.git"  # so that the scope stays that of the folder
    trial.git("init", "-q", "--bare", "-b", "main", str(bare))
    ids = [one["id"] for one in trial.batch([REFUND, TUESDAYS])]
    trial.git("remote", "add", "origin", str(bare))
    trial.told("sync")
    other = trial.clone(tmp_path / "other")
    other.git("remote", "set-url", "origin", str(bare))
    return trial, other, ids


def by_sync(here, there):
    """Both meet, so that both hold what either had."""
    here.moment = there.moment = max(here.moment, there.moment)
    for one in (here, there, here):
        one.told("sync")


def by_driver(here, there):
    """Plain git in both directions, with the driver installed."""
    for one in (here, there):
        one.did("merge-driver", "--install")
        one.git("config", "merge.mem.driver", f"{sys.executable} -m memcli merge-driver %O %A %B %P")
        one.did("trust", "--yes")
    by_git(here, there)


def by_git(here, there):
    """Plain git in both directions."""
    for one in (here, there, here):
        one.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
        one.git("push", "-q", "origin", "HEAD:main")


def same(here, there):
    assert here.head() == there.head()
    assert here.statuses() == there.statuses()
    for one in (here, there):
        assert one.git("status", "--porcelain") == ""
        assert one.ran("check").code == 0, one.ran("check").out
    files = {path.relative_to(here.root): path.read_bytes() for path in here.root.glob("schemas/**/*.md")}
    assert files == {p.relative_to(there.root): p.read_bytes() for p in there.root.glob("schemas/**/*.md")}


def says_by_hand(store, id_, status):
    """Somebody writes another status into the file of an active memory, and commits it by plain git."""
    path = store.path(id_)
    path.write_text(path.read_text().replace("status: active", f"status: {status}"))
    store.commit_by_hand()


def lines(store):
    raw = "".join(path.read_text() for path in store.root.glob("events/**/*.jsonl"))
    return sorted(json.loads(line)["id"] for line in raw.splitlines())


@pytest.mark.case("P-LIFE-02")
@pytest.mark.parametrize("meet", [by_sync, by_git, by_driver])
def test_both_work_for_a_while_and_nothing_is_lost_or_doubled(pair, meet):
    here, there, (refund, tuesdays) = pair
    mine = here.remember(WAREHOUSE)["id"]
    theirs = there.remember(TEA)["id"]
    here.forget(refund)
    there.remember("Invoices run per country.", "--session", "s1")
    here.remember("Stock is counted in June.", "--session", "s1")
    before = sorted({*lines(here), *lines(there)})
    meet(here, there)
    same(here, there)
    for store in (here, there):
        for _ in range(2):
            assert lines(store) == before
            assert store.status(refund) == "forgotten"
            assert refund not in store.found("refund window", "--mode", "history", "--floor", "0")
            assert store.found("where is the warehouse")[0] == mine
            assert store.found("free tea on mondays")[0] == theirs
            assert store.found("deploys to production")[0] == tuesdays
            assert len(store.statuses()) == 6
            store.forgets_the_index()
    assert here.remember(REFUND, code=5)["decision"] == "skipped"
    assert there.remember(REFUND, code=5)["decision"] == "skipped"


@pytest.mark.parametrize("meet", [by_sync, by_driver])
def test_what_both_changed_in_one_file_is_merged_by_what_it_says(pair, meet):
    here, there, (refund, tuesdays) = pair
    for store, tag in ((here, "billing"), (there, "shop")):
        store.moment += DAY if tag == "shop" else 0
        assert store.remember(TUESDAYS)["decision"] == "reinforced"
        path = store.path(refund)
        path.write_text(path.read_text().replace("status: active", f"status: active\ntags: [{tag}]"))
        store.did("save")
    meet(here, there)
    same(here, there)
    shown = here.told("show", tuesdays)
    assert len(shown["evidence"]) == 3
    assert here.told("show", refund)["tags"] == ["billing", "shop"]


@pytest.mark.case("P-LIFE-02")
@pytest.mark.parametrize("meet", [by_sync, by_driver])
def test_a_forget_meets_a_supersede_and_holds(pair, meet):
    """A3 by merge."""
    here, there, (refund, _) = pair
    here.forget(refund)
    there.moment += DAY
    new = there.told("supersede", refund, "--with", SUCCESSOR)["new"]
    meet(here, there)
    same(here, there)
    for store in (here, there):
        assert store.status(refund) == "forgotten"
        for when in ("2026-11-01", "2027-11-01"):
            assert refund not in store.found("refund window", "--as-of", when, "--mode", "history")
        assert new in store.found("refund window", "--as-of", "2027-11-01")


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("name", ["index", "HEAD", "refs/heads/main"])
def test_a_lock_that_a_killed_command_left_holds_up_no_merge(pair, name):
    here, there, _ = pair
    here.remember(WAREHOUSE)
    here.told("sync")
    there.remember(TEA)
    gone = subprocess.Popen(["true"])
    gone.wait()
    orphan = there.root / ".git" / f"mem-lock-{gone.pid}.aaaa"
    orphan.write_text("half")
    os.utime(orphan, (there.moment - DAY, there.moment - DAY))
    os.link(orphan, there.root / ".git" / f"{name}.lock")
    there.told("sync")
    assert there.found("where is the warehouse")
    assert not list((there.root / ".git").rglob("*.lock"))
    assert not orphan.exists()


def test_check_names_both_that_replace_one_memory_until_one_of_them_is_replaced(pair):
    here, there, (refund, _) = pair
    ours = here.told("supersede", refund, "--with", SUCCESSOR)["new"]
    there.moment += DAY
    theirs = there.told("supersede", refund, "--with", "Whoever asks within a fortnight is refunded.")["new"]
    by_sync(here, there)
    for store in (here, there):
        assert store.status(refund) == "superseded"
        told = store.ran("check").out
        for id_ in (ours, theirs):
            assert f"{refund} is also replaced by {id_} at the same time" in told
    here.told("supersede", ours, theirs)
    assert "also replaced" not in here.ran("check").out


@pytest.mark.case("P-LIFE-02")
def test_what_arrives_and_says_again_what_was_forgotten_is_withheld_and_told(pair):
    """A3 by merge: under another id."""
    here, there, (refund, tuesdays) = pair
    twin = there.write("twin0000aaaa", "The refund window is thirty days.")
    there.did("save")
    there.told("sync")
    here.forget(refund)
    told = here.told("sync")
    assert told["withheld"] == [twin.relative_to(there.root).as_posix()]
    for _ in range(2):
        assert here.found("refund window", "--floor", "0.5", "--mode", "history") == []
        assert here.found("deploys to production") == [tuesdays]
        here.forgets_the_index()
    assert (here.root / twin.relative_to(there.root)).read_bytes() == twin.read_bytes()


def test_a_file_deleted_on_one_side_and_changed_on_the_other_stays(pair):
    here, there, (refund, _) = pair
    here.path(refund).unlink()
    here.did("save", "--yes")
    there.forget(refund)
    by_sync(here, there)
    same(here, there)
    assert here.status(refund) == there.status(refund) == "forgotten"


@pytest.mark.parametrize("again", ["reword", "remember"])
def test_a_file_deleted_on_one_side_and_reworded_or_said_again_on_the_other_stays_in_the_journal_too(
    pair, again
):
    here, there, (refund, tuesdays) = pair
    for id_ in (refund, tuesdays):
        here.path(id_).unlink()
    here.did("save", "--yes")
    path = there.path(refund)
    claim = path.read_text().rpartition("---\n")[2].strip()
    if again == "remember":
        assert there.remember(claim)["decision"] == "reinforced"
    else:
        path.write_text(path.read_text().replace(claim, f"{claim} At most."))
        there.did("save", "--yes")
    by_sync(here, there)
    same(here, there)
    for store in (here, there):
        assert store.status(refund) == "active"
        assert tuesdays not in store.statuses()
        assert store.told("audit")["clean"]


@pytest.mark.parametrize("by", [by_sync, by_git])
@pytest.mark.parametrize("out", [("retract", "--reason", "never so"), ("forget",)])
def test_what_one_side_brought_back_and_then_deleted_leaves_no_tombstone_on_the_other(pair, by, out):
    here, there, (refund, _) = pair
    here.did(out[0], refund, *out[1:], "--yes")
    by(here, there)
    there.did(f"un{out[0]}", refund, "--yes")
    there.path(refund).unlink()
    there.did("save", "--yes")
    by(here, there)
    same(here, there)
    for store in (here, there):
        assert not (store.root / "tombstones.jsonl").exists()
    assert here.remember(REFUND)["decision"] == "created"


@pytest.mark.parametrize("meet", [by_sync, by_git, by_driver])
@pytest.mark.parametrize("out", [("retract", "--reason", "never so"), ("forget",)])
def test_what_one_took_out_while_the_other_gave_it_other_words_stays_out_in_both(pair, meet, out):
    here, there, (refund, _) = pair
    here.did(out[0], refund, *out[1:], "--yes")
    words = "Customers may send goods back for a month after the parcel came."
    path = there.path(refund)
    path.write_text(path.read_text("utf-8").replace(REFUND, words), "utf-8")
    there.did("save")
    meet(here, there)
    if meet is by_sync:
        same(here, there)
    for one in (here, there):
        for text in (REFUND, words):
            assert one.ran("remember", text, env=AGENT).code == 5
        assert one.found("refund window", "--floor", "0.5", "--events", "none") == []


def test_what_was_removed_by_hand_and_deleted_leaves_a_tombstone_on_the_other(pair):
    here, there, (refund, _) = pair
    says_by_hand(here, refund, "retracted")
    by_git(here, there)
    assert there.found("refund window") == []
    here.path(refund).unlink()
    here.commit_by_hand()
    by_git(here, there)
    there.did("save", "--yes")
    assert refund in (there.root / "tombstones.jsonl").read_text()


def test_what_was_removed_and_then_deleted_on_one_side_is_not_told_as_brought_back(pair):
    here, there, (refund, _) = pair
    here.forget(refund)
    here.path(refund).unlink()
    here.did("save", "--yes")
    path = there.path(refund)
    path.write_text(path.read_text() + "\nGift cards are excluded.\n")
    there.did("save", "--yes")
    by_sync(here, there)
    same(here, there)
    for store in (here, there):
        assert store.found("refund window", "--floor", "0.5") == []
        store.forgets_the_index()
        assert store.found("refund window", "--floor", "0.5") == []


def test_what_only_a_person_can_settle_changes_nothing_and_is_listed(pair):
    here, there, (refund, _) = pair
    for store, days in ((here, "20"), (there, "40")):
        path = store.path(refund)
        path.write_text(path.read_text().replace("30 days", f"{days} days"))
        store.did("save")
    there.told("sync")
    mine = here.remember(WAREHOUSE)["id"]
    before = here.head(), here.path(refund).read_bytes()
    ran = here.ran("sync", "--json")
    assert ran.code == 8
    error = json.loads(ran.err)
    assert error["details"] == [here.path(refund).relative_to(here.root).as_posix()]
    assert (here.head(), here.path(refund).read_bytes()) == before
    assert here.git("status", "--porcelain") == ""
    assert not (here.root / ".git/MERGE_HEAD").exists()
    assert here.found("warehouse") == [mine]
    here.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main", check=False)
    assert here.ran("sync").code == 8
    here.path(refund).write_bytes(there.path(refund).read_bytes())
    here.git("commit", "-qam", "settled")
    assert here.told("sync")["sent"]
    there.told("sync")
    same(here, there)


def test_a_second_sync_does_nothing_and_makes_no_commit(pair):
    here, there, _ = pair
    here.remember(WAREHOUSE)
    by_sync(here, there)
    before = here.head(), there.head()
    for store in (here, there):
        told = store.told("sync")
        assert (told["received"], told["sent"], told["changed"]) == (0, 0, 0)
    assert (here.head(), there.head()) == before


def test_a_merge_is_one_entry_of_the_journal_by_whoever_met(pair):
    here, there, _ = pair
    here.remember(WAREHOUSE)
    there.remember(TEA)
    there.told("sync")
    told = here.told("sync", env=AGENT)
    assert (told["received"], told["sent"], told["changed"]) == (1, 2, 1)
    assert len(here.git("rev-list", "--parents", "-n", "1", "HEAD").split()) == 3
    entry = here.told("log", "--op", "sync")["entries"][0]
    assert (entry["commit"], entry["actor"]) == (here.head(), "agent:claude")


def test_edits_that_are_not_saved_stay_where_they_are(pair):
    here, there, (refund, _) = pair
    there.remember(TEA)
    there.told("sync")
    path = here.path(refund)
    path.write_text(path.read_text() + "\nDetail.\n")
    edited = path.read_bytes()
    told = here.told("sync")
    assert (told["received"], told["unsaved"]) == (1, 1)
    assert path.read_bytes() == edited
    there.forget(refund)
    there.told("sync")
    ran = here.ran("sync")
    assert ran.code == 8
    assert "mem save" in ran.err
    assert path.read_bytes() == edited


def test_what_was_observed_and_not_committed_yet_goes_along(pair):
    here, there, _ = pair
    here.did("observe", "-", stdin="We should count the stock in June.")
    assert here.git("status", "--porcelain") != ""
    by_sync(here, there)
    same(here, there)
    assert lines(here) == lines(there)
    assert len(lines(there)) == 3


def test_both_push_at_once_and_both_arrive(pair):
    here, there, _ = pair
    processes = []
    for number, store in enumerate((here, there)):
        store.remember(f"Shelf {number} holds {number + 7} crates of apples.")
        processes.append(store.process)
    import threading

    found = []
    threads = [threading.Thread(target=lambda mem=mem: found.append(mem("sync"))) for mem in processes]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert [ran.code for ran in found] == [0, 0], [ran.err for ran in found]
    by_sync(here, there)
    same(here, there)
    assert len(here.statuses()) == 4


@pytest.mark.parametrize(
    ("remote", "code"),
    [("--upload-pack=touch x", 2), ("-x", 2), ("nowhere", 6), ("ext::sh -c touch% pwn", 6)],
)
@pytest.mark.case("P-SEC-07")
def test_a_remote_is_an_address_and_no_option(pair, remote, code):
    here, _, _ = pair
    head = here.head()
    ran = here.ran("sync", "--", remote)
    assert ran.code == code, ran.err
    assert here.head() == head
    assert not list(here.root.rglob("pwn"))
    assert not list(here.root.rglob("x"))


def test_a_merge_that_was_cut_short_is_taken_back_and_made_again(pair):
    here, there, (refund, tuesdays) = pair
    for store, tag in ((here, "billing"), (there, "shop")):
        path = store.path(refund)
        path.write_text(path.read_text().replace("status: active", f"status: active\ntags: [{tag}]"))
        store.did("save")
    there.told("sync")
    here.git("fetch", "-q", "origin")
    tip = here.git("rev-parse", "origin/main")
    here.git("merge", "-q", "--no-commit", "--no-ff", "origin/main", check=False)
    ran = here.ran("sync")
    assert ran.code == 8
    assert (here.root / ".git/MERGE_HEAD").exists()
    (here.root / ".mem/merging").write_text(tip)
    assert here.found("deploys to production") == [tuesdays]  # who reads runs nothing and takes nothing back
    assert (here.root / ".git/MERGE_HEAD").exists()
    mine = here.remember(WAREHOUSE)["id"]
    assert not (here.root / ".git/MERGE_HEAD").exists()
    assert not (here.root / ".mem/merging").exists()
    assert here.told("sync")["settled"]
    there.told("sync")
    same(here, there)
    assert here.told("show", refund)["tags"] == ["billing", "shop"]
    assert here.statuses()[mine] == "active"


def divided(pair):
    """Both have gone on; what must stay as it is when meeting fails."""
    here, there, (refund, _) = pair
    there.forget(refund)
    there.told("sync")
    here.remember(WAREHOUSE)
    return here, here.head(), here.git("status", "--porcelain")


@pytest.mark.case("P-GIT-06")
def test_a_merge_that_cannot_be_signed_is_not_made(pair):
    here, head, _ = divided(pair)
    here.git("config", "commit.gpgsign", "true")
    here.git("config", "user.signingkey", "0000")
    here.git("config", "gpg.program", "/bin/false")
    here.did("trust", "--yes")
    assert here.ran("sync").code == 6
    assert (here.head(), here.git("status", "--porcelain")) == (head, "")
    here.git("config", "commit.gpgsign", "false")
    assert here.told("sync")["received"] == 1


def test_a_hook_that_refuses_the_merge_leaves_everything_as_it_was(pair):
    here, head, _ = divided(pair)
    hook = here.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    here.did("trust", "--yes")
    assert here.ran("sync").code == 6
    assert (here.head(), here.git("status", "--porcelain")) == (head, "")
    assert not (here.root / ".git/MERGE_HEAD").exists()
    hook.unlink()
    assert here.told("sync")["received"] == 1


@pytest.mark.case("P-GIT-01")
def test_what_is_staged_is_not_swept_into_a_merge(pair):
    here, head, _ = divided(pair)
    (here.root / "user.txt").write_text("draft\n")
    here.git("add", "user.txt")
    ran = here.ran("sync")
    assert here.git("status", "--porcelain") == "A  user.txt", ran.err
    if ran.code:
        assert (ran.code, here.head()) == (8, head)
    else:
        assert "user.txt" not in here.git("show", "--name-only", "-m", "--format=", "HEAD")


@pytest.mark.case("P-GIT-05")
def test_a_merge_is_made_without_a_name_in_gits_configuration(pair):
    here, _, _ = divided(pair)
    assert here.git("config", "--get", "user.name", check=False) == ""
    here.told("sync")
    assert here.git("log", "-1", "--format=%an <%ae>") == "ana <mem@localhost>"


def test_a_branch_with_other_work_is_left_to_git(pair):
    here, _, _ = pair
    (here.root / "main.c").write_text("int main;\n")
    here.git("add", "main.c")
    here.git("commit", "-qm", "work")
    ran = here.ran("sync")
    assert ran.code == 5
    assert "git pull" in ran.err
    assert here.git("rev-parse", "origin/main") != here.head()


def test_without_a_remote_it_says_how_to_name_one(trial):
    trial.remember(REFUND)
    ran = trial.ran("sync")
    assert ran.code == 2
    assert "git remote add" in ran.err


def test_another_store_is_refused_with_the_way_that_works(pair, empty, tmp_path):
    here, _, _ = pair
    strange = empty.copy(tmp_path / "strange")
    strange.git("commit", "-q", "--allow-empty", "--amend", "-m", "another beginning")
    strange.remember(TEA)
    ran = here.ran("sync", str(strange.root))
    assert ran.code == 5
    assert "mem export" in ran.err


@pytest.mark.case("P-SEC-08")
def test_a_store_that_names_programs_is_not_met_until_it_is_trusted(pair, tmp_path):
    _, there, _ = pair
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/pwn'\nexec git-upload-pack \"$@\"\n")
    program.chmod(0o755)
    there.git("config", "remote.origin.uploadpack", str(program))
    ran = there.ran("sync")
    assert ran.code == 5
    assert "mem trust" in ran.err
    assert not (tmp_path / "pwn").exists()
    there.did("trust", "--yes")
    assert there.ran("sync").code == 0
    assert (tmp_path / "pwn").exists()


def driven(trial, base, ours, theirs, path):
    files = []
    for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
        (trial.root.parent / name).write_text(text)
        files.append(str(trial.root.parent / name))
    ran = trial.ran("merge-driver", *files, path)
    return ran.code, (trial.root.parent / "ours").read_text()


def test_the_driver_keeps_lines_of_both_sides_once(trial):
    code, text = driven(trial, "a\n", "a\nb\n", "a\nc\nb\n", "events/2026/11/x.jsonl")
    assert (code, text) == (0, "a\nb\nc\n")


def test_the_driver_keeps_comments_of_both_sides_where_lines_merge(trial):
    head = "---\nid: x\nstatus: active\n# first\nscope: project:t\nconcept: refund\n---\n\n"
    base = f"{head}{REFUND}\n"
    ours = base.replace("id: x", "# ours\nid: x")
    theirs = base.replace("concept: refund", "concept: refund # theirs\ntags: [a]")
    code, text = driven(trial, base, ours, theirs, "schemas/project/t/x.md")
    assert code == 0
    assert "# ours" in text
    assert "# theirs" in text
    assert "tags: [a]" in text


def test_the_driver_marks_what_both_sides_say_differently(trial):
    base = f"---\nid: x\nstatus: active\n---\n\n{REFUND}\n"
    ours, theirs = base.replace("30", "20"), base.replace("30", "40").replace("active", "forgotten")
    code, text = driven(trial, base, ours, theirs, "schemas/project/t/x.md")
    assert code == 1
    assert "<<<<<<<" in text
    assert "status: forgotten" in text.partition("<<<<<<<")[0]


def test_the_driver_leaves_a_file_that_it_cannot_read_to_gits_own_merge(trial):
    base = "---\nid: [\n---\n\none\ntwo\nthree\nfour\n"
    code, text = driven(trial, base, base.replace("one", "1"), base.replace("four", "4"), "schemas/x.md")
    assert (code, text) == (0, base.replace("one", "1").replace("four", "4"))


def test_what_both_remembered_counts_once(pair):
    here, there, _ = pair
    ids = {store.remember(WAREHOUSE)["id"] for store in (here, there)}
    by_sync(here, there)
    same(here, there)
    assert len({item["text"] for item in here.recall("where is the warehouse")["items"]} & {WAREHOUSE}) == 1
    texts = [item["text"] for item in here.recall("where is the warehouse")["items"]]
    assert texts.count(WAREHOUSE) == 1
    for store in (here, there):
        store.did("consolidate")
    by_sync(here, there)
    same(here, there)
    assert sorted(here.statuses()[id_] for id_ in ids) == ["active", "archived"]


def test_what_both_digested_for_themselves_is_one_memory(pair):
    here, there, _ = pair
    said = "We decided to count the stock only in June, because the tax office asks for it."
    turns = json.dumps({"role": "user", "kind": "claim", "text": said})
    here.did("observe", "-", "--session", "s1", stdin=turns)
    by_sync(here, there)
    for store in (here, there):
        store.did("consolidate")
    fresh = set(here.statuses()) - {*pair[2]}
    assert len(fresh) == 1
    assert fresh == set(there.statuses()) - {*pair[2]}
    by_sync(here, there)
    same(here, there)
    assert set(here.statuses()) - {*pair[2]} == fresh
    assert here.told("show", *fresh)["text"] == said
