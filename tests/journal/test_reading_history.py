"""The journal read back: operations, edits by hand, record time, standings, versions."""

import pytest
from journal_store import Store

from memcli.journal import commit as commits
from memcli.journal import history, tree
from memcli.journal.message import Change, Message, compose
from memcli.journal.process import Git
from memcli.journal.repository import Journal


def act(store, path, text, op, *changes, **said):
    """One operation: `text` (None: removed) at `path`, with its changes of status."""
    place = store.root / path
    if text is None:
        place.unlink()
    else:
        store.write(path, text)
    message = Message(op, text or path, changes=changes, **said)
    return commits.commit(store.journal, [path], message, actor_name="ana")


@pytest.mark.case("P-GIT-09")
def test_a_fresh_repository_has_no_history_and_says_so_quietly(store):
    journal = store.journal
    assert list(history.entries(journal)) == []
    assert history.statuses(journal) == {}
    assert history.landed(journal, "tx") is None
    assert tree.versions(journal, "schemas/a.md") == ()
    assert tree.uncommitted(journal) == ()
    assert journal.branch() == "main"


def test_an_entry_says_what_the_message_said(begun):
    made = act(
        begun,
        "schemas/project/t/a.md",
        "A claim.\n",
        "remember",
        Change("k3v9x2m4", "none", "active"),
        reason="because",
        actor="agent:claude",
        rule="created",
        score=0.5,
        session="s1",
        logic="1",
        tx="t1",
    )
    (entry,) = history.entries(begun.journal)
    assert entry == history.entry(begun.journal, "HEAD") == history.entry(begun.journal, made[:8])
    assert entry.commit == made
    assert entry.parents == (begun.git("rev-parse", "HEAD^").strip(),)
    assert entry.author == "Ana"
    assert entry.op == "remember"
    assert entry.subject == "mem remember: A claim."
    assert (entry.reason, entry.actor, entry.rule, entry.score) == ("because", "agent:claude", "created", 0.5)
    assert (entry.session, entry.logic, entry.tx) == ("s1", "1", "t1")
    assert entry.changes == (Change("k3v9x2m4", "none", "active"),)
    assert entry.paths == ("schemas/project/t/a.md",)
    assert entry.at == int(begun.git("log", "-1", "--format=%ct"))


def test_a_commit_by_hand_that_touches_a_schema_is_an_edit_with_its_author(begun):
    begun.write("schemas/project/t/a.md", "by hand\n")
    begun.git("add", ".")
    begun.git(
        "commit", "-qm", "mem forget: looks like ours\n\nbut has no trailers", "--author=Bo <bo@example.org>"
    )
    begun.write("other.txt")
    begun.git("add", ".")
    begun.git("commit", "-qm", "not ours")
    (entry,) = history.entries(begun.journal)
    assert (entry.op, entry.author, entry.actor) == ("edit", "Bo", "human:Bo")
    assert entry.paths == ("schemas/project/t/a.md",)
    assert entry.subject == "mem forget: looks like ours"
    assert history.entry(begun.journal, "HEAD") is None


@pytest.fixture
def told(begun):
    """Twelve operations on four ids, with one edit by hand in between."""
    for n in range(12):
        op = ("remember", "forget", "unforget")[n // 4]
        act(
            begun,
            f"schemas/project/t{n % 2}/{n % 4}.md",
            f"{op}\n",
            op,
            Change(
                f"id{n % 4}",
                ("none", "active", "forgotten")[n // 4],
                ("active", "forgotten", "active")[n // 4],
            ),
            actor="human:ana" if n % 2 else "agent:x",
            tx=f"tx{n}",
        )
        if n == 5:
            begun.write("schemas/project/t0/0.md", "edited\n")
            begun.git("commit", "-qam", "by hand")
    return begun


def test_entries_come_newest_first_and_filters_are_exact(told):
    journal = told.journal
    every = list(history.entries(journal))
    assert [one.commit for one in every] == told.git("rev-list", "HEAD").split()[:-1]
    assert [one.op for one in every] == ["unforget"] * 4 + ["forget"] * 2 + ["edit"] + ["forget"] * 2 + [
        "remember"
    ] * 4
    assert list(history.entries(journal, limit=3)) == every[:3]
    assert list(history.entries(journal, limit=0)) == []
    assert list(history.entries(journal, op="edit")) == [every[6]]
    assert [one.tx for one in history.entries(journal, actor="human:ana", limit=2)] == ["tx11", "tx9"]
    assert next(history.entries(journal, op="forget", actor="agent:x")).tx == "tx6"
    assert list(history.entries(journal, actor="human:Ana")) == [every[6]]
    assert [one.tx for one in history.entries(journal, path="schemas/project/t1")] == [
        f"tx{n}" for n in (11, 9, 7, 5, 3, 1)
    ]
    assert list(history.entries(journal, until_rev="HEAD~4")) == every[4:]
    assert list(history.entries(journal, since=every[3].at)) == [
        one for one in every if one.at >= every[3].at
    ]


def test_a_filter_finds_what_lies_deeper_than_the_first_page(told, monkeypatch):
    monkeypatch.setattr(history, "_PAGE", 2)
    assert [one.tx for one in history.entries(told.journal, op="remember", limit=1)] == ["tx3"]
    assert len(list(history.entries(told.journal, op="remember", limit=9))) == 4


def test_the_last_trailer_of_an_id_is_its_standing(told):
    journal = told.journal
    found = history.statuses(journal)
    assert {id_: (one.status, one.prior, one.op) for id_, one in found.items()} == {
        f"id{n}": ("active", "forgotten", "unforget") for n in range(4)
    }
    assert found["id3"].commit == told.head
    middle = journal.resolve("HEAD~2")
    later = history.statuses(journal, after=middle)
    assert later.keys() == {"id2", "id3"}
    told.git("checkout", "-q", middle)
    assert history.statuses(told.journal) | later == found
    assert history.statuses(told.journal, after=middle) == {}


def test_whether_an_operation_landed_is_asked_by_its_own_name_alone(told):
    assert history.landed(told.journal, "tx3") == told.journal.resolve("HEAD~9")
    assert history.landed(told.journal, "tx") is None
    assert history.landed(told.journal, "tx1") is not None
    assert history.landed(told.journal, ".*") is None


def test_descent_is_known_and_unknown_commits_are_no_ancestors(told):
    journal = told.journal
    head, old = journal.head(), journal.resolve("HEAD~5")
    assert history.descends(journal, head, old)
    assert not history.descends(journal, old, head)
    assert history.descends(journal, head, head)
    assert not history.descends(journal, head, "0" * 40)


def test_record_time_never_runs_backwards(begun):
    for n, day in enumerate(("03", "01", "02", "04")):
        begun.environment["GIT_COMMITTER_DATE"] = f"2030-01-{day}T00:00:00Z"
        begun.remember(f"schemas/project/t/{n}.md", tx=f"tx{n}")
    third, fourth = 1893628800, 1893715200
    assert [(one.tx, one.at) for one in history.entries(begun.journal)] == [
        ("tx3", fourth),
        ("tx2", third),
        ("tx1", third),
        ("tx0", third),
    ]
    assert history.entry(begun.journal, "HEAD~2").at == third
    assert history.record_time(begun.journal, begun.journal.resolve("HEAD~1")) == third


def test_both_sides_of_a_merge_are_told_and_what_it_resolved(begun):
    begun.remember("schemas/project/t/a.md", "base\n", tx="base")
    begun.git("checkout", "-qb", "side")
    begun.remember("schemas/project/t/a.md", "theirs\n", tx="side")
    begun.git("checkout", "-q", "main")
    begun.remember("schemas/project/t/a.md", "ours\n", tx="main")
    begun.git("merge", "-q", "side", check=False)
    begun.write("schemas/project/t/a.md", "resolved\n")
    begun.git("add", ".")
    begun.git("commit", "-qm", "merged")
    entries = list(history.entries(begun.journal))
    assert {one.tx for one in entries[1:]} == {"base", "side", "main"}
    assert entries[-1].tx == "base"
    assert entries[0].op == "edit"
    assert entries[0].paths == ("schemas/project/t/a.md",)
    assert len(entries[0].parents) == 2
    assert {one.tx for one in history.entries(begun.journal, path="schemas/project/t/a.md")} == {
        "",
        "base",
        "side",
        "main",
    }


def test_in_a_shared_repository_other_peoples_commits_are_not_the_journals(begun, environment):
    inner = begun.root / "mem"
    inner.mkdir()
    journal = Journal.init(inner, environment, within=True)
    store = Store(inner, environment)
    store.write("mem.toml", "")
    commits.commit(journal, ["mem.toml"], Message("init"), actor_name="ana")
    begun.write("user.txt", "two\n")
    begun.git("commit", "-qam", "theirs")
    made = store.remember("schemas/project/t/a.md")
    (entry,) = history.entries(store.journal)
    assert (entry.commit, entry.paths) == (made, ("schemas/project/t/a.md",))
    assert history.statuses(store.journal).keys() == {"k3v9x2m4"}


def test_versions_follow_a_file_through_renames(begun):
    text = "".join(f"line {n}\n" for n in range(20))
    first = begun.remember("schemas/project/t/a-k3v9.md", text)
    second = begun.remember("schemas/project/t/a-k3v9.md", text + "more\n")
    begun.git("mv", "schemas/project/t/a-k3v9.md", "schemas/project/t/new name-k3v9.md")
    begun.git("commit", "-qm", "moved")
    moved = begun.head
    (begun.root / "schemas/project/t/new name-k3v9.md").unlink()
    gone = begun.commit("schemas/project/t/new name-k3v9.md", op="forget")
    versions = tree.versions(begun.journal, "schemas/project/t/new name-k3v9.md")
    assert [(one.commit, one.path.rpartition("/")[2]) for one in versions] == [
        (gone, "new name-k3v9.md"),
        (moved, "new name-k3v9.md"),
        (second, "a-k3v9.md"),
        (first, "a-k3v9.md"),
    ]
    assert versions[0].blob == ""
    blobs = tree.read_blobs(begun.journal, [one.blob for one in versions if one.blob])
    assert blobs[versions[-1].blob].decode() == text
    assert blobs[versions[1].blob].decode() == text + "more\n"


def test_what_is_uncommitted_is_told_against_head_whatever_is_staged(begun):
    for name in ("kept", "changed", "gone", "staged-gone", "restored", "staged-away"):
        begun.remember(f"schemas/project/t/{name}.md", f"{name}\n")
    begun.write("schemas/project/t/changed.md", "otherwise\n")
    (begun.root / "schemas/project/t/gone.md").unlink()
    begun.git("rm", "-q", "schemas/project/t/staged-gone.md")
    begun.git("rm", "-q", "--cached", "schemas/project/t/staged-away.md")
    begun.write("schemas/project/t/new.md")
    begun.git("add", begun.write("schemas/project/t/staged-new.md"))
    begun.git("add", begun.write("schemas/project/t/never.md"))
    (begun.root / "schemas/project/t/never.md").unlink()
    begun.write("events/2026/11/s.jsonl", "{}\n")
    begun.write("elsewhere.md")
    found = {one.path.removeprefix("schemas/project/t/"): one.kind for one in tree.uncommitted(begun.journal)}
    assert found == {
        "changed.md": "modified",
        "gone.md": "deleted",
        "staged-gone.md": "deleted",
        "staged-away.md": "modified",
        "new.md": "added",
        "staged-new.md": "added",
    }
    (event,) = tree.uncommitted(begun.journal, ["events"])
    assert (event.path, event.kind) == ("events/2026/11/s.jsonl", "added")


def test_asking_what_is_uncommitted_writes_nothing(begun):
    begun.remember()
    (begun.root / "schemas/project/t/a.md").touch()
    before = (begun.root / ".git/index").stat()
    assert tree.uncommitted(begun.journal) == ()
    assert (begun.root / ".git/index").stat() == before


def test_many_paths_are_read_at_once_and_at_any_commit(begun):
    paths = [begun.write(f"schemas/project/t{n % 9}/{n}.md", f"{n}\n") for n in range(300)]
    begun.commit(*paths)
    begun.remember(paths[0], "later\n")
    assert tree.read(begun.journal, "HEAD~1", paths) == {
        path: f"{n}\n".encode() for n, path in enumerate(paths)
    }
    assert tree.read(begun.journal, "HEAD", [paths[0], "no.md"]) == {paths[0]: b"later\n", "no.md": None}
    assert tree.read(begun.journal, "HEAD", []) == {}
    assert len(tree.blobs(begun.journal, "HEAD", "")) == 301
    assert len(tree.blobs(begun.journal, "HEAD", "schemas/project/t0/")) == 34


@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_a_large_batch_is_one_commit_and_one_pack(tmp_path, environment, kind):
    (tmp_path / "large").mkdir()
    store = Store(tmp_path / "large", environment)
    store.git("init", "-q", "-b", "main", f"--object-format={kind}")
    paths = [store.write(f"schemas/project/t{n % 9}/{n}.md", f"{n}\n" * n) for n in range(200)]
    store.commit(*paths)
    assert store.paths_of() == sorted(paths)
    assert store.git("count-objects").startswith("0 objects")
    assert store.status == ""
    assert store.sound
    assert store.git("show", "HEAD:schemas/project/t1/199.md") == "199\n" * 199


def test_any_number_of_commits_is_summed_up_by_one_process(begun, monkeypatch):
    lines = []
    for n in range(3000):
        changes = (Change(f"id{n % 2700}", "none", "active"),)
        text = compose(Message("remember", f"claim {n}", changes=changes))
        lines.append(
            f"commit refs/heads/main\ncommitter A <a@b> {1700000000 + n} +0000\ndata {len(text)}\n{text}"
        )
        lines.append("from refs/heads/main^0\n\n" if n == 0 else "\n")
    begun.git("fast-import", "--quiet", "--force", given="".join(lines).encode())
    started, run = [], Git._run
    monkeypatch.setattr(Git, "_run", lambda *words: started.append(words) or run(*words))
    assert len(history.statuses(begun.journal)) == 2700
    assert len(started) == 1
