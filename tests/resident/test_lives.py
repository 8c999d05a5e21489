"""One resident a store; killed, frozen, crowded or told nonsense, it is no reason for a command to fail."""

import json
import os
import random
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from cli.conftest import Mem, Store
from resident.conftest import House, housed, processes, until
from trial import PERSON

from memcli import __version__
from memcli.resident import client, door, server

CLAIM = "The office cat is called Miso."
KILLS = 12


def asked(house, *words, environment=None):
    """The frame of a command, as a client sends it."""
    environment = house.store.environment if environment is None else environment
    kept = [part for name, value in environment.items() for part in (name.encode(), value.encode())]
    argv = [word.encode() for word in words]
    return client.framed(
        *(b"run", client.KIN, bytes(house.root), b"000", b"0", b"", b"%d" % len(argv), *argv, *kept)
    )


def all_of(line):
    """What is said on `line` until it closes."""
    raw = b""
    with suppress(ConnectionError):
        while piece := line.recv(1 << 16):
            raw += piece
    return raw


@pytest.mark.case("P-CONC-05")
def test_of_eight_at_once_one_serves_and_the_others_say_so(house):
    started = [house.popen("watch") for _ in range(8)]
    try:
        until(lambda: sum(one.poll() is None for one in started) == 1, "seven ends")
        until(house.standing, "an answer")
        others = [one for one in started if one.poll() is not None]
        assert [one.returncode for one in others] == [8] * 7
        assert all(b"watches this store already" in one.stderr.read() for one in others)
        assert house.found("refund") == ["refund00aaaa"]
        assert json.loads(house.alone("index", "status", "--json").out)["rows"] == 2
        generations = [one for one in (house.root / ".mem/index").iterdir() if one.name.isdigit()]
        assert len(generations) == 1
    finally:
        house.stop()
        for one in started:
            one.communicate(timeout=20)


def test_detached_twice_at_once_is_detached_once(house):
    started = [house.popen("watch", "--detach", "--json") for _ in range(4)]
    told = [json.loads(one.communicate(timeout=60)[0])["process"] for one in started]
    assert [one.returncode for one in started] == [0] * 4
    assert len(set(told)) == 1
    until(lambda: list(processes(house.root)) == [told[0]], "the end of the others")


@pytest.mark.case("P-CONC-04")
def test_a_number_in_a_file_is_neither_believed_nor_signalled(house):
    innocent = subprocess.Popen(["sleep", "600"])
    try:
        house.place.private.mkdir(mode=0o700, exist_ok=True)
        house.place.resident_lock.write_text(f"{innocent.pid}\n")
        left = socket.socket(socket.AF_UNIX)
        left.bind(str(house.place.door))
        left.close()  # as a killed resident leaves it
        assert house.mem("recall", "--ids", "refund").out == "refund00aaaa\n"
        assert house.mem("watch", "--status").code == 1
        assert house.mem("watch", "--stop").out + house.mem("watch", "--stop").err
        house.start()
        assert house.found("refund") == ["refund00aaaa"]
        assert house.mem("watch", "--stop").code == 0
        assert innocent.poll() is None
    finally:
        innocent.kill()
        innocent.wait()


def test_a_killed_one_is_missed_by_nobody(watched):
    assert watched.found("refund") == ["refund00aaaa"]
    watched.kill()
    assert watched.mem("recall", "--ids", "refund").out == "refund00aaaa\n"
    assert watched.mem("remember", CLAIM).code == 0
    watched.start()
    assert len(watched.found("office cat Miso")) == 1
    assert watched.git("status", "--porcelain") == ""


@pytest.mark.case("P-CONC-12")
@pytest.mark.case("P-CONC-07")
def test_a_frozen_one_holds_up_nobody_for_long(watched):
    number = watched.started[-1]
    os.kill(number, signal.SIGSTOP)
    begun = time.monotonic()
    assert watched.mem("recall", "--ids", "refund").out == "refund00aaaa\n"
    assert time.monotonic() - begun < client.PATIENCE_S + 6
    assert watched.mem("remember", CLAIM).code == 0
    assert watched.mem("watch", "--status").code == 6
    assert watched.alone("recall", "--ids", "refund").code == 0
    os.kill(number, signal.SIGCONT)
    assert len(watched.found("office cat Miso", answered=False)) == 1
    assert watched.git("log", "--format=%s").count("remember") == 1
    assert watched.git("status", "--porcelain") == ""


def test_who_gives_up_waiting_for_a_frozen_one_says_so_shortly(watched):
    os.kill(watched.started[-1], signal.SIGSTOP)
    running = watched.popen("recall", "refund")
    time.sleep(0.7)
    os.kill(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=20)
    assert (running.returncode, out, err) == (130, b"", b"")


def test_stdin_that_cannot_be_read_is_the_commands_to_explain(watched):
    opened = os.open(watched.root, os.O_RDONLY)
    with_, without = (
        subprocess.run(
            [sys.executable, "-m", "memcli", *daemon, "recall", "-"],
            cwd=watched.root,
            env=watched.store.environment,
            stdin=opened,
            capture_output=True,
            check=False,
        )
        for daemon in ([], ["--no-daemon"])
    )
    os.close(opened)
    assert (with_.returncode, with_.stdout, with_.stderr.splitlines()[:1]) == (
        without.returncode,
        without.stdout,
        without.stderr.splitlines()[:1],
    )


def test_an_act_that_has_begun_is_finished_before_the_resident_ends(watched):
    assert watched.mem("trust", "--yes", env=PERSON).code == 0
    hook = watched.root / ".git/hooks/pre-commit"
    hook.write_text(f"#!/bin/sh\ntouch {watched.root.parent}/begun\nsleep 1\n")
    hook.chmod(0o755)
    running = watched.popen("remember", CLAIM)
    until((watched.root.parent / "begun").exists, "the commit")
    assert watched.mem("watch", "--stop").code == 0
    out, err = running.communicate(timeout=20)
    assert (running.returncode, b"created" in out) == (0, True), err


@pytest.mark.case("P-CONC-07")
@pytest.mark.case("P-SEC-09")
def test_a_socket_of_another_user_is_not_told_anything(watched):
    if os.geteuid():
        pytest.skip("only root can be another user")
    assert stat.S_IMODE(watched.place.door.lstat().st_mode) == 0o600
    assert stat.S_IMODE(watched.place.private.stat().st_mode) == 0o700
    assert told_to_a_stranger(watched) == "PermissionError\n"
    for one in (watched.place.private, watched.place.door):
        one.chmod(0o777)
    assert told_to_a_stranger(watched) in ("b''\n", "ConnectionResetError\n", "BrokenPipeError\n")
    assert watched.found("refund") == ["refund00aaaa"]


# Asks as another user, in the folder that it stands in.
STRANGER = """
import os, socket, sys
os.setgroups([]), os.setgid(65534), os.setuid(65534)
line = socket.socket(socket.AF_UNIX)
try:
    line.connect("resident")
    line.sendall(bytes.fromhex(sys.argv[1]))
    print(line.recv(100))
except OSError as error:
    print(type(error).__name__)
"""


def told_to_a_stranger(house):
    return subprocess.run(
        [sys.executable, "-c", STRANGER, client.framed(b"status").hex()],
        cwd=house.place.private,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.case("P-SEC-09")
def test_what_it_makes_is_its_owners_alone_whatever_lay_there(house):
    house.place.private.mkdir(mode=0o777, exist_ok=True)
    house.place.private.chmod(0o777)
    with socket.socket(socket.AF_UNIX) as elsewhere:
        elsewhere.bind(str(house.root.parent / "elsewhere"))
        elsewhere.listen()
        elsewhere.settimeout(0)
        house.place.door.symlink_to(house.root.parent / "elsewhere")
        assert house.mem("recall", "--ids", "refund").out == "refund00aaaa\n"
        with pytest.raises(BlockingIOError):
            elsewhere.accept()
    openly = 'umask 000; exec "$0" -m memcli watch --detach'
    started = Mem(house.root, house.store.environment, ["sh", "-c", openly, sys.executable])()
    assert started.code == 0, started
    assert stat.S_ISSOCK(house.place.door.lstat().st_mode)
    made = (
        house.place.private,
        house.place.door,
        house.place.resident_lock,
        house.place.private / "log/watch.log",
    )
    assert [stat.S_IMODE(path.lstat().st_mode) for path in made] == [0o700, 0o600, 0o600, 0o600]
    assert house.found("refund") == ["refund00aaaa"]


@pytest.mark.case("P-SEC-09")
def test_through_a_link_in_place_of_its_folder_none_is_started(house):
    house.place.private.rename(house.root.parent / "real") if house.place.private.exists() else None
    (house.root.parent / "real").mkdir(exist_ok=True)
    house.place.private.symlink_to(house.root.parent / "real")
    ran = house.mem("watch", "--detach")
    assert ran.code != 0
    assert "Traceback" not in ran.err
    assert list((house.root.parent / "real").iterdir()) == []


@pytest.mark.case("P-SEC-09")
def test_a_socket_that_another_user_owns_is_passed_over(house):
    if os.geteuid():
        pytest.skip("only root can be another user")
    house.place.private.mkdir(mode=0o700, exist_ok=True)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(house.place.door))
    listening.listen()
    listening.settimeout(0)
    os.chown(house.place.door, 65534, 65534)
    with listening:
        assert house.mem("recall", "--ids", "refund").out == "refund00aaaa\n"
        with pytest.raises(BlockingIOError):
            listening.accept()


NONSENSE = {
    "nothing": b"",
    "half a length": b"\0\0",
    "half a frame": b"\0\0\1\0abc",
    "no length": b"\0\0\0\0",
    "a web page": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "too long": b"\xff\xff\xff\xff",
    "parts beyond the end": b"\0\0\0\x08\0\0\xff\xffabcd",
    "no such kind": client.framed(b"purge"),
    "a run of nothing": client.framed(b"run"),
    "words that are not there": client.framed(b"run", client.KIN, b"/", b"000", b"0", b"", b"9"),
    "minus a word": client.framed(b"run", client.KIN, b"/", b"000", b"0", b"", b"-1"),
    "no number": client.framed(b"run", client.KIN, b"/", b"000", b"x", b"", b"y"),
    "bytes that are no text": client.framed(b"run", client.KIN, b"\xff", b"\xff", b"0", b"", b"1", b"\xff"),
    "a folder with a NUL": client.framed(b"run", client.KIN, b"/\0", b"000", b"0", b"", b"1", b"list"),
}


def test_nonsense_is_answered_with_nothing_and_forgotten(watched):
    for what, raw in NONSENSE.items():
        line = watched.line()
        line.sendall(raw)
        line.shutdown(socket.SHUT_WR)
        assert all_of(line) in (b"", client.DECLINED), what
        line.close()
    assert watched.found("refund") == ["refund00aaaa"]
    assert "Traceback" not in (watched.place.private / "log/watch.log").read_text()


def test_who_hangs_blocks_nobody(watched):
    silent = [watched.line() for _ in range(8)]
    half = watched.line()
    half.sendall(asked(watched, "recall", "refund")[:40])
    waiting = watched.line()
    waiting.sendall(asked(watched, "remember", CLAIM))  # and never says that it goes on
    deaf = watched.line()
    deaf.sendall(asked(watched, "list", "--json"))
    until(lambda: watched.tally() == (1, 1), "an answer that nobody takes")
    with pytest.raises(BrokenPipeError):
        waiting.sendall(client.GO)  # too late
    assert watched.found("refund") == [
        "refund00aaaa"
    ]  # by the resident, before the patience of its client ends
    assert watched.mem("remember", "Coffee is free on Fridays.").code == 0
    assert watched.git("log", "--format=%s").count("remember") == 1
    assert len(silent) == 8


def test_who_drips_is_shown_out(watched):
    line = watched.line()
    line.settimeout(10)
    frame = asked(watched, "recall", "refund")
    begun = time.monotonic()
    with suppress(BrokenPipeError, ConnectionResetError):
        for byte in frame:
            time.sleep(0.25)
            line.sendall(bytes([byte]))
    line.close()
    assert time.monotonic() - begun < server.PATIENCE_S + 3


def test_another_version_is_declined_and_the_resident_makes_room(watched):
    line = watched.line()
    line.sendall(asked(watched, "recall", "refund").replace(client.KIN, b"mem 9" + __version__.encode()[1:]))
    assert all_of(line) == client.DECLINED
    until(lambda: not door.lives(watched.place), "its end")


def test_two_hundred_clients_at_once_are_answered(watched):
    frame = asked(watched, "recall", "--ids", "refund")
    lines = []
    for _ in range(200):
        with suppress(BlockingIOError):  # the kernel keeps 128 waiting; others do their work themselves
            line = watched.line()
            line.sendall(frame)
            lines.append(line)
    told = [all_of(line) for line in lines]
    whole = [one for one in told if one]
    assert len(whole) >= server.AT_ONCE
    assert {one[10:] for one in whole if one != client.DECLINED} == {b"refund00aaaa\n"}
    assert watched.found("refund") == ["refund00aaaa"]


ODD_NAMES = ["with spaces and 'quotes\"", "new\nline", "Käse 字", "x" * 120]


@pytest.mark.parametrize("name", ODD_NAMES, ids=["spaces", "newline", "unicode", "long"])
def test_whatever_the_stores_folder_is_called_it_is_answered(tmp_path, name):
    with housed(tmp_path / name) as house:
        house.start()
        assert house.found("refund") == ["refund00aaaa"]
        assert Mem(house.root, house.store.environment)("watch", "--stop").code == 0


@pytest.mark.parametrize("settings", ["[watch]\ntcp = true\n"], ids=["tcp"])
def test_over_the_loopback_it_answers_the_same_but_only_who_knows_the_word(house, settings):
    (house.root / "mem.toml").write_text(settings)
    house.start()
    port, word = house.place.door.read_text().split()
    assert stat.S_IMODE(house.place.door.lstat().st_mode) == 0o600
    assert house.found("refund") == ["refund00aaaa"]
    with socket.create_connection(("127.0.0.1", int(port)), 10) as line:
        line.sendall(b"0" * len(word) + client.framed(b"status"))
        assert all_of(line) == b""
    house.kill()
    with socket.create_server(("127.0.0.1", 0)) as thief:
        house.place.door.write_text(f"{thief.getsockname()[1]} {word}\n")
        thief.settimeout(0)
        assert house.mem("recall", "--ids", "refund").out == "refund00aaaa\n"
        with pytest.raises(BlockingIOError):
            thief.accept()


@pytest.mark.case("P-CONC-09")
def test_without_events_it_says_so_and_answers_right(house):
    (house.root / "mem.toml").write_text("[watch]\nevents = false\n")
    house.start()
    assert house.standing()["events"] == "[watch] events = false"
    house.store.write("coffee00aaaa", "Coffee is free on Fridays.")
    assert house.found("coffee Fridays")[0] == "coffee00aaaa"


# `mem` as it finds the kernel without room for another queue of events, nor for another of its kind.
AT_LIMIT = """
import ctypes, errno, sys
from memcli.resident import witness, watcher
class Full:
    def __init__(self, *_, **__): pass
    def inotify_init1(self, _):
        ctypes.set_errno(errno.EMFILE)
        return -1
witness.ctypes = type(sys)("ctypes")
witness.ctypes.CDLL, witness.ctypes.get_errno = Full, ctypes.get_errno
from memcli import __main__ as process
sys.exit(process.main(sys.argv[1:]))
"""


@pytest.mark.case("P-CONC-09")
def test_at_the_kernels_limit_it_polls_and_says_which(house):
    command = [sys.executable, "-c", AT_LIMIT, "--store", str(house.root), "watch"]
    running = subprocess.Popen(command, env=house.store.environment, stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: (house.standing() or {}).get("looked"), "the first look")
        assert house.standing()["events"].startswith("the limit fs.inotify.max_user_instances")
        house.store.write("coffee00aaaa", "Coffee is free on Fridays.")
        assert house.found("coffee Fridays")[0] == "coffee00aaaa"
    finally:
        house.stop()
        assert "disk" not in running.communicate(timeout=20)[1].lower()


@pytest.mark.case("P-CONC-11")
def test_nothing_that_was_loaded_before_is_in_a_detached_one(watched):
    words = Path(f"/proc/{watched.started[-1]}/cmdline").read_bytes().split(b"\0")
    assert words[1:3] == [b"-m", b"memcli"]  # a new program, not the other half of a fork
    assert watched.found("refund") == ["refund00aaaa"]


def test_a_deleted_private_folder_is_made_anew_and_nobody_is_left_over(watched):
    number = watched.started[-1]
    shutil.rmtree(watched.place.private)
    assert watched.mem("recall", "--ids", "refund").out == "refund00aaaa\n"
    until(watched.standing, "a new door")
    assert watched.standing()["process"] == number
    assert watched.found("refund") == ["refund00aaaa"]
    shutil.rmtree(watched.place.private)
    newer = watched.start()
    until(lambda: len(list(processes(watched.root))) == 1, "the end of one")
    assert watched.found("refund") == ["refund00aaaa"]
    assert watched.standing()["process"] in (number, newer)


@pytest.mark.case("P-CONC-03")
def test_killed_at_random_moments_nothing_is_lost_or_doubled(house, campaign):
    dice = random.Random(5)
    acknowledged = []
    for number in range(KILLS * campaign):
        if house.standing() is None:
            house.start()
        text = f"Shelf {number * 7 + 3} holds folder {number * 13 + 1}."
        running = house.popen("remember", "--json", text, "--scope", f"project:s{number}")
        time.sleep(dice.uniform(0.01, 0.35))
        for victim in dice.choice([(house.started[-1],), (running.pid,), (running.pid, house.started[-1])]):
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        out, err = running.communicate(timeout=60)
        assert b"Traceback" not in err
        if running.returncode == 0:
            acknowledged.append((json.loads(out)["id"], text))
        answered = house.mem("recall", "--ids", "refund window", "-k", "1")
        assert (answered.code, answered.out) == (0, "refund00aaaa\n"), answered
    assert house.mem("remember", CLAIM).code == 0
    texts = [path.read_text("utf-8").strip().splitlines()[-1] for path in house.root.glob("schemas/**/*.md")]
    assert len(texts) == len(set(texts))
    made = house.git("log", "--format=%(trailers:key=Mem-Id,valueonly)").split()
    assert all(made.count(id_) == 1 and text in texts for id_, text in acknowledged)
    assert house.git("status", "--porcelain") == ""
    assert "Traceback" not in (house.place.private / "log/watch.log").read_text()


def test_it_serves_a_store_made_by_init(tmp_path):
    made = Store.made(tmp_path)
    shutil.rmtree(made.root)
    house = House(made)
    assert Mem(tmp_path, made.environment)("init", "t").code == 0
    try:
        house.start()
        assert house.mem("remember", CLAIM).code == 0
        assert len(house.found("office cat")) == 1
    finally:
        house.stop()


def test_a_purge_that_is_refused_leaves_the_resident_alone(watched):
    ana = {"MEM_ACTOR": "human:ana"}
    told = json.loads(watched.mem("purge", "refund00aaaa", "--dry-run", "--json", env=ana).out)
    agreed = ("purge", "refund00aaaa", "--yes", "--expect")
    assert watched.mem(*agreed, "0" * len(told["digest"]), env=ana).code == 8
    assert watched.standing()["process"] == watched.started[-1]
    subprocess.run(["git", "branch", "keeps"], cwd=watched.root, check=True)
    told = json.loads(watched.mem("purge", "refund00aaaa", "--dry-run", "--json", env=ana).out)
    assert watched.mem(*agreed, told["digest"], env=ana).code == 5
    assert watched.standing()["process"] == watched.started[-1]
    told = json.loads(watched.mem("purge", "refund00aaaa", "--all-refs", "--dry-run", "--json", env=ana).out)
    assert watched.mem(*agreed, told["digest"], "--all-refs", env=ana).code == 0
    assert watched.standing() is None


@pytest.mark.case("P-SEC-08")
def test_a_strange_worktree_above_the_folder_is_no_reason_to_fail(house, tmp_path):
    strange = tmp_path / "strange"
    (strange / ".git" / "worktrees" / "x" / "gitdir").mkdir(parents=True)
    (strange / ".git" / "worktrees" / "y").mkdir()
    os.mkfifo(strange / ".git" / "worktrees" / "y" / "gitdir")
    ours, alone = (house.mem(*words, "recall", "refund", cwd=strange) for words in ((), ("--no-daemon",)))
    assert (ours.code, ours.out, ours.err) == (alone.code, alone.out, alone.err)
    assert "Traceback" not in ours.err
