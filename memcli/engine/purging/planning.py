"""A purge worked out before anything is done: what goes, what stays, and a digest of all of it.

The plan is a function of the repository and the files, so that the same look later gives the
same digest, or the store has changed and a person has agreed to something else.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from memcli.engine import company
from memcli.engine.opened import Opened
from memcli.engine.purging import finding
from memcli.engine.purging.deciding import Deciding
from memcli.engine.purging.finding import Memory, Saying
from memcli.errors import Refused
from memcli.journal import discarding, rewriting
from memcli.journal.discarding import Ref
from memcli.journal.repository import Journal
from memcli.journal.rewriting import Rewriting, Rewritten
from memcli.memory.redaction import Redaction
from memcli.store import atomic, events, format, lines, tombstones

_DIGEST_LENGTH: Final = 12  # hex characters: asserted, nobody chooses what they are made of
_OURS: Final = "refs/mem/"
_REMOTE: Final = "refs/remotes/"


@dataclass(frozen=True, slots=True)
class Request:
    """What shall go: `with_evidence` takes whole what it rests on, `all_refs` rewrites other branches."""

    ids: tuple[str, ...]
    with_evidence: bool = False
    all_refs: bool = False


@dataclass(frozen=True, slots=True)
class Names:
    """The refs that reach what goes: those that move along whoever asks, all others, and remote ones."""

    ours: tuple[Ref, ...]
    others: tuple[Ref, ...]
    remotes: tuple[Ref, ...]

    @property
    def all(self) -> tuple[Ref, ...]:
        """Each of them."""
        return (*self.ours, *self.others, *self.remotes)


@dataclass(frozen=True, slots=True)
class Work:
    """How it is carried out: the commits that are looked at, the decisions, and the new ids."""

    tips: tuple[str, ...]
    deciding: Deciding
    rewritten: Rewritten
    rewriting: Rewriting


@dataclass(frozen=True, slots=True)
class Plan:
    """What a purge comes to.

    `files` are those of the disk with what they hold and are to hold (None: they go). Of
    `all_commits` those of `work` get new ids. `also` are memories that say the same and stay,
    `elsewhere` other working trees that hold it.
    """

    request: Request
    memories: tuple[Memory, ...]
    said: Saying
    files: Mapping[str, tuple[bytes, bytes | None]]
    head: str
    branch: str
    names: Names
    all_commits: int
    also: tuple[str, ...]
    elsewhere: tuple[str, ...]
    shared: bool
    work: Work = field(compare=False, repr=False)

    @property
    def commits(self) -> int:
        """How many commits get new ids."""
        return len(self.work.rewritten.commits)

    @property
    def digest(self) -> str:
        """Twelve characters that differ wherever another purge would be done."""
        told = {
            "ids": sorted(one.id for one in self.memories),
            "with_evidence": self.request.with_evidence,
            "head": self.head,
            "refs": sorted([one.name, one.target] for one in self.names.all),
            "states": sorted(list(state) for one in self.memories for state in one.states),
            "files": {path: format.digest(before) for path, (before, _) in self.files.items()},
            "events": sorted([*self.said.whole, *self.said.part]),
        }
        raw = json.dumps(told, sort_keys=True).encode("utf-8", "surrogateescape")
        return hashlib.sha256(raw).hexdigest()[:_DIGEST_LENGTH]


def plan(opened: Opened, request: Request) -> Plan:
    """Look what the purge of `request` comes to; changes nothing.

    Raises NoSuchMemory, BadFile, Refused, HistoryCut and TryAgain (the repository cannot be rewritten).
    """
    journal = opened.journal
    head, branch = _standing(journal)
    refs = discarding.refs(journal)
    tips = _tips(journal, head, refs)
    found = finding.memories(opened, request.ids, tips)
    said = finding.saying(opened, found, with_evidence=request.with_evidence)
    deciding = Deciding(found, Redaction(finding.gone(found, said)))
    rewriting_ = Rewriting(journal, deciding.keep, deciding.message, dry=True)
    work = Work(tips, deciding, rewriting_.run(tips), rewriting_)
    return Plan(
        request=request,
        memories=found,
        said=said,
        files=_files(opened, found, deciding),
        head=head,
        branch=branch,
        names=_names(refs, branch, work),
        all_commits=len(rewriting.history(journal, tips)),
        also=finding.also(opened, found),
        elsewhere=_elsewhere(journal, work),
        shared=bool(company.of(journal)),
        work=work,
    )


def _standing(journal: Journal) -> tuple[str, str]:
    """HEAD and its branch, where history can be rewritten at all."""
    journal.ready()
    discarding.refuse_unfit(journal)
    head, branch = journal.head(), journal.branch()
    if head is None or branch is None:
        raise Refused("There is no history yet, so there is nothing to purge from it.", "Delete the file.")
    return head, branch


def _tips(journal: Journal, head: str, refs: tuple[Ref, ...]) -> tuple[str, ...]:
    logs = discarding.named_in(journal, discarding.logs(journal).values())
    return tuple(dict.fromkeys([head, *(one.target for one in refs), *logs]))


def _names(refs: tuple[Ref, ...], branch: str, work: Work) -> Names:
    touched = [one for one in refs if _touched(one, work)]
    own = f"refs/heads/{branch}"
    ours = tuple(one for one in touched if one.name == own or one.name.startswith(_OURS))
    remotes = tuple(one for one in touched if one.name.startswith(_REMOTE))
    return Names(ours, tuple(one for one in touched if one not in (*ours, *remotes)), remotes)


def _touched(ref: Ref, work: Work) -> bool:
    if ref.kind == "tag":
        return work.rewriting.tag(ref.target, work.rewritten.commits) != ref.target
    return ref.target in work.rewritten.commits


def _elsewhere(journal: Journal, work: Work) -> tuple[str, ...]:
    trees = discarding.elsewhere(journal)
    return tuple(folder for folder, commit in trees if commit in work.rewritten.commits)


def refuse(made: Plan) -> None:
    """Raise Refused for what the plan needs and nobody has agreed to."""
    if made.elsewhere:
        raise Refused(
            f"Another working tree of this repository holds it: {made.elsewhere[0]}.",
            "Remove it (git worktree remove), or switch it to a branch that does not hold it.",
        )
    strange = (*made.names.others, *made.names.remotes)
    if strange and not made.request.all_refs:
        raise Refused(
            f"{_shown(strange)} would keep it.",
            "Add --all-refs: other branches, tags and stashes are rewritten, and what was last seen of "
            "remotes is forgotten.",
            tuple(one.name for one in strange),
        )


def _shown(refs: tuple[Ref, ...]) -> str:
    more = f" and {len(refs) - 1} more" if len(refs) > 1 else ""
    return f"{refs[0].name.removeprefix('refs/').removeprefix('heads/')}{more}"


def _files(
    opened: Opened, found: tuple[Memory, ...], deciding: Deciding
) -> dict[str, tuple[bytes, bytes | None]]:
    """The files of the disk that change: what they hold, and what they are to hold."""
    place = opened.place
    changed: dict[str, tuple[bytes, bytes | None]] = {
        one.path: (atomic.read(place, one.path), None) for one in found if one.path
    }
    receipts = [one.relative_to(place.root).as_posix() for one in place.root.glob("receipts/*.json")]
    for path in [*events.files(place), *receipts]:
        raw = lines.after(place, path, 0) or b""
        after = deciding.keep(path, raw)
        if after != raw:
            changed[path] = raw, after
    raw = lines.after(place, tombstones.PATH, 0) or b""
    after = deciding.buried(raw)
    if after != raw:
        changed[tombstones.PATH] = raw, after
    return changed
