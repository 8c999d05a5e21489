"""What must hold after a crash: nothing is between, and the next command needs no repair.

The journal is the proof: what its trailers say of each memory is what counts, and nothing lies in the files that it
does not know.
"""

import json
import re

CODES = (0, 6, 8)  # of an act that met a failing disk
KEPT = ("schemas/**/*.md", "procedures/**/*", "events/**/*.jsonl", "tombstones.jsonl")


def files(trial):
    """Path → bytes of all that history keeps."""
    found = {path for pattern in KEPT for path in trial.root.glob(pattern) if path.is_file()}
    return {str(path.relative_to(trial.root)): path.read_bytes() for path in found}


def told(trial):
    """Id → status from the trailers alone."""
    out = trial.git("log", "--reverse", "--format=%B")
    found = dict(re.findall(r"^Mem-Id: (.*)\nMem-Prior-Status: .*\nMem-Status: (.*)$", out, re.MULTILINE))
    return {id_: status for id_, status in found.items() if status != "none"}


def stands(trial):
    """Id → status that counts, in every scope; what only a tombstone is left of is forgotten."""
    buried = trial.root / "tombstones.jsonl"
    marks = buried.read_text().splitlines() if buried.exists() else []
    return {json.loads(mark)["id"]: "forgotten" for mark in marks} | trial.statuses("--scope", "*")


def check_before_or_after(trial, head, before, *, act=None, why=""):
    """Look as a reader, then write as the next command would: nothing is between.

    Of an act that changes files only together with HEAD (Act.commits), nothing is left where HEAD stands.
    """
    assert trial.ran("recall", "refund window").code in (0, 1), why
    if trial.head() == head and (act is None or act.commits):
        check_absent(trial, before, ("schemas/", "tombstones.jsonl"), why)
        if act is None or not act.by_hand:
            trial.did("save")
            check_absent(trial, before, ("",), why)
    trial.did("remember", "Tea is free on Mondays.")
    trial.did("save")  # edits made by hand, whose saving was what was killed
    if act is not None and act.explains:
        trial.ran(*act.words({}))  # until then the journal knows nothing of what it is to explain
    assert trial.git("status", "--porcelain") == "", why
    assert told(trial) == stands(trial), why


def check_told(trial, act, head, why):
    """An act that a disk did not take says so with a documented code; one that says 0 has made its commit.

    `why` ends in the exit code and in what was said.
    """
    *_, code, said = why
    assert "Traceback" not in said, why
    assert code in CODES, why
    assert code == 0 or said.strip(), why
    if code == 0 and act.commits:
        assert trial.head() != head, why


def check_absent(trial, before, below, why=""):
    """All that history keeps below some folders is as it was, byte for byte."""
    now = files(trial)
    changed = sorted(path for path in now.keys() | before.keys() if now.get(path) != before.get(path))
    assert [path for path in changed if path.startswith(below)] == [], why


def check_again(victim, whole, act, why=""):
    """Carried out once more, an act that was cut off comes to what it had come to at once."""
    if not act.again:
        return
    victim.trial.ran(*act.words(victim.ids), stdin=act.stdin)
    ours, theirs = stands(victim.trial), stands(whole.trial)
    both = [id_ for id_ in victim.ids.values() if id_ in theirs]
    assert {id_: ours.get(id_) for id_ in both} == {id_: theirs[id_] for id_ in both}, why


def check_whole(trial, why=""):
    """Look at everything: files, index, git, and what a crash leaves lying about."""
    assert not list(trial.root.glob("schemas/**/.mem-write-*")), why
    assert trial.ran("check").code == 0, why
    assert trial.ran("index", "verify").code == 0, why
    assert not list((trial.root / ".git").glob("**/*.lock")), why
    trial.git("fsck", "--strict")  # fails for what is damaged; what no name reaches is nothing wrong
