"""Further ways in which a repository names a program or another place: none is run, none is followed."""

import os
import shutil

import pytest

CLAIM = "The refund window is 30 days."
COMMANDS = (
    *(["recall", "refund window"], ["log"], ["check"], ["status"], ["doctor"], ["diff", "HEAD"]),
    *(
        ["remember", "Deploys happen on Tuesdays only."],
        ["save"],
        ["forget", "refund00aaaa", "--yes"],
        ["sync"],
    ),
)


def configured(git, text):
    """Append to the repository's own configuration."""
    with (git / "config").open("a") as file:
        file.write(text)


def included_by_folder(git, program):
    configured(
        git, '[includeIf "gitdir/i:**"]\n\tpath = further\n[includeIf "onbranch:*"]\n\tpath = further\n'
    )
    (git / "further").write_text(
        f"[core]\n\tfsmonitor = {program}\n\tpager = {program}\n\tsshCommand = {program}\n"
    )


def of_the_worktree_alone(git, program):
    configured(git, "[extensions]\n\tworktreeConfig = true\n")
    (git / "config.worktree").write_text(f"[core]\n\tfsmonitor = {program}\n\tpager = {program}\n")


def attributes_from_elsewhere(git, program):
    (git / "attributes").write_text("*.md filter=x diff=x\n")
    configured(
        git,
        f'[core]\n\tattributesFile = {git}/attributes\n[filter "x"]\n\tclean = {program}\n\tsmudge = {program}\n'
        f'[diff "x"]\n\ttextconv = {program}\n',
    )


def a_submodule(git, program):
    root = git.parent
    (root / ".gitmodules").write_text(
        f'[submodule "x"]\n\tpath = schemas/x\n\turl = ext::{program}\n\tupdate = !{program}\n'
    )
    (git / "modules/x").mkdir(parents=True)
    (git / "modules/x/config").write_text(
        f"[core]\n\tfsmonitor = {program}\n\tworktree = ../../../schemas/x\n"
    )
    (git / "modules/x/HEAD").write_text("ref: refs/heads/main\n")
    (root / "schemas/x").mkdir()
    (root / "schemas/x/.git").write_text("gitdir: ../../.git/modules/x\n")


def a_repository_inside(git, program):
    inner = git.parent / "schemas/project/t/inner/.git"
    (inner / "hooks").mkdir(parents=True)
    (inner / "config").write_text(f"[core]\n\tfsmonitor = {program}\n")
    (inner / "HEAD").write_text("ref: refs/heads/main\n")
    (inner / "hooks/pre-commit").symlink_to(program)


def objects_from_elsewhere(git, program):
    away = git.parent.parent / "away"
    (away / "pack").mkdir(parents=True)
    os.mkfifo(away / "pack/pack-1.idx")
    (git / "objects/info").mkdir(exist_ok=True)
    (git / "objects/info/alternates").write_text(f"{away}\n../../nowhere\n/proc/self/fd\n\0\n")


def a_helper_of_the_remote(git, program):
    configured(
        git,
        f'[url "ext::{program} "]\n\tinsteadOf = https://\n[remote "origin"]\n\turl = https://x/y\n\tvcs = x\n'
        f"\treceivepack = {program}\n[core]\n\tgitProxy = {program}\n[credential]\n\thelper = !{program}\n",
    )


WAYS = (
    *(included_by_folder, of_the_worktree_alone, attributes_from_elsewhere, a_submodule, a_repository_inside),
    *(objects_from_elsewhere, a_helper_of_the_remote),
)


@pytest.fixture
def received(trial, tmp_path):
    """A store, and a program that leaves a mark where it is run."""
    trial.write("refund00aaaa", CLAIM)
    trial.commit_by_hand()
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/pwn'\ncat\n")
    program.chmod(0o755)
    return trial, program, tmp_path / "pwn"


@pytest.mark.case("P-SEC-08")
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_no_command_runs_or_follows(received, way):
    trial, program, mark = received
    way(trial.root / ".git", program)
    for argv in COMMANDS:
        ran = trial.ran(*argv)
        assert ran.code in range(10), (argv, ran.code, ran.err)
        assert not mark.exists(), argv
    assert trial.status("refund00aaaa") in ("active", "forgotten")


def test_a_commit_that_another_one_replaces_is_read_as_it_was_made(received):
    """refs/replace would show another history to whoever reads by git's own rules."""
    trial, _, _ = received
    trial.forget("refund00aaaa")
    forgotten = trial.head()
    trial.git("replace", forgotten, f"{forgotten}~1")
    trial.forgets_the_index()
    assert trial.found("refund window") == []
    assert trial.status("refund00aaaa") == "forgotten"


@pytest.mark.parametrize("name", ["index", "receipts"])
def test_no_folder_of_this_machine_that_is_a_link_is_entered(received, tmp_path, name):
    """A store may come with a `.mem/` of somebody else's making."""
    trial, _, _ = received
    outside = tmp_path / "outside"
    (outside / "1").mkdir(parents=True)
    link = trial.root / ".mem" / name
    link.parent.mkdir(exist_ok=True)
    shutil.rmtree(link, ignore_errors=True)
    link.symlink_to(outside)
    for argv in (["recall", "refund", "--receipt"], ["remember", "Deploys happen on Tuesdays."]):
        ran = trial.ran(*argv)
        assert (ran.code, f".mem/{name} is a link" in ran.err) == (5, True), ran.err
    ran = trial.ran("doctor", "--fix")
    assert (ran.code, f".mem/{name} is a link" in ran.out) == (6, True), ran.out
    assert [one.name for one in outside.rglob("*")] == ["1"]
    link.unlink()
    assert trial.found("refund window") == ["refund00aaaa"]


@pytest.mark.parametrize("name", [".", "tables", "tables/schemas.lance", "tables/schemas.lance/data"])
def test_an_index_with_a_link_in_it_is_made_anew_beside_it(received, tmp_path, name):
    """With control: the same index without the link stays in use."""
    trial, _, _ = received
    assert trial.found("refund window") == ["refund00aaaa"]
    index = trial.root / ".mem" / "index"
    generation = (index / "current").read_text().strip()
    trial.remember("Invoices are numbered per country.")
    assert (index / "current").read_text().strip() == generation
    outside = tmp_path / "outside"
    shutil.move(index / generation / name, outside)
    (index / generation / name).symlink_to(outside)
    before = sorted(outside.rglob("*"))
    told = trial.remember("Deploys happen on Tuesdays.")
    assert trial.found("when are deploys") == [told["id"]]
    assert (index / "current").read_text().strip() != generation
    assert sorted(outside.rglob("*")) == before
    assert trial.found("refund window") == ["refund00aaaa"]
