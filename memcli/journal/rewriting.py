"""History written again without something: commits, trees and tags by new ids, all else as it was.

Who committed, when, and every word that is not taken out stay byte for byte, and what comes
before the first change keeps its ids; so two clones that take out the same thing write the same
history. Nothing names what is written here until `discarding` moves the refs to it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from memcli.journal.objects import FOLDER, Objects, Tree, compose_tree
from memcli.journal.repository import Journal

# What a store keeps in history that may hold a memory's words, below the store's folder.
LOOKED_AT: Final = ("schemas", "events", "receipts", "tombstones.jsonl")
_SIGNED: Final = (b"gpgsig", b"gpgsig-sha256")
_BEGINS: Final = (b"-----BEGIN PGP SIGNATURE-----", b"-----BEGIN SSH SIGNATURE-----")
_HEADER: Final = re.compile(rb"\n(?! )")
_SETTLE: Final = 200  # asserted: commits whose objects are held until they go to the disk as one pack

# The new content of the file at a path of the store; None takes it out.
Keep = Callable[[str, bytes], bytes | None]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Old commit → new one; `first` are the changed ones that follow on no changed one.

    `signatures` counts those that were signed and are so no more.
    """

    commits: Mapping[str, str]
    first: tuple[str, ...]
    signatures: int = 0

    def of(self, name: str) -> str:
        """The commit or tag that stands for `name` now."""
        return self.commits.get(name, name)


@dataclass
class Rewriting:
    """One pass over the commits that `tips` reach: `keep` decides about files, `said` about messages.

    With `dry` every new id is worked out and nothing is written.
    """

    journal: Journal
    keep: Keep
    said: Callable[[str], str]
    dry: bool = False
    objects: Objects = field(init=False)
    _trees: dict[tuple[str, str], str | None] = field(default_factory=dict)
    _blobs: dict[tuple[str, str], str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.objects = objects_of(self.journal)

    def run(self, tips: Sequence[str]) -> Rewritten:
        """Write the commits anew that change, parents first."""
        made: dict[str, str] = {}
        first: list[str] = []
        signatures = 0
        for number, (commit, parents) in enumerate(history(self.journal, tips)):
            raw = self.objects.read(commit, "commit")
            after, signed = self._commit(raw, [made.get(one, one) for one in parents])
            if after == raw:
                continue
            made[commit] = self._write("commit", after)
            signatures += signed
            if not any(one in made for one in parents):
                first.append(commit)
            if number % _SETTLE == _SETTLE - 1:
                self._settle()
        self._settle()
        return Rewritten(made, tuple(first), signatures)

    def _commit(self, raw: bytes, parents: Sequence[str]) -> tuple[bytes, bool]:
        head, _, message = raw.partition(b"\n\n")
        tree = head[len(b"tree ") :].partition(b"\n")[0].decode()
        root = self._root(tree)
        said = _bytes(self.said(message.decode("utf-8", "surrogateescape")))
        before = [line[len(b"parent ") :].decode() for line in head.split(b"\n") if line[:7] == b"parent "]
        if root == tree and said == message and before == list(parents):
            return raw, False
        kept = [lines for lines in _headers(head) if not lines.startswith((b"tree ", b"parent ", *_SIGNED))]
        signed = any(lines.startswith(_SIGNED) for lines in _headers(head))
        new = [b"tree " + root.encode(), *(b"parent " + one.encode() for one in parents), *kept]
        return b"\n".join(new) + b"\n\n" + said, signed

    def _root(self, tree: str) -> str:
        return self._tree(tree, "") or self._write("tree", b"")

    def _tree(self, tree: str, folder: str) -> str | None:
        """The tree as it stays; None where nothing is left of it that was there."""
        where = tree, folder
        if where not in self._trees:
            entries = self.objects.tree(tree)
            after = {name: one for name, one in self._entries(entries, folder) if one is not None}
            left = tree if after == entries else self._write("tree", compose_tree(after))
            self._trees[where] = left if after or not entries else None
        return self._trees[where]

    def _entries(self, entries: Tree, folder: str) -> Iterator[tuple[bytes, tuple[bytes, bytes] | None]]:
        for name, (mode, id_) in entries.items():
            path = folder + name.decode("utf-8", "surrogateescape")
            if not leads(self.journal.prefix, path):
                yield name, (mode, id_)
                continue
            found: str | None = id_.hex()
            if mode == FOLDER:
                found = self._tree(id_.hex(), f"{path}/")
            elif mode[:3] == b"100":
                found = self._blob(path.removeprefix(self.journal.prefix), id_.hex())
            yield name, None if found is None else (mode, bytes.fromhex(found))

    def _blob(self, path: str, id_: str) -> str | None:
        if (path, id_) not in self._blobs:
            raw = self.objects.read(id_, "blob")
            after = self.keep(path, raw)
            same = id_ if after == raw else None
            self._blobs[path, id_] = same if same or after is None else self._write("blob", after)
        return self._blobs[path, id_]

    def tag(self, name: str, made: Mapping[str, str]) -> str:
        """The annotated tag `name` as it names what stands now; its signature goes where it changes."""
        raw = self.objects.read(name, "tag")
        line, _, rest = raw.partition(b"\n")
        target = line[len(b"object ") :].decode()
        inner = self.tag(target, made) if rest.startswith(b"type tag\n") else made.get(target, target)
        head, _, message = rest.partition(b"\n\n")
        said = _bytes(self.said(_unsigned(message).decode("utf-8", "surrogateescape")))
        if inner == target and said == _unsigned(message):
            return name
        after = self._write("tag", b"object " + inner.encode() + b"\n" + head + b"\n\n" + said)
        self._settle()
        return after

    def _write(self, kind: str, content: bytes) -> str:
        return self.objects.named(kind, content) if self.dry else self.objects.write(kind, content)

    def _settle(self) -> None:
        if not self.dry:
            self.objects.settle()


def objects_of(journal: Journal) -> Objects:
    """The objects of the repository, to read and to write."""
    own = journal.configuration
    folder = journal.found.common_dir / "objects"
    return Objects(folder, journal.git, own.object_format, by_git=own.unusual, durable=own.durable)


def history(journal: Journal, tips: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Every commit that `tips` reach with its parents, parents first."""
    given = "".join(f"{one}\n" for one in dict.fromkeys(tips)).encode()
    listed = journal.git.read("rev-list", "--topo-order", "--reverse", "--parents", "--stdin", given=given)
    return [(line[0], tuple(line[1:])) for one in listed.decode().splitlines() if (line := one.split(" "))]


def files(journal: Journal, tips: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Every file of the store that these commits ever held, each state once: path and bytes."""
    objects = objects_of(journal)
    seen: set[tuple[str, str]] = set()
    for commit, _ in history(journal, tips):
        root = objects.read(commit, "commit")[len(b"tree ") :].partition(b"\n")[0].decode()
        yield from _below(objects, journal.prefix, root, "", seen)


def _below(
    objects: Objects, prefix: str, tree: str, folder: str, seen: set[tuple[str, str]]
) -> Iterator[tuple[str, bytes]]:
    for name, (mode, raw_id) in objects.tree(tree).items():
        path, id_ = folder + name.decode("utf-8", "surrogateescape"), raw_id.hex()
        if (path, id_) in seen or not leads(prefix, path):
            continue
        seen.add((path, id_))
        if mode == FOLDER:
            yield from _below(objects, prefix, id_, f"{path}/", seen)
        elif mode[:3] == b"100":
            yield path.removeprefix(prefix), objects.read(id_, "blob")


def leads(prefix: str, path: str) -> bool:
    """Whether `path` of the repository is one that is looked at, or a folder on the way there."""
    if not path.startswith(prefix):
        return f"{path}/" == prefix[: len(path) + 1]
    return path.removeprefix(prefix).partition("/")[0] in LOOKED_AT


def _headers(head: bytes) -> list[bytes]:
    """The lines of a commit's head, each with the lines that go on with it."""
    return _HEADER.split(head)


def _unsigned(message: bytes) -> bytes:
    starts = [at for sign in _BEGINS if (at := message.find(sign)) >= 0]
    return message[: min(starts)] if starts else message


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
