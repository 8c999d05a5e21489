"""Which commits must carry a signature, and which of them do not.

The demand is read off history: it holds for what follows a commit whose settings made it, so
that turning it off needs a signature too. What a purge wrote anew has lost its signatures; a
purge that is signed itself answers for them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memcli.engine import sealing
from memcli.engine.auditing.findings import Finding, Sort
from memcli.engine.auditing.replay import ACCEPT, Step, ancestry
from memcli.engine.auditing.walking import Report
from memcli.engine.opened import Opened
from memcli.errors import BadFile, Usage
from memcli.journal import purges, signing, tree
from memcli.journal.log import walk
from memcli.journal.signing import Signature, Signers, Verdict
from memcli.store import signers_file, toml_file

_KEY: Final = ("journal", "require_signed")
_Said = tuple[str, str, bool]  # a path, the blob there, and whether it demands signatures
_WHY: Final = {
    Verdict.BAD: "its signature is bad: the commit is not what was signed, or the key has expired",
    Verdict.STRANGER: "its signature is good, and of nobody who may sign",
    Verdict.UNCHECKED: "its signature cannot be checked here: the key or the program is missing",
}


@dataclass(frozen=True, slots=True)
class Signed:
    """What was looked at: `demanded` commits, of which `good` are signed as they must be.

    `doubted` are the entries of a person who accepted something without the signature that was
    demanded: they explain nothing. `by` is commit → who signed it.
    """

    demanded: int = 0
    good: int = 0
    findings: tuple[Finding, ...] = ()
    doubted: frozenset[str] = frozenset()
    by: Mapping[str, str] | None = None


def of(opened: Opened, steps: Sequence[Step], signers: str = "", report: Report | None = None) -> Signed:
    """Verify what is demanded in `steps`; `signers` names a file to go by instead of the store's own.

    Raises Refused where signatures are demanded and no file says whose count, Usage for `signers`.
    """
    paths = _settled_by(opened)
    touched = _touching(opened, steps[-1].commit, paths) if steps else {}
    wanted = tuple(_demanded(steps, touched, opened.place.settings_file.name))
    given = _signers(opened, signers) if signers or wanted else None
    if given is None or not wanted:  # a file that was named is read all the same, lest it seem to count
        return Signed()
    found = signing.verified(opened.journal, [one.commit for one in wanted], given, report)
    vouched = _vouched(steps, found)
    return _told(wanted, found, vouched, touched)


def _told(
    wanted: Sequence[Step],
    found: Mapping[str, Signature],
    vouched: frozenset[str],
    touched: Mapping[str, tuple[_Said, ...]],
) -> Signed:
    lacking = [
        one
        for one in wanted
        if found[one.commit].verdict is not Verdict.GOOD
        and not (found[one.commit].verdict is Verdict.NONE and one.commit in vouched)
    ]
    findings = tuple(_finding(one, found[one.commit], touched.get(one.commit, ())) for one in lacking)
    return Signed(
        demanded=len(wanted),
        good=len(wanted) - len(lacking),
        findings=findings,
        doubted=frozenset(one.commit for one in lacking if one.op == ACCEPT),
        by={commit: one.by for commit, one in found.items() if one.verdict is Verdict.GOOD},
    )


def _finding(step: Step, signature: Signature, settings: Sequence[_Said]) -> Finding:
    unsigned = signature.verdict is Verdict.NONE
    what = f"{step.op or 'edit'}: " + (
        "a signature is demanded, and there is none" if unsigned else _WHY[signature.verdict]
    )
    who = signature.by or signature.key
    change = step.stated[0] if step.stated else None
    return Finding(
        Sort.UNSIGNED if unsigned else Sort.SIGNATURE,
        step.commit,
        step.at,
        step.author,
        path=settings[0][0] if settings else next((one.path for one in step.files), ""),
        id=change.id if change else "",
        prior=change.prior if change else "",
        status=change.status if change else "",
        why=f"{what} ({who})" if who else what,
    )


def _settled_by(opened: Opened) -> tuple[str, ...]:
    """The files of the store that say whether and by whom is to be signed."""
    signers = sealing.signers_path(opened)
    return (opened.place.settings_file.name, *((signers,) if signers else ()))


def _touching(opened: Opened, tip: str, paths: Sequence[str]) -> dict[str, tuple[_Said, ...]]:
    """Commit → which of `paths` it changed from its first parent."""
    prefix = opened.journal.prefix
    words = ("--raw", "--no-renames", "--diff-merges=first-parent", "--full-history", "--end-of-options", tip)
    logged = [(one.text.strip(), one.touched) for one in walk(opened.journal.git, "%H", *words, "--", *paths)]
    blobs = {file.blob for _, files in logged for file in files if file.blob.strip("0")}
    contents = tree.read_blobs(opened.journal, blobs)
    return {
        commit: tuple(
            (path, file.blob, _demands(path, contents.get(file.blob, b"")))
            for file in files
            for path in (file.path.removeprefix(prefix),)
        )
        for commit, files in logged
    }


def _demands(name: str, raw: bytes) -> bool:
    if not name.endswith(".toml"):
        return False
    try:
        return toml_file.of_bytes(name, raw).values.get(_KEY) is True
    except BadFile:  # settings that nobody can read let nothing be done
        return False


def _demanded(
    steps: Sequence[Step], touched: Mapping[str, tuple[_Said, ...]], settings: str
) -> Iterator[Step]:
    """The steps that must be signed: a person's acts, and whoever changes what demands it."""
    holds: dict[str, bool] = {}
    blobs: dict[str, Mapping[str, str]] = {}
    for step in steps:
        before = any(holds.get(one, False) for one in step.parents)
        said = touched.get(step.commit, ())
        holds[step.commit] = next((demands for path, _, demands in said if path == settings), before)
        mine = {path: blob for path, blob, _ in said}
        blobs[step.commit] = {**(blobs.get(step.parents[0], {}) if step.parents else {}), **mine}
        # What a branch brings on which the demand held was signed there.
        came = [blobs.get(one, {}) for one in step.parents[1:] if holds.get(one, False)]
        changed = any(not any(other.get(path) == blob for other in came) for path, blob in mine.items())
        if before and (changed or (step.op and sealing.persons_act(step.op, step.stated))):
            yield step


def _signers(opened: Opened, named: str) -> Signers:
    if not named:
        return sealing.signers(opened)
    folder = opened.surroundings.cwd or Path()
    raw = signers_file.read(folder / named)
    if raw is None:
        raise Usage(
            f"{named} cannot be read.", "--signers takes a file in the format of ssh's allowed_signers."
        )
    return signing.signers_of(raw)


def _vouched(steps: Iterable[Step], found: Mapping[str, Signature]) -> frozenset[str]:
    """The commits that a purge which is signed wrote anew."""
    every = list(steps)
    parents = {one.commit: one.parents for one in every}
    purged = [one for one in every if one.op == purges.OP and one.commit in found]
    good = [one for one in purged if found[one.commit].verdict is Verdict.GOOD]
    return frozenset(commit for one in good for commit in ancestry(parents, one.parents))
