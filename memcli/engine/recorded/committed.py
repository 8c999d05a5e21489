"""The store as a commit holds it: its files understood, and what its journal had said.

A blob is understood once for all commits that one command looks at: most files of two
commits are the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from memcli.engine import filing, standing
from memcli.engine.filing import Filed
from memcli.engine.opened import Opened
from memcli.engine.standing import Confirmed
from memcli.journal import tree
from memcli.store import scan, tombstones
from memcli.store.tombstones import Tombstone

SCHEMAS = "schemas/"
EVENTS = "events/"


def filed_at(opened: Opened, commit: str) -> dict[str, Filed]:
    """Every schema file of the commit (a full id) by path, understood or set aside; without their bytes."""
    listed = tree.regular(opened.journal, commit, SCHEMAS)
    return understood(opened, {path: blob for path, blob in listed.items() if scan.is_schema_path(path)})


def understood(opened: Opened, blobs: Mapping[str, str]) -> dict[str, Filed]:
    """The files with these blobs, by path; each pair is read once a command."""
    known = learn(opened, blobs.items())
    return {path: known[path, blob] for path, blob in blobs.items()}


def learn(opened: Opened, pairs: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], Filed]:
    """All files that this command has read of commits, by path and blob: these, and those before."""
    known = opened.committed
    missing = [pair for pair in dict.fromkeys(pairs) if pair not in known]
    if missing:
        contents = tree.read_blobs(opened.journal, [blob for _, blob in missing])
        for path, blob in missing:
            known[path, blob] = replace(filing.understand(opened, path, contents[blob]), raw=b"")
    return known


def standings_at(opened: Opened, commit: str) -> Confirmed:
    """What the journal had said at the commit (a full id) of each id; every file is as committed."""
    return standing.at(opened.journal, commit)


def tombstones_at(opened: Opened, commit: str) -> tuple[Tombstone, ...]:
    """The tombstones that the commit (a full id) holds."""
    raw = tree.read(opened.journal, commit, [tombstones.PATH])[tombstones.PATH]
    return () if raw is None else tombstones.of_bytes(raw)
