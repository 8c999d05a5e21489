"""Purge: afterwards what was said is in no file, no cache and no object of git; the rest is untouched."""

import json
import subprocess

import pytest

from memcli.engine.purging import cleaning, finishing
from memcli.journal import discarding, swap
from memcli.journal.process import Git, Ran
from memcli.store import purging

SECRET = "The vault code of Mister Okonkwo is heliotrope seven."
WORDS = (b"heliotrope", b"okonkwo")
OTHER = "The canteen of the harbour office opens at nine."
ELSEWHERE = "The lighthouse keeper drinks his tea without sugar."


def held(trial):
    """Every place where the words still stand: files of any kind, and objects of git."""
    found = []
    for file in (one for one in trial.root.rglob("*") if one.is_file()):
        raw = file.name.encode() + file.read_bytes()
        if any(word in raw.lower() for word in WORDS):
            found.append(file.relative_to(trial.root).as_posix())
    out = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch"],
        cwd=trial.root,
        env=trial.environment,
        capture_output=True,
        check=True,
    ).stdout.lower()
    return found + [word.decode() for word in WORDS if word in out]


def digest(trial, *argv):
    return trial.told("purge", *argv, "--dry-run")["digest"]


def purge(trial, *argv, code=0):
    """Purge as a person who has seen the preview."""
    return trial.told("purge", *argv, "--yes", "--expect", digest(trial, *argv), code=code)


@pytest.fixture
def store(trial):
    """One memory to be purged, one beside it, one of another scope; `trial.gone` is the first one's id."""
    trial.gone = trial.remember(SECRET, "--tag", "safe")["id"]
    trial.kept = trial.remember(OTHER)["id"]
    trial.foreign = trial.remember(ELSEWHERE, "--scope", "project:other")["id"]
    trial.found("what is the vault code")
    return trial


def controls(trial):
    """What else there was is still found, and history is whole."""
    assert trial.found("when does the canteen open") == [trial.kept]
    assert trial.found("tea without sugar", "--scope", "project:other") == [trial.foreign]
    assert trial.git("fsck", "--strict") == ""
    assert trial.git("status", "--short") == ""
    assert trial.ran("check").code == 0


def test_the_words_are_nowhere_and_another_scope_is_untouched(store):
    """A26."""
    path = store.path(store.foreign)
    before = path.read_bytes(), store.git("log", "-1", "--format=%s", "--", str(path))
    assert held(store), "they were there"
    told = purge(store, store.gone)
    assert held(store) == []
    assert told["commit"] == store.head()
    assert (path.read_bytes(), store.git("log", "-1", "--format=%s", "--", str(path))) == before
    assert store.found("what is the vault code") == []
    controls(store)


def test_the_journal_keeps_that_there_was_a_memory(store):
    purge(store, store.gone)
    log = store.did("log", store.gone)
    assert [line.split("\t")[1] for line in log.splitlines()] == ["purge", "remember"]
    assert "[purged]" in log
    assert store.git("rev-list", "--count", "HEAD") == "5"


def test_the_very_words_stay_out_also_in_a_clone(store, tmp_path):
    purge(store, store.gone)
    for place in (store, store.clone(tmp_path / "clone")):
        for text in (SECRET, SECRET.upper(), f"As I said. {SECRET} That is all."):
            assert place.remember(text, code=5)["decision"] == "skipped", text
        assert place.remember("The vault code of Mister Okonkwo is written nowhere.")["decision"] == "created"


def test_a_tombstone_keeps_neither_words_nor_a_digest_that_is_found_in_a_table(store):
    from memcli.memory import claim

    purge(store, store.gone)
    raw = (store.root / "tombstones.jsonl").read_text()
    assert '"act":"purged"' in raw
    assert claim.digest(SECRET) not in raw
    assert '"claim"' not in raw


def test_every_version_goes_whatever_became_of_the_file(store):
    path = store.path(store.gone)
    path.write_text(path.read_text().replace("heliotrope seven", "heliotrope nine"))
    store.did("save")
    store.git("mv", str(path), "schemas/project/t/moved.md")
    store.commit_by_hand(f"Move: {SECRET}")
    store.forget(store.gone)
    (store.root / "schemas/project/t/moved.md").unlink()
    store.did("save")
    assert "heliotrope nine" in (store.root / "tombstones.jsonl").read_text()
    purge(store, store.gone)
    assert held(store) == []
    assert "Move: [purged]" in store.git("log", "--format=%s")
    assert store.remember(SECRET, code=5)["decision"] == "skipped"
    assert store.remember(SECRET.replace("seven", "nine"), code=5)["decision"] == "skipped"
    controls(store)


def test_a_turn_loses_the_passage_and_keeps_the_rest(store):
    said = f"By the way, {SECRET.lower()} Lunch is at noon."
    store.did("observe", "-", stdin=said)
    store.did("observe", "-", stdin="Mister Brown has no vault at all.")
    store.did("consolidate")
    store.found("when is lunch")
    told = purge(store, store.gone)
    assert len(told["events"]["whole"]) == len(told["events"]["part"]) == 1
    assert held(store) == []
    (turn,) = store.recall("when is lunch", "--events", "only")["items"][:1]
    assert turn["text"].endswith("[purged] Lunch is at noon.")


def test_lines_that_no_commit_holds_yet_lose_it_too(store):
    store.did("observe", "-", stdin=SECRET)
    purge(store, store.gone)
    assert held(store) == []


def test_what_an_event_says_in_other_words_stays_unless_asked(store):
    event = "01m0000000aaaaaaaaaaaaaaaa"
    lines = store.root / "events/2026/12"
    lines.mkdir(parents=True, exist_ok=True)
    (lines / "s1.jsonl").write_text(
        f'{{"id":"{event}","at":"2026-12-01T00:00:00Z","scope":"project:t","actor":"human:ana","kind":"turn",'
        '"logic":"1","text":"Okonkwo uses a plant and a number for his safe"}\n'
    )
    path = store.path(store.gone)
    path.write_text(path.read_text().replace("evidence:", f"evidence:\n  - event: {event}", 1))
    store.did("save")
    told = store.told("purge", store.gone, "--dry-run")
    assert told["events"]["kept"] == [event]
    purge(store, store.gone, "--with-evidence")
    assert held(store) == []


def test_another_memory_that_says_the_same_is_named_and_left(store):
    store.write("again", f"We all know this. {SECRET}", "status: archived\narchive_reason: duplicate\n")
    store.did("save")
    assert store.told("purge", store.gone, "--dry-run")["also"] == ["again"]
    purge(store, store.gone)
    assert held(store)
    purge(store, "again")
    assert held(store) == []


def test_a_session_a_log_and_a_receipt_lose_it(store):
    task = store.told("activate", "--task", f"Write down: {SECRET}")
    log = store.root / ".mem/log/crash.txt"
    log.parent.mkdir(exist_ok=True)
    log.write_text(SECRET)
    purge(store, store.gone)
    assert held(store) == []
    assert (store.root / ".mem/sessions" / f"{task['session']}.json").exists()
    assert not log.exists()


def test_what_is_packed_goes_as_well_and_what_is_staged_stays(store):
    store.git("gc", "-q")
    mine = store.write("mine", "The tide table hangs in the hall.")
    store.git("add", str(mine))
    purge(store, store.gone)
    assert held(store) == []
    assert store.git("diff", "--cached", "--name-only") == "schemas/project/t/mine.md"


def test_a_preview_changes_nothing_and_another_state_is_refused(store):
    before = store.git("for-each-ref"), held(store)
    seen = digest(store, store.gone)
    assert (store.git("for-each-ref"), held(store)) == before
    store.remember("The ferry leaves at ten.")
    ran = store.ran("purge", store.gone, "--yes", "--expect", seen)
    assert (ran.code, "not as it was" in ran.err) == (8, True)
    assert held(store)
    purge(store, store.gone)
    assert held(store) == []


def test_only_a_person_purges_and_has_seen_what_it_comes_to(store):
    seen = digest(store, store.gone)
    agent = {"MEM_ACTOR": "agent:claude"}
    assert store.ran("purge", store.gone, "--yes", "--expect", seen, env=agent).code == 5
    assert store.ran("purge", store.gone, "--dry-run", env=agent).code == 5
    assert store.ran("purge", store.gone, "--expect", seen).code == 5
    assert store.ran("purge", store.gone, "--yes").code == 2
    assert held(store)


def test_it_cannot_be_undone(store):
    purge(store, store.gone)
    head = store.head()
    assert store.ran("undo", "--yes").code == 5
    assert store.ran("unforget", store.gone, "--yes").code == 3
    assert store.head() == head


def test_other_names_of_history_are_rewritten_on_a_word_only(store):
    store.git("branch", "dev")
    store.git("tag", "-a", "v1", "-m", f"holds: {SECRET}")
    (store.root / "README.md").write_text("a readme\n")
    store.git("add", "README.md")
    store.git("stash", "push", "-q", "--", "README.md")
    ran = store.ran("purge", store.gone, "--yes", "--expect", digest(store, store.gone))
    assert (ran.code, "--all-refs" in ran.err) == (5, True)
    assert held(store)
    purge(store, store.gone, "--all-refs")
    assert held(store) == []
    assert store.git("show", "dev:mem.toml", check=False) is not None
    assert "[purged]" in store.git("cat-file", "tag", "v1")
    store.git("stash", "pop", "-q")
    assert (store.root / "README.md").read_text() == "a readme\n"


def test_another_working_tree_is_in_the_way(store, tmp_path):
    store.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    ran = store.ran("purge", store.gone, "--all-refs", "--yes", "--expect", digest(store, store.gone))
    assert (ran.code, str(tmp_path / "side") in ran.err) == (5, True)
    store.git("worktree", "remove", str(tmp_path / "side"))
    purge(store, store.gone, "--all-refs")
    assert held(store) == []


def test_what_came_before_keeps_its_commits(trial):
    trial.kept = trial.remember(OTHER)["id"]
    early = trial.head()
    gone = trial.remember(SECRET)["id"]
    told = purge(trial, gone)
    assert told["commits"] == 1
    assert trial.git("rev-list", "HEAD").split()[2] == early


def test_a_shallow_clone_refuses(store, tmp_path):
    store.git("clone", "-q", "--depth=1", f"file://{store.root}", str(tmp_path / "s"))
    shallow = type(store)(tmp_path / "s", store.environment, store.moment)
    assert shallow.ran("purge", store.gone, "--dry-run").code == 7


STEPS = [
    (discarding, "move"),
    (finishing, "_put"),
    (finishing.Staging, "as_at_head"),
    (discarding, "write_logs"),
    (cleaning, "clear"),
    (discarding, "let_go"),
    (purging, "end"),
    (purging, "begin"),
]


def killed(store, room, step, *options):
    """A purge that comes to one step and no further."""
    expected = digest(store, store.gone, *options)
    with pytest.MonkeyPatch.context() as patch:

        def dies(*_args, **_how):
            raise KeyboardInterrupt

        patch.setattr(room, step, dies)
        store.ran("purge", store.gone, *options, "--yes", "--expect", expected)


@pytest.mark.parametrize(("room", "step"), STEPS, ids=[step for _, step in STEPS])
def test_killed_before_any_step_it_is_before_or_ended_by_the_next_command(store, room, step):
    before = store.head()
    killed(store, room, step)
    if step == "begin":
        assert store.head() == before
        assert store.found("what is the vault code") == [store.gone]
        return
    store.did("remember", "The ferry leaves at ten.")
    assert held(store) == []
    assert not (store.root / ".mem/purging").exists()
    controls(store)


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("much", [0, 7, 41])
def test_locks_that_its_git_left_when_it_was_killed_are_let_go(store, monkeypatch, much):
    monkeypatch.setattr(swap, "DEAD_S", 0.3)
    store.git("update-ref", "refs/remotes/origin/main", "HEAD")
    killed(store, discarding, "move", "--all-refs")
    own, other = json.loads((store.root / ".mem/purging").read_text().partition("\n")[2])["moves"]
    git = store.root / ".git"
    (git / f"{own[0]}.lock").write_text(f"{own[2]}\n"[:much])
    assert other[::2] == ["refs/remotes/origin/main", ""]
    (git / f"{other[0]}.lock").touch()
    (git / "HEAD.lock").touch()
    (git / "packed-refs.lock").touch()
    ran = store.ran("remember", "The ferry leaves at ten.")
    assert (ran.code, "has been ended" in ran.err) == (0, True), ran.err
    assert held(store) == []
    assert list(git.rglob("*.lock")) == []
    controls(store)


@pytest.mark.case("P-GIT-02")
def test_another_lock_is_left_alone_and_the_purge_ended_when_it_is_gone(store, monkeypatch):
    monkeypatch.setattr(swap, "DEAD_S", 0.3)
    killed(store, discarding, "move")
    lock = store.root / ".git/refs/heads/main.lock"
    lock.write_text(f"{store.head()}\n")
    ran = store.ran("remember", "The ferry leaves at ten.")
    assert (ran.code, "cannot lock ref 'refs/heads/main'" in ran.err, lock.exists()) == (8, True, True), (
        ran.err
    )
    assert store.found("what is the vault code") == [store.gone]
    lock.unlink()
    assert "has been ended" in store.ran("remember", "The ferry leaves at ten.").err
    assert held(store) == []
    controls(store)


def test_a_purge_that_meets_a_lock_was_not_begun(store):
    expected = digest(store, store.gone)
    lock = store.root / ".git/refs/heads/main.lock"
    lock.touch()
    ran = store.ran("purge", store.gone, "--yes", "--expect", expected)
    assert (ran.code, "Nothing was purged" in ran.err, lock.exists()) == (8, True, True), ran.err
    lock.unlink()
    assert store.found("what is the vault code") == [store.gone]
    purge(store, store.gone)
    assert held(store) == []
    controls(store)


@pytest.mark.case("P-CONC-03")
def test_a_purge_whose_git_alone_was_killed_was_not_begun_and_leaves_no_lock(store, monkeypatch):
    monkeypatch.setattr(swap, "DEAD_S", 0.3)
    expected, lock, real = digest(store, store.gone), store.root / ".git/refs/heads/main.lock", Git.act

    def dies(git, *words, **how):
        if "mem purge" not in words:
            return real(git, *words, **how)
        lock.write_text(how["given"].decode().split(" ")[2][:20])
        return Ran(-9, b"", "")

    with monkeypatch.context() as patch:
        patch.setattr(Git, "act", dies)
        ran = store.ran("purge", store.gone, "--yes", "--expect", expected)
    assert (ran.code, "Nothing was purged" in ran.err, lock.exists()) == (8, True, False), ran.err
    assert store.found("what is the vault code") == [store.gone]
    purge(store, store.gone)
    assert held(store) == []
    controls(store)


def test_refs_that_moved_in_part_are_no_purge_that_was_not_begun(store, monkeypatch):
    store.git("branch", "side")
    expected = digest(store, store.gone, "--all-refs")
    real = Git.act

    def stops(git, *words, **how):
        if "mem purge" not in words:
            return real(git, *words, **how)
        line = next(one for one in how["given"].split(b"\n") if b"refs/heads/side" in one)
        assert real(git, "update-ref", "--stdin", given=line + b"\n").code == 0
        return Ran(128, b"", "fatal: no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Git, "act", stops)
        ran = store.ran("purge", store.gone, "--all-refs", "--yes", "--expect", expected)
    assert (ran.code, "moved only some branches" in ran.err) == (6, True), ran.err
    store.did("remember", "The ferry leaves at ten.")
    assert held(store) == []
    controls(store)


def test_no_vector_of_it_is_left_in_the_cache(store):
    store.did("observe", "-", stdin=f"First things first.\n\n{SECRET} And more of it.")
    store.did("consolidate")
    store.found("first things")
    purge(store, store.gone)
    store.found("first things")
    left = keys(store)
    store.forgets_the_index()
    store.found("first things")
    store.did("consolidate")
    assert left <= keys(store)
    assert left


def keys(trial):
    raw = b"".join(path.read_bytes() for path in (trial.root / ".mem/vectors").glob("*.keys"))
    return {raw[at : at + 16] for at in range(0, len(raw), 16)}


def test_a_person_lets_the_words_pass_again_on_purpose(store):
    purge(store, store.gone)
    back = store.remember(SECRET, "--override", store.gone, "--yes")
    assert back["decision"] == "created"
    assert store.found("what is the vault code") == [back["id"]]
    store.forgets_the_index()
    assert store.found("what is the vault code") == [back["id"]]


def test_what_was_purged_stays_out_of_a_store_that_takes_it_over(store, tmp_path, empty):
    before = store.did("export")
    purge(store, store.gone)
    other = empty.copy(tmp_path / "other")
    other.ran("import", "-", "--yes", stdin=store.did("export"))
    assert held(other) == []
    assert other.remember(SECRET, code=5)["decision"] == "skipped"
    store.ran("import", "-", "--yes", stdin=before)
    assert store.found("what is the vault code") == []
    assert held(store) == []


def test_a_branch_that_still_holds_it_can_be_purged_once_more(store):
    store.git("bundle", "create", "-q", str(store.root.parent / "old.bundle"), "main")
    purge(store, store.gone)
    store.git("pull", "-q", "--no-rebase", "--no-edit", str(store.root.parent / "old.bundle"), "main")
    assert held(store)
    assert store.found("what is the vault code") == []
    purge(store, store.gone)
    assert held(store) == []
    controls(store)


def test_what_said_the_same_and_has_no_file_any_more_goes_with_it(trial):
    first = trial.remember(SECRET)["id"]
    trial.path(first).unlink()
    trial.did("save")
    bare = trial.root / "schemas/project/t/bare.md"
    bare.write_text(f"{SECRET}\n")
    trial.commit_by_hand("a file without an id")
    bare.rename(bare.with_name("moved.md"))
    trial.commit_by_hand("moved, it has another id")
    trial.did("remember", OTHER)
    told = trial.told("list", "--json")
    (gone,) = [one["id"] for one in told["items"] if one["text"] == SECRET]
    seen = purge(trial, gone)
    assert [one["asked"] for one in seen["memories"]] == [True, False, False]
    assert held(trial) == []
    assert trial.ran("audit").code in (0, 1)


def test_a_memory_that_was_moved_is_purged_from_the_scope_it_came_from(trial):
    gone = trial.remember(SECRET)["id"]
    trial.did("observe", "-", stdin=f"Somebody said: {SECRET} Good.")
    trial.did("move", gone, "project:far")
    purge(trial, gone)
    assert held(trial) == []
