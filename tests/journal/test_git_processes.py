"""What a process of git inherits, which one is started, and that it speaks as we read it."""

import os

import pytest

from memcli.errors import NotFetched, Unavailable
from memcli.journal.process import Git, surroundings

WHO = {"GIT_AUTHOR_NAME": "Ana", "GIT_COMMITTER_DATE": "@1 +0000"}


def git(store, **more):
    return Git(store.root, surroundings({**store.environment, **more}))


def echoing(folder, body="env"):
    place = folder / "bin" / "git"
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{body}\n")
    place.chmod(0o755)
    return str(place.parent)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LC_ALL", "C"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_EDITOR", ":"),
        ("GIT_PAGER", "cat"),
        ("GIT_LITERAL_PATHSPECS", "1"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_ALLOW_PROTOCOL", "none"),
        ("MEM_COMMITTING", "1"),
        ("GIT_GRAFT_FILE", "/dev/null/none"),
    ],
)
def test_whatever_the_caller_says_git_is_told_this(begun, tmp_path, name, value):
    told = git(begun, **{name: "otherwise"}, PATH=echoing(tmp_path)).read("any").decode().splitlines()
    assert [line for line in told if line.startswith(f"{name}=")] == [f"{name}={value}"]


def test_only_what_says_who_commits_and_where_settings_lie_is_inherited_of_gits_own():
    kept = {
        "HOME": "/h",
        "GIT_CONFIG_GLOBAL": "g",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": "/c",
        "GIT_EXEC_PATH": "/e",
        "GIT_TEMPLATE_DIR": "/t",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM": "1",
        "GIT_CONFIG_SYSTEM": "s",
    }
    dropped = {"GIT_WORK_TREE": "/w", "GIT_TRACE": "1", "GIT_CONFIG_COUNT": "1", "GIT_EXTERNAL_DIFF": "x"}
    found = surroundings({**kept, **WHO, **dropped})
    assert {name: found.get(name) for name in (*kept, *WHO)} == {**kept, **WHO}
    assert not set(dropped) & set(found)


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_INDEX_FILE"])
def test_in_a_hook_who_commits_is_that_of_the_other_commit(name):
    found = surroundings({**WHO, name: "/x", "GIT_CONFIG_GLOBAL": "g"})
    assert not {*WHO, name} & set(found)
    assert found["GIT_CONFIG_GLOBAL"] == "g"


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (
            lambda git: git.read("any", neutral=("-c", "a.b=c")),
            ["--no-optional-locks", "NEUTRAL", "-c", "a.b=c"],
        ),
        (lambda git: git.do("any"), ["NEUTRAL"]),
        (lambda git: git.trust("any").out, []),
    ],
)
def test_reading_and_writing_run_nothing_that_is_configured_and_trusting_does(begun, tmp_path, ask, expected):
    said = ask(git(begun, PATH=echoing(tmp_path, 'printf "%s\\n" "$@"'))).decode().splitlines()
    settings = (
        "core.fsmonitor=false",
        "core.hooksPath=/dev/null",
        "log.showSignature=false",
        "log.showRoot=true",
    )
    neutral = [word for one in settings for word in ("-c", one)]
    words = [word for one in expected for word in (neutral if one == "NEUTRAL" else [one])]
    assert said == [*words, "any"]


def test_the_first_git_on_the_path_that_can_be_run_is_started(begun, tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    (first / "git").mkdir(parents=True)
    second.mkdir()
    (second / "git").write_text("not for running")
    real = echoing(tmp_path)
    path = os.pathsep.join(["bin", str(first), str(second), real, "/usr/bin"])
    assert git(begun, PATH=path).program == f"{real}/git"
    assert git(begun, PATH="bin:.").program == ""
    with pytest.raises(Unavailable, match="not on the PATH"):
        git(begun, PATH="").read("any")


def test_a_setting_of_one_process_is_its_own_and_what_is_given_arrives(begun, tmp_path):
    told = git(begun, PATH=echoing(tmp_path, "cat; env")).act("any", given=b"given\n", setting={"ONE": "1"})
    assert told.out.startswith(b"given\n")
    assert b"ONE=1\n" in told.out
    assert (told.code, told.err) == (0, "")


@pytest.mark.parametrize("said", ["lazy fetching disabled", "could not fetch x from promisor remote"])
def test_what_a_partial_clone_lacks_is_not_called_damage(begun, tmp_path, said):
    keys = "echo remote.near.promisor; echo remote.far.off.promisor; echo 'remote.a b;c.promisor'"
    body = f'case "$*" in *"fig --name-only"*) {keys};; *) echo "fatal: {said}" >&2; exit 128;; esac'
    with pytest.raises(NotFetched) as refused:
        git(begun, PATH=echoing(tmp_path, body)).read("any")
    assert refused.value.hint.split("; ") == [
        "git config --unset remote.near.partialclonefilter",
        "git fetch --refetch near",
        "git config --unset remote.far.off.partialclonefilter",
        "git fetch --refetch far.off",
        "git config --unset 'remote.a b;c.partialclonefilter'",
        "git fetch --refetch 'a b;c'",
    ]
