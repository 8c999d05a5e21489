"""What git's configuration says about committing, read once a command from git itself.

Only git knows every place that settings come from (includes, conditions, worktrees), so
one `git config --list` answers all. Each value keeps whether it is the repository's own:
such a setting can come with a store that somebody else made, and name programs.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memcli.journal.gitdir import Found
from memcli.journal.process import Git

_OWN: Final = ("local", "worktree")
_HOOKS: Final = (
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "post-index-change",
    "reference-transaction",
)
_FALSE: Final = ("", "false", "no", "off", "0")


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings in force, by lower-case key (a subsection keeps its case); the last value wins.

    `own` are the keys whose value in force is the repository's own.
    """

    values: Mapping[str, str]
    own: frozenset[str]

    def text(self, key: str) -> str:
        """The value of `key`, empty where it is not set."""
        return self.values.get(key, "")

    def flag(self, key: str, *, default: bool = False) -> bool:
        """The value of `key` as git reads a boolean."""
        value = self.values.get(key)
        return default if value is None else value.lower() not in _FALSE

    @property
    def object_format(self) -> str:
        """`sha1` or `sha256`."""
        return self.text("extensions.objectformat") or "sha1"

    @property
    def signs(self) -> bool:
        """Whether commits are to be signed."""
        return self.flag("commit.gpgsign")

    @property
    def unusual(self) -> bool:
        """Whether objects must be written by git: shared permissions, or objects known by two hashes."""
        shared = self.text("core.sharedrepository").lower() not in (*_FALSE, "umask")
        return shared or "extensions.compatobjectformat" in self.values

    def path(self, key: str, home: str) -> Path | None:
        """The value of `key` as a path, `~/` being `home`; None where it is not set."""
        value = self.text(key)
        return Path(home + value[1:] if value.startswith("~/") else value) if value else None

    def hooks(self, found: Found, home: str) -> tuple[str, ...]:
        """The names of the hooks that a commit in the repository `found` would run."""
        folder = found.top / (self.path("core.hookspath", home) or found.common_dir / "hooks")
        here = tuple(name for name in _HOOKS if os.access(folder / name, os.X_OK))
        return (*here, *(key for key in self.values if key.startswith("hook.") and key.endswith(".command")))

    @property
    def filters(self) -> tuple[str, ...]:
        """The names of the filter drivers that are configured."""
        keys = (key.split(".", 1)[1].rsplit(".", 1)[0] for key in self.values if key.startswith("filter."))
        return tuple(dict.fromkeys(keys))

    @property
    def no_filters(self) -> tuple[str, ...]:
        """Words for git that switch every filter driver off."""
        words: list[str] = []
        for name in self.filters:
            for key in ("clean", "smudge", "process"):
                words += ["-c", f"filter.{name}.{key}="]
            words += ["-c", f"filter.{name}.required=false"]
        return tuple(words)


def read(git: Git) -> Configuration:
    """The configuration in force in the folder of `git`."""
    listed = git.read("config", "--list", "--show-scope", "-z").decode("utf-8", "surrogateescape")
    values: dict[str, str] = {}
    own: set[str] = set()
    parts = listed.split("\0")
    for scope, line in zip(parts[::2], parts[1::2], strict=False):
        if scope == "command":
            continue  # our own neutral settings
        key, has_value, value = line.partition("\n")
        values[key] = value if has_value else "true"
        if scope in _OWN:
            own.add(key)
        else:
            own.discard(key)
    return Configuration(values, frozenset(own))
