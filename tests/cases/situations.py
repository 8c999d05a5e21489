"""States of a store that no command makes: files as bytes, and what must hold whatever they are."""

import json
import os
from pathlib import Path


def here(trial):
    """The folder of the scope that the store's working directory means."""
    folder = trial.root / "schemas" / "project" / "t"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def put(trial, name, raw):
    """A file of these bytes (or text, as UTF-8), whatever its name; its path."""
    path = Path(os.fsdecode(os.path.join(os.fsencode(here(trial)), os.fsencode(name))))  # noqa: PTH118 - bytes
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw.encode() if isinstance(raw, str) else raw)
    return path


def memory(id_, claim, head=""):
    """The bytes of a memory's file."""
    return f"---\nid: {id_}\n{head}---\n\n{claim}\n".encode()


def checked(trial, *argv, **how):
    """What check found, whose counts must add up (rule C): files = understood + set aside."""
    ran = trial.ran("check", "--json", *argv, **how)
    told = json.loads(ran.out)
    assert told["files"] == told["understood"] + told["set_aside"]
    assert ran.code == (4 if any(one["severity"] == "error" for one in told["findings"]) else 0)
    return told


def findings(trial, name=""):
    """What check says of the files whose path ends in `name`: (path, line, key, what, severity)."""
    every = (tuple(one.values()) for one in checked(trial)["findings"])
    return [one for one in every if one[0].endswith(name)]


def told_once(ran, code):
    """An error is one sentence and a hint on stderr, nothing on stdout, and no traceback (rule A)."""
    assert ran.code == code, (ran.code, ran.out, ran.err)
    assert ran.out == ""
    assert "Traceback" not in ran.err
    first, *_, last = ran.err.splitlines()
    assert first.endswith((".", "?"))
    assert last.startswith("Hint: ")
    return ran.err


def sound(trial):
    """Nothing is damaged, nothing half written is left, and the index says what the files say."""
    assert trial.git("fsck", "--strict", "--no-dangling") == ""
    assert not list(trial.root.rglob(".mem-write-*"))
    assert trial.ran("index", "verify").code == 0


def one_word_changed(trial, path, before, after):
    """The last commit changed this one path, by this one line, and the file holds the new bytes."""
    name = path.relative_to(trial.root).as_posix()
    assert trial.touched(below=".") == [name]
    assert trial.git("show", "--numstat", "--format=").split("\t")[:2] == ["1", "1"]
    assert path.read_bytes() == after
    assert trial.git("show", f"HEAD~1:{name}").encode().split() == before.split()
