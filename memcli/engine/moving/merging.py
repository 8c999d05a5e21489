"""Three versions of one file of the store made one: what the merge driver and `mem sync` do where git cannot.

Git's own merge comes first, since it keeps comments and order of both sides; but it counts only
where it says what the keys of both sides come to. Where neither gives an answer the file is
left with git's markers, and is set aside until a person settles it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memcli.engine.opened import Opened
from memcli.errors import Refused, Unavailable, Usage
from memcli.journal import process, programs, textmerge
from memcli.journal.process import Git
from memcli.memory import joining
from memcli.memory.joining import Joined, Keys
from memcli.store import edit, halves
from memcli.store.halves import Halves, Inseparable
from memcli.surroundings import Surroundings

DRIVER: Final = "mem merge-driver %O %A %B %P"
_LINES: Final = ".jsonl"


@dataclass(frozen=True, slots=True)
class Merged:
    """The bytes of both sides; not `clean`: with git's markers, for the sake of `conflicts`."""

    raw: bytes
    clean: bool
    conflicts: tuple[str, ...] = ()


def merged(git: Git, path: str, base: bytes | None, ours: bytes, theirs: bytes) -> Merged:
    """What both sides made of `base` (None: each made the file by itself). Raises Unavailable without git."""
    if path.endswith(_LINES):
        return Merged(_lines(base or b"", ours, theirs), clean=True)
    found = textmerge.merged(git, base or b"", ours, theirs)
    by_lines = Merged(found.raw, found.clean, () if found.clean else ("text",))
    if not path.endswith(".md"):
        return by_lines
    try:
        return _by_keys(git, by_lines, (base, ours, theirs))
    except Inseparable:
        return by_lines


def drive(surroundings: Surroundings, files: tuple[str, ...]) -> Merged:
    """What git's merge asks of a driver: base, ours, theirs, path; the result is written over ours.

    Raises Usage for other words, Unavailable where a file cannot be read or written.
    """
    if len(files) not in (3, 4):
        raise Usage("A merge has three files: base, ours, theirs.", "Git gives them: %O %A %B %P")
    folder = surroundings.cwd or Path("/")
    base, ours, theirs = (folder / name for name in files[:3])
    path = files[3] if len(files) > 3 else files[1]  # noqa: PLR2004 - the path is the fourth
    git = Git(folder, process.surroundings(surroundings.environment))
    try:
        began = base.read_bytes() or None
        found = merged(git, path, began, ours.read_bytes(), theirs.read_bytes())
        ours.write_bytes(found.raw)
    except OSError as error:
        raise Unavailable(
            f"{error.filename} cannot be merged: {error.strerror}.", "Merge it by hand."
        ) from error
    return found


def install(opened: Opened) -> tuple[str, ...]:
    """Have git call the driver in this clone: what was set, a line each. Raises Refused, Unavailable."""
    journal = opened.journal
    if not journal.trusted and (named := programs.named(journal)):
        raise Refused(
            f"This store names programs of its own ({named[0]}) and is not trusted.",
            "Look at its .git/config and hooks, then run `mem trust`.",
            named,
        )
    settings = (("merge.mem.name", "memories by what they say"), ("merge.mem.driver", DRIVER))
    for key, value in settings:
        journal.git.do("config", "--local", key, value)
    line = f"{journal.prefix}schemas/**/*.md merge=mem"
    file = journal.found.common_dir / "info" / "attributes"
    try:
        file.parent.mkdir(exist_ok=True)
        held = file.read_text("utf-8") if file.exists() else ""
        if line not in held.splitlines():
            file.write_text(f"{held.rstrip()}\n{line}\n".lstrip(), "utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(f"{file} cannot be written.", "Check its permissions.") from error
    return (*(f"{key} = {value}" for key, value in settings), f"{file}: {line}")


def _by_keys(git: Git, by_lines: Merged, sides: tuple[bytes | None, bytes, bytes]) -> Merged:
    base, ours, theirs = sides
    before = halves.NOTHING if base is None else halves.read(base)
    one, other = halves.read(ours), halves.read(theirs)
    keys = joining.joined(before.keys, one.keys, other.keys)
    if by_lines.clean and _says(by_lines.raw, keys):
        return by_lines
    if keys.conflicts:
        return Merged(by_lines.raw, clean=False, conflicts=keys.conflicts)
    start, has = (theirs, other.keys) if one.body == before.body else (ours, one.keys)
    body = _body(git, before, one, other)
    raw = halves.with_body(_written(start, has, keys.keys), body.raw)
    return Merged(raw, body.clean, () if body.clean else ("text",))


def _body(git: Git, before: Halves, one: Halves, other: Halves) -> textmerge.Text:
    if other.body in (one.body, before.body):
        return textmerge.Text(one.body, clean=True)
    if before.body == one.body:
        return textmerge.Text(other.body, clean=True)
    return textmerge.merged(git, before.body, one.body, other.body)


def _says(raw: bytes, keys: Joined) -> bool:
    """Whether `raw` says what both sides come to, as far as that is settled."""
    try:
        said = halves.read(raw).keys
    except Inseparable:
        return False
    return {key: value for key, value in said.items() if key not in keys.conflicts} == keys.keys


def _written(raw: bytes, has: Keys, wanted: Keys) -> bytes:
    """`raw` with the keys that differ set; everything else stays as it is written."""
    names = dict.fromkeys([*has, *wanted])
    changes: dict[str, edit.Plain | None] = {
        key: wanted.get(key) for key in names if has.get(key) != wanted.get(key)
    }
    return edit.set_keys(raw, changes) if changes else raw


def _lines(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Every line of either side once: what both began with, then ours, then theirs."""
    found = dict.fromkeys(line for side in (base, ours, theirs) for line in side.split(b"\n") if line.strip())
    return b"".join(line + b"\n" for line in found)
