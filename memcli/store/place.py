"""Where everything of a store stands, computed from its root alone.

One home for the names, so that no other module joins a path by hand.
"""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Place:
    """A store's folder. Nothing here opens a file; `settings_file` alone looks which one exists."""

    root: Path

    @property
    def schemas(self) -> Path:
        """The claims, one markdown file each."""
        return self.root / "schemas"

    @property
    def procedures(self) -> Path:
        """Skills, a folder each."""
        return self.root / "procedures"

    @property
    def events(self) -> Path:
        """What happened, one JSON object a line."""
        return self.root / "events"

    @property
    def tombstones(self) -> Path:
        """What was removed and must not return though its file is gone."""
        return self.root / "tombstones.jsonl"

    @property
    def private(self) -> Path:
        """What can be rebuilt or belongs to this machine; git ignores it."""
        return self.root / ".mem"

    @property
    def index_folder(self) -> Path:
        """The generations of the index."""
        return self.private / "index"

    @property
    def vectors_folder(self) -> Path:
        """The cache of vectors, which outlives the index."""
        return self.private / "vectors"

    @property
    def turns_folder(self) -> Path:
        """The generations of the index of what was said."""
        return self.private / "turns"

    @property
    def turns_file(self) -> Path:
        """How far each file of events was taken into that index."""
        return self.private / "turns-known"

    @property
    def known_file(self) -> Path:
        """What the index last saw of every file."""
        return self.private / "known"

    @property
    def standing_file(self) -> Path:
        """What the journal last said of each removed schema."""
        return self.private / "standing.json"

    @property
    def revisions_folder(self) -> Path:
        """The generations of the index of all that was ever recorded."""
        return self.private / "revisions"

    @property
    def revisions_file(self) -> Path:
        """How far the record was taken into that index, and what it was judged by."""
        return self.private / "revisions-known"

    @property
    def recording_file(self) -> Path:
        """Held by the one process that brings that index along."""
        return self.private / "recording"

    @property
    def lineage_file(self) -> Path:
        """The commits that led to HEAD, with the moment at which each was recorded."""
        return self.private / "lineage"

    @property
    def sessions_folder(self) -> Path:
        """The open sessions of this machine, one file each."""
        return self.private / "sessions"

    @property
    def receipts_folder(self) -> Path:
        """The receipts of this machine, one file each."""
        return self.private / "receipts"

    @property
    def unsaved_file(self) -> Path:
        """Is there while event lines may lie on the disk that no commit holds."""
        return self.private / "unsaved"

    @property
    def accounts_file(self) -> Path:
        """What use has said of each memory, made of the reports."""
        return self.private / "accounts.json"

    @property
    def accounts_head_file(self) -> Path:
        """The commit that these were made at."""
        return self.private / "accounts-head"

    @property
    def reports_file(self) -> Path:
        """The reports, as they were read from the events, and how far those were read."""
        return self.private / "reports.json"

    @property
    def door(self) -> Path:
        """Where a resident listens: a socket, or a file that says where and by which word."""
        return self.private / "resident"

    @property
    def resident_lock(self) -> Path:
        """Held by the one resident as long as it lives."""
        return self.private / "resident.lock"

    @property
    def lock_file(self) -> Path:
        """Held by the one writer."""
        return self.private / "lock"

    @property
    def intent_file(self) -> Path:
        """The operation that is under way, so that a crash can be taken back."""
        return self.private / "intent"

    @property
    def purge_file(self) -> Path:
        """The purge that is under way, so that a crash in it can be ended."""
        return self.private / "purging"

    @property
    def merging_file(self) -> Path:
        """The commit that a sync is merging, so that a crash can be taken back."""
        return self.private / "merging"

    @property
    def spare_file(self) -> Path:
        """Room on the disk for taking an operation back when the disk is full."""
        return self.private / "spare"

    @property
    def machine_file(self) -> Path:
        """The random id of this clone."""
        return self.private / "machine"

    @property
    def latent_folder(self) -> Path:
        """How far the events were digested, and the prototypes of each scope."""
        return self.private / "latent"

    @property
    def lease_file(self) -> Path:
        """Held by the one consolidation."""
        return self.private / "consolidating"

    @property
    def settings_file(self) -> Path:
        """`mem.toml`, or `pyproject.toml` where only that one exists."""
        own, shared = self.root / "mem.toml", self.root / "pyproject.toml"
        return shared if shared.is_file() and not own.is_file() else own

    def at(self, path: str) -> Path:
        """The file that the store calls `path` (relative, with `/`)."""
        return self.root / path
