"""One operation becomes one commit: exactly its paths as they are on disk, and nothing else.

Dangers: sweeping in what the user staged, losing a commit to another writer, saying done
without a commit, and leaving HEAD and the staging area apart, so that the user's next
commit would take the memory back. Therefore the order is: store the files, build the
commit on HEAD, bring the staging area in line for these paths, move HEAD if it is still
where the commit was built (else build again). Killed in between, the files are staged:
an edit not yet committed, which the next reconcile sees.

`git add` and `git commit` scan the whole store, so blobs, trees and the commit are written
as objects here, and no process is started in the common case (an eighth to a quarter of
their CPU time at 10,000 files: tests/benchmarks/commits.py). Where hooks are configured,
git itself commits (`hooked`); where commits are to be signed, git signs.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING

from memcli.errors import Refused, TryAgain, Unavailable, Usage
from memcli.journal import identity, message, refs, upkeep, weave
from memcli.journal.configuration import Configuration
from memcli.journal.content import Content, Reader
from memcli.journal.message import Message
from memcli.journal.objects import Objects
from memcli.journal.refs import Head, Move
from memcli.journal.repository import Journal
from memcli.journal.staging import Staging
from memcli.journal.swap import patience

if TYPE_CHECKING:
    from memcli.journal.signing import Signers

Contents = Mapping[str, Content | None]
# The commit that is to follow on what HEAD names (None: nothing yet).
Build = Callable[[str | None], str]


@dataclass(frozen=True, slots=True)
class Seal:
    """That a commit is to be signed, whatever git's configuration says.

    With `signers` it must be by one of them, or there is no commit.
    """

    signers: "Signers | None" = None


def commit(
    journal: Journal, paths: Sequence[str], said: Message, *, actor_name: str, seal: Seal | None = None
) -> str:
    """Commit `paths` of the store as they are on disk now (absent = removed); the commit's id.

    `actor_name` stands in the commit only where git has no identity configured. There is a
    commit even where nothing differs: the operation happened, and its trailers say so. Raises
    TryAgain (busy, a conflict on one of the paths, a rebase under way), Refused (the
    repository's own configuration would run programs and is not trusted), BadFile (a link)
    or Unavailable, and then there is no commit.
    """
    whole = tuple(dict.fromkeys(journal.prefix + _checked(path) for path in paths))
    journal.refuse_under_way()
    writer = _Writer.of(journal, actor_name, seal)
    hooks = writer.configuration.hooks(journal.found, journal.home)
    journal.refuse_unusable(writer.configuration)
    journal.refuse_untrusted(hooks, writer.configuration, signs=seal is not None)
    contents = writer.contents(whole)
    text = message.compose(said)
    if hooks:
        from memcli.journal import hooked

        if seal is not None:
            writer.rehearse_seal(text)
        made = hooked.commit(
            journal, contents, text, writer.named, writer.configuration.object_format, signs=seal is not None
        )
    else:
        made = writer.land(contents, text)
    upkeep.when_due(journal, writer.configuration)
    return made


def joined(journal: Journal, paths: Sequence[str], said: Message, other: str, *, actor_name: str) -> str:
    """As `commit`, with the commit `other` as the second parent; no hook is run."""
    writer = replace(_Writer.of(journal, actor_name), other=other)
    return writer.land(_ready(journal, writer, paths), message.compose(said))


def forwarded(journal: Journal, paths: Sequence[str], tip: str, *, actor_name: str) -> None:
    """Let HEAD go on to `tip`, of which the disk holds the files `paths` that differ. Raises as `commit`."""
    writer, seen = _Writer.of(journal, actor_name), journal.head()

    def on(head: str | None) -> str:
        if head != seen:
            raise TryAgain("HEAD moved meanwhile; nothing was merged.", "Try again.")
        return tip

    writer.landed(_ready(journal, writer, paths), f"merge {tip}: Fast-forward", on)


def _ready(journal: Journal, writer: "_Writer", paths: Sequence[str]) -> Contents:
    journal.refuse_under_way()
    journal.refuse_unusable(writer.configuration)
    journal.refuse_untrusted((), writer.configuration)
    return writer.contents([journal.prefix + _checked(path) for path in paths])


def built(  # noqa: PLR0913 - what a commit is made of
    journal: Journal,
    head: str,
    files: Mapping[str, bytes | None],
    said: Message,
    *,
    actor_name: str,
    seal: Seal | None = None,
) -> str:
    """A commit on `head` in which `files` of the store hold these bytes (None: are not there); its id.

    Nothing names it yet, the disk is not looked at, and no hook runs. Raises Unavailable.
    """
    writer = _Writer.of(journal, actor_name, seal)
    journal.refuse_untrusted((), writer.configuration, signs=seal is not None)
    seen = journal.root.stat()
    contents = {
        path: None if raw is None else Content(path, b"100644", writer.objects.write("blob", raw), seen)
        for path, raw in ((journal.prefix + _checked(path), raw) for path, raw in files.items())
    }
    return writer.built(head, contents, message.compose(said))


def _checked(path: str) -> str:
    parts = path.split("/")
    if "\0" in path or any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        raise Usage(f"{path!r} is not a path inside the store.", "Name files relative to the store's folder.")
    return path


@dataclass(frozen=True, slots=True)
class _Writer:
    """What is known once for one operation: configuration, object store, who commits."""

    journal: Journal
    configuration: Configuration
    objects: Objects
    author: identity.Identity
    committer: identity.Identity
    seal: Seal | None = None
    other: str | None = None  # what is merged

    @classmethod
    def of(cls, journal: Journal, actor_name: str, seal: Seal | None = None) -> "_Writer":
        own = journal.configuration
        inherited = journal.git.environment
        folder = journal.found.common_dir / "objects"
        objects = Objects(folder, journal.git, own.object_format, by_git=own.unusual, durable=own.durable)
        author = identity.author(inherited, own, actor_name)
        return cls(journal, own, objects, author, identity.committer(inherited, own, actor_name), seal)

    @property
    def named(self) -> Mapping[str, str]:
        """Author and committer for a git process."""
        return identity.variables(self.author, "author") | identity.variables(self.committer, "committer")

    def contents(self, paths: Sequence[str]) -> Contents:
        reader = Reader(self.journal, self.configuration, self.objects)
        return {path: reader.content(path) for path in paths}

    def built(self, head: str, contents: Contents, text: str) -> str:
        """A commit of `contents` on `head` that is no branch's yet."""
        return self._made(head, contents, text)

    def land(self, contents: Contents, text: str) -> str:
        """Commit `contents` on HEAD."""
        why = f"commit: {text.partition(chr(10))[0]}"
        return self.landed(contents, why, lambda head: self._made(head, contents, text))

    def landed(self, contents: Contents, why: str, build: Build) -> str:
        """Build on HEAD, stage `contents`, and move HEAD there; build again while others move it."""
        head = self.journal.standing()
        made = build(head.commit)
        take_back = Staging(self.journal, self.configuration.object_format).bring_in_line(contents)
        try:
            return self._moved(head, made, why, build)
        except BaseException:
            take_back()
            raise

    def _moved(self, head: Head, made: str, why: str, build: Build) -> str:
        own = self.configuration
        logs = own.flag("core.logallrefupdates", default=True)
        for _ in patience(self.journal.wait_s):
            move = Move(head, made, f"{self.committer} {self._stamp()}", why, logs, own.durable)
            if refs.move(self.journal.found, self.journal.git, move):
                return made
            now = self.journal.standing()
            if now != head:
                head, made = now, build(now.commit)
        raise TryAgain("Other writers kept HEAD busy; nothing was committed.", "Try again.")

    def _made(self, head: str | None, contents: Contents, text: str) -> str:
        """The id of a commit of `contents` on `head`; nothing names it yet."""
        root = weave.root_of(self.objects, head) if head else None
        self._refuse_strange(root)
        tree = weave.woven(self.objects, root, contents)
        if self._signs or self._dated():
            self.objects.settle()
            return self._sealed(self._by_git(tree, head, text))
        made = self.objects.write("commit", self._content(tree, head, text))
        self.objects.settle()
        return made

    def _refuse_strange(self, root: str | None) -> None:
        journal = self.journal
        if journal.prefix and not journal.within and not weave.holds(self.objects, root, journal.prefix):
            raise Unavailable(
                f"The repository at {journal.found.top} does not hold this store.",
                f"`mem init --here {quote(str(journal.root))}` keeps the store in it.",
            )

    def _dated(self) -> bool:
        return any(name.endswith("_DATE") for name in self.journal.git.environment if name.startswith("GIT_"))

    def _stamp(self) -> str:
        now = int(self.journal.clock())
        minutes = time.localtime(now).tm_gmtoff // 60
        return f"{now} {'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}{abs(minutes) % 60:02}"

    def _content(self, tree: str, head: str | None, text: str) -> bytes:
        stamp = self._stamp()
        parent = "".join(f"parent {one}\n" for one in self._parents(head))
        who = f"author {self.author} {stamp}\ncommitter {self.committer} {stamp}\n"
        return f"tree {tree}\n{parent}{who}\n{text}".encode("utf-8", "surrogateescape")

    def _parents(self, head: str | None) -> tuple[str, ...]:
        return tuple(one for one in (head, self.other) if one)

    def _by_git(self, tree: str, head: str | None, text: str) -> str:
        words = (
            "commit-tree",
            tree,
            *(word for one in self._parents(head) for word in ("-p", one)),
            *(("-S",) if self._signs else ()),
        )
        ran = self.journal.git.trust(*words, given=text.encode(), setting=self.named)
        if ran.code:
            self._refuse_unsigned(ran.complaint)
            raise Unavailable(
                f"git could not make the commit: {ran.complaint}",
                "commit.gpgsign asks for a signature: check user.signingkey and the signing program.",
            )
        return ran.out.decode().strip()

    @property
    def _signs(self) -> bool:
        return self.configuration.signs or self.seal is not None

    def _refuse_unsigned(self, why: str) -> None:
        if self.seal is not None:
            raise Refused(
                f"This act must be signed, and git could not sign it: {why}",
                "Name your key: git config --global user.signingkey (and gpg.format ssh for an SSH key).",
            )

    def _sealed(self, made: str) -> str:
        """`made`, where its signature is one that is accepted. Raises Refused; nothing names it then."""
        if self.seal is None or self.seal.signers is None:
            return made
        from memcli.journal import signing  # which most commits do not need

        one = signing.verified(self.journal, (made,), self.seal.signers)[made]
        if one.verdict is not signing.Verdict.GOOD:
            raise Refused(
                f"This act must be signed by somebody whom the store allows; your key is not ({one.key}).",
                "journal.allowed_signers names the file of those who may sign.",
            )
        return made

    def rehearse_seal(self, text: str) -> None:
        """Sign an empty tree with `text`, which nothing will name. Raises Refused where that fails."""
        tree = weave.woven(self.objects, None, {})
        self.objects.settle()
        self._sealed(self._by_git(tree, None, text))
