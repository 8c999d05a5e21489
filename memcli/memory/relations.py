"""Relations by content, and exact duplicates: what the consolidator may say of two believed claims.

It says that they are about the same thing, both ways, and nothing more: that one
contradicts or replaces the other is only ever told by whoever knows.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.lifecycle import Change, Plain
from memcli.memory.schema import RELATES_TO, ArchiveReason, Link, Schema, Status, fold_concept
from memcli.memory.wording import digest

MOST: Final = 8  # links by content that one schema holds; asserted


def related(near: Mapping[str, float], rules: Constants = DEFAULTS) -> tuple[tuple[str, float], ...]:
    """Of believed claims (id → cosine with a new one) those that it is related to, the nearest first."""
    found = [(id_, cosine) for id_, cosine in near.items() if cosine >= rules.related]
    return tuple(sorted(found, key=lambda one: (-one[1], one[0]))[: rules.related_most])


def linked(schema: Schema, to: Sequence[tuple[str, float]]) -> Change | None:
    """The schema with a link to each of these (id, cosine) that it has none to; None where nothing is new."""
    known = {one.to for one in schema.links} | {schema.id}
    room = MOST - sum(1 for one in schema.links if one.rel == RELATES_TO)
    fresh = [Link(id_, RELATES_TO, round(cosine, 2)) for id_, cosine in to if id_ not in known][
        : max(room, 0)
    ]
    return _with_links(schema, (*schema.links, *fresh), schema.status) if fresh else None


def duplicate_of(schema: Schema, canonical: str, rel: str) -> Change:
    """The schema archived as a duplicate of `canonical`, to which it is linked by `rel`."""
    links = (*schema.links, *(() if _has(schema, canonical, rel) else (Link(canonical, rel),)))
    change = _with_links(schema, links, Status.ARCHIVED)
    keys: dict[str, Plain | None] = {
        **change.keys,
        "status": Status.ARCHIVED.value,
        "archive_reason": ArchiveReason.DUPLICATE.value,
    }
    return Change(schema.id, schema.status, Status.ARCHIVED, keys)


@dataclass(frozen=True, slots=True)
class Twins:
    """Schemas that say exactly the same; `canonical` has the earliest evidence."""

    canonical: Schema
    others: tuple[Schema, ...]


def twins(schemas: Iterable[Schema]) -> tuple[Twins, ...]:
    """The exact duplicates among believed schemas: same scope, claim, detail, window and subject."""
    groups: dict[str, list[Schema]] = {}
    for one in schemas:
        if key := twin_key(one):
            groups.setdefault(key, []).append(one)
    found = [sorted(group, key=_earliest) for group in groups.values() if len(group) > 1]
    return tuple(Twins(first, tuple(rest)) for first, *rest in found if rest)


def twin_key(schema: Schema) -> str:
    """What exact duplicates share, 32 hex characters; empty for what is not believed or claims nothing."""
    if not schema.live or not schema.claim:
        return ""
    said = (
        *(str(schema.scope), digest(schema.claim), schema.detail.strip(), schema.type.value),
        *(str(schema.validity.start), str(schema.validity.end), fold_concept(schema.concept)),
    )
    return hashlib.sha256("\0".join(said).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _earliest(schema: Schema) -> tuple[bool, str, str]:
    """Order of evidence; what has none was written by hand, and nobody says when."""
    first = min((one.event for one in schema.evidence), default="")
    return (not first, first, schema.id)


def _has(schema: Schema, id_: str, rel: str) -> bool:
    return any(one.to == id_ and one.rel == rel for one in schema.links)


def _with_links(schema: Schema, links: Sequence[Link], status: Status) -> Change:
    return Change(schema.id, schema.status, status, {"links": [_spelled(one) for one in links]})


def _spelled(link: Link) -> dict[str, str | float]:
    told: dict[str, str | float] = {"to": link.to, "rel": link.rel}
    return told if link.weight == 1.0 else {**told, "weight": link.weight}
