"""A plain configuration file read here says what git says; anything else is asked of git."""

import subprocess
from pathlib import Path

import pytest

from memcli.journal import configuration
from memcli.journal.configfile import parse

PLAIN = [
    "",
    "[core]\n\tbare = false\n",
    "[Core]\n  AutoCRLF=input\n; comment\n# another\n\n[user]\nname = Ana Maria \nemail=a@b\n",
    '[remote "Origin"]\n\turl = https://example.org/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n',
    "[commit]\n\tgpgsign\n[commit]\n\tgpgsign = false\n",
    "[a]\r\n\tb = c\r\n",
    '[filter ""]\n\tclean = x\n',
    "[user]\n\tname =\n",
    "[a]\n\tb = one  two\n",
    '[branch "feature/x.y"]\n\tmerge = refs/heads/x\n',
]
NOT_PLAIN = [
    "[include]\n\tpath = other\n",
    '[includeIf "gitdir:~/x"]\n\tpath = other\n',
    '[a]\n\tb = "quoted # value"\n',
    "[a]\n\tb = continued \\\n\tline\n",
    "[a]\n\tb = value ; comment\n",
    '[a "back\\\\slash"]\n\tb = c\n',
    "[a.sub]\n\tb = c\n",
    "[a] b = c\n",
    "b = c\n",
    "[a]\n\tb = tab\tinside\n",
    "\ufeff[a]\n\tb = c\n",
    "[a\n",
    "[a]\n\t0b = c\n",
]


def by_git(text, tmp_path):
    (tmp_path / "config").write_bytes(text.encode())
    ran = subprocess.run(
        ["git", "config", "--file", str(tmp_path / "config"), "--list", "-z"], capture_output=True, check=True
    )
    pairs = (line.partition("\n") for line in ran.stdout.decode().split("\0")[:-1])
    return [(key, value if between else "true") for key, between, value in pairs]


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_file_says_what_git_says(text, tmp_path):
    assert parse(text) == by_git(text, tmp_path)


@pytest.mark.parametrize("text", NOT_PLAIN)
def test_anything_else_is_left_to_git(text):
    assert parse(text) is None


@pytest.mark.parametrize("text", [*PLAIN, *NOT_PLAIN[:6]])
@pytest.mark.parametrize("where", ["global", "xdg", "own"])
def test_both_ways_lead_to_the_same_configuration(begun, text, where, monkeypatch):
    home = begun.environment["HOME"]
    own = (begun.root / ".git/config").read_text()
    place = {"global": f"{home}/.gitconfig", "xdg": f"{home}/.config/git/config", "own": ".git/config"}[where]
    begun.write(place, (own if where == "own" else "") + text)
    found = begun.journal.configuration
    monkeypatch.setattr(configuration, "_plain", lambda *_: None)
    assert begun.journal.configuration == found


def test_later_files_win_and_own_settings_are_known(begun):
    begun.write(
        f"{begun.environment['HOME']}/.gitconfig", "[user]\n\tname = Global\n[gpg]\n\tprogram = mine\n"
    )
    begun.git("config", "user.name", "Own")
    found = begun.journal.configuration
    assert found.text("user.name") == "Own"
    assert "user.name" in found.own
    assert "gpg.program" not in found.own
    assert found.flag("core.filemode")
    assert not found.flag("commit.gpgsign")


def test_a_worktrees_own_configuration_is_asked_of_git(begun):
    begun.git("config", "extensions.worktreeConfig", "true")
    begun.git("config", "--worktree", "user.name", "Worktree")
    assert begun.journal.configuration.text("user.name") == "Worktree"


def test_moved_files_of_the_user_are_asked_of_git(begun, tmp_path):
    (tmp_path / "moved").write_text("[user]\n\tname = Moved\n")
    begun.environment["GIT_CONFIG_GLOBAL"] = str(tmp_path / "moved")
    assert begun.journal.configuration.text("user.name") == "Moved"


def stated(**values):
    """The configuration with these keys, `__` standing for the dot."""
    return configuration.Configuration(
        {key.replace("__", "."): value for key, value in values.items()}, frozenset()
    )


@pytest.mark.parametrize("word", ["", "false", "No", "OFF", "0"])
def test_what_git_reads_as_no_is_no_and_everything_else_yes(word):
    assert stated(a__b=word).flag("a.b", default=True) is False
    assert stated(a__b="yes").flag("a.b") is True
    assert (stated().flag("a.b"), stated().flag("a.b", default=True)) == (False, True)


@pytest.mark.parametrize(
    ("values", "unusual"),
    [
        ({}, False),
        ({"core__sharedrepository": "umask"}, False),
        ({"core__sharedrepository": "False"}, False),
        ({"core__sharedrepository": "group"}, True),
        ({"core__sharedrepository": "0640"}, True),
        ({"extensions__compatobjectformat": "sha256"}, True),
    ],
)
def test_shared_permissions_and_objects_of_two_hashes_are_unusual(values, unusual):
    assert stated(**values).unusual is unusual


@pytest.mark.parametrize(
    ("values", "later"),
    [
        ({}, False),
        ({"core__repositoryformatversion": "0"}, False),
        ({"core__repositoryformatversion": "0", "extensions__odd": "x"}, False),
        ({"core__repositoryformatversion": "1"}, False),
        ({"core__repositoryformatversion": "1", "extensions__partialclone": "origin"}, False),
        ({"core__repositoryformatversion": "1", "extensions__odd": "x"}, True),
        ({"core__repositoryformatversion": "2"}, True),
    ],
)
def test_a_format_that_only_git_can_tell_is_a_later_one(values, later):
    assert stated(**values).later is later


def test_commits_are_durable_unless_that_is_switched_off():
    assert stated().durable
    assert stated(core__fsync="loose-object,reference").durable
    assert not stated(core__fsync="None").durable
    assert not stated(core__fsync="objects,none").durable


def test_commits_are_signed_and_hashed_as_is_said():
    assert (stated().signs, stated(commit__gpgsign="true").signs) == (False, True)
    assert stated().object_format == "sha1"
    assert stated(extensions__objectformat="sha256").object_format == "sha256"


def test_a_path_may_begin_at_home_and_is_none_where_nothing_is_said():
    assert stated(a__b="~/x/y").path("a.b", "/home/ana") == Path("/home/ana/x/y")
    assert stated(a__b="/x/y").path("a.b", "/home/ana") == Path("/x/y")
    assert stated(a__b="x~/y").path("a.b", "/home/ana") == Path("x~/y")
    assert stated(a__b="").path("a.b", "/home/ana") is None
    assert stated().path("a.b", "/home/ana") is None


def test_every_filter_is_switched_off_once_by_its_whole_name():
    found = configuration.Configuration(
        {"filter.a.b.clean": "x", "filter.a.b.required": "true", "filter.lfs.process": "y", "filters.x": ""},
        frozenset(),
    )
    assert found.filters == ("a.b", "lfs")
    assert found.no_filters == tuple(
        word
        for name in ("a.b", "lfs")
        for value in ("clean=", "smudge=", "process=", "required=false")
        for word in ("-c", f"filter.{name}.{value}")
    )


def test_hooks_are_those_that_a_commit_runs_where_git_looks_for_them(begun):
    for folder in ("hooks", "elsewhere"):
        for name in ("pre-commit", "commit-msg", "post-merge", "pre-commit.sample"):
            begun.write(f".git/{folder}/{name}", "#!/bin/sh\n")
            (begun.root / f".git/{folder}/{name}").chmod(0o755 if folder == "hooks" else 0o644)
    (begun.root / ".git/elsewhere/commit-msg").chmod(0o755)

    def hooks():
        return begun.journal.configuration.hooks(begun.journal.found, begun.journal.home)

    assert hooks() == ("pre-commit", "commit-msg")
    begun.git("config", "core.hooksPath", ".git/elsewhere")
    assert hooks() == ("commit-msg",)
    begun.git("config", "hook.mine.command", "./run")
    begun.git("config", "hook.mine.event", "pre-commit")
    assert hooks() == ("commit-msg", "hook.mine.command")
    begun.git("config", "core.hooksPath", "/nowhere")
    assert hooks() == ("hook.mine.command",)
