"""The store's git: whether there is one, what it is in the middle of, what it would run."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Final

from memcli.engine import trust
from memcli.engine.health import status
from memcli.engine.health.examining import Finding, Named, fail, in_folder, ok, some, warn
from memcli.engine.health.look import Look, there
from memcli.errors import Unavailable
from memcli.journal import damage, locks, process
from memcli.memory import times
from memcli.memory.numerals import counted

_CALLS: Final = re.compile(r"(?m)(?:^|[\s;&|(`/])mem[ \t]+([a-z]+)")
_WRITING: Final = frozenset({"remember", "save", "forget", "unforget", "supersede", "undo", "move", "edit"})
_APART: Final = "MEM_COMMITTING"  # set while mem itself commits: a hook that looks at it knows what it does
_HOOK_BYTES: Final = 1 << 16
HELD_S: Final = 300  # asserted: git holds its locks for moments, or while an editor asks for a message


def repository(look: Look) -> Iterator[Finding]:
    """Whether the store lies in a repository of git, and that one at its place."""
    root = look.place.root
    try:
        journal = look.opened.journal
    except Unavailable as error:
        missing = "not in a git repository" in error.message
        again = f"{in_folder(root, 'init')} && mem save"
        yield fail("repository", error.message, again if missing else error.hint)
        return
    if journal.git.program:
        journal.refuse_unusable(journal.configuration)
    yield ok("repository", f"The store lies in the git repository {journal.found.top}.")


def head(look: Look) -> Iterator[Finding]:
    """Whether HEAD names a commit that is there."""
    journal = look.repository
    if journal is None:  # which was told
        return
    commit, branch = journal.head(), journal.branch() or "no branch"
    if commit is None:
        yield ok("head", f"{branch} has no commit yet.")
    elif journal.git.program and not there(journal, commit):
        yield fail("head", f"History is damaged: the commit {commit[:12]} cannot be read.", damage.HINT)
    else:
        yield ok("head", f"{branch} stands at {commit[:12]}.")


def under_way(look: Look) -> Iterator[Finding]:
    """A merge, a rebase or a bisection that somebody has to finish before anything is committed."""
    if look.journal is None:
        return
    root, state, act = look.place.root, look.journal.state(), look.journal.under_way()
    end = {"": ("commit",), "bisect": ("bisect", "reset")}.get(act, (act, "--continue"))
    if state.conflicted:
        todo = f"Settle them, `git add` them, then `{in_folder(root, *end)}`."
        what = f"A {act or 'merge'} left conflicts in {some(state.conflicted)}."
        yield warn("under way", what, todo)
    elif act:
        what = f"A git {act} is in progress; nothing is committed meanwhile."
        yield warn("under way", what, in_folder(root, *end))
    elif state.merging:
        yield warn("under way", "A merge is in progress.", in_folder(root, "commit"))
    else:
        yield ok("under way", "No merge or rebase is in progress.")


def locked(look: Look) -> Iterator[Finding]:
    """Locks that a git left when it was killed: until they are gone nothing is committed."""
    if look.journal is None:
        return
    now = look.opened.now
    old = [file for file in locks.of(look.journal) if file.is_file() and now - _changed(file) > HELD_S]
    if old:
        minutes = (now - _changed(old[0])) // 60
        what = f"A git that was killed, or waits, left {some(map(str, old))} {minutes} minutes ago; "
        todo = f"rm {' '.join(quote(str(file)) for file in old)}"
        yield fail("git's lock", f"{what}nothing is committed while it is there.", todo)
    else:
        yield ok("git's lock", "No lock of git was left.")


def _changed(file: Path) -> int:
    return int(file.stat().st_mtime)


def whole(look: Look) -> Iterator[Finding]:
    """Whether history is all there, and still the one that was seen before."""
    journal = look.journal
    if journal is None:
        return
    root, since = look.place.root, journal.state().shallow_since
    if look.rewritten:
        yield warn("history", status.rewritten(journal, look.rewritten), "mem audit")
    elif left := journal.configuration.left_out:
        what = f"A part of history was left with {', '.join(left)} (a partial clone)."
        yield warn("history", what, process.brings_all(left, in_folder(root)))
    elif since is not None:
        what = f"History is cut at {times.show(since)} (a shallow clone)."
        yield warn("history", what, in_folder(root, "fetch", "--unshallow"))
    else:
        yield ok("history", "History is whole, and the one that was seen before.")


def private(look: Look) -> Iterator[Finding]:
    """Whether git tracks what belongs to this machine: a clone would bring it to another."""
    if look.repository is None or not look.repository.git.program:
        return
    own = look.place.private.name
    tracked = look.repository.git.read("ls-files", "-z", "--", own).count(b"\0")
    if tracked:
        what = f"Git tracks {counted(tracked, 'file')} of {own}, which belongs to this machine alone."
        yield warn("private", what, in_folder(look.place.root, "rm", "-rq", "--cached", own))
    else:
        yield ok("private", f"Git leaves {own} alone.")


def readable(look: Look) -> Iterator[Finding]:
    """Every object of history, read: only where somebody asks for a deep look."""
    if look.journal is None:
        return
    lost = damage.find(look.journal)
    if lost:
        yield fail("objects", f"History is damaged: {lost[0]}.", damage.HINT)
    else:
        yield ok("objects", "Every commit of history can be read.")


def trusted(look: Look) -> Iterator[Finding]:
    """What the repository's own configuration would run, in a store that nobody trusted yet."""
    if trust.holds(look.opened.surroundings, look.place.root):
        yield ok("trust", "You trust this store.")
        return
    named = trust.programs(look.opened) if look.journal else ()
    if named:
        what = f"You have not trusted this store, and its repository names {counted(len(named), 'program')}: "
        yield warn("trust", f"{what}{some(named)}.", "mem trust")
    else:
        yield ok("trust", "Nobody trusted this store yet, and its repository names no programs.")


def hooks(look: Look) -> Iterator[Finding]:
    """The user's own hooks that call mem: one that writes while mem commits is refused."""
    journal = look.journal
    if journal is None:
        return
    configuration, home = journal.configuration, journal.home
    folder = configuration.hooks_folder(journal.found, home)
    calling = {file.name: acts for file in _programs(folder) if (acts := _calls(file))}
    committing = {name for name in configuration.hooks(journal.found, home) if name in calling}
    bad = sorted(name for name in committing if calling[name] & _WRITING)
    if bad:
        act = min(calling[bad[0]] & _WRITING)
        what = f"The hook {bad[0]} calls mem {act}, which is refused while mem commits."
        yield warn("hooks", what, f'Begin {folder / bad[0]} with: [ -n "${_APART}" ] && exit 0')
    elif calling:
        yield ok("hooks", f"These hooks call mem: {some(sorted(calling))}.")
    else:
        yield ok("hooks", "No hook calls mem.")


def _programs(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [one for one in sorted(folder.iterdir()) if one.is_file() and os.access(one, os.X_OK)]


def _calls(hook: Path) -> frozenset[str]:
    """The verbs of mem that a hook calls; none for one that looks whether mem itself commits."""
    with hook.open("rb") as file:
        text = file.read(_HOOK_BYTES).decode("utf-8", "replace")
    said = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    return frozenset() if _APART in said else frozenset(_CALLS.findall(said))


CHECKS: Final[tuple[Named[Look], ...]] = (
    ("repository", repository),
    ("head", head),
    ("under way", under_way),
    ("git's lock", locked),
    ("history", whole),
    ("private", private),
    ("trust", trusted),
    ("hooks", hooks),
)
DEEP: Final[tuple[Named[Look], ...]] = (("objects", readable),)
