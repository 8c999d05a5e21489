"""Skills: the procedures of a store listed by their headings, found by what they are for, shown.

Disclosure is progressive: a list costs a line each, a match loads at most two bodies, and a
file that a body refers to is read only when it is named.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from memcli.engine.opened import Opened
from memcli.engine.task import belonging
from memcli.errors import BadFile, NoSuchMemory, Usage
from memcli.memory import procedure as rules
from memcli.memory import ranking, tokens
from memcli.memory.procedure import Procedure, Tally
from memcli.memory.schema import Schema, Status
from memcli.memory.scope import Scope
from memcli.memory.visibility import viewer_from
from memcli.store import events, lines, skill
from memcli.store.event import Event, Kind


@dataclass(frozen=True, slots=True)
class Matched:
    """One procedure that fits a text: how well, what reports say of it, and its whole file."""

    procedure: Procedure
    match: float
    tally: Tally
    text: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A procedure, or a file of its folder: `file` is empty for SKILL.md itself."""

    procedure: Procedure
    file: str
    raw: bytes


def list_(opened: Opened, *, every: bool = False) -> tuple[Procedure, ...]:
    """The procedures that the scope sees (with `every`, those of all scopes), by name.

    Frontmatter alone is read. One that cannot be understood is left out and told of.
    """
    found = tuple(_understood(opened))
    chosen = found if every else tuple(rules.nearest(found, opened.scope).values())
    return tuple(sorted(chosen, key=lambda one: (one.name, str(one.scope))))


def _understood(opened: Opened) -> Iterator[Procedure]:
    belonging.refuse_other_scope(opened, opened.scope, reading=True)
    for path in skill.files(opened.place):
        read = skill.heading(opened.place, path)
        if read.procedure is not None:
            yield read.procedure
        else:
            opened.notices.append(f"A procedure is set aside: {read.problems[0]}")


def match(opened: Opened, text: str, limit: int | None = None) -> tuple[Matched, ...]:
    """The procedures that fit `text`, the best first, at most `limit` (default `procedures.k`).

    A match below the store's floor admits none; reports of use only order those that pass.
    Raises Usage for a blank text.
    """
    if tokens.blank(text):
        raise Usage("The text is blank.", "Say what is to be done: mem skills match deploy to production")
    listed = list_(opened)
    if not listed:
        return ()
    constants = opened.settings.constants
    fits = _fits(opened, listed, text)
    least = round(opened.settings.floor * ranking.SCALE)
    tallies = tallied(opened, listed)
    chosen = [one for one in listed if fits[one.path] >= least]
    chosen.sort(key=lambda one: (-_order(fits[one.path], tallies[one.path], opened), one.name))
    found = []
    for one in chosen[: limit or constants.procedures]:
        with suppress(BadFile):  # `mem check` tells of it
            body = skill.text(opened.place, one.path)
            found.append(Matched(one, fits[one.path] / ranking.SCALE, tallies[one.path], body))
    return tuple(found)


def _order(fit: int, tally: Tally, opened: Opened) -> int:
    return fit + round(rules.lift(tally, opened.settings.constants) * ranking.SCALE)


def _fits(opened: Opened, listed: Sequence[Procedure], text: str) -> dict[str, int]:
    """Path → match in whole numbers of 1/SCALE, by the same rule as for memories."""
    from memcli.engine.recalling.by_files import ByFiles
    from memcli.index.rows import IndexRow

    rows = [IndexRow(_as_schema(one), one.path, "", Status.ACTIVE) for one in listed]
    source = ByFiles(opened, rows)
    asked = ranking.query(text)
    hits = source.words(viewer_from(opened.scope, opened.now), asked.stems)
    encoder = opened.encoder
    vector = encoder.encode([text])[0] if encoder else None
    candidates = source.take([one.path for one in listed], asked.stems)
    ranked = ranking.rank(asked, hits, candidates, vector, opened.settings.constants)
    return {one.path: one.match for one in ranked}


def _as_schema(one: Procedure) -> Schema:
    """What is searched of a procedure: its name in words, and its description."""
    return Schema(one.name, one.scope, one.description, concept=one.name.replace("-", " "))


def show(opened: Opened, name: str, file: str = "") -> Shown:
    """The procedure called `name`, or the `file` of its folder.

    Raises NoSuchMemory, BadFile, and Refused for a file outside its folder.
    """
    refuse_unknown(opened, opened.scope, (name,))
    found = rules.nearest(_understood(opened), opened.scope)[name]
    raw = skill.reference(opened.place, found, file or skill.FILE)
    return Shown(found, "" if file in ("", skill.FILE) else file, raw)


def refuse_unknown(opened: Opened, scope: Scope, names: Iterable[str]) -> None:
    """Raise NoSuchMemory where `scope` sees no procedure of one of these names."""
    known = rules.nearest(_understood(opened), scope)
    for name in names:
        if name not in known:
            raise NoSuchMemory(
                f"No procedure is called {name!r} here.", "mem skills list", tuple(sorted(known)[:8])
            )


def tallied(opened: Opened, listed: Sequence[Procedure]) -> dict[str, Tally]:
    """Path → what reports say of each procedure. A report that another one refines counts no more."""
    told = {one.id: one for one in _reports(opened)}
    for refined in [str(one.data.get("refines", "")) for one in told.values()]:
        told.pop(refined, None)
    found: dict[str, Tally] = defaultdict(Tally)
    for one in told.values():
        meant = rules.nearest(listed, one.scope)
        for name, effect in _effects(one):
            if name in meant:
                found[meant[name].path] = found[meant[name].path].told(effect)
    return {one.path: found[one.path] for one in listed}


def _effects(report: Event) -> Iterator[tuple[str, str]]:
    said = report.data.get("procedures")
    for one in said if isinstance(said, list) else ():
        if isinstance(one, dict):
            yield str(one.get("name", "")), str(one.get("effect", "")).replace("_", "-")


def _reports(opened: Opened) -> Iterator[Event]:
    """The feedback that names procedures and that a consolidation has taken in; shadows left out."""
    for path in events.files(opened.place):
        with suppress(BadFile):
            found = [one for one in _holding(opened, path, b'"procedures"') if one.kind is Kind.FEEDBACK]
            if found:
                through = max((_through(one) for one in _holding(opened, path, b'"through"')), default="")
                yield from (one for one in found if one.id <= through and not one.data.get("shadow"))


def _holding(opened: Opened, path: str, needle: bytes) -> Iterator[Event]:
    """The events of one file whose line holds `needle`; only such lines are decoded."""
    from memcli.store.event import of_object

    for line in lines.read(opened.place, path, holding=needle).found:
        with suppress(KeyError, TypeError, ValueError):
            yield of_object(line.value)


def _through(one: Event) -> str:
    return str(one.data.get("through", "")) if one.kind is Kind.CONSOLIDATED else ""
