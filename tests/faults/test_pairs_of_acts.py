"""Two clones and one memory: whatever either does to it before they meet, both hold the same and a removal holds.

Each pair of acts is one case, with `mem sync` and with plain git. The suite draws some of them;
`--campaign 1000` is every one.
"""

import shutil

import pytest
from engine.test_meeting_clones import REFUND, SUCCESSOR, pair
from trial import AGENT

__all__ = ["pair"]

DRAWN = 12  # of each way to meet, in the short form


def changed(store, id_, old, new):
    """Let the file of a memory hold other bytes."""
    path = store.path(id_)
    path.write_bytes(path.read_bytes().replace(old, new))


def edit(old, new):
    """A person's edit that is saved."""

    def act(store, id_):
        changed(store, id_, old, new)
        store.did("save", "--yes")

    return act


def by_hand(old, new):
    """An edit that is committed by plain git."""

    def act(store, id_):
        changed(store, id_, old, new)
        store.commit_by_hand()

    return act


def command(*argv):
    """A command that is given the id as its second word."""
    return lambda store, id_: store.did(argv[0], id_, *argv[1:])


def rename(store, id_):
    path = store.path(id_)
    path.rename(path.with_name("plain.md"))
    store.did("save", "--yes")


def rename_by_git(store, id_):
    path = store.path(id_)
    store.git("mv", str(path), str(path.with_name(f"renamed-{path.name}")))
    store.commit_by_hand()


def delete(store, id_):
    store.path(id_).unlink()
    store.did("save", "--yes")


def delete_by_git(store, id_):
    store.path(id_).unlink()
    store.commit_by_hand()


def mode(store, id_):
    store.path(id_).chmod(0o755)
    store.commit_by_hand()


def folder(store, id_):
    """A folder of the same name, with another memory in it."""
    path = store.path(id_)
    path.unlink()
    path.mkdir()
    (path / "x.md").write_text("Inside a folder now lies some other thing.\n")
    store.commit_by_hand()


def settings(store, _):
    file = store.root / "mem.toml"
    file.write_text(f"{file.read_text()}\n# {store.root.parent.name}\n")
    store.commit_by_hand()


def one_by_one(*acts):
    def act(store, id_):
        for one in acts:
            one(store, id_)

    return act


forget = command("forget", "--yes")
move = command("move", "project:other")
ACTS = {
    "reword": edit(b"30 days", b"31 days"),
    "reword wholly": edit(REFUND.encode(), b"Whoever wants it may bring goods back for a month."),
    "tag": edit(b"status:", b"tags: [x]\nstatus:"),
    "tag otherwise": edit(b"status:", b"tags: [y]\nstatus:"),
    "lines of Windows": edit(b"\n", b"\r\n"),
    "break": by_hand(b"status:", b"status: ["),
    "move": move,
    "move to user": command("move", "user"),
    "rename": rename,
    "rename by git": rename_by_git,
    "delete": delete,
    "delete by git": delete_by_git,
    "forget": forget,
    "forget by hand": by_hand(b"status: active", b"status: forgotten"),
    "retract": command("retract", "--reason", "never so", "--yes"),
    "supersede": command("supersede", "--with", SUCCESSOR),
    "forget and unforget": one_by_one(forget, command("unforget", "--yes")),
    "forget and delete": one_by_one(forget, delete),
    "move and forget": one_by_one(move, forget),
    "say again": lambda store, _: store.remember(REFUND),
    "mode": mode,
    "folder": folder,
    "settings": settings,
}
OUT = {"forget", "forget by hand", "retract", "forget and delete", "move and forget"}
BACK = {"forget and unforget"}
NOT_EXPLAINED = {"break", "rename by git", "delete by git", "forget by hand", "folder", "mode"}
FOR_A_PERSON = {"break", "folder"}  # what `mem check` names for a reason
ELSEWHERE = [{"move", "move to user"}, {"move to user", "move and forget"}]  # two scopes: a person's choice


def meet_by_git(here, there):
    """Plain git as far as it comes alone, then both by `mem sync`."""
    here.did("save", "--yes")
    there.did("save", "--yes")
    here.git("push", "-q", "origin", "HEAD:main")
    there.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main", check=False)
    if (there.root / ".git/MERGE_HEAD").exists():
        there.git("merge", "--abort")
    there.ran("recall", "refund window")


@pytest.fixture
def apart(pair, tmp_path):
    """Makes both clones again, with a bare repository of their own, and the id of the memory."""
    here, there, (id_, _) = pair

    def made(number):
        folder = tmp_path / str(number)
        shutil.copytree(here.git("remote", "get-url", "origin"), folder / "t.git")
        both = here.copy(folder / "here"), there.copy(folder / "there")
        for one in both:
            one.git("remote", "set-url", "origin", str(folder / "t.git"))
        return *both, id_

    return made


@pytest.fixture
def drawn(campaign, dice):
    """The pairs of acts to look at."""
    return dice.sample(PAIRS, min(len(PAIRS), DRAWN * campaign))


def met(here, there):
    """Whether they could meet without a person; none ends in another way than these two."""
    here.moment = there.moment = max(here.moment, there.moment) + 60
    codes = {store.ran("sync").code for store in (here, there, here, there)}
    assert codes <= {0, 8}
    return codes == {0}


def check(store, id_, acts):
    """What must hold in one clone."""
    assert store.git("status", "--porcelain") == ""
    assert store.ran("doctor").code in (0, 1, 4)
    checked, audited = store.ran("check"), store.ran("audit")
    assert {checked.code, audited.code} <= {0, 1, 4}
    if acts & FOR_A_PERSON or acts in ELSEWHERE:
        return
    assert checked.code == 0, checked.out
    assert sum(f"id: {id_}" in path.read_text() for path in store.root.glob("schemas/**/*.md")) <= 1
    assert acts & NOT_EXPLAINED or audited.code == 0, audited.out


def stays_out(store, id_, acts):
    """Nothing brings back what one of them took out."""
    for scope in ("project:t", "project:other", "user"):
        found = store.found(
            "refund window of 30 days", "--scope", scope, "--floor", "0.5", "--events", "none"
        )
        assert id_ not in found
    if "move and forget" not in acts:
        assert store.ran("remember", REFUND, env=AGENT).code == 5


PAIRS = [(one, other) for one in ACTS for other in ACTS]


@pytest.mark.case("P-LIFE-02")
@pytest.mark.parametrize("by", ["sync", "git"])
def test_whatever_two_clones_do_to_one_memory_they_hold_the_same(apart, drawn, tally, by):
    for number, (one, other) in enumerate(drawn):
        first, second, id_ = apart(number)
        ACTS[one](first, id_)
        second.moment += 60
        ACTS[other](second, id_)
        if by == "git":
            meet_by_git(first, second)
        tally["pairs of acts"] += 1
        if not met(first, second):
            tally["left to a person"] += 1
            continue
        acts = {one, other}
        assert first.head() == second.head(), acts
        for store in (first, second):
            check(store, id_, acts)
            if acts & OUT and not acts & BACK:
                stays_out(store, id_, acts)
                store.forgets_the_index()
                stays_out(store, id_, acts)
                tally["removals that held"] += 1
        tally["lost, doubled or brought back"] += 0
