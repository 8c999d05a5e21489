"""Other clones: which one is meant, what it holds, and handing it what is here."""

import shutil
from dataclasses import replace

import pytest

from memcli.errors import Refused, TryAgain, Unavailable, Usage
from memcli.journal import remotes, swap
from memcli.journal.remotes import Remote


def bare(store, name="there.git"):
    """An empty clone elsewhere; its address."""
    place = store.root.parent / name
    store.git("init", "-q", "--bare", "-b", "main", str(place))
    return str(place)


@pytest.fixture
def there(begun):
    """The other clone, called origin here, which holds the branch main."""
    begun.git("branch", "-M", "main")
    begun.git("remote", "add", "origin", bare(begun))
    remotes.push(begun.journal, remotes.chosen(begun.journal, None))
    return begun.root.parent / "there.git"


def colleague(begun):
    """Somebody else commits in a clone of their own and pushes."""
    place = begun.root.parent / "colleague"
    begun.git("clone", "-q", str(begun.root.parent / "there.git"), str(place))
    begun.git("-C", str(place), "commit", "-q", "--allow-empty", "-m", "theirs")
    begun.git("-C", str(place), "push", "-q", "origin", "main")
    return begun.git("-C", str(place), "rev-parse", "HEAD").strip()


def chosen(store, wanted=None):
    found = remotes.chosen(store.journal, wanted)
    return found.name, found.branch, found.known


def add(store, *names):
    for name in names:
        store.git("remote", "add", name, f"/nowhere/{name}")


def test_the_branchs_own_comes_before_origin_and_origin_before_the_only_one(begun):
    begun.git("branch", "-M", "work")
    add(begun, "zed")
    assert chosen(begun) == ("zed", "work", True)
    add(begun, "origin", "abel")
    assert chosen(begun) == ("origin", "work", True)
    begun.git("config", "branch.work.remote", "abel")
    assert chosen(begun) == ("abel", "work", True)
    begun.git("config", "branch.work.remote", "gone")
    assert chosen(begun) == ("origin", "work", True)
    assert remotes.names(begun.journal) == ("abel", "origin", "zed")


def test_the_one_that_is_asked_for_may_be_a_name_or_an_address(begun):
    add(begun, "abel")
    assert chosen(begun, "abel")[::2] == ("abel", True)
    assert chosen(begun, "/somewhere/else")[::2] == ("/somewhere/else", False)
    assert Remote("abel", "main", known=True).ref == "refs/remotes/abel/main"
    assert Remote("/somewhere/else", "main", known=False).ref == "refs/mem/fetched"


@pytest.mark.parametrize(
    ("names", "said"), [((), "no remote is configured"), (("abel", "zed"), "several remotes")]
)
def test_without_one_that_is_meant_nothing_is_guessed(begun, names, said):
    add(begun, *names)
    with pytest.raises(Usage, match=said):
        chosen(begun)


def test_an_option_is_no_remote_and_without_a_branch_there_is_none(begun):
    add(begun, "origin")
    with pytest.raises(Usage, match="is no remote"):
        chosen(begun, "--upload-pack=run")
    begun.git("switch", "-q", "--detach")
    with pytest.raises(Usage, match="on no branch"):
        chosen(begun)


def test_what_another_clone_holds_is_fetched_and_counted(begun, there):
    remote = remotes.chosen(begun.journal, None)
    tip = colleague(begun)
    assert remotes.fetch(begun.journal, remote) == tip
    assert begun.git("rev-parse", "refs/remotes/origin/main").strip() == tip
    head = begun.head
    assert remotes.between(begun.journal, head, tip) == 1
    assert remotes.between(begun.journal, tip, head) == 0
    assert remotes.between(begun.journal, None, tip) == 2
    assert remotes.between(begun.journal, head, None) == 0


def test_an_address_without_a_name_leaves_no_branch_of_a_remote(begun, there):
    remote = remotes.chosen(begun.journal, str(there))
    assert remotes.fetch(begun.journal, remote) == begun.head
    assert begun.git("rev-parse", "refs/mem/fetched").strip() == begun.head


def test_a_clone_that_has_no_such_branch_yet_holds_nothing(begun):
    begun.git("remote", "add", "origin", bare(begun))
    assert remotes.fetch(begun.journal, remotes.chosen(begun.journal, None)) is None


def test_a_clone_that_is_not_there_is_named_and_nothing_changes(begun, there):
    remote = remotes.chosen(begun.journal, None)
    shutil.rmtree(there)
    with pytest.raises(Unavailable, match="origin could not be read"):
        remotes.fetch(begun.journal, remote)
    with pytest.raises(Unavailable, match="origin did not take it"):
        remotes.push(begun.journal, remote)


def test_a_clone_that_has_gone_on_takes_nothing_and_is_looked_at_again(begun, there):
    remote = remotes.chosen(begun.journal, None)
    tip = colleague(begun)
    begun.remember()
    with pytest.raises(TryAgain, match="keeps changing"):
        remotes.push(begun.journal, remote)
    assert begun.git("--git-dir", str(there), "rev-parse", "main").strip() == tip


def test_a_branch_that_somebody_works_on_is_not_pushed_to(begun):
    begun.git("branch", "-M", "main")
    place = begun.root.parent / "works"
    begun.git("clone", "-q", str(begun.root), str(place))
    begun.git("remote", "add", "origin", str(place))
    begun.remember()
    with pytest.raises(Refused, match="Somebody works in origin"):
        remotes.push(begun.journal, remotes.chosen(begun.journal, None))


@pytest.mark.case("P-SEC-06")
def test_a_transport_that_runs_a_command_is_not_used(begun):
    begun.git("branch", "-M", "main")
    begun.git("remote", "add", "origin", f"ext::touch {begun.root}/ran")
    begun.git("config", "protocol.ext.allow", "always")
    with pytest.raises(Unavailable, match="not allowed"):
        remotes.fetch(begun.journal, remotes.chosen(begun.journal, None))
    assert not (begun.root / "ran").exists()


@pytest.mark.case("P-SEC-06")
def test_what_fetching_would_run_is_refused_until_it_is_trusted(begun):
    remotes.refuse_strange(replace(begun.journal, trusted=False))
    begun.git("config", "core.sshcommand", "./run")
    with pytest.raises(Refused, match=r"core\.sshcommand = \./run") as refused:
        remotes.refuse_strange(replace(begun.journal, trusted=False))
    assert refused.value.details == ("core.sshcommand = ./run",)
    remotes.refuse_strange(begun.journal)


def test_histories_without_a_common_commit_are_two_stores(begun):
    head = begun.head
    assert remotes.parted(begun.journal, head, head) == head
    begun.git("switch", "-q", "--orphan", "other")
    begun.git("commit", "-q", "--allow-empty", "-m", "another beginning")
    with pytest.raises(Refused, match="another store"):
        remotes.parted(begun.journal, head, begun.head)


def test_what_lies_at_the_top_is_that_of_the_repository_in_head(store):
    assert remotes.top(store.journal) == ()
    store.remember()
    store.write("not committed.txt")
    store.write("häfen.txt")
    store.git("add", "häfen.txt")
    store.git("commit", "-qm", "more")
    assert remotes.top(store.journal) == ("häfen.txt", "schemas")


@pytest.fixture
def quickly(monkeypatch):
    """No live process holds a lock for longer than an instant."""
    monkeypatch.setattr(swap, "DEAD_S", 0.3)


def lock_of(folder, ref):
    """A lock that a git which was killed has left."""
    left = folder / f"{ref}.lock"
    left.parent.mkdir(parents=True, exist_ok=True)
    left.touch()
    return left


@pytest.mark.case("P-CONC-03")
def test_the_lock_of_a_fetch_that_was_killed_is_let_go(begun, there, quickly):
    tip = colleague(begun)
    left = lock_of(begun.root / ".git", "refs/remotes/origin/main")
    assert remotes.fetch(begun.journal, remotes.chosen(begun.journal, None)) == tip
    assert not left.exists()


def test_a_lock_that_is_held_and_let_go_is_waited_for_and_not_removed(begun, there, monkeypatch):
    tip = colleague(begun)
    left = lock_of(begun.root / ".git", "refs/remotes/origin/main")
    rounds = iter(range(9))

    def patience(_wait_s):
        yield next(rounds)
        assert left.exists()
        left.unlink()  # by whoever holds it
        yield next(rounds)

    monkeypatch.setattr(swap, "patience", patience)
    assert remotes.fetch(begun.journal, remotes.chosen(begun.journal, None)) == tip
    assert next(rounds) == 2


@pytest.mark.case("P-GIT-02")
def test_another_lock_is_named_and_stays(begun, there, quickly):
    colleague(begun)
    elsewhere = begun.root.parent / "elsewhere"
    left = lock_of(elsewhere, "main")
    shutil.rmtree(begun.root / ".git/refs/remotes/origin")
    (begun.root / ".git/refs/remotes/origin").symlink_to(elsewhere)
    with pytest.raises(TryAgain, match=r"main\.lock") as refused:
        remotes.fetch(begun.journal, remotes.chosen(begun.journal, None))
    assert "remove that file" in refused.value.hint
    assert left.exists()


@pytest.mark.case("P-GIT-02")
def test_a_lock_in_the_other_clone_is_named_and_stays(begun, there):
    begun.remember()
    left = lock_of(there, "refs/heads/main")
    with pytest.raises(TryAgain, match=r"Another git works in origin: .*main\.lock"):
        remotes.push(begun.journal, remotes.chosen(begun.journal, None))
    assert left.exists()
