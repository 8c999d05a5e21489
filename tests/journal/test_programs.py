"""Which programs a repository names: all that git would run, and not what merely looks like it."""

import pytest

from memcli.journal import programs


def named(store):
    return programs.named(store.journal)


def test_a_fresh_repository_names_none(store):
    assert named(store) == ()


@pytest.mark.parametrize(
    "key",
    [
        "core.fsmonitor",
        "core.hookspath",
        "core.sshcommand",
        "core.pager",
        "pager.log",
        "diff.word.textconv",
        "diff.external",
        "merge.mine.driver",
        "filter.crypt.clean",
        "filter.crypt.process",
        "gpg.program",
        "gpg.ssh.program",
        "gpg.ssh.defaultkeycommand",
        "credential.helper",
        "credential.https://example.org.helper",
        "remote.origin.uploadpack",
        "submodule.inner.update",
        "include.path",
        "includeif.gitdir:~/x.path",
        "uploadpack.packobjectshook",
        "sequence.editor",
    ],
)
def test_a_setting_that_names_a_program_is_told(store, key):
    store.git("config", "--file", ".git/config", key, "./run")
    assert named(store) == (f"{key} = ./run",)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.fsmonitor", "true"),
        ("core.fsmonitor", "No"),
        ("pager.log", "off"),
        ("user.name", "run"),
        ("core.editorconfig", "run"),
        ("remote.origin.url", "https://example.org/run"),
        ("alias.co", "checkout"),
    ],
)
def test_a_switch_or_a_plain_setting_is_not(store, key, value):
    store.git("config", "--file", ".git/config", key, value)
    assert named(store) == ()


def test_an_alias_that_leaves_git_is_told(store):
    store.git("config", "alias.go", "!./run")
    assert named(store) == ("alias.go = !./run",)


def test_what_the_user_set_for_all_repositories_is_the_users(store):
    store.git("config", "--global", "core.pager", "less")
    assert named(store) == ()
    store.git("config", "core.pager", "./run")
    assert named(store) == ("core.pager = ./run",)


def test_hooks_come_first(store):
    hook = store.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\n")
    hook.chmod(0o755)
    store.git("config", "diff.external", "./run")
    assert named(store) == ("hook pre-commit", "diff.external = ./run")
