"""What stays of each file and each message of history: decided from their bytes alone."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from memcli.engine.purging.finding import Memory
from memcli.journal import message as messages
from memcli.memory import claim
from memcli.memory.redaction import MARK, Redaction
from memcli.store import format, lines, tombstones
from memcli.store.tombstones import Tombstone

PURGED: Final = "purged"


@dataclass
class Deciding:
    """The decisions about one purge; each line of events is looked at once, however often it stands there."""

    memories: Sequence[Memory]
    redaction: Redaction
    _lines: dict[bytes, bytes] = field(default_factory=dict)

    def keep(self, path: str, raw: bytes) -> bytes | None:
        """The file `path` of the store as it stays; None where it goes."""
        top = path.partition("/")[0]
        if top == "schemas":
            return None if self._mine(path, raw) else raw
        if top == "receipts":
            return None if self.holds(raw) else raw
        if path.endswith(".jsonl"):
            return b"".join(self._line(line, path) for line in raw.splitlines(keepends=True))
        return raw

    def holds(self, raw: bytes) -> bool:
        """Whether a file of whatever kind says any of it, in JSON behind its escapes, too."""
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):
            return self.redaction.says(raw.decode("utf-8", "replace"))
        return bool(self.redaction.value(value) != value)

    def _mine(self, path: str, raw: bytes) -> bool:
        return any((path, format.digest(raw)) in one.states for one in self.memories)

    def _line(self, raw: bytes, path: str) -> bytes:
        if raw not in self._lines:
            self._lines[raw] = self._decided(raw, path)
        return self._lines[raw]

    def _decided(self, raw: bytes, path: str) -> bytes:
        try:
            value = json.loads(raw)
        except (ValueError, RecursionError):  # torn, or no line of ours: all of it goes where it says so
            return b"" if self.holds(raw) else raw
        if not isinstance(value, dict):
            return raw
        after = self._grave(value) if path == tombstones.PATH else self.redaction.event(value)
        if after is value:
            return raw
        return lines.encoded(after) if after else b""

    def _grave(self, value: dict[str, object]) -> dict[str, object]:
        """A tombstone without its text, where it is one of theirs."""
        memory = next((one for one in self.memories if one.id == value.get("id")), None)
        if memory is None or not isinstance(value.get("claim"), str):
            return value
        try:
            grave = tombstones.of_object(value)
        except (TypeError, ValueError):
            return {}
        return tombstones.as_object(_without_text(grave, memory))

    def graves(self) -> tuple[Tombstone, ...]:
        """What is left of each memory: its id, its events, and a keyed digest of each of its wordings."""
        return tuple(
            Tombstone(one.id, one.scope, claim.keyed_digest(said, one.id), PURGED, one.events)
            for one in self.memories
            for said in one.claims
        )

    def buried(self, raw: bytes) -> bytes:
        """The tombstones `raw` of a store as they are to be: without the words, with their graves."""
        kept = self.keep(tombstones.PATH, raw) or b""
        known = set(kept.splitlines(keepends=True))
        new = [line for one in self.graves() if (line := tombstones.line(one)) not in known]
        end = b"\n" if kept and new and not kept.endswith(b"\n") else b""
        return kept + end + b"".join(new)

    def message(self, text: str) -> str:
        """The message of a commit as it stays: trailers whole, words redacted."""
        said = messages.read(text)
        ids = {one.id for one in said.changes} if said else set()
        gone = {one.id for one in self.memories}
        if said is not None and ids and ids <= gone:
            return messages.compose(replace(said, claim=MARK, reason=""))
        if ids and not ids & gone:
            return text
        return self._words(text)

    def _words(self, text: str) -> str:
        for wording in self.redaction.wordings:
            if " " in wording:
                text = text.replace(wording, MARK).replace(messages.cut(wording), MARK)
        return "\n".join(self.redaction.text(line) if line.strip() else line for line in text.split("\n"))


def _without_text(grave: Tombstone, memory: Memory) -> Tombstone:
    return replace(
        grave,
        digest=claim.keyed_digest(grave.claim, grave.id),
        act=PURGED,
        claim="",
        events=memory.events,
    )
