"""Git's merge of three texts, line by line, with its markers where both sides changed the same lines."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from memcli.errors import Unavailable
from memcli.journal.process import Git

_FAILED = 128  # and above: git could not merge at all; below, the number of conflicts


@dataclass(frozen=True, slots=True)
class Text:
    """What came of it; not `clean` means that it holds markers."""

    raw: bytes
    clean: bool


def merged(git: Git, base: bytes, ours: bytes, theirs: bytes) -> Text:
    """`ours` and `theirs`, which both came from `base`, in one. Raises Unavailable."""
    with tempfile.TemporaryDirectory(prefix="mem-merge-") as folder:
        names = [Path(folder) / name for name in ("ours", "base", "theirs")]
        for name, raw in zip(names, (ours, base, theirs), strict=True):
            name.write_bytes(raw)
        labels = [word for name in names for word in ("-L", name.name)]
        ran = git.ask("merge-file", "-p", *labels, *map(str, names))
    if ran.code >= _FAILED:
        raise Unavailable(f"git merge-file failed: {ran.complaint}", "Merge the file by hand.")
    return Text(ran.out, ran.code == 0)
