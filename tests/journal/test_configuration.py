"""A plain configuration file read here says what git says; anything else is asked of git."""

import subprocess

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
