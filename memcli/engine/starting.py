"""Init: a new store, its first files and its first commit, where the user wants it and nowhere else.

The danger is a commit on a branch that people work on, or a repository inside another
one, made by accident. So each is an explicit choice, and what will happen can be asked first.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Final

from memcli.engine import trust
from memcli.errors import MemError, NoStore, Refused, Unavailable, Usage
from memcli.journal import commit as commits
from memcli.journal import gitdir, process, worktree
from memcli.journal.message import Message
from memcli.journal.process import Git
from memcli.journal.repository import Journal
from memcli.store import atomic, discovery, format, ground, inside, settings, working_scope
from memcli.store.place import Place
from memcli.store.problem import shown
from memcli.surroundings import Surroundings, actor_of

_SETTINGS: Final = "mem.toml"
_MERGING: Final = ("events/**/*.jsonl merge=union", "tombstones.jsonl merge=union")
_ATTRIBUTES: Final = "\n".join(
    ("# Lines only grow: two clones that both appended are merged by taking both.", *_MERGING, "")
)
_IGNORED: Final = """\
# Everything that can be rebuilt or belongs to this machine.
/.mem/
"""


@dataclass(frozen=True, slots=True)
class InitRequest:
    """Where: `folder` None is the user's own store; on a `branch` of its own, or `here`."""

    folder: str | None = None
    branch: str | None = None
    here: bool = False
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class Made:
    """What init did or (dry run) would do, step by step; `existed` when there was a store already.

    `notices` are what the user must know of it.
    """

    root: str
    steps: tuple[str, ...]
    commit: str | None
    existed: bool = False
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where the store goes; `linked` is the repository whose branch it becomes; `existed`: there is one."""

    root: Path
    steps: tuple[str, ...]
    within: bool = False
    linked: Path | None = None
    existed: bool = False


def init(surroundings: Surroundings, request: InitRequest, *, trusting: bool = True) -> Made:
    """Make a store: files, repository, first commit. Raises Refused where something is in the way.

    `trusting` False notes nowhere that the user trusts it: for a store that is thrown away.
    """
    if request.branch and request.here:
        raise Usage("--branch and --here contradict each other.", "A branch of its own, or the current one.")
    plan = _plan(surroundings, request)
    if plan.existed:
        return Made(str(plan.root), (), None, existed=True)
    ground.refuse_taken(plan.root, (_SETTINGS, ".gitattributes", ".gitignore"))
    Git(plan.root, process.surroundings(surroundings.environment)).found()
    files = _files(plan)
    kept = [f"keep {path}" for path in _kept(plan, files)]
    steps = (
        *plan.steps,
        *kept,
        *(f"write {path}" for path in files),
        'commit them as "mem init: a new store"',
    )
    notices = (*_unmerged(plan.root, files), *_left(surroundings, plan))
    if request.dry_run:
        return Made(str(plan.root), steps, None, notices=notices)
    commit = _made(surroundings, request, plan, files)
    if trusting:
        notices += _untrusted(surroundings, plan.root)
    return Made(str(plan.root), steps, commit, notices=notices)


def _plan(surroundings: Surroundings, request: InitRequest) -> _Plan:
    if request.branch:
        return _on_a_branch(surroundings, request, request.branch)
    root = _folder(surroundings, request)
    if root.exists() and not root.is_dir():
        raise Refused(f"{shown(str(root))} is a file.", "Name a folder.")
    around = gitdir.find(ground.nearest(root))
    if (
        around is not None
        and discovery.is_store(root)
        and Journal.open(root, surroundings.environment).holds_store
    ):
        return _Plan(root, (), existed=True)  # whatever repository it lies in
    if request.here:
        if around is None:
            raise Refused(
                f"{shown(str(root))} is in no git repository.",
                f"mem init {quote(str(root))} makes one of its own.",
            )
        return _Plan(root, (f"put the store on the current branch of {around.top}",), within=True)
    if around is not None and not (around.top == root and _is_fresh(root, surroundings.environment)):
        raise Refused(
            f"{shown(str(root))} lies in the git repository {shown(str(around.top))}.",
            "--here puts the store on its current branch, --branch mem on a branch of its own.",
        )
    return _Plan(root, (f"make a git repository in {root}",))


def _folder(surroundings: Surroundings, request: InitRequest) -> Path:
    if request.folder is None and not request.here:
        if surroundings.own is None:
            raise NoStore("Nothing says where your home folder is.", "Name a folder: mem init DIR")
        return surroundings.own
    if surroundings.cwd is None:
        raise Usage("The working directory is gone.", "Change to a folder that exists.")
    return (surroundings.cwd / (request.folder or ".")).resolve()


def _is_fresh(root: Path, environment: Mapping[str, str]) -> bool:
    """Whether the repository has no commit yet: nobody works on it."""
    return Journal.open(root, environment).head() is None


def _on_a_branch(surroundings: Surroundings, request: InitRequest, branch: str) -> _Plan:
    if surroundings.cwd is None:
        raise Usage("The working directory is gone.", "Change to a folder that exists.")
    around = gitdir.find(surroundings.cwd)
    if around is None:
        raise Refused(
            f"{surroundings.cwd} is in no git repository.", "mem init DIR makes a store of its own."
        )
    root = (
        (surroundings.cwd / request.folder).resolve()
        if request.folder
        else around.common_dir / "mem" / branch
    )
    if discovery.is_store(root):
        return _Plan(root, (), existed=True)
    worktree.refuse(Journal.open(around.top, surroundings.environment), branch, root)
    step = f"make the branch {branch} without history, in a linked worktree at {root}"
    return _Plan(root, (step,), linked=around.top)


def _files(plan: _Plan) -> dict[str, bytes]:
    """What a new store holds, less what is there already.

    In a repository that is the store's alone a resident may commit what is edited; in somebody's project not.
    """
    alone = not plan.within and plan.linked is None
    fresh = {
        _SETTINGS: settings.TEMPLATE + (settings.SAVING if alone else ""),
        ".gitattributes": _ATTRIBUTES,
        ".gitignore": _IGNORED,
        "schemas/.gitkeep": "",
    }
    if discovery.is_store(plan.root):  # by its pyproject.toml too, which a mem.toml would put out of force
        del fresh[_SETTINGS]
    return {path: text.encode() for path, text in fresh.items() if not (plan.root / path).exists()}


def _unmerged(root: Path, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """That a .gitattributes which stands there already lacks the lines of a store, and how they come in."""
    file, there = root / ".gitattributes", b""
    if file.name in files or not file.is_file():
        return ()
    with suppress(OSError):
        there = file.read_bytes()
    lacking = [line for line in _MERGING if line.encode() not in there.splitlines()]
    if not lacking:
        return ()
    form = ("\\n" if there and not there.endswith(b"\n") else "") + "%s\\n" * len(lacking)
    adding = f"printf '{form}' {' '.join(map(quote, lacking))} >> {quote(str(file))}"
    return (f"The .gitattributes there is left as it is. So that git merges events and tombstones: {adding}",)


def _left(surroundings: Surroundings, plan: _Plan) -> tuple[str, ...]:
    """That the user's own store, which holds what was seen from here so far, is not asked any more."""
    cwd, asked = surroundings.cwd, surroundings.environment.get("MEM_STORE")
    if cwd is None or (plan.linked is None and not cwd.resolve().is_relative_to(plan.root)):
        return ()
    try:
        found = discovery.locate(named=None, environment=asked, start=cwd, own=surroundings.own)
    except MemError:
        return ()
    if found.by is not discovery.By.OWN:
        return ()
    scope = working_scope.of(cwd, settings.Settings(), found.place, surroundings.home)
    folders = (found.place.schemas / seen.folder for seen in scope.seen)
    if not any(any(folder.rglob("*.md")) for folder in folders):
        return ()
    listing = f"mem --store {quote(str(found.place.root))} list --scope {quote(str(scope))}"
    return (f"Your own store is not asked from here any more. What it holds: {listing}",)


def _untrusted(surroundings: Surroundings, root: Path) -> tuple[str, ...]:
    """Note that the user trusts the store, or say that it could not be: the store is made all the same."""
    try:
        trust.add(surroundings, root)
    except Unavailable as error:
        return (f"{error.message} Before a commit here runs programs of the repository, run mem trust.",)
    return ()


def _kept(plan: _Plan, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The settings of a store that has no repository yet, which its first commit takes as they are."""
    return () if _SETTINGS in files else (Place(plan.root).settings_file.name,)


def _make_folder(root: Path) -> None:
    try:
        made = not root.exists()
        root.mkdir(mode=inside.FOLDER_MODE, parents=True, exist_ok=True)
        if made:
            root.chmod(inside.FOLDER_MODE)  # whatever the umask
    except OSError as error:
        raise Unavailable(
            f"{root} cannot be made: {error.strerror}.", "Choose another folder: mem init DIR"
        ) from error


def _made(surroundings: Surroundings, request: InitRequest, plan: _Plan, files: Mapping[str, bytes]) -> str:
    environment = surroundings.environment
    if plan.linked is not None and request.branch:
        worktree.add(Journal.open(plan.linked, environment), request.branch, plan.root)
        journal = Journal.open(plan.root, environment)
    else:
        _make_folder(plan.root)
        journal = Journal.init(plan.root, environment, within=plan.within)
    journal = replace(journal, within=True)
    place = Place(plan.root)
    actor = actor_of(environment, lambda: journal.configuration.text("user.name") or None)
    message = Message("init", "a new store", actor=str(actor))
    try:
        for path, raw in files.items():
            atomic.create(place, path, raw)
        return commits.commit(journal, (*_kept(plan, files), *files), message, actor_name=actor.name)
    except BaseException:
        _take_back(surroundings, request, plan, files)
        raise


def _take_back(
    surroundings: Surroundings, request: InitRequest, plan: _Plan, files: Mapping[str, bytes]
) -> None:
    """Leave no half of a store where its first commit was refused, so that init can be tried again."""
    place = Place(plan.root)
    for path, raw in files.items():
        with suppress(MemError):
            atomic.remove(place, path, format.digest(raw))
    with suppress(OSError):
        place.schemas.rmdir()
    if plan.linked is not None and request.branch:
        worktree.remove(Journal.open(plan.linked, surroundings.environment), request.branch, plan.root)
