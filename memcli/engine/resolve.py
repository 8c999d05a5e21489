"""From what a person types to one file: whole ids and prefixes of four or more.

Nothing is ever picked for the person: a prefix that means several memories, and one id
that stands in two files, are refused with the candidates listed.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from memcli.engine import filing, standing
from memcli.engine.filing import Filed
from memcli.engine.opened import Opened
from memcli.engine.standing import Confirmed
from memcli.engine.task import belonging
from memcli.errors import BadFile, MemError, NoSuchMemory, Refused, TryAgain, Unavailable
from memcli.memory.schema import PREFIX_LENGTH, Schema, Status
from memcli.memory.scope import of_folder
from memcli.store import known as knowns
from memcli.store import scan
from memcli.store.problem import shown
from memcli.store.scan import Scan
from memcli.surroundings import Kind

_ID_LINE: Final = re.compile(rb"^[\"']?id[\"']?[ \t]*:[ \t]*[\"']?([^\r\n\"'#]*[^\s\"'#])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Found:
    """One memory: its file, what it states, and the status that counts."""

    path: str
    digest: str
    schema: Schema
    effective: Status


def ids(opened: Opened) -> dict[str, str]:
    """Path → id of every file that is understood, from what the index last saw where it still holds."""
    return _ids(opened, scan.scan(opened.place))


def _ids(opened: Opened, seen: Scan) -> dict[str, str]:
    kept = knowns.load(opened.place.known_file) or {}
    changed = set(knowns.difference(seen, kept).changed)
    found: dict[str, str] = {}
    for file in seen.files:
        id_ = _read_id(opened, file.path) if file.path in changed else kept[file.path].id
        if id_:
            found[file.path] = id_
    return found


def _read_id(opened: Opened, path: str) -> str:
    filed = filing.read(opened, path)
    return filed.schema.id if filed and filed.schema else ""


def all_of(
    opened: Opened, wanted: Iterable[str], confirmed: Confirmed | None = None, seen: Scan | None = None
) -> tuple[Found, ...]:
    """The memories that `wanted` name, in that order, each once; `seen` is a look just taken at the store.

    Raises NoSuchMemory, BadFile, Unavailable where a folder could not be listed that may hold one.
    """
    seen = scan.scan(opened.place) if seen is None else seen
    known = _ids(opened, seen)
    journal = standing.current(opened) if confirmed is None else confirmed
    paths = dict.fromkeys(_path(opened, seen, known, text) for text in wanted)
    return tuple(at(opened, path, journal) for path in paths)


def one(opened: Opened, text: str, confirmed: Confirmed | None = None) -> Found:
    """The memory that `text` names. Raises as `all_of`."""
    return all_of(opened, (text,), confirmed)[0]


def _path(opened: Opened, seen: Scan, known: Mapping[str, str], text: str) -> str:
    found = [path for path, id_ in known.items() if id_ == text]
    if not found:
        _refuse_set_aside(opened, seen, known, text)
        _refuse_short(text)
        found = [path for path, id_ in known.items() if id_.startswith(text)]
    if not found:
        raise _unknown(seen, text) if seen.unlisted else _none(opened, known, text)
    if len(found) > 1:
        raise _several(opened, known, text, found)
    return found[0]


def _refuse_short(text: str) -> None:
    if len(text) < PREFIX_LENGTH:
        raise NoSuchMemory(
            f"{text!r} is too short for an id.",
            f"Give {PREFIX_LENGTH} characters or more; `mem list` shows them.",
        )


def _refuse_set_aside(opened: Opened, seen: Scan, known: Mapping[str, str], text: str) -> None:
    """Raises BadFile where a file that is not understood is called so: no other memory is meant then."""
    for file in seen.files:
        if file.path not in known:
            filed = filing.read(opened, file.path)
            if filed and filed.schema is None and text and text in _names(filed):
                raise _set_aside(filed)


def _names(filed: Filed) -> tuple[str, ...]:
    """What a person may call a file that is set aside: the id on its first such line, or its own name."""
    stated = _ID_LINE.search(filed.raw)
    id_ = stated[1].decode("utf-8", "replace") if stated else ""
    name = filed.path.rpartition("/")[2]
    return id_, name, name.removesuffix(".md"), name.removesuffix(".md").rpartition("-")[2]


def _set_aside(filed: Filed) -> MemError:
    """Why the file is of no use: itself, or a disk or a process that could not read it."""
    if filed.failure:
        return filed.failure
    details = tuple(str(problem) for problem in filed.problems)
    return BadFile(f"{filed.path} is set aside.", "Correct the file; `mem check` shows all.", details)


def _unknown(seen: Scan, text: str) -> Unavailable:
    """Nobody can tell whether a memory has this id: it may lie where nothing could be listed."""
    return Unavailable(
        f"{shown(seen.unlisted[0])} cannot be listed, and no other folder has the id {text!r}.",
        "Look at who owns it, and at the disk; mem doctor looks why.",
        seen.unlisted,
    )


def _none(opened: Opened, known: Mapping[str, str], text: str) -> NoSuchMemory:
    """Nothing has this id; one that differs in case alone is named, and never taken for it."""
    near = sorted((path, id_) for path, id_ in known.items() if id_.lower().startswith(text.lower()))
    return NoSuchMemory(
        f"No memory has the id {text!r}.",
        "`mem list` shows the ids, `mem recall` finds by words.",
        tuple(f"{id_}  {_where(opened, path)}" for path, id_ in near),
    )


def _several(opened: Opened, known: Mapping[str, str], text: str, found: list[str]) -> NoSuchMemory:
    details = tuple(f"{known[path]}  {_where(opened, path)}" for path in sorted(found))
    if len({known[path] for path in found}) == 1:
        return NoSuchMemory(
            f"The id {text} stands in {len(found)} files.",
            "Give one of the files another id, or delete it.",
            details,
        )
    return NoSuchMemory(f"{len(found)} memories begin with {text!r}.", "Give more of the id.", details)


def _where(opened: Opened, path: str) -> str:
    """The path, or of another scope its folder alone: a file's name tells what it is about."""
    scope = of_folder(tuple(path.split("/")[1:-1]))
    return path if scope is None or scope in opened.scope.seen else path.rpartition("/")[0]


def refuse_unreadable(opened: Opened, found: Found) -> None:
    """Raise Refused where an agent asks to read what a person suppressed, or what is not for its session."""
    belonging.refuse_unseen(opened, found.schema)
    if found.effective is Status.FORGOTTEN and opened.actor.kind is not Kind.HUMAN:
        raise Refused(
            f"{found.schema.id} is forgotten; reading it is a person's choice.",
            "`mem log` says when it was forgotten.",
        )


def at(opened: Opened, path: str, confirmed: Confirmed) -> Found:
    """The memory in the file `path`.

    Raises BadFile where it is set aside, TryAgain where it is gone, Unavailable where the disk fails.
    """
    filed = filing.read(opened, path)
    if filed is None:
        raise TryAgain(f"{path} was changed meanwhile: it was moved or deleted.", "Repeat the command.")
    if filed.schema is None:
        raise _set_aside(filed)
    return found(filed, filed.schema, confirmed)


def counting(opened: Opened, id_: str, confirmed: Confirmed) -> str:
    """The whole id `id_` where its memory is there, understood and active; else empty."""
    try:
        return id_ if id_ and one(opened, id_, confirmed).effective is Status.ACTIVE else ""
    except MemError:
        return ""


def found(filed: Filed, schema: Schema, confirmed: Confirmed) -> Found:
    """The memory of a file that is understood."""
    held = standing.withheld(schema.status, (confirmed.status_of(schema.id),))
    return Found(filed.path, filed.digest, schema, held or schema.status)
