"""What all of history and the disk hold of a memory that is to be purged: its words, files and events."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from memcli.engine import filing, forget, resolve
from memcli.engine.opened import Opened
from memcli.errors import NoSuchMemory
from memcli.journal import history, rewriting
from memcli.memory.redaction import Gone, says
from memcli.memory.schema import GONE, Schema
from memcli.memory.scope import Scope
from memcli.store import events, tombstones
from memcli.store.event import Event, Kind

State = tuple[str, str]  # path of one committed file, and the digest of its bytes


@dataclass(frozen=True, slots=True)
class Memory:
    """One memory as it was ever recorded.

    `claims` are all wordings of its claim, the present one last; `events` those that it ever
    rested on; `path` is empty where its file is gone; `states` are its committed files, `versions`
    what they and the disk said. `asked`: a person named it; else it is gone and said the same.
    """

    id: str
    scope: Scope
    status: str
    path: str
    claims: tuple[str, ...]
    events: tuple[str, ...]
    states: frozenset[State]
    versions: tuple[Schema, ...] = field(default=(), compare=False, repr=False)
    asked: bool = True

    @property
    def scopes(self) -> frozenset[Scope]:
        """Every scope that it ever lay in."""
        return frozenset({self.scope, *(one.scope for one in self.versions)})

    @property
    def claim(self) -> str:
        """What it says now, or said last."""
        return self.claims[-1] if self.claims else ""


@dataclass(frozen=True, slots=True)
class Saying:
    """What events hold of the memories that go.

    `whole` lose all of their text, `part` the passages that say it; `kept` say it in other words
    and stay; `shared` stay because a memory that counts rests on them, too.
    """

    whole: frozenset[str] = frozenset()
    part: frozenset[str] = frozenset()
    kept: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Wanted:
    id: str
    path: str
    status: str
    claim: str
    scope: str
    where: frozenset[str] = frozenset()


def memories(opened: Opened, ids: Sequence[str], tips: Sequence[str]) -> tuple[Memory, ...]:
    """Everything that the commits of `tips` and the disk know of `ids`, then what is gone and said the same.

    Raises NoSuchMemory, BadFile.
    """
    wanted = tuple(dict.fromkeys(_wanted(opened, id_) for id_ in ids))
    asked = _recorded(opened, wanted, tips)
    doubles = _lost_doubles(opened, asked, tips)
    lost = [_Wanted(id_, "", GONE, "", "", frozenset(paths)) for id_, paths in doubles.items()]
    return (*asked, *(replace(one, asked=False) for one in _recorded(opened, lost, tips)))


def _recorded(opened: Opened, wanted: Sequence[_Wanted], tips: Sequence[str]) -> tuple[Memory, ...]:
    found: dict[str, list[tuple[State, Schema | None]]] = {one.id: [] for one in wanted}
    for path, raw in rewriting.files(opened.journal, tips) if wanted else ():
        if path.startswith("schemas/"):
            for one in wanted:
                if one.id.encode() in raw or one.id in path or path == one.path or path in one.where:
                    filed = filing.understand(opened, path, raw)
                    found[one.id].append(((path, filed.digest), filed.schema))
    return tuple(_memory(opened, one, found[one.id]) for one in wanted)


def _lost_doubles(opened: Opened, asked: Sequence[Memory], tips: Sequence[str]) -> dict[str, list[str]]:
    """What has no file any more and said the same in a scope where one of `asked` lay: id → its paths."""
    there = {one.id for one in _schemas(opened)} | {one.id for one in asked}
    found: dict[str, list[str]] = {}
    for path, raw in rewriting.files(opened.journal, tips):
        if path.startswith("schemas/") and _says_any(raw.decode("utf-8", "replace"), asked):
            schema = filing.understand(opened, path, raw).schema
            if schema is not None and schema.id not in there and _doubles(schema, asked):
                found.setdefault(schema.id, []).append(path)
    for grave in tombstones.load(opened.place).tombstones:
        if grave.id not in there and any(
            grave.scope in one.scopes and says(grave.claim, claim) for one in asked for claim in one.claims
        ):
            found.setdefault(grave.id, [])
    return found


def _says_any(text: str, found: Sequence[Memory]) -> bool:
    return any(says(text, claim) for one in found for claim in one.claims)


def _doubles(schema: Schema, found: Sequence[Memory]) -> bool:
    text = f"{schema.claim}\n\n{schema.detail}"
    return _says_any(text, [one for one in found if schema.scope in one.scopes])


def _wanted(opened: Opened, text: str) -> _Wanted:
    try:
        (target,) = forget.removed(opened, (text,))
    except NoSuchMemory as error:
        known = {} if error.details else history.statuses(opened.journal)
        if text not in known:
            raise
        return _Wanted(text, "", known[text].status, "", "")
    return _Wanted(target.id, target.path, target.status, target.claim, target.scope)


def _memory(opened: Opened, one: _Wanted, states: Sequence[tuple[State, Schema | None]]) -> Memory:
    schemas = [schema for _, schema in states if schema is not None and schema.id == one.id]
    if one.path:
        schemas.append(resolve.one(opened, one.id).schema)
    graves = [grave for grave in tombstones.load(opened.place).tombstones if grave.id == one.id]
    said = [*(grave.claim for grave in graves), *(schema.claim for schema in schemas), one.claim]
    if not any(said):
        raise NoSuchMemory(
            f"Nothing that {one.id} said is left here.", f"`mem log {one.id}` says what became of it."
        )
    rested = [event.event for schema in schemas for event in schema.evidence]
    rested += [event for grave in graves for event in grave.events]
    return Memory(
        id=one.id,
        scope=(schemas or graves)[-1].scope,
        status=one.status,
        path=one.path,
        claims=tuple(reversed(dict.fromkeys(claim for claim in reversed(said) if claim))),
        events=tuple(dict.fromkeys(rested)),
        states=_own_states(one, states),
        versions=tuple(schemas),
    )


def _own_states(one: _Wanted, states: Sequence[tuple[State, Schema | None]]) -> frozenset[State]:
    """The committed files that are its own, those included that say nothing clear where it lies."""
    mine = {state for state, schema in states if schema is not None and schema.id == one.id}
    paths = {path for path, _ in mine} | {one.path}
    broken = {state for state, schema in states if schema is None}
    return frozenset(mine | {state for state in broken if state[0] in paths or one.id in state[0]})


def saying(opened: Opened, found: Sequence[Memory], *, with_evidence: bool) -> Saying:
    """Which events say it: the founding ones whole, others in passages or, with `with_evidence`, whole."""
    cited = {event: one for one in found for event in one.events}
    others = _cited_by_others(opened, found, cited) if with_evidence else frozenset()
    whole, part, kept = set(), set(), []
    for one in _all(opened):
        memory = cited.get(one.id)
        claims = [claim for it in found if one.scope in it.scopes or it is memory for claim in it.claims]
        says_it = any(says(text, claim) for text in _texts(one) for claim in claims)
        founding = one.kind is Kind.CLAIM and says_it
        if memory is not None and (founding or (with_evidence and one.id not in others)):
            whole.add(one.id)
        elif says_it:
            part.add(one.id)
        elif memory is not None:
            kept.append(one.id)
    return Saying(frozenset(whole), frozenset(part), tuple(kept), tuple(sorted(others)))


def _all(opened: Opened) -> Iterable[Event]:
    for path in events.files(opened.place):
        yield from events.read(opened.place, path).events


def _texts(event: Event) -> list[str]:
    return [event.text, event.key, *_inside(event.data)]


def _inside(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) or hasattr(value, "values") else value
    return [text for one in parts for text in _inside(one)] if isinstance(parts, Iterable) else []


def _cited_by_others(opened: Opened, found: Sequence[Memory], cited: Iterable[str]) -> frozenset[str]:
    """Those of `cited` that another memory of the disk rests on, which keeps what was said there."""
    gone, wanted = {one.id for one in found}, set(cited)
    schemas = _schemas(opened)
    return frozenset(
        one.event
        for schema in schemas
        if schema.id not in gone
        for one in schema.evidence
        if one.event in wanted
    )


def _schemas(opened: Opened) -> Iterable[Schema]:
    return (one.schema for one in filing.every(opened) if one.schema is not None)


def also(opened: Opened, found: Sequence[Memory]) -> tuple[str, ...]:
    """The ids of other memories that this scope sees, and the pages, that say it word for word; they stay."""
    gone = {one.id for one in found}
    claims = [claim for one in found for claim in one.claims]
    memories = [
        schema.id
        for schema in _schemas(opened)
        if schema.id not in gone
        and schema.scope in opened.scope.seen
        and _says_any(f"{schema.claim}\n\n{schema.detail}", found)
    ]
    return (*memories, *(page for page in _pages(opened) if _page_says(opened, page, claims)))


def _pages(opened: Opened) -> list[str]:
    """The pages of procedures of the scopes that this one sees, the gold sets and the settings."""
    root = opened.place.root
    folders = [f"procedures/{scope.folder}" for scope in opened.scope.seen]
    found = [path for folder in folders for path in sorted((root / folder).rglob("*.md"))]
    found += [*sorted((root / "gold").glob("*.y*ml")), opened.place.settings_file]
    return [path.relative_to(root).as_posix() for path in found if path.is_file() and not path.is_symlink()]


def _page_says(opened: Opened, page: str, claims: Sequence[str]) -> bool:
    text = opened.place.at(page).read_bytes().decode("utf-8", "replace")
    return any(says(text, claim) for claim in claims)


def gone(found: Sequence[Memory], said: Saying) -> tuple[Gone, ...]:
    """What is to be taken out, as the redaction takes it."""
    return tuple(
        Gone(one.id, frozenset(map(str, one.scopes)), one.claims, said.whole & set(one.events))
        for one in found
    )
