"""The figures of a store, for a person, a program and a pipe."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from memcli.cli import moments
from memcli.cli.render.paint import Piece

if TYPE_CHECKING:
    from memcli.engine.health.stats import Number, Stats

CONSTANT_HEADS: Final = ("key", "value", "default", "from", "what it is")
_BARS: Final = "▁▂▃▄▅▆▇█"
_SHOWN: Final = 3  # pairs named before the rest is only counted
_NAME: Final = 12  # columns of a name


def sparkline(counts: Sequence[int]) -> str:
    """The counts as bars of eight heights, the highest for the largest; 0 is a blank."""
    top = max(counts, default=0)
    if not top:
        return ""
    return "".join(_BARS[(one * len(_BARS) - 1) // top] if one else " " for one in counts)


def lines(found: "Stats") -> Iterator[tuple[Piece, ...]]:
    """One line a fact; what needs a person's eye stands out."""
    for name, value, style in _facts(found):
        yield (f"{name:<{_NAME}}", "dim"), (value, style) if style else value


def _facts(found: "Stats") -> Iterator[tuple[str, str, str]]:
    yield "scope", "every" if found.scope == "*" else found.scope, ""
    yield "memories", _with(found.memories, found.by_status), ""
    if found.by_type:
        yield "believed", _with(sum(found.by_type.values()), found.by_type), ""
    if found.scopes:
        yield "scopes", _with(len(found.scopes), found.scopes), ""
    yield "growth", _growth(found.weeks), ""
    waits = sum(found.waiting.values())
    yield "review", _with(waits, found.waiting) + (": mem review" if waits else ""), "warn" if waits else ""
    soon = f", {found.soon} given up within three days" if found.soon else ""
    yield "staged", f"{found.staged}{soon}", "warn" if found.soon else ""
    yield "said twice", _twice(found.twice), "warn" if found.twice else ""
    if found.reasons:
        yield "given up", ", ".join(f"{reason} {count}" for reason, count in found.reasons.items()), ""
    labile = f", {found.labile} labile" if found.labile else ""
    yield "used", f"{found.used} by feedback{labile}", ""
    yield "regret", f"wanted again: {_regrets(found)}", ""
    yield "events", _with(sum(found.events.values()), found.events), ""
    if found.index_files:
        yield "index", f"{_size(found.index_bytes)} in {found.index_files} files", ""


def _size(size_bytes: int) -> str:
    mebibytes = size_bytes / 2**20
    return f"{mebibytes:.1f} MiB" if mebibytes >= 1 else f"{size_bytes // 1024} KiB"


def _with(total: int, parts: Mapping[str, int]) -> str:
    told = ", ".join(f"{name} {count}" for name, count in parts.items())
    return f"{total} ({told})" if told else str(total)


def _growth(weeks: Sequence[int]) -> str:
    bars = sparkline(weeks)
    made = f"{sum(weeks)} in {len(weeks)} weeks, {weeks[-1]} in the last"
    return f"{bars}  {made}" if bars else made


def _twice(pairs: Sequence[tuple[str, str]] | None) -> str:
    if pairs is None:
        return "not compared: too many memories, or no index"
    named = ", ".join(f"{one} = {other}" for one, other in pairs[:_SHOWN])
    more = f" and {len(pairs) - _SHOWN} more" if len(pairs) > _SHOWN else ""
    return f"{len(pairs)} ({named}{more})" if pairs else "0"


def _regrets(found: "Stats") -> str:
    told = (("discarded", found.discard), ("held back", found.abstain), ("gated", found.gate))
    return ", ".join(f"{one.wanted} of {one.of} {name}" for name, one in told)


def rows(found: "Stats") -> Iterator[tuple[str, str]]:
    """Name and value, one fact a line."""
    yield "memories", str(found.memories)
    for group in ("by_status", "by_type", "scopes", "waiting", "reasons", "events"):
        counts: Mapping[str, int] = getattr(found, group)
        yield from ((f"{group.removeprefix('by_')}.{name}", str(count)) for name, count in counts.items())
    yield "staged", str(found.staged)
    yield "staged.soon", str(found.soon)
    yield "twice", "" if found.twice is None else str(len(found.twice))
    yield "used", str(found.used)
    yield "labile", str(found.labile)
    yield "regret.discard", f"{found.discard.wanted}/{found.discard.of}"
    yield "regret.abstain", f"{found.abstain.wanted}/{found.abstain.of}"
    yield "regret.gate", f"{found.gate.wanted}/{found.gate.of}"
    yield "growth", " ".join(map(str, found.weeks))


def as_json(found: "Stats") -> dict[str, object]:
    """The object of `mem.stats/1`."""
    return {
        "format": "mem.stats/1",
        "scope": found.scope,
        "as_of": moments.rfc3339(found.as_of),
        "memories": found.memories,
        "by_status": dict(found.by_status),
        "by_type": dict(found.by_type),
        "scopes": dict(found.scopes),
        "waiting": dict(found.waiting),
        "reasons": dict(found.reasons),
        "staged": {"count": found.staged, "soon": found.soon},
        "twice": None if found.twice is None else [list(pair) for pair in found.twice],
        "used": found.used,
        "labile": found.labile,
        "regret": {
            "discard": {"wanted": found.discard.wanted, "of": found.discard.of},
            "abstain": {"wanted": found.abstain.wanted, "of": found.abstain.of},
            "gate": {"wanted": found.gate.wanted, "of": found.gate.of},
        },
        "weeks": list(found.weeks),
        "events": dict(found.events),
        "index": {"files": found.index_files, "bytes": found.index_bytes},
    }


def constant_row(one: "Number") -> tuple[str, str, str, str, str]:
    """Key, value, default, provenance, meaning."""
    return one.key, f"{one.value:g}", f"{one.default:g}", one.provenance, one.meaning


def constant_json(one: "Number") -> dict[str, object]:
    """One entry of the constants."""
    return {
        "key": one.key,
        "value": one.value,
        "default": one.default,
        "provenance": one.provenance,
        "meaning": one.meaning,
    }
