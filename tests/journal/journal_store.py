"""A folder with a real repository, and what people and mem do there."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from memcli.journal import commit as commits
from memcli.journal.message import Change, Message
from memcli.journal.repository import Journal

NAMED = {
    "GIT_AUTHOR_NAME": "Ana",
    "GIT_AUTHOR_EMAIL": "ana@example.org",
    "GIT_COMMITTER_NAME": "Ana",
    "GIT_COMMITTER_EMAIL": "ana@example.org",
}


@dataclass
class Store:
    """A folder with a repository: what a person does there by git, and what mem commits."""

    root: Path
    environment: dict[str, str]
    options: dict = field(default_factory=dict)

    @property
    def journal(self):
        return Journal.open(self.root, self.environment, **self.options)

    def git(self, *words, check=True, given=None, setting=None):
        ran = subprocess.run(
            ["git", *words],
            cwd=self.root,
            env={**self.environment, **(setting or {})},
            input=given,
            capture_output=True,
            check=False,
        )
        if check and ran.returncode:
            raise AssertionError(ran.stderr.decode())
        return ran.stdout.decode("utf-8", "surrogateescape")

    def write(self, path, text="x\n"):
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def commit(self, *paths, op="remember", claim="a claim", **said):
        message = Message(op, claim, changes=(Change("k3v9x2m4", "none", "active"),), **said)
        return commits.commit(self.journal, paths, message, actor_name="ana")

    def remember(self, path="schemas/project/t/a.md", text="x\n", **said):
        self.write(path, text)
        return self.commit(path, **said)

    def paths_of(self, rev="HEAD"):
        out = self.git("show", "--format=", "--name-only", "--no-renames", "-z", rev)
        return sorted(path for path in out.split("\0") if path)

    @property
    def status(self):
        return self.git("status", "--porcelain")

    @property
    def head(self):
        return self.git("rev-parse", "HEAD").strip()

    @property
    def whole(self):
        """Whether git finds every object that history needs."""
        said = self.git("fsck", "--strict", "--no-dangling")
        return not said.replace("notice: No default references", "")

    @property
    def sound(self):
        """Whether history is whole, and the staging area's cache of trees is that of HEAD."""
        fresh = {"GIT_INDEX_FILE": str(self.root / "fresh-index")}
        self.git("read-tree", "HEAD", setting=fresh)
        tree = self.git("write-tree", setting=fresh)
        (self.root / "fresh-index").unlink()
        return self.whole and tree == self.git("write-tree")
