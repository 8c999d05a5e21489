"""One operation becomes one commit: exactly its paths as they are on disk, and nothing else.

Dangers: sweeping in what the user staged, losing a commit to another writer, saying done
without a commit, and leaving HEAD and the staging area apart, so that the user's next
commit would take the memory back. Therefore the order is: read and store the files,
bring the staging area in line for these paths, build the commit on HEAD, move HEAD if it
is still there (else build again). A crash in between leaves at most staged files, which is
an edit not yet committed; the reverse order could undo a commit.

Trees and blobs are written as files (a commit by `git add` and `git commit` scans the whole
store). Where hooks are configured git itself commits, so that they run as they should.
"""

import random
import time
from collections.abc import Mapping, Sequence
from typing import Final

from memcli.errors import TryAgain, Unavailable, Usage
from memcli.journal import identity, refs
from memcli.journal import message as messages
from memcli.journal.configuration import Configuration
from memcli.journal.content import Content, Reader
from memcli.journal.message import Message
from memcli.journal.objects import Entry, Objects, Tree
from memcli.journal.repository import Journal

WAIT_S: Final = 15.0  # asserted: how long other writers may keep HEAD or the staging area busy

Contents = Mapping[str, Content | None]


def commit(journal: Journal, paths: Sequence[str], message: Message, *, actor_name: str) -> str:
    """Commit `paths` of the store as they are on disk now (absent = removed); the commit's id.

    `actor_name` stands in the commit only where git has no identity configured. Raises
    TryAgain (busy, a merge conflict on one of the paths, a rebase under way) or Unavailable,
    and then there is no commit.
    """
    whole = tuple(dict.fromkeys(journal.prefix + _checked(path) for path in paths))
    journal.refuse_under_way()
    _refuse_conflicted(journal, paths)
    configuration = journal.configuration
    objects = Objects(journal.found.common_dir / "objects", journal.git, configuration.object_format)
    reader = Reader(journal, configuration, objects)
    contents = {path: reader.content(path) for path in whole}
    _stage(journal, contents)
    named = _named(journal, configuration, actor_name)
    return _land(journal, objects, contents, messages.compose(message), named)


def _checked(path: str) -> str:
    parts = path.split("/")
    if not path or "\0" in path or any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise Usage(f"{path!r} is not a path inside the store.", "Name files relative to the store's folder.")
    return path


def _land(journal: Journal, objects: Objects, contents: Contents, text: str, named: Mapping[str, str]) -> str:
    """Build the commit on HEAD until HEAD takes it."""
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        head = journal.head()
        tree = _tree(journal, objects, head, contents)
        made = _made(journal, tree, head, text, named)
        if refs.move(journal.git, head, made, f"commit: {text.partition(chr(10))[0]}"):
            return made
        time.sleep(random.uniform(0.001, 0.02))  # noqa: S311 - spreads writers, guards nothing
    raise TryAgain("Other writers kept HEAD busy; nothing was committed.", "Try again.")


def _tree(journal: Journal, objects: Objects, head: str | None, contents: Contents) -> str:
    """The id of HEAD's tree with `contents` put in; only the folders on their paths are read."""
    root = _tree_of(objects, head) if head else None
    if journal.prefix and not journal.within and not _holds(objects, root, journal.prefix):
        raise Unavailable(
            f"The repository at {journal.found.top} does not hold this store.",
            "Run `mem init --here` to keep the store in it, or `mem init` for a repository of its own.",
        )
    changes = {
        tuple(path.encode("utf-8", "surrogateescape").split(b"/")): one for path, one in contents.items()
    }
    return _woven(objects, root, changes) or objects.write_tree({})


def _tree_of(objects: Objects, commit_id: str) -> str:
    line = objects.read(commit_id, "commit").partition(b"\n")[0]
    return line.removeprefix(b"tree ").decode()


def _holds(objects: Objects, root: str | None, prefix: str) -> bool:
    tree = root
    for name in prefix.rstrip("/").encode("utf-8", "surrogateescape").split(b"/"):
        entry = objects.tree(tree).get(name) if tree else None
        tree = entry.id if entry and entry.is_tree else None
    return tree is not None


def _woven(
    objects: Objects, tree: str | None, changes: Mapping[tuple[bytes, ...], Content | None]
) -> str | None:
    """The id of `tree` with `changes` (by the parts of their paths), None where nothing is left of it."""
    entries: Tree = dict(objects.tree(tree)) if tree else {}
    deeper: dict[bytes, dict[tuple[bytes, ...], Content | None]] = {}
    for parts, content in changes.items():
        if len(parts) > 1:
            deeper.setdefault(parts[0], {})[parts[1:]] = content
        elif content is not None:
            entries[parts[0]] = Entry(content.mode, content.blob)
        elif not _is_tree(entries, parts[0]):
            entries.pop(parts[0], None)
    for name, below in deeper.items():
        _put(objects, entries, name, below)
    return objects.write_tree(entries) if entries else None


def _put(
    objects: Objects, entries: Tree, name: bytes, below: Mapping[tuple[bytes, ...], Content | None]
) -> None:
    before = entries[name].id if _is_tree(entries, name) else None
    if before is None and not any(below.values()):
        return  # nothing to take out of what is not a folder
    after = _woven(objects, before, below)
    if after is None:
        entries.pop(name, None)
    else:
        entries[name] = Entry(b"40000", after)


def _is_tree(entries: Tree, name: bytes) -> bool:
    return name in entries and entries[name].is_tree


def _made(journal: Journal, tree: str, head: str | None, text: str, named: Mapping[str, str]) -> str:
    parents = ("-p", head) if head else ()
    ran = journal.git.act("commit-tree", tree, *parents, given=text.encode(), setting=named)
    if ran.code:
        raise Unavailable(f"git could not make the commit: {ran.complaint}", "Run `git commit-tree` by hand.")
    return ran.out.decode().strip()


def _named(journal: Journal, configuration: Configuration, actor_name: str) -> Mapping[str, str]:
    environment = journal.git.environment
    author = identity.author(environment, configuration, actor_name)
    committer = identity.committer(environment, configuration, actor_name)
    return identity.variables(author, "author") | identity.variables(committer, "committer")


def _refuse_conflicted(journal: Journal, paths: Sequence[str]) -> None:
    both = set(journal.conflicted()) & set(paths)
    if both:
        raise TryAgain(
            f"{min(both)} is in conflict; nothing was committed.", "Resolve it, then `git add` it."
        )


def _stage(journal: Journal, contents: Contents) -> None:
    lines = b"".join(
        b"%s %s\t%s\0"
        % (
            one.mode if one else b"0",
            one.blob.encode() if one else b"0" * 40,
            path.encode("utf-8", "surrogateescape"),
        )
        for path, one in contents.items()
    )
    until = time.monotonic() + WAIT_S
    while time.monotonic() < until:
        ran = journal.git.act(
            "-C",
            str(journal.found.top),
            "update-index",
            "--add",
            "--remove",
            "--replace",
            "-z",
            "--index-info",
            given=lines,
        )
        if ran.code == 0:
            return
        if "index.lock" not in ran.err:
            raise Unavailable(f"git could not stage the files: {ran.complaint}", "Run `git status`.")
        time.sleep(random.uniform(0.005, 0.05))  # noqa: S311 - spreads writers, guards nothing
    raise TryAgain(
        "Another git command is busy in the store; nothing was committed.", "Try again when it is done."
    )
