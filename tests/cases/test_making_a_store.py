"""Making a store where something stands already: the dry run says what is then done, and no half is left."""

import shlex
import subprocess

import pytest
from cases.situations import told_once
from cli.conftest import environment_in
from trial import PERSON, Trial

from memcli.cli import words
from memcli.cli.grammar import TEXT
from memcli.cli.parse import parse
from memcli.errors import Usage

CLAIM = "The refund window is 30 days."
TIMES = ("TIME", "TIME|REV", "DATE", "DIGEST")  # whose own reader refuses a blank one
IN_THE_WAY = {
    "schemas is a file": lambda root: (root / "schemas").touch(),
    "schemas is a link": lambda root: (root / "schemas").symlink_to(root.parent),
    "schemas is a link to nothing": lambda root: (root / "schemas").symlink_to("nowhere"),
    "mem.toml is a link to nothing": lambda root: (root / "mem.toml").symlink_to("nowhere"),
    "mem.toml is a folder": lambda root: (root / "mem.toml").mkdir(),
    ".gitignore is a link to nothing": lambda root: (root / ".gitignore").symlink_to("nowhere"),
    ".gitattributes is a folder": lambda root: (root / ".gitattributes").mkdir(),
}


@pytest.fixture
def folder(tmp_path, one_encoder):
    """An empty folder, and a home without a store."""
    root = tmp_path / "shop"
    root.mkdir()
    return Trial(root, environment_in(tmp_path / "home") | PERSON)


@pytest.fixture
def project(folder):
    """The same as a repository with one commit."""
    folder.git("init", "-q", "-b", "trunk")
    (folder.root / "code.py").write_text("print()\n")
    folder.commit_by_hand("first")
    return folder


def both(trial, *argv, **how):
    """The exit code of `mem init`, which its dry run told before."""
    dry = trial.ran("init", *argv, "--dry-run", **how)
    ran = trial.ran("init", *argv, **how)
    assert (dry.code, dry.out) == (ran.code, ran.out), (argv, dry, ran)
    return ran


def pasted(hint, cwd, environment):
    """Run what a hint names, as somebody who pastes it into a shell."""
    subprocess.run(["sh", "-c", hint], cwd=cwd, env=environment, check=True, capture_output=True)


@pytest.mark.parametrize("way", IN_THE_WAY)
@pytest.mark.parametrize("flags", [("--here",), (".", "--here")])
def test_what_is_in_the_way_is_refused_before_anything_is_made(project, way, flags):
    IN_THE_WAY[way](project.root)
    head, names = project.git("rev-parse", "HEAD"), sorted(one.name for one in project.root.iterdir())
    told_once(both(project, *flags), 5)
    assert project.git("rev-parse", "HEAD") == head
    assert sorted(one.name for one in project.root.iterdir()) == names


def test_a_store_without_a_repository_is_given_one_and_keeps_its_settings(folder):
    (folder.root / "mem.toml").write_text("[recall]\nfloor = 0.5\n")
    ran = folder.ran("remember", CLAIM)
    assert ran.code == 6
    hint = ran.err.partition("Hint: ")[2].split("`")[1]
    assert shlex.split(hint) == ["mem", "init", str(folder.root)]
    assert "keep mem.toml" in both(folder, str(folder.root)).out
    assert folder.git("show", "HEAD:mem.toml") == "[recall]\nfloor = 0.5"
    folder.remember(CLAIM)
    assert folder.found("refund window")
    assert both(folder, ".").err.count("already") == 1


@pytest.mark.parametrize("own", ["*.png binary\n", "*.png binary", ""])
def test_a_project_with_attributes_of_its_own_is_told_what_to_add_so_that_git_merges_lines(project, own):
    file = project.root / ".gitattributes"
    file.write_text(own)
    project.commit_by_hand("attributes")
    ran = both(project, "--here")
    assert (ran.code, file.read_text()) == (0, own)
    pasted(ran.err.partition("merges events and tombstones: ")[2].splitlines()[0], project.root, {})
    names = ("a.png", "tombstones.jsonl", "events/2026/07/s_4t7y0a2b6c8d.jsonl")
    merged = project.git("check-attr", "merge", "--", *names).splitlines()
    assert [line.rpartition(" ")[2] for line in merged] == [
        "unset" if own else "unspecified",
        "union",
        "union",
    ]


def test_attributes_that_hold_the_lines_already_are_not_spoken_of(project):
    project.did("init", "--here")
    project.git("rm", "-q", "mem.toml")
    project.commit_by_hand("no store any more")
    assert "gitattributes" not in both(project, "--here").err


@pytest.mark.parametrize("flags", [("--here",), ("--branch", "mem"), ("--branch", "mem", "../beside")])
def test_where_the_own_store_is_asked_no_more_it_is_said_how_to_see_what_it_holds(project, flags):
    project.did("remember", CLAIM)
    err = both(project, *flags).err
    assert not project.ran("list").out
    listing = shlex.split(err.partition("What it holds: ")[2].splitlines()[0])
    assert CLAIM in project.did(*listing[1:])
    assert "own store" not in both(project, "--branch", "further").err, "it was not asked before"


@pytest.mark.parametrize("argv", [("--here",), ("../elsewhere",)])
def test_an_own_store_that_holds_nothing_or_is_asked_as_before_is_not_spoken_of(project, argv):
    if argv == ("--here",):
        project.did("init")
    else:
        project.did("remember", CLAIM)
    assert "own store" not in both(project, *argv).err


def test_without_git_nothing_is_made(folder):
    for argv in (("init", "notes"), ("init",), ("remember", CLAIM)):
        assert folder.ran(*argv, env={"PATH": "/nowhere"}).code == 6
    assert not list(folder.root.iterdir())
    assert not (folder.root.parent / "home/.local").exists()


def test_a_store_that_cannot_be_noted_as_trusted_is_made_and_the_note_says_so(folder):
    ran = folder.ran("init", str(folder.root), env={"XDG_CONFIG_HOME": "/dev/null"})
    assert (ran.code, "run mem trust" in ran.err) == (0, True)
    folder.remember(CLAIM)


def test_settings_in_a_pyproject_stay_in_force(folder):
    (folder.root / "pyproject.toml").write_text("[tool.mem.recall]\nfloor = 0.5\n")
    assert both(folder, ".").code == 0
    assert not (folder.root / "mem.toml").exists()
    assert "0.5" in folder.did("config", "recall.floor")
    assert folder.git("status", "--porcelain") == ""


def test_a_store_that_its_repository_does_not_hold_is_taken_in_as_the_hint_says(project):
    below = project.root / "sub"
    below.mkdir()
    (below / "mem.toml").touch()
    ran = project.ran("remember", CLAIM, cwd=below)
    assert ran.code == 6
    hint = ran.err.partition("Hint: ")[2].split("`")[1]
    assert both(project, *shlex.split(hint)[2:], cwd=below).code == 0
    assert project.ran("remember", CLAIM, cwd=below).code == 0


@pytest.mark.parametrize("taken", ["mem/a", "mem/a/b"])
def test_a_branch_that_git_cannot_have_beside_another_is_refused(project, taken):
    project.git("branch", taken)
    for name in ("mem", "mem/a", "mem/a/b"):
        told_once(both(project, "--branch", name), 5)
    told_once(both(project, "--branch", "@"), 5)
    assert project.git("branch", "--format=%(refname:short)").splitlines() == [taken, "trunk"]
    assert both(project, "--branch", "other").code == 0


def test_a_branch_that_holds_a_store_in_another_clone_is_not_begun_anew(project, tmp_path):
    project.did("init", "--branch", "mem")
    id_ = project.remember(CLAIM)["id"]
    project.git("clone", "-q", str(project.root), str(tmp_path / "second"))
    second = Trial(tmp_path / "second", project.environment)
    ran = both(second, "--branch", "mem")
    assert "holds a store" in told_once(ran, 5)
    pasted(ran.err.partition("Have it here: ")[2], second.root, second.environment)
    assert second.found("refund window") == [id_]


@pytest.mark.parametrize(
    "argv", [("",), ("--branch", ""), ("--branch", " "), ("--store", "x"), ("--store=",)]
)
def test_a_blank_name_and_a_store_that_init_would_not_make_are_refused(project, argv):
    told_once(both(project, *argv), 2)
    assert not (project.root / "mem.toml").exists()
    assert not (project.root.parent / "home/.local/share/mem").exists()


def naming():
    """Every option whose value names something, with a call that is right but for it."""
    for verb in words.all_verbs():
        for option in (*words.COMMON, *verb.options):
            if option.kind == TEXT and option.metavar not in ("TEXT", "TEMPLATE", "PATH", *TIMES):
                yield verb, option


@pytest.mark.parametrize("value", ["", " "])
def test_a_blank_value_is_never_taken_for_none(value):
    for verb, option in naming():
        if option.metavar == "FILE" and value == " ":  # which a file may be called
            continue
        flag = option.flags[0]
        asked = [one for one in verb.arguments if one.unless != option.name]
        plain = [one.choices[0] if one.choices else "x" for one in asked]
        with pytest.raises(Usage, match=rf"^{flag} (is blank|cannot be)"):
            parse([verb.name, *plain, flag, value])


def test_a_name_with_a_line_break_does_not_break_the_sentence(store_of_one):
    for argv in (("check", "a\nb"), ("import", "a\nb"), ("sync", "a\nb"), ("init", "--branch", "a\nb")):
        ran = store_of_one.ran(*argv)
        assert "a\\nb" in ran.err
        assert len(ran.err.splitlines()) == 2, ran.err


@pytest.fixture
def store_of_one(folder):
    """A store with one memory."""
    folder.did("init", str(folder.root))
    folder.remember(CLAIM)
    return folder
