"""Procedures as files: `procedures/<kind>/<scope>/<name>/SKILL.md` in the Agent Skills format.

A list reads frontmatter and nothing further, so that a hundred procedures cost an agent a
hundred lines. What a body refers to is read when it is asked for, and only from inside the
procedure's own folder: its text names files, and must not be able to name other people's.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from memcli.errors import BadFile, MemError, Refused
from memcli.memory.procedure import Procedure, wrong_with
from memcli.memory.scope import WHOLE, Scope, of_folder
from memcli.store import fences, inside
from memcli.store.place import Place
from memcli.store.problem import Problem, shown

FILE: Final = "SKILL.md"
FOLDER: Final = "procedures"
_HEAD_BYTES: Final = 64 * 1024 + 16  # the longest frontmatter that is read, and its fences
_DEPTH: Final = 8  # asserted: folders below that of a procedure
_PIECE: Final = 2048  # bytes read at a time until the frontmatter ends


@dataclass(frozen=True, slots=True)
class Read:
    """A procedure, or None with what is wrong with its file."""

    procedure: Procedure | None
    problems: tuple[Problem, ...] = ()


def path_of(scope: Scope, name: str) -> str:
    """The file of the procedure `name` of `scope`."""
    return f"{FOLDER}/{scope.folder}/{name}/{FILE}"


def is_path(path: str) -> bool:
    """Whether a file that the store calls `path` can belong to a procedure, by its name alone."""
    return path.startswith(f"{FOLDER}/") and not any(part.startswith(".") for part in path.split("/"))


def entered(place: Place, path: str) -> bool:
    """Whether no link and no repository of its own stands on the way to `path`, itself included."""
    at = place.root
    for name in path.split("/"):
        at /= name
        if at.is_symlink() or os.path.lexists(at / ".git"):
            return False
    return True


def folder_of(path: str) -> str:
    """The folder of the procedure to which the file `path` belongs, by names alone."""
    parts = path.split("/")
    depth = 3 if len(parts) > 1 and parts[1] in WHOLE else 4
    return "/".join(parts[:depth])


def files_below(place: Place, folder: str, depth: int = 0) -> Iterator[str]:
    """The paths of all files in the folder of a procedure, in order; links and hidden ones left out."""
    for name in _names(place, folder):
        path = f"{folder}/{name}"
        if place.at(path).is_symlink():
            continue
        if place.at(path).is_dir():
            yield from files_below(place, path, depth + 1) if depth < _DEPTH else ()
        elif place.at(path).is_file():
            yield path


def files(place: Place) -> Iterator[str]:
    """The paths of all SKILL.md files, in order; links and hidden folders are not entered."""
    for kind in _names(place, FOLDER):
        if kind in WHOLE:
            yield from _below(place, f"{FOLDER}/{kind}")
        else:
            for scope in _names(place, f"{FOLDER}/{kind}"):
                yield from _below(place, f"{FOLDER}/{kind}/{scope}")


def _below(place: Place, folder: str) -> Iterator[str]:
    for name in _names(place, folder):
        if FILE in _names(place, f"{folder}/{name}"):
            yield f"{folder}/{name}/{FILE}"


def _names(place: Place, folder: str) -> list[str]:
    """What a folder holds, in order, hidden names left out; nothing where it is a link or no folder."""
    opened = inside.folder(place, folder)
    if opened is None:
        return []
    try:
        return sorted(name for name in os.listdir(opened) if not name.startswith("."))  # noqa: PTH208 - pathlib opens no descriptors
    finally:
        os.close(opened)


def heading(place: Place, path: str) -> Read:
    """What the frontmatter of the file `path` says; its body is not read. Raises nothing for a bad file."""
    try:
        return understood(path, _head(place, path))
    except MemError as error:
        return Read(None, (Problem(path, 0, "", error.message),))


def _head(place: Place, path: str) -> bytes:
    """The bytes of the file up to the end of its frontmatter."""
    with inside.parent(place, path) as (folder, name):
        opened = inside.readable(folder, name, path)
        try:
            raw = b""
            while len(raw) < _HEAD_BYTES and (piece := os.read(opened, _PIECE)):
                raw += piece
                with suppress(fences.Unfenced):
                    end = fences.find(raw).body
                    if end < len(raw):  # else the closing line may go on
                        return raw[:end]
            return raw
        finally:
            os.close(opened)


def understood(path: str, raw: bytes) -> Read:
    """What the bytes `raw` of the file `path` say, their frontmatter alone."""
    from memcli.store import head

    try:
        fence = fences.find(raw)
        said = head.NOTHING if fence.bare else head.read(raw[fence.start : fence.end].decode())
    except fences.Unfenced as error:
        return Read(None, (Problem(path, error.line, "", error.what),))
    except head.NotRead as error:
        return Read(None, (Problem(path, error.line + 1, error.key, error.what),))
    except UnicodeDecodeError:
        return Read(None, (Problem(path, 1, "", "is not UTF-8 here; save it as UTF-8"),))
    return _procedure(path, {key: _text(value) for key, value in said.members.items()})


def _text(value: object) -> str:
    from memcli.store import head

    return " ".join(value.value.split()) if isinstance(value, head.Text) else ""


def _procedure(path: str, said: dict[str, str]) -> Read:
    *folders, name, _ = path.split("/")
    scope = of_folder(tuple(folders[1:]))
    stated, description = said.get("name", ""), said.get("description", "")
    problems = [Problem(path, 1, key, what) for key, what in wrong_with(stated, description, name)]
    if scope is None:
        problems.append(Problem(path, 0, "", "lies in the folder of no scope"))
    if problems or scope is None:
        return Read(None, tuple(problems))
    return Read(Procedure(stated, description, scope, path))


def text(place: Place, path: str) -> str:
    """The whole file `path`. Raises BadFile, TryAgain as `inside.read`."""
    return _decoded(inside.read(place, path), path)


def _decoded(raw: bytes, path: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFile(f"{shown(path)} is not UTF-8.", "Save it as UTF-8.") from error


def reference(place: Place, procedure: Procedure, name: str) -> bytes:
    """The file that the procedure calls `name`, from inside its own folder and from nowhere else.

    Raises Refused for a name that leads out of it, BadFile for a link or what is no regular file.
    """
    try:
        parts = inside.parts_of(name.removeprefix("./"))
    except Refused as error:
        raise Refused(
            f"{shown(name)} does not lie in the folder of {procedure.name}.",
            "A procedure shows its own files alone: name one relative to its folder.",
        ) from error
    return inside.read(place, "/".join((procedure.path.rpartition("/")[0], *parts)))


def problems(place: Place) -> Iterator[Problem]:
    """What is wrong with the procedures of the store, bodies included."""
    for path in files(place):
        yield from heading(place, path).problems
        try:
            text(place, path)
        except MemError as error:
            yield Problem(path, 0, "", error.message)
