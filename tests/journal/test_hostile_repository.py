"""A repository that somebody else made, or that is damaged, runs nothing and is not mended by us."""

import pytest
from journal_store import Store

from memcli.errors import MemError, Refused, Unavailable, Usage
from memcli.journal import history, seen, tree
from memcli.journal.repository import Journal

INJECTED = [
    "--output={mark}",
    "--upload-pack=touch {mark}",
    "-u{mark}",
    "--exec=touch {mark}",
    "HEAD --output={mark}",
    "@{{upstream}}--output={mark}",
    "",
    "HEAD\n--output={mark}",
    "HEAD:schemas",
    "no-such-rev",
]


def reads(store):
    """Everything that reads, as a command would."""
    journal = store.journal
    journal.head()
    journal.branch()
    journal.state()
    list(history.entries(journal))
    list(history.entries(journal, path="schemas", op="edit", limit=3))
    history.entry(journal, "HEAD")
    history.statuses(journal)
    history.landed(journal, "tx")
    history.descends(journal, journal.head(), journal.resolve("HEAD"))
    seen.rewritten(journal)
    tree.blobs(journal, "HEAD")
    tree.read(journal, "HEAD", ["schemas/project/t/a.md", "none"])
    tree.versions(journal, "schemas/project/t/a.md")
    return tree.uncommitted(journal)


@pytest.mark.case("P-SEC-07")
@pytest.mark.parametrize("text", INJECTED)
def test_a_revision_is_never_an_option(begun, tmp_path, text):
    mark = tmp_path / "pwn"
    rev = text.format(mark=mark)
    for ask in (
        begun.journal.resolve,
        lambda rev: history.entry(begun.journal, rev),
        lambda rev: list(history.entries(begun.journal, until_rev=rev)),
        lambda rev: tree.blobs(begun.journal, rev),
        lambda rev: tree.read(begun.journal, rev, ["user.txt"]),
    ):
        with pytest.raises(Usage):
            ask(rev)
    assert not mark.exists()


@pytest.mark.case("P-SEC-07")
@pytest.mark.parametrize("text", INJECTED[:5])
def test_a_path_an_actor_and_a_branch_are_never_options(begun, tmp_path, text):
    mark = tmp_path / "pwn"
    path = text.format(mark=mark)
    assert list(history.entries(begun.journal, path=path)) == []
    assert list(history.entries(begun.journal, op=path, actor=path)) == []
    assert tree.read(begun.journal, "HEAD", [path]) == {path: None}
    assert tree.versions(begun.journal, path) == ()
    assert tree.uncommitted(begun.journal, [path]) == ()
    assert history.landed(begun.journal, path) is None
    begun.git("symbolic-ref", "HEAD", "refs/heads/-u")
    begun.remember()
    seen.advance(begun.journal)
    assert seen.last(begun.journal) == begun.head
    assert not mark.exists()


def poison(store, mark):
    """Every setting by which a configuration makes git run a program."""
    program = f"touch {mark}; echo"
    included = store.root / ".git" / "included"
    included.write_text(f'[diff]\n\texternal = "{program}"\n[gpg]\n\tprogram = "{program}"\n')
    store.git("config", "include.path", "included")
    for key in (
        "core.fsmonitor",
        "core.sshCommand",
        "core.pager",
        "core.editor",
        "core.askPass",
        "core.gitProxy",
        "core.alternateRefsCommand",
        "uploadpack.packObjectsHook",
        "diff.external",
        "diff.x.command",
        "diff.x.textconv",
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "merge.x.driver",
        "gc.recentObjectsHook",
        "interactive.diffFilter",
        "trailer.x.command",
        "gpg.program",
        "gpg.ssh.defaultKeyCommand",
        "remote.origin.uploadpack",
    ):
        store.git("config", key, program)
    for name in ("log", "status", "ls-tree", "cat-file", "rev-parse", "show"):
        store.git("config", f"alias.{name}", f"!{program}")
    store.git("config", "log.showSignature", "true")
    store.git("config", "filter.x.required", "true")
    store.git("config", "remote.origin.url", str(store.root))
    store.git("config", "remote.origin.promisor", "true")
    store.git("config", "extensions.partialClone", "origin")
    store.git("config", "core.hooksPath", "./h")
    for name in ("pre-commit", "post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"):
        (store.root / "h").mkdir(exist_ok=True)
        (store.root / "h" / name).write_text(f"#!/bin/sh\n{program}\n")
        (store.root / "h" / name).chmod(0o755)
    store.write(".gitattributes", "* filter=x diff=x merge=x\n")


@pytest.mark.case("P-SEC-08")
def test_reading_runs_nothing_that_a_hostile_configuration_names(begun, tmp_path):
    begun.remember("schemas/project/t/a.md", "one\n")
    begun.remember("schemas/project/t/a.md", "two\n")
    begun.write("schemas/project/t/a.md", "six\n")
    begun.write("schemas/project/t/new.md")
    mark = tmp_path / "pwn"
    poison(begun, mark)
    before = (begun.root / ".git/index").read_bytes()
    mark.unlink(missing_ok=True)  # setting it all up may have run some of it
    found = reads(begun)
    assert [(one.path, one.kind) for one in found] == [
        ("schemas/project/t/a.md", "modified"),
        ("schemas/project/t/new.md", "added"),
    ]
    assert not mark.exists()
    assert (begun.root / ".git/index").read_bytes() == before


@pytest.mark.case("P-SEC-08")
def test_a_lost_object_of_a_partial_clone_is_not_fetched(begun, tmp_path):
    made = begun.remember()
    mark = tmp_path / "pwn"
    poison(begun, mark)
    blob = begun.git("rev-parse", f"{made}:schemas/project/t/a.md").strip()
    (begun.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    mark.unlink(missing_ok=True)
    with pytest.raises(Unavailable):
        tree.read(begun.journal, "HEAD", ["schemas/project/t/a.md"])
    assert not mark.exists()


@pytest.mark.case("P-SEC-08")
def test_writing_to_an_untrusted_store_runs_nothing_and_says_what_it_would_run(begun, tmp_path):
    mark = tmp_path / "pwn"
    poison(begun, mark)
    begun.options["trusted"] = False
    before = begun.head
    mark.unlink(missing_ok=True)
    with pytest.raises(Refused) as refusal:
        begun.remember()
    assert "the hook pre-commit" in refusal.value.details
    assert "filter.x.clean" in refusal.value.details
    assert begun.head == before
    assert not mark.exists()


def test_an_untrusted_store_that_runs_nothing_is_written_to(begun):
    begun.options["trusted"] = False
    begun.remember()
    assert begun.status == ""


def test_a_working_tree_that_the_configuration_puts_elsewhere_is_refused(begun, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    begun.git("config", "core.worktree", str(tmp_path / "elsewhere"))
    with pytest.raises(Unavailable, match=r"core\.worktree"):
        begun.remember()
    with pytest.raises(Unavailable, match=r"core\.worktree"):
        tree.uncommitted(begun.journal)


# GIT-16: damage


@pytest.mark.case("P-GIT-16")
def test_a_damaged_object_is_named_and_nothing_is_deleted(begun):
    begun.remember()
    made = begun.remember("schemas/project/t/b.md")
    place = begun.root / ".git/objects" / made[:2] / made[2:]
    place.chmod(0o644)
    place.write_bytes(b"")
    files = sorted((begun.root / ".git").rglob("*"))
    begun.write("schemas/project/t/c.md")
    with pytest.raises(Unavailable, match="damaged"):
        begun.commit("schemas/project/t/c.md")
    for ask in (lambda: tree.blobs(begun.journal, "HEAD"), lambda: list(history.entries(begun.journal))):
        with pytest.raises(MemError):
            ask()
    assert sorted((begun.root / ".git").rglob("*")) == files
    assert begun.journal.head() == made


@pytest.mark.case("P-GIT-16")
@pytest.mark.parametrize("content", ["", "garbage\n", "0123\n"])
def test_a_damaged_ref_is_named_and_never_taken_for_a_fresh_branch(begun, content):
    begun.remember()
    (begun.root / ".git/refs/heads/main").write_text(content)
    for ask in (begun.remember, begun.journal.head, lambda: list(history.entries(begun.journal))):
        with pytest.raises(Unavailable, match="damaged"):
            ask()
    assert (begun.root / ".git/refs/heads/main").read_text() == content


@pytest.mark.case("P-GIT-16")
def test_a_damaged_tree_stops_a_commit(begun):
    begun.remember()
    damaged = begun.git("rev-parse", "HEAD:schemas").strip()
    place = begun.root / ".git/objects" / damaged[:2] / damaged[2:]
    place.chmod(0o644)
    place.write_bytes(place.read_bytes()[:-4])
    before = begun.head
    with pytest.raises(Unavailable, match="damaged"):
        begun.remember("schemas/project/t/b.md")
    assert begun.head == before


def test_a_broken_staging_area_stops_a_commit(begun):
    (begun.root / ".git/index").write_bytes(b"DIRCgarbage" * 9)
    before = begun.head
    with pytest.raises(Unavailable):
        begun.remember()
    assert begun.head == before
    assert (begun.root / ".git/index").read_bytes() == b"DIRCgarbage" * 9


# GIT-12, GIT-20: history cut and rewritten


@pytest.mark.case("P-GIT-12")
def test_a_shallow_clone_says_since_when_it_knows(begun, tmp_path, environment):
    for n in range(3):
        begun.environment["GIT_COMMITTER_DATE"] = f"2026-0{n + 1}-01T00:00:00Z"
        begun.remember(f"schemas/project/t/{n}.md")
    begun.git("clone", "-q", "--depth", "1", f"file://{begun.root}", str(tmp_path / "cut"))
    cut = Store(tmp_path / "cut", environment)
    assert cut.journal.state().shallow_since == 1772323200  # 2026-03-01
    assert begun.journal.state().shallow_since is None
    (only,) = history.entries(cut.journal)
    assert only.op == "remember"
    assert only.paths == ()  # git would say that the commit made every file
    cut.remember("schemas/project/t/new.md")
    assert [one.paths for one in history.entries(cut.journal)] == [("schemas/project/t/new.md",), ()]
    assert cut.status == ""


@pytest.mark.case("P-GIT-20")
def test_a_rewritten_history_is_noticed_and_its_old_tip_named(begun, environment):
    journal = Journal.open(begun.root, environment)
    assert seen.last(journal) is None
    begun.remember("schemas/project/t/a.md")
    seen.advance(journal)
    old = begun.remember("schemas/project/t/b.md")
    seen.advance(journal)
    assert seen.rewritten(journal) is None
    begun.git("reset", "-q", "--hard", "HEAD~2")
    begun.remember("schemas/project/t/c.md")
    assert seen.rewritten(journal) == old
    seen.advance(journal)
    assert seen.last(journal) == old
    begun.git("reflog", "expire", "--expire=now", "--all")
    begun.git("gc", "-q", "--prune=now")
    assert tree.blobs(journal, old).keys() == {"schemas/project/t/a.md", "schemas/project/t/b.md"}
    seen.accept(journal)
    assert seen.rewritten(journal) is None
    begun.git("checkout", "-qb", "b2", "HEAD~1")
    assert seen.last(journal) is None
    assert seen.rewritten(journal) is None
