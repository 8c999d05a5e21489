"""Many processes at once, and processes that freeze: nobody's word is lost and nobody waits for ever (CONC)."""

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial

import pytest
from trial import PERSON

from memcli.cli import person
from memcli.journal.repository import Journal

CLAIM = "The refund window is 30 days."
OTHER = "Deploys to production happen on Tuesdays only."


def started(trial, *argv, env=None):
    """A real `mem`, running."""
    return subprocess.Popen(
        [sys.executable, "-m", "memcli", *argv],
        cwd=trial.root,
        env={**trial.process.environment, **PERSON, **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told_by(running):
    """The objects that processes printed with --json, with their exit codes."""
    answers = [(one.communicate(timeout=120)[0], one.returncode) for one in running]
    return [(code, json.loads(out) if out else None) for out, code in answers]


def made_in(trial):
    """Id → the commits whose trailers say that it was made."""
    form = "%x00%H%n%(trailers:key=Mem-Id,valueonly)"
    found = {}
    for one in filter(None, trial.git("log", f"--format={form}").split("\0")):
        commit, *ids = one.split()
        for id_ in ids:
            found.setdefault(id_, []).append(commit)
    return found


# Remembers a number of claims one after the other, as a shell loop does, and says what was acknowledged.
WRITER = """
import sys
from memcli import __main__ as process
for number in range(int(sys.argv[2])):
    code = process.main(["remember", "--json", f"Shelf {sys.argv[1]} holds folder {number * 7 + 3}."])
    assert code == 0, code
"""


@pytest.mark.case("P-CONC-01")
def test_what_many_processes_remember_at_once_is_all_there_once(trial, campaign):
    processes, each = 6, 4 * campaign
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, f"n{number}", str(each)],
            cwd=trial.root,
            env={**trial.process.environment, **PERSON},
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    outs = [writer.communicate(timeout=300)[0] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * processes
    told = [json.loads(line) for out in outs for line in out.splitlines()]
    assert {one["decision"] for one in told} == {"created"}
    assert len(told) == len({one["id"] for one in told}) == processes * each
    made = made_in(trial)
    tracked = set(trial.git("ls-tree", "-r", "--name-only", "HEAD").splitlines())
    for one in told:
        assert made[one["id"]] == [one["commit"]]
        assert one["path"] in tracked
        assert trial.touched(one["commit"]) == [one["path"]]
    assert trial.git("status", "--porcelain") == ""
    assert trial.statuses() == {one["id"]: "active" for one in told}
    assert trial.ran("index", "verify").code == 0
    assert trial.told("status")["schemas"] == len(told)
    trial.git("fsck", "--strict")


@pytest.mark.case("P-CONC-02")
def test_of_two_supersessions_at_once_one_wins_and_the_other_says_so(trial, campaign):
    for number in range(2 * campaign):
        old = trial.remember(f"Shelf {number} of the archive holds folder {number * 7 + 3}.")["id"]
        texts = [f"Shelf {number} of the archive holds folder {number * 7 + add}." for add in (4, 5)]
        answers = told_by([started(trial, "--json", "supersede", old, "--with", text) for text in texts])
        codes = sorted(code for code, _ in answers)
        assert codes == [0, 5], answers
        (won,) = [told["new"] for code, told in answers if code == 0]
        shown = trial.told("show", old)
        assert (shown["status"], shown["superseded_by"]) == ("superseded", won)
        assert trial.git("status", "--porcelain") == ""


EDITOR = (
    '#!/bin/sh\nwhile [ -e {gate} ]; do sleep 0.05; done\nprintf \'\\nA detail of %s.\\n\' "$WHO" >> "$1"\n'
)


@pytest.mark.case("P-CONC-02")
def test_of_two_edits_at_once_none_is_lost(trial, tmp_path):
    id_ = trial.remember(CLAIM)["id"]
    gate = tmp_path / "gate"
    gate.touch()
    editor = tmp_path / "editor"
    editor.write_text(EDITOR.format(gate=gate))
    editor.chmod(0o755)
    writers = [started(trial, "edit", id_, env={"EDITOR": str(editor), "WHO": who}) for who in ("ana", "bo")]
    time.sleep(1.5)  # both have the same text open
    gate.unlink()
    ended = [(writer.communicate(timeout=60), writer.returncode) for writer in writers]
    codes = sorted(code for _, code in ended)
    text = trial.path(id_).read_text()
    assert codes in ([0, 0], [0, 8])
    assert text.count("A detail of") == codes.count(0)
    for (_, err), code in ended:
        assert code == 0 or "changed" in err
    assert trial.git("status", "--porcelain") == ""
    assert trial.git("rev-list", "--count", "HEAD") == str(2 + codes.count(0))


@pytest.mark.case("P-CONC-02")
def test_what_was_moved_while_a_person_agreed_is_forgotten_and_taken_back_where_it_is(trial, monkeypatch):
    id_ = trial.remember(CLAIM)["id"]
    agreed = person.word_for

    def moved(*words):
        assert trial.process("move", id_, "project:x", env=PERSON).code == 0
        return agreed(*words)

    def renamed(*words):
        trial.path(id_).rename(trial.path(id_).with_name("renamed.md"))
        return agreed(*words)

    for verb, meanwhile, status in (("forget", moved, "forgotten"), ("unforget", renamed, "active")):
        monkeypatch.setattr(person, "word_for", meanwhile)
        trial.did(verb, id_, "--yes")
        assert trial.status(id_) == status
    assert trial.path(id_) == trial.root / "schemas/project/x/renamed.md"
    assert [entry["op"] for entry in trial.told("log", "-n4")["entries"]] == [
        "unforget",
        "move",
        "forget",
        "move",
    ]
    assert trial.git("status", "--porcelain") == ""


@pytest.mark.case("P-CONC-02")
def test_what_was_deleted_while_a_person_agreed_is_no_memory_any_more(trial, monkeypatch):
    id_ = trial.remember(CLAIM)["id"]
    trial.remember(OTHER)
    monkeypatch.setattr(person, "word_for", lambda *_: trial.path(id_).unlink())
    ran = trial.ran("forget", id_, "--yes")
    assert (ran.code, ran.out) == (3, ""), ran.err
    assert "set aside" not in ran.err


@pytest.mark.case("P-CONC-02")
def test_an_edit_that_met_a_forgetting_meanwhile_does_not_undo_it(trial, tmp_path):
    id_ = trial.remember(CLAIM)["id"]
    gate = tmp_path / "gate"
    gate.touch()
    editor = tmp_path / "editor"
    editor.write_text(EDITOR.format(gate=gate))
    editor.chmod(0o755)
    editing = started(trial, "edit", id_, env={"EDITOR": str(editor), "WHO": "ana"})
    time.sleep(1.0)
    trial.forget(id_)
    gate.unlink()
    _, err = editing.communicate(timeout=60)
    assert editing.returncode in (5, 8)  # the text of before would bring back what is forgotten now
    assert "Hint: " in err
    assert trial.status(id_) == "forgotten"
    assert "A detail" not in trial.path(id_).read_text()


# CONC-06, CONC-12


@pytest.fixture
def frozen(trial, tmp_path):
    """A `mem remember` that was stopped while it holds the store's lock; it goes on when asked."""
    trial.remember(OTHER)
    trial.did("trust", "--yes")
    mark = tmp_path / "inside"
    hook = trial.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n[ -e '{mark}' ] || {{ touch '{mark}'; sleep 0.3; }}\n")
    hook.chmod(0o755)
    process = started(trial, "remember", "--json", CLAIM)
    until = time.monotonic() + 60
    while not mark.exists() and time.monotonic() < until:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(1.5)  # git, which it started, may end
    yield process
    if process.poll() is None:
        os.kill(process.pid, signal.SIGCONT)
        process.communicate(timeout=60)


@pytest.mark.case("P-CONC-12")
def test_a_writer_behind_a_frozen_one_gives_up_in_time_and_the_frozen_one_ends_well(trial, frozen):
    (trial.root / "mem.toml").write_text("[lock]\nwait_s = 1\n")
    head = trial.head()
    started_at = time.monotonic()
    ran = trial.ran("remember", "Stock is counted in June.")
    waited = time.monotonic() - started_at
    assert (ran.code, ran.out) == (8, "")
    assert 0.9 < waited < 8
    assert f"remember (process {frozen.pid})" in ran.err
    assert trial.head() == head
    os.kill(frozen.pid, signal.SIGCONT)
    out, err = frozen.communicate(timeout=60)
    assert frozen.returncode == 0, err
    assert trial.found("refund window") == [json.loads(out)["id"]]
    assert trial.remember("Stock is counted in June.")["decision"] == "created"
    assert trial.git("status", "--porcelain").split() == ["M", "mem.toml"]


@pytest.mark.case("P-CONC-06")
def test_beside_a_frozen_writer_recall_answers_and_nothing_is_rebuilt_or_moved_aside(trial, frozen):
    (trial.root / "mem.toml").write_text("[lock]\nwait_s = 1\n")
    before = sorted(str(path) for path in (trial.root / ".mem/index").iterdir())
    trial.write("hand0000aaaa", "The ferry leaves at noon.")
    started_at = time.monotonic()
    assert trial.found("deploys on tuesdays")
    assert trial.found("when does the ferry leave")[0] == "hand0000aaaa"
    assert time.monotonic() - started_at < 20
    ran = trial.ran("index", "rebuild")
    assert ran.code == 8
    assert sorted(str(path) for path in (trial.root / ".mem/index").iterdir()) == before
    os.kill(frozen.pid, signal.SIGCONT)
    frozen.communicate(timeout=60)
    assert frozen.returncode == 0
    assert trial.found("refund window")
    assert trial.found("when does the ferry leave")[0] == "hand0000aaaa"


# CONC-07, CONC-11


@pytest.mark.case("P-CONC-07")
def test_without_a_daemon_every_command_does_the_work_itself(trial):
    id_ = trial.remember(CLAIM, "--no-daemon")["id"]
    for argv in (["recall", "refund"], ["show", id_], ["list"], ["status"], ["log"], ["check"]):
        plain = trial.ran(*argv, "--as-of", "2026-12-24") if argv[0] == "recall" else trial.ran(*argv)
        told = trial.ran("--no-daemon", *argv, *(["--as-of", "2026-12-24"] if argv[0] == "recall" else []))
        assert (told.code, told.out) == (plain.code, plain.out) == (0, plain.out), argv


@pytest.mark.case("P-CONC-07")
def test_a_lock_of_a_process_that_may_not_be_signalled_is_that_of_a_live_one(trial, monkeypatch):
    """`kill -0` on another user's process gives EPERM: its orphan of a git lock is not cleared."""
    lock, orphan = trial.root / ".git/index.lock", trial.root / ".git/mem-lock-1.0a0b0c0d"
    orphan.write_text("theirs")
    os.utime(orphan, (1, 1))
    lock.hardlink_to(orphan)

    def forbidden(_pid, _signal):
        raise PermissionError

    monkeypatch.setattr(os, "kill", forbidden)
    monkeypatch.setattr(Journal, "open", partial(Journal.open, wait_s=0.5))
    ran = trial.ran("remember", CLAIM)
    assert ran.code == 8
    assert lock.read_text() == "theirs"
    lock.unlink()
    assert trial.remember(CLAIM)["decision"] == "created"


FORKS = """
import multiprocessing, os, sys
from memcli import __main__ as process
def child(name, expected):
    sys.stdout = sys.stderr = open(os.devnull, "w")
    codes = [process.main(["recall", "refund window"])]
    codes.append(process.main(["remember", f"Shelf {name} of the archive holds folders."]))
    os._exit(0 if codes == expected else 1)
def children(*names, expected):
    context = multiprocessing.get_context("fork")
    running = [context.Process(target=child, args=(name, expected)) for name in names]
    for one in running:
        one.start()
    for one in running:
        one.join(40)
        one.kill()
    print([one.exitcode for one in running], flush=True)
children("one", "two", expected=[0, 0])  # forked before the index is loaded
assert process.main(["recall", "refund window"]) == 0
children("three", "four", expected=[0, 6])  # and after: files answer, and writing says why not
if os.fork() == 0:  # a daemon: its session its own, and no child of ours
    os.setsid()
    if os.fork() == 0:
        code = process.main(["recall", "refund window"])
        with open(sys.argv[1], "w") as file:
            file.write(str(code))
    os._exit(0)
os.wait()
"""


@pytest.mark.case("P-CONC-11")
def test_after_a_fork_nothing_hangs(trial, tmp_path):
    id_ = trial.remember(CLAIM)["id"]
    answer = tmp_path / "answer"
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKS, str(answer)],
        cwd=trial.root,
        env={**trial.process.environment, **PERSON},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert ran.stdout.count("[0, 0]") == 2, (ran.stdout, ran.stderr)
    until = time.monotonic() + 40
    while not (answer.exists() and answer.read_text()) and time.monotonic() < until:
        time.sleep(0.05)
    assert answer.read_text() == "0"
    assert len(trial.statuses()) == 3
    assert trial.found("refund window") == [id_]
    assert trial.git("status", "--porcelain") == ""
