"""A store that somebody else made runs nothing until a person trusts it."""

import json

import pytest
from trial import AGENT, Trial

CLAIM = "The refund window is 30 days."
READING = [
    ["recall", "refund window"],
    ["recall", "refund", "--mode", "history", "--evidence", "full", "--json"],
    ["show", "refund00aaaa"],
    ["list", "--json"],
    ["log"],
    ["log", "--json", "-n", "1"],
    ["history", "refund00aaaa"],
    ["status"],
    ["check"],
    ["config", "--show-origin"],
    ["index", "rebuild"],
    ["index", "verify"],
    ["skills", "list", "--ok-if-empty"],
    ["export"],
    ["trust"],
    ["remember", "--help"],
]
WRITING = [
    ["remember", "Deploys to production happen on Tuesdays only."],
    ["remember", "--supersede-concept", "--concept", "refund", "The refund window is 14 days."],
    ["forget", "refund00aaaa", "--yes"],
    ["unforget", "gone0000aaaa", "--yes"],
    ["supersede", "refund00aaaa", "--with", "The refund window is 14 days."],
    ["move", "refund00aaaa", "project:shop"],
    ["check", "--fix"],
    ["save"],
    ["sync"],
    ["merge-driver", "--install"],
    ["undo"],
]


def hostile(folder, program):
    """A repository whose configuration and hooks run `program` wherever git lets them."""
    settings = f"""
[core]
	fsmonitor = {program}
	hooksPath = {folder}/.git/own-hooks
	sshCommand = {program}
	pager = {program}
	editor = {program}
	askPass = {program}
[filter "x"]
	clean = {program}
	smudge = {program}
	process = {program}
	required = true
[diff]
	external = {program}
[diff "x"]
	textconv = {program}
[merge "union"]
	driver = {program}
[gpg]
	program = {program}
[credential]
	helper = !{program}
[alias]
	status = !{program}
	commit = !{program}
[pager]
	log = {program}
	status = {program}
[gc]
	auto = 1
[include]
	path = further
[remote "origin"]
	url = ext::{program} x/t
	uploadpack = {program}
	promisor = true
"""
    with (folder / ".git/config").open("a") as file:
        file.write(settings)
    (folder / ".git/further").write_text(f'[gpg "ssh"]\n\tdefaultKeyCommand = {program}\n')
    (folder / ".git/info").mkdir(exist_ok=True)
    (folder / ".git/info/attributes").write_text("*.md filter=x diff=x merge=x ident\n")
    hooks = folder / ".git/own-hooks"
    hooks.mkdir()
    for name in (
        *("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-checkout", "post-rewrite"),
        *("reference-transaction", "post-index-change", "pre-auto-gc", "fsmonitor-watchman"),
    ):
        (hooks / name).symlink_to(program)


@pytest.fixture
def received(trial, tmp_path):
    """A store that came with a hostile repository, and the file that appears if anything of it runs."""
    trial.write("refund00aaaa", CLAIM, "concept: refund\n")
    trial.write("gone0000aaaa", "The office closes at noon.")
    trial.commit_by_hand()
    trial.write("gone0000aaaa", "The office closes at noon.", "status: forgotten\n")
    trial.commit_by_hand()
    trial.write("hand0000aaaa", "Stock is counted in June.")
    (trial.root / "schemas/project/t/bare.md").write_text("Invoices are numbered per country.\n")
    mark = tmp_path / "pwn"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch '{mark}'\ncat\n")
    program.chmod(0o755)
    hostile(trial.root, program)
    trial.git = None  # nobody runs git by hand here: it would run the program
    return trial, mark


def kept(trial):
    """Every file of the store's own, and where its branch stands."""
    files = {path: path.read_bytes() for path in trial.root.glob("schemas/**/*.md")}
    return files, (trial.root / ".git/refs/heads/main").read_bytes(), (trial.root / ".git/index").read_bytes()


@pytest.mark.case("P-SEC-08")
def test_no_command_runs_what_a_received_repository_names(received):
    trial, mark = received
    before = kept(trial)
    assert trial.found("refund window") == ["refund00aaaa"]
    for argv in READING:
        ran = trial.ran(*argv)
        assert ran.code in (0, 4, 5), (argv, ran.code, ran.err)
        assert not mark.exists(), argv
    for argv in WRITING:
        ran = trial.ran(*argv)
        if argv[0] == "undo":  # nothing here was done by mem
            assert ran.code == 3, (argv, ran.code, ran.err)
        else:
            assert (ran.code, "mem trust" in ran.err) == (5, True), (argv, ran.code, ran.err)
        assert not mark.exists(), argv
    assert kept(trial) == before
    assert not list(trial.root.glob("events/**/*.jsonl"))


@pytest.mark.case("P-SEC-08")
def test_trusting_is_a_persons_act_and_only_then_hooks_run(received):
    trial, mark = received
    program = str(mark.with_name("program"))
    for env in (AGENT, {"CLAUDECODE": "1"}, {"MEM_ACTOR": ""}):
        assert trial.ran("trust", "--yes", env=env).code == 5
    assert trial.ran("trust").code == 5
    assert trial.ran("remember", CLAIM).code == 5
    told = trial.told("trust", "--yes")
    assert (told["format"], told["before"]) == ("mem.trust/1", False)
    assert {"hook pre-commit", f"filter.x.clean = {program}", f"gpg.program = {program}"} <= set(
        told["programs"]
    )
    assert f"alias.commit = !{program}" in told["programs"]
    assert any(line.startswith("gpg.ssh.defaultkeycommand") for line in told["programs"])
    assert not mark.exists()
    assert trial.told("trust")["before"] is True
    trial.ran("remember", "Deploys to production happen on Tuesdays only.")
    assert mark.exists()


@pytest.mark.case("P-SEC-08")
def test_the_programs_are_shown_at_the_terminal_and_the_word_is_typed(received):
    trial, mark = received
    mem = trial.process
    ran = mem.at_terminal("trust", env={"MEM_ACTOR": ""}, answers=[("Type trust", "no")])
    assert ran.code == 5
    ran = mem.at_terminal("trust", env={"MEM_ACTOR": ""}, answers=[("Type trust", "trust")])
    assert ran.code == 0, ran.screen
    shown = ran.screen.partition("Type trust")[0]
    assert str(trial.root) in shown
    assert "hook pre-commit" in shown
    assert f"diff.external = {mark.with_name('program')}" in shown
    assert not mark.exists()


def test_trust_counts_for_one_store_and_one_user(received, tmp_path):
    trial, mark = received
    trial.did("trust", "--yes")
    elsewhere = {"XDG_CONFIG_HOME": str(tmp_path / "another user")}
    assert trial.ran("remember", "Deploys happen on Tuesdays.", env=elsewhere).code == 5
    copy = Trial.copy(trial, tmp_path / "copy")
    assert copy.ran("remember", "Deploys happen on Tuesdays.").code == 5
    assert not mark.exists()


def test_a_received_store_that_names_no_program_is_written_without_trust(trial, tmp_path):
    clone = trial.clone(tmp_path / "clone")
    told = json.loads(clone.did("remember", "--json", CLAIM))
    assert told["decision"] == "created"
    assert clone.told("trust", "--yes")["programs"] == []
