"""Merging what another clone did, with a say about each file on which git alone finds no answer.

Git does the merge, so attributes, hooks and signing are the user's. A merge is made or it is not:
where a file is left that nothing settles, everything is as it was before.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from memcli.errors import TryAgain, Unavailable
from memcli.journal import identity
from memcli.journal.message import Message, compose
from memcli.journal.repository import Journal
from memcli.memory.numerals import counted

_BASE, _OURS, _THEIRS = "1", "2", "3"
_OUTSIDE: Final = "../"  # how the path of a file begins that is the repository's and not the store's
# git's guess at moves takes a deleted memory and a new one of like words for one, and what is new in a
# folder along with its neighbours, out of its scope: only a file that stayed the same counts as moved.
_NO_GUESS: Final = ("-c", "merge.directoryRenames=false")
_ALIKE: Final = "--strategy-option=find-renames=100%"
_IN_THE_WAY: Final = ("would be overwritten", "not uptodate", "index is not")


@dataclass(frozen=True, slots=True)
class Stages:
    """Three versions of a file in conflict; None where a side has none."""

    path: str
    base: bytes | None
    ours: bytes | None
    theirs: bytes | None


Settle = Callable[[Stages], bytes | None]
"""The bytes that a file in conflict comes to, or None where that is a person's to say."""


def merge(
    journal: Journal, commit: str, said: Callable[[], Message], settle: Settle, *, actor_name: str
) -> str:
    """Merge `commit` into HEAD; the commit that HEAD names then.

    `said` is asked for once all files are settled, since what was settled is to be told too. Raises
    TryAgain where files are in conflict that `settle` does not settle (they are listed), or
    uncommitted ones are in the way; nothing is changed then.
    """
    own = journal.configuration
    journal.refuse_unusable(own)
    journal.refuse_untrusted(own.hooks(journal.found, journal.home), own)
    inherited = journal.git.environment
    named = identity.variables(identity.author(inherited, own, actor_name), "author")
    named |= identity.variables(identity.committer(inherited, own, actor_name), "committer")
    if journal.git.ask("merge-base", "--is-ancestor", "--end-of-options", "HEAD", commit).code == 0:
        _ran(journal, named, "merge", "--quiet", "--ff-only", "--end-of-options", commit)
        return commit
    with _taken_back(journal):
        apart = ("merge", "--quiet", "--no-ff", "--no-commit", _ALIKE, "--end-of-options", commit)
        _ran(journal, named, *_NO_GUESS, *apart)
        _settle(journal, settle)
        words = ("commit", "--quiet", "--cleanup=verbatim", "--file=-")
        ran = journal.git.trust(*words, given=compose(said()).encode(), setting=named)
        if ran.code:
            raise Unavailable(f"git could not commit the merge: {ran.complaint}", "Nothing was changed.")
    return journal.head() or ""


def _ran(journal: Journal, named: Mapping[str, str], *words: str) -> None:
    """Run git's merge; conflicts are no failure here, files in the way are one."""
    ran = journal.git.trust(*words, setting=named)
    if not ran.code or (ran.code == 1 and (journal.found.git_dir / "MERGE_HEAD").exists()):
        return
    if any(sign in ran.err for sign in _IN_THE_WAY):
        raise TryAgain(
            f"Uncommitted changes are in the way: {ran.complaint}",
            "mem save commits memories; commit what else is staged; then try again.",
        )
    raise Unavailable(f"git could not merge: {ran.complaint}", "Nothing was changed.")


@contextmanager
def _taken_back(journal: Journal) -> Iterator[None]:
    """On any failure the merge is taken back whole."""
    try:
        yield
    except BaseException:
        if (journal.found.git_dir / "MERGE_HEAD").exists():
            abort(journal)
        raise


def abort(journal: Journal) -> None:
    """Take back a merge that is under way. Raises Unavailable where git cannot."""
    ran = journal.git.trust("merge", "--abort")
    if ran.code:
        raise Unavailable(f"the merge could not be taken back: {ran.complaint}", "Run git merge --abort.")


def _settle(journal: Journal, settle: Settle) -> None:
    left, lines, before, settled = [], [], [], []
    for mode, listed, one in _conflicts(journal):
        raw = None if one.path.startswith(_OUTSIDE) else settle(one)
        if raw is None:
            left.append(one.path)
            continue
        blob = journal.git.do("hash-object", "-w", "--stdin", given=raw).decode().strip()
        path = journal.prefix + one.path
        gone = f"0 {'0' * len(blob)}\t{path}\0"
        lines += [gone, f"{mode} {blob}\t{path}\0"]
        before += [gone, *listed]
        settled.append(path)
    if left:
        many = counted(len(left), "file was", "files were")
        raise TryAgain(
            f"{many} changed on both sides in ways that only a person can settle.",
            "Run git merge yourself, resolve what it marks, and commit; then mem sync again.",
            tuple(sorted(left)),
        )
    if settled:
        _at_top(journal, "update-index", "-z", "--index-info", given="".join(lines))
        try:
            _at_top(journal, "checkout-index", "--force", "-z", "--stdin", given="\0".join(settled))
        except BaseException:  # git takes no merge back whose files are not as they are staged
            _at_top(journal, "update-index", "-z", "--index-info", given="".join(before))
            raise


def _at_top(journal: Journal, *words: str, given: str) -> None:
    raw = given.encode("utf-8", "surrogateescape")
    ran = journal.git.trust("-C", str(journal.found.top), *words, given=raw)
    if ran.code:
        raise Unavailable(f"git {words[0]} failed: {ran.complaint}", "Nothing was changed.")


def _conflicts(journal: Journal) -> Iterator[tuple[str, list[str], Stages]]:
    """Mode, git's own lines and versions of each file in conflict; one outside of the store is a person's."""
    listed = journal.git.read("-C", str(journal.found.top), "ls-files", "-z", "--unmerged")
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for line in filter(None, listed.decode("utf-8", "surrogateescape").split("\0")):
        stated, _, path = line.partition("\t")
        mode, blob, stage = stated.split(" ")
        found.setdefault(path, {})[stage] = mode, blob
    for path, stages in sorted(found.items()):
        blobs = {stage: journal.git.read("cat-file", "blob", blob) for stage, (_, blob) in stages.items()}
        mode = stages.get(_OURS, stages.get(_THEIRS, ("100644", "")))[0]
        inside = path.startswith(journal.prefix)
        name = path.removeprefix(journal.prefix) if inside else f"{_OUTSIDE}{path}"
        lines = [f"{mode} {blob} {stage}\t{path}\0" for stage, (mode, blob) in stages.items()]
        yield mode, lines, Stages(name, blobs.get(_BASE), blobs.get(_OURS), blobs.get(_THEIRS))
