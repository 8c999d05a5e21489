"""`mem doctor` as it is typed: what it looks like, how it ends, and that it answers where others refuse."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

FORMAT = "mem.doctor/1"


def told(ran):
    """Name → (level, what, todo) of an answer in JSON."""
    answer = json.loads(ran.out)
    assert answer["format"] == FORMAT
    return {one["name"]: (one["level"], one["what"], one["todo"]) for one in answer["findings"]}


def wrong(ran):
    """Name → level of all that is not ok."""
    return {name: level for name, (level, *_) in told(ran).items() if level != "ok"}


BY_HAND = {"journal": "warn"}  # the memories of this store were committed with plain git


@pytest.fixture
def settled(store, within):
    """The store after a first question, so that it has an index."""
    assert within("status").code == 0
    return store


def test_a_pipe_gets_level_name_what_and_todo(settled, within):
    settled.write("actve00aaaa", "Never read.", head="status: actve\n")
    settled.commit()
    ran = within("doctor")
    rows = [line.split("\t") for line in ran.out.splitlines()]
    assert all(len(row) == 4 for row in rows)
    assert {row[0] for row in rows} == {"ok", "warn"}
    assert ["warn", "set aside", "mem check"] in [[row[0], row[1], row[3]] for row in rows]
    assert ran.code == 0
    assert ran.err == "0 to put right, 2 to look at.\n"


def test_a_person_sees_the_next_command_below_in_colour(settled, within):
    settled.write("deploy00aaaa", "Deploys happen on Mondays.")
    ran = within.at_terminal("doctor", "--color", "always")
    assert "\x1b[33mwarn" in ran.out
    assert "→ \x1b[0m\x1b[1mmem save\x1b[0m" in ran.out


def test_nothing_of_a_file_steers_the_terminal(settled, within):
    settled.write("hostile00aaa", "x", head='status: "\\e[31m"\n')
    ran = within.at_terminal("doctor", "--color", "never")
    assert "hostile00aaa.md" in ran.out
    assert "\x1b" not in ran.out


def test_it_ends_with_6_where_something_fails(settled, within):
    (settled.root / "mem.toml").write_text("[recall]\nk = 0\n")
    ran = within("doctor", "--json")
    assert ran.code == 6
    assert not json.loads(ran.out)["healthy"]
    level, what, todo = told(ran)["settings"]
    assert (level, "mem.toml:2: recall.k" in what) == ("fail", True)
    assert str(settled.root / "mem.toml") in todo


def test_quiet_prints_nothing_and_the_code_tells(settled, within):
    assert (within("doctor", "-q").out, within("doctor", "-q").code) == ("", 0)


def test_a_store_that_is_named_is_named_in_the_next_command(settled, within, tmp_path):
    settled.write("deploy00aaaa", "Deploys happen on Mondays.")
    ran = within("--store", str(settled.root), "doctor", "--json", cwd=tmp_path)
    assert told(ran)["uncommitted"][2] == f"mem --store {settled.root} save"


def test_without_any_store_it_examines_the_machine(within, tmp_path):
    ran = within("doctor", "--json", cwd=tmp_path)
    assert ran.code == 0
    assert told(ran)["store"] == ("warn", "There is no store here.", "mem init")
    assert told(ran)["model"][0] == "ok"
    assert json.loads(ran.out)["store"] is None
    within("init", cwd=tmp_path)
    assert "store" not in wrong(within("doctor", "--json", cwd=tmp_path))


@pytest.mark.parametrize("how", [{"env": {"MEM_STORE": "nowhere"}}, {"named": "nowhere"}])
def test_a_named_store_that_is_none_fails(within, tmp_path, how):
    named = ("--store", how["named"]) if "named" in how else ()
    ran = within(*named, "doctor", "--json", cwd=tmp_path, env=how.get("env"))
    assert ran.code == 6
    assert told(ran)["store"][0] == "fail"
    assert "nowhere" in told(ran)["store"][1]


def test_without_git_it_says_so_and_examines_the_rest(settled, within, tmp_path):
    ran = within("doctor", "--json", env={"PATH": str(tmp_path)})
    assert ran.code == 6
    assert wrong(ran) == {"git": "fail"}
    assert told(ran)["index"][0] == "ok"


def test_a_working_directory_that_is_gone_is_no_bug(mem, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f"rmdir {gone}; {shlex.join([*mem.command, 'doctor', '--json'])}"
    ran = subprocess.run(
        ["sh", "-c", command], cwd=gone, env=mem.environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["store"] is None


def foreign(folder):
    """Another program called mem."""
    folder.mkdir()
    (folder / "mem").write_text("#!/bin/sh\necho 'memory usage'\n")
    (folder / "mem").chmod(0o755)
    return folder


def ours(folder):
    """This program, as pip installs it."""
    folder.mkdir()
    (folder / "mem").write_text("#!python\nfrom memcli.__main__ import process\nprocess()\n")
    (folder / "mem").chmod(0o755)
    return folder


def test_another_program_of_the_same_name_is_told(settled, within, tmp_path):
    usual = os.environ["PATH"]
    other, this = foreign(tmp_path / "other"), ours(tmp_path / "this one")
    path = f"{other}:{this}:{usual}"
    level, what, todo = told(within("doctor", "--json", env={"PATH": path}))["program"]
    assert (level, str(other / "mem") in what) == ("warn", True)
    mended = subprocess.run(
        ["sh", "-c", f'{todo}; printf %s "$PATH"'],
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert mended.startswith(str(this))
    assert told(within("doctor", "--json", env={"PATH": mended}))["program"][0] == "ok"


def test_the_same_program_first_is_nothing_wrong(settled, within, tmp_path):
    path = f"{ours(tmp_path / 'this')}:{foreign(tmp_path / 'other')}:{os.environ['PATH']}"
    assert told(within("doctor", "--json", env={"PATH": path}))["program"][0] == "ok"


def test_a_store_that_is_being_written_is_nothing_wrong(settled, within, mem, tmp_path):
    lines = tmp_path / "lines.jsonl"
    lines.write_text(
        "".join(json.dumps({"text": f"Lamp {n} hangs in zone {n * 7}."}) + "\n" for n in range(80))
    )
    argv = [*mem.command, "remember", "--batch", str(lines)]
    with subprocess.Popen(argv, cwd=settled.root, env=mem.environment, stdout=subprocess.DEVNULL) as writing:
        while writing.poll() is None:
            assert wrong(within("doctor", "--json")) == {}
    assert wrong(within("doctor", "--json")) == {}


def test_fix_says_each_thing_that_it_did(settled, within):
    shutil.rmtree(settled.root / ".mem" / "index")
    ran = within("doctor", "--fix")
    assert ran.code == 0
    assert "Fixed: index. Rebuilt the index of 2 memories.\n" in ran.err
    fixed = json.loads(within("doctor", "--fix", "--json").out)["fixed"]
    assert fixed == []


def test_a_deep_look_leaves_no_trace(settled, within, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    before = sorted(tmp_path.rglob("*"))
    head = settled.head()
    ran = within("doctor", "--deep", "--json")
    assert wrong(ran) == BY_HAND
    assert told(ran)["rehearsal"][0] == "ok"
    assert (sorted(tmp_path.rglob("*")), settled.head()) == (before, head)


def test_a_deep_look_tries_the_users_own_git_configuration(settled, within):
    configuration = Path(settled.environment["GIT_CONFIG_GLOBAL"])
    configuration.write_text("[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = /bin/false\n")
    ran = within("doctor", "--deep", "--json")
    assert ran.code == 6
    assert wrong(ran) == {"rehearsal": "fail", **BY_HAND}


def test_a_deep_look_without_a_store_rehearses_too(within, tmp_path):
    ran = within("doctor", "--deep", "--json", cwd=tmp_path)
    assert wrong(ran) == {"store": "warn"}
    assert told(ran)["rehearsal"][0] == "ok"


def git(folder, *argv, env):
    subprocess.run(
        ["git", "-c", "user.name=ana", "-c", "user.email=a@b.c", *argv],
        cwd=folder,
        env=env,
        check=True,
        capture_output=True,
    )


@pytest.fixture
def project(store, tmp_path):
    """Somebody's repository with code in it."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main", env=store.environment)
    (folder / "code.py").write_text("print()\n")
    git(folder, "add", "-A", env=store.environment)
    git(folder, "commit", "-qm", "code", env=store.environment)
    return folder


@pytest.mark.parametrize("how", ["--here", "--branch"])
def test_a_store_inside_a_project_is_healthy(project, within, how):
    assert within("init", how, *(["mem"] if how == "--branch" else []), cwd=project).code == 0
    assert within("remember", "The build takes four minutes.", cwd=project).code == 0
    (project / "code.py").write_text("print(1)\n")
    ran = within("doctor", "--json", cwd=project)
    assert wrong(ran) == {}
    linked = project / ".git" / "mem" / "mem"
    assert told(ran)["store"][1] == f"The store is {project if how == '--here' else linked}."


@pytest.fixture
def watched(settled, mem):
    """The store with a resident; the process it lives in."""
    assert mem("watch", "--detach").code == 0
    yield json.loads(mem("watch", "--status", "--json").out)["process"]
    mem("watch", "--stop")


def test_a_resident_at_work_is_healthy(watched, within, settled):
    time.sleep(1.5)  # it answers before it watches
    settled.write("lift0000aaaa", "The lift is repaired in March.")
    settled.commit()
    until = time.monotonic() + 10
    while (found := wrong(within("doctor", "--json"))) and time.monotonic() < until:
        time.sleep(0.1)
    assert found == {}
    assert f"Process {watched} " in told(within("doctor", "--json"))["resident"][1]


def test_a_resident_that_was_killed_leaves_a_socket_that_fix_removes(watched, within):
    os.kill(watched, signal.SIGKILL)
    until = time.monotonic() + 10
    while (found := wrong(within("doctor", "--json"))) != {"socket": "warn"} and time.monotonic() < until:
        time.sleep(0.05)
    assert found == {"socket": "warn"}
    assert within("doctor", "--fix").code == 0
    assert wrong(within("doctor", "--json")) == {}


def test_a_resident_that_is_frozen_fails(watched, within):
    os.kill(watched, signal.SIGSTOP)
    try:
        assert wrong(within("doctor", "--json")) == {"resident": "fail"}
    finally:
        os.kill(watched, signal.SIGCONT)
