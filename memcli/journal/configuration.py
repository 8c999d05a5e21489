"""What git's configuration says about committing, read once a command.

Only git knows every place that settings may come from (includes, conditions, worktrees), so
one `git config --list` answers all, unless the usual files are all there is and are plain.
Each value keeps whether it is the repository's own: such a setting can come with a store
that somebody else made, and name programs.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memcli.journal.configfile import parse
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
_MERGING: Final = ("pre-merge-commit", "post-merge")
_USUAL: Final = ("/usr/bin/git", "/bin/git")  # built with /etc as the place of its system-wide file
_MOVED: Final = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
# What every git that runs today knows (2.20, of 2018, and later); files are written as if it were not set.
_EXTENSIONS: Final = ("extensions.preciousobjects", "extensions.partialclone", "extensions.worktreeconfig")
_VERSION: Final = "core.repositoryformatversion"
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
    def later(self) -> bool:
        """Whether the repository's format is one that only git itself can tell whether it is known."""
        version = self.text(_VERSION) or "0"
        known = all(key in _EXTENSIONS for key in self.values if key.startswith("extensions."))
        return version not in ("0", "1") or (version == "1" and not known)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The remotes with which a partial clone left what its filter passes over."""
        first, last = "remote.", ".partialclonefilter"
        return tuple(key[len(first) : -len(last)] for key in self.values if key.endswith(last))

    @property
    def signs(self) -> bool:
        """Whether commits are to be signed."""
        return self.flag("commit.gpgsign")

    @property
    def durable(self) -> bool:
        """Whether a commit is to outlive a loss of power: always, unless `core.fsync` is `none`.

        Git's own default leaves loose objects and refs to chance, and a damaged history behind.
        """
        return "none" not in self.text("core.fsync").lower().split(",")

    @property
    def unusual(self) -> bool:
        """Whether objects must be written by git: shared permissions, or objects known by two hashes."""
        shared = self.text("core.sharedrepository").lower() not in (*_FALSE, "umask")
        return shared or "extensions.compatobjectformat" in self.values

    def path(self, key: str, home: str) -> Path | None:
        """The value of `key` as a path, `~/` being `home`; None where it is not set."""
        value = self.text(key)
        return Path(home + value[1:] if value.startswith("~/") else value) if value else None

    def hooks(self, found: Found, home: str, *, merging: bool = False) -> tuple[str, ...]:
        """The names of the hooks that a commit in the repository `found` would run, or a merge."""
        folder = self.hooks_folder(found, home)
        names = (*_HOOKS, *_MERGING) if merging else _HOOKS
        here = tuple(name for name in names if os.access(folder / name, os.X_OK))
        return (*here, *(key for key in self.values if key.startswith("hook.") and key.endswith(".command")))

    def hooks_folder(self, found: Found, home: str) -> Path:
        """Where git looks for the hooks of the repository `found`."""
        return found.top / (self.path("core.hookspath", home) or found.common_dir / "hooks")

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


def read(git: Git, found: Found, home: str) -> Configuration:
    """The configuration in force in the repository `found`: from plain files, or else from git."""
    return _plain(git, found, home) or _asked(git)


def _plain(git: Git, found: Found, home: str) -> Configuration | None:
    """The configuration where its files lie at the usual places and are plain, else None."""
    if git.program not in _USUAL or any(name in git.environment for name in _MOVED):
        return None
    general = git.environment.get("XDG_CONFIG_HOME") or f"{home}/.config"
    everybody = [Path("/etc/gitconfig"), Path(general, "git", "config"), Path(home, ".gitconfig")]
    settings: list[tuple[str, str, bool]] = []
    for path, own in (*((path, False) for path in everybody), (found.common_dir / "config", True)):
        parsed = _parsed(path)
        if parsed is None:
            return None
        settings += [(key, value, own) for key, value in parsed]
    if any(key == "extensions.worktreeconfig" for key, _, _ in settings):
        return None
    return _in_force(settings)


def _parsed(path: Path) -> list[tuple[str, str]] | None:
    try:
        return parse(path.read_text("utf-8", "surrogateescape"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError:
        return None


def _asked(git: Git) -> Configuration:
    listed = git.read("config", "--list", "--show-scope", "-z").decode("utf-8", "surrogateescape")
    settings: list[tuple[str, str, bool]] = []
    parts = listed.split("\0")
    for scope, line in zip(parts[::2], parts[1::2], strict=False):
        key, has_value, value = line.partition("\n")
        if scope != "command":  # our own neutral settings
            settings.append((key, value if has_value else "true", scope in _OWN))
    if not any(own for *_, own in settings):  # git passes in silence over what it does not understand
        settings.append((_VERSION, "unsaid", True))
    return _in_force(settings)


def _in_force(settings: list[tuple[str, str, bool]]) -> Configuration:
    values = {key: value for key, value, _ in settings}
    whose = {key: own for key, _, own in settings}
    return Configuration(values, frozenset(key for key, own in whose.items() if own))
