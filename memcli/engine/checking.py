"""Check: what in the files does not fit the format, and what mem can put right itself."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memcli.engine import arrivals, counting, filing, handmade, reconcile, standing
from memcli.engine.filing import Filed
from memcli.engine.opened import Opened
from memcli.engine.standing import LEAVES_A_TOMBSTONE
from memcli.engine.view import View
from memcli.engine.writer import FileChange, Operation, Writer, writing
from memcli.errors import MemError, Unavailable, Usage
from memcli.journal.message import Message
from memcli.memory.schema import Schema
from memcli.store import edit, events, naming, scan, skill, tombstones
from memcli.store.problem import Problem
from memcli.store.scan import Scan

_GIT = ".git"
ERROR = "error"
WARNING = "warning"
# What memories have in common, with their scope → each as its path and what it states.
_Groups = dict[tuple[str, str], list[tuple[str, Schema]]]


@dataclass(frozen=True, slots=True)
class Finding:
    """`path:line: key: what`; `severity` is error (set aside) or warning."""

    path: str
    line: int
    key: str
    what: str
    severity: str


@dataclass(frozen=True, slots=True)
class Checked:
    """Files on disk = understood + set aside, always. `fixed` paths were rewritten by --fix."""

    findings: tuple[Finding, ...]
    files: int
    understood: int
    set_aside: int
    fixed: tuple[str, ...] = ()
    commit: str | None = None


def run(opened: Opened, paths: tuple[str, ...] = (), *, fix: bool = False) -> Checked:
    """Read every file (or those named). With `fix`, write missing ids and move misplaced files among them.

    Raises Usage for a path that is no schema file of the store; then nothing is written.
    """
    seen = scan.scan(opened.place)
    named = _wanted(opened, seen, paths)
    if not fix:
        return _checked(opened, seen, named, whole=not paths)
    with writing(opened, "check --fix") as writer:
        fixed, commit = _fixed(writer, named)
    seen = scan.scan(opened.place)
    named = named.union(fixed) if paths else _wanted(opened, seen, ())
    return replace(_checked(opened, seen, named, whole=not paths), fixed=fixed, commit=commit)


def _checked(opened: Opened, seen: Scan, named: frozenset[str], *, whole: bool) -> Checked:
    odd = tuple(problem for problem in seen.set_aside if problem.path in named)
    wanted = [one.path for one in seen.files if one.path in named]
    filed = [one for path in wanted if (one := filing.read(opened, path)) is not None]
    aside = [one for one in filed if one.schema is None]
    findings = [_finding(problem, ERROR) for one in filed for problem in one.problems]
    findings += [_finding(problem, WARNING) for one in filed for problem in one.notices]
    findings += [_finding(problem, ERROR) for problem in odd]
    if whole:
        findings += [_finding(problem, WARNING) for problem in seen.notices]
        findings += _store_wide(opened, filed)
    findings += _secret(opened, filed)
    return Checked(
        findings=tuple(sorted(findings, key=lambda one: (one.path, one.line, one.severity, one.what))),
        files=len(filed) + len(odd),
        understood=len(filed) - len(aside),
        set_aside=len(aside) + len(odd),
    )


def _finding(problem: Problem, severity: str) -> Finding:
    return Finding(problem.path, problem.line, problem.key, problem.what, severity)


def _wanted(opened: Opened, seen: Scan, paths: tuple[str, ...]) -> frozenset[str]:
    known = [*(one.path for one in seen.files), *(one.path for one in seen.set_aside)]
    if not paths:
        return frozenset(known)
    named = [_named(opened, path) for path in paths]
    chosen = [path for path in known if any(path == name or path.startswith(f"{name}/") for name in named)]
    for path, name in zip(paths, named, strict=True):
        if not any(one == name or one.startswith(f"{name}/") for one in known):
            raise Usage(f"{path} is no schema file of this store.", "Schemas are *.md below schemas/.")
    return frozenset(chosen)


def _named(opened: Opened, path: str) -> str:
    """What the store calls a path that was typed, relative to the working directory or to the store."""
    here = opened.surroundings.cwd
    root = opened.place.root.resolve()
    for base in (here, root):
        if base is not None and os.path.exists(candidate := base / path):  # noqa: PTH110 - of any length
            # Not resolved as a whole: a link in the store must be named as the link that it is.
            parent = candidate.parent.resolve()
            if parent.is_relative_to(root):
                return (parent.relative_to(root) / candidate.name).as_posix()
    return Path(path).as_posix()


def _store_wide(opened: Opened, filed: Sequence[Filed]) -> list[Finding]:
    """What no single file shows: ids twice, links to nothing, conflicts, lines that cannot be read."""
    schemas = [(one.path, one.schema) for one in filed if one.schema]
    found = [*_twice(schemas), *_dangling(schemas), *_conflicts(schemas), *_withheld(opened, filed)]
    found += _damage(opened)
    found += [_finding(problem, WARNING) for problem in opened.settings.notices]
    found += [_finding(problem, ERROR) for problem in skill.problems(opened.place)]
    found += [_finding(problem, WARNING) for problem in tombstones.load(opened.place).problems]
    for path in events.files(opened.place):
        found += [_finding(problem, WARNING) for problem in events.read(opened.place, path).problems]
    return found


def _damage(opened: Opened) -> list[Finding]:
    """What git cannot read of history. Raises nothing: where there is no repository, that was told."""
    from memcli.journal import damage

    try:
        journal = opened.journal
        configuration = journal.configuration
        lines = damage.find(journal)
    except Unavailable:
        return []
    try:
        journal.refuse_unusable(configuration)
    except Unavailable as error:
        return [Finding(_GIT, 0, "", f"{error.message.rstrip('.')}. {error.hint}", ERROR)]
    if not lines:
        return []
    return [Finding(_GIT, 0, "", f"History is damaged: {lines[0]}. {damage.HINT}", ERROR)]


def _twice(schemas: Iterable[tuple[str, Schema]]) -> list[Finding]:
    by_id: dict[str, list[str]] = {}
    for path, schema in schemas:
        by_id.setdefault(schema.id, []).append(path)
    return [
        Finding(path, 0, "id", f"{id_} stands in {len(paths)} files: {', '.join(paths)}", ERROR)
        for id_, paths in by_id.items()
        if len(paths) > 1
        for path in paths
    ]


def _dangling(schemas: Sequence[tuple[str, Schema]]) -> list[Finding]:
    known = {schema.id for _, schema in schemas}
    named = [
        (path, key, id_)
        for path, schema in schemas
        for key, ids in (
            ("supersedes", schema.supersedes),
            ("superseded_by", (schema.superseded_by,) if schema.superseded_by else ()),
            ("links", tuple(link.to for link in schema.links)),
        )
        for id_ in ids
    ]
    return [
        Finding(path, 0, key, f"no memory has the id {id_}", WARNING)
        for path, key, id_ in named
        if id_ not in known
    ]


def _conflicts(schemas: Iterable[tuple[str, Schema]]) -> list[Finding]:
    """Claims of one concept, and such as replace the same memory (two clones did it apart), side by side."""
    by_topic: _Groups = {}
    by_old: _Groups = {}
    for path, schema in schemas:
        if schema.live and (topic := schema.topic):
            by_topic.setdefault(topic, []).append((path, schema))
        for old in schema.supersedes if schema.live else ():
            by_old.setdefault((str(schema.scope), old), []).append((path, schema))
    found = [
        Finding(
            path, 0, "concept", f"{schema.concept!r} is also claimed by {other.id} at the same time", WARNING
        )
        for _, path, schema, other in _at_once(by_topic)
    ]
    return found + [
        Finding(path, 0, "supersedes", f"{old} is also replaced by {other.id} at the same time", WARNING)
        for (_, old), path, _, other in _at_once(by_old)
    ]


def _at_once(groups: _Groups) -> Iterator[tuple[tuple[str, str], str, Schema, Schema]]:
    """The key of a group, a path, its schema and another of the group that holds at a moment of it too."""
    for key, group in groups.items():
        for path, schema in group:
            for _, other in group:
                if other.id != schema.id and schema.validity.overlaps(other.validity):
                    yield key, path, schema, other


def _withheld(opened: Opened, filed: Sequence[Filed]) -> list[Finding]:
    """Files that count for less than they say: what was removed came back, or is said again."""
    removed = any(one.schema.status in LEAVES_A_TOMBSTONE for one in filed if one.schema)
    if not removed and not standing.current(opened).removed and not tombstones.load(opened.place).tombstones:
        return []
    from memcli.index import around

    view = reconcile.freshen(opened)
    paths = around.withheld(view.index) if view.index else set()
    suspects = [one for one in filed if one.path in paths]
    said = arrivals.said_again(opened, view, suspects)
    return [_withheld_for(one.path, said.get(one.path, ())) for one in suspects if _less(view, one, said)]


def _less(view: View, one: Filed, said: Mapping[str, tuple[str, ...]]) -> bool:
    schema = one.schema
    if schema is None:
        return False
    counts = counting.effective(schema.id, schema.status, view.confirmed)
    return one.path in said or counts is not schema.status


def _secret(opened: Opened, filed: Sequence[Filed]) -> list[Finding]:
    """Files, not committed yet, that saving would refuse."""
    journal = opened.readable_journal
    if journal is None:
        return []
    from memcli.journal import tree
    from memcli.store import secrets

    try:
        fresh = {one.path for one in tree.uncommitted(journal)}
    except MemError:
        return []
    found = [
        (one.path, secrets.find(one.raw.decode("utf-8", "replace"))) for one in filed if one.path in fresh
    ]
    what = "holds what looks like a secret ({}): `mem save` leaves it, recall shows it"
    return [Finding(path, 0, "", what.format(name), WARNING) for path, name in found if name]


def _withheld_for(path: str, said: tuple[str, ...]) -> Finding:
    if said:
        what = f"says again what was removed ({', '.join(said)}); withheld until `mem save` lets it pass"
        return Finding(path, 0, "", what, WARNING)
    what = "comes back from being removed; withheld until `mem save` confirms it"
    return Finding(path, 0, "status", what, WARNING)


def _fixed(writer: Writer, named: frozenset[str]) -> tuple[tuple[str, ...], str | None]:
    """Write the ids that follow from paths, and put files into the folder that their scope names."""
    opened = writer.opened
    wanted = [path for path in writer.view.known if path in named]
    filed = [one for path in wanted if (one := filing.read(opened, path)) is not None]
    filed = [one for one in filed if _repair(one, set(writer.view.known))]
    handmade.commit_first(writer, [one.path for one in filed], leave=True)
    kept = [
        one for one in filed if one.path not in writer.view.dirty
    ]  # else an edit that a person must settle
    changes = [change for one in kept for change in _repair(one, set(writer.view.known))]
    if not changes:
        return (), None
    paths = tuple(dict.fromkeys(change.path for change in changes))
    commit = writer.carry_out(Operation(Message("edit", "mem check --fix"), tuple(changes)))
    return paths, commit


def _repair(one: Filed, taken: set[str]) -> list[FileChange]:
    schema = one.schema
    if schema is None:
        return []
    raw = edit.set_keys(one.raw, {"id": schema.id}) if one.derived else one.raw
    folder = f"schemas/{schema.scope.folder}/"
    if one.path.startswith(folder):
        return [FileChange(one.path, one.digest, raw)] if raw != one.raw else []
    fresh = naming.fresh_path(schema, taken)
    return [FileChange(one.path, one.digest, None), FileChange(fresh, None, raw)]
