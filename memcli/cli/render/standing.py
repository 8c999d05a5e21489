"""How the store stands, and the settings in force."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from memcli.cli.render.paint import Piece
from memcli.cli.render.text import one_line
from memcli.memory.numerals import counted

if TYPE_CHECKING:
    from memcli.engine.configured import Setting
    from memcli.engine.health.status import Standing
    from memcli.engine.starting import Made
    from memcli.engine.trust import Trusted

# How a store was found, as a person reads it behind its folder.
_FOUND: Final = {
    "named": "named by --store",
    "environment": "named by MEM_STORE",
    "above": "the nearest one upwards",
    "linked": "linked to this repository",
    "own": "your own",
}


def lines(standing: "Standing", resident: Mapping[str, object] | None) -> Iterator[tuple[Piece, ...]]:
    """One line a fact; what needs a person's eye stands out."""
    for name, value, style in (*_facts(standing), _resident(resident)):
        yield (f"{name:<12}", "dim"), (value, style) if style else value


def _resident(told: Mapping[str, object] | None) -> tuple[str, str, str]:
    if told is None:
        return "resident", "none (mem watch --detach starts one)", ""
    trouble = told.get("trouble")
    return (
        "resident",
        f"process {told.get('process')}" + (f": {trouble}" if trouble else ""),
        "warn" if trouble else "",
    )


def _facts(standing: "Standing") -> Iterator[tuple[str, str, str]]:
    yield "store", f"{standing.root} ({_FOUND[standing.found_by]})", ""
    of = counted(standing.schemas, "memory", "memories")
    unseen = standing.schemas and not standing.visible
    yield "scope", f"{standing.scope} (sees {standing.visible} of {of})", "warn" if unseen else ""
    branch = standing.branch or "no branch"
    yield (
        "journal",
        f"{branch} at {standing.commit[:10]}" if standing.commit else f"{branch}, no commit yet",
        "",
    )
    counts = ", ".join(f"{status} {count}" for status, count in standing.by_status.items() if count)
    yield "memories", f"{standing.schemas}" + (f" ({counts})" if counts else ""), ""
    if standing.set_aside:
        yield "set aside", f"{standing.set_aside} (mem check says why)", "warn"
    if standing.uncommitted:
        yield "uncommitted", f"{len(standing.uncommitted)} (mem save commits them)", "warn"
    if standing.session:
        task = one_line(standing.session.task)
        yield "session", standing.session.id + (f" ({task})" if task else ""), ""
    if standing.undigested:
        yield "undigested", f"{counted(standing.undigested, 'turn')} (mem consolidate)", ""
    if standing.receipts:
        yield "receipts", f"{standing.receipts} (mem receipt list)", ""
    if standing.review:
        yield "review", f"{standing.review} waiting (mem review)", "warn"
    for path in standing.regressed:
        yield "held back", f"{path}: a removed memory's status came back by hand (mem save asks)", "warn"
    for ids in standing.duplicates:
        yield "same id", ", ".join(ids), "warn"
    yield (
        "index",
        f"behind by {standing.behind} (the next recall reads them)" if standing.behind else "up to date",
        "",
    )
    yield "encoder", standing.encoder_notice or standing.encoder, "warn" if standing.encoder_notice else ""


def as_json(standing: "Standing") -> dict[str, object]:
    """The object of `mem.status/1`."""
    return {
        "format": "mem.status/1",
        "store": standing.root,
        "found_by": standing.found_by,
        "scope": standing.scope,
        "visible": standing.visible,
        "branch": standing.branch,
        "commit": standing.commit,
        "schemas": standing.schemas,
        "by_status": dict(standing.by_status),
        "set_aside": standing.set_aside,
        "uncommitted": list(standing.uncommitted),
        "behind": standing.behind,
        "encoder": standing.encoder or None,
        "encoder_notice": standing.encoder_notice or None,
        "review": standing.review,
        "regressed": list(standing.regressed),
        "duplicates": [list(ids) for ids in standing.duplicates],
        "notices": list(standing.notices),
        "session": standing.session.id if standing.session else None,
        "receipts": standing.receipts,
        "undigested": standing.undigested,
        "task": standing.session.task or None if standing.session else None,
    }


def made_json(made: "Made") -> dict[str, object]:
    """The object of `mem.init/1`."""
    return {
        "format": "mem.init/1",
        "root": made.root,
        "steps": list(made.steps),
        "commit": made.commit,
        "existed": made.existed,
    }


def configured_json(found: Sequence["Setting"]) -> dict[str, object]:
    """The object of `mem.config/1`."""
    return {
        "format": "mem.config/1",
        "settings": [{"key": one.key, "value": one.value, "origin": one.where} for one in found],
    }


def trusting(programs: Sequence[str]) -> str:
    """What a person reads before trusting a store."""
    if not programs:
        return "Its repository names no programs now. What it names later would run without asking."
    listed = "\n".join(f"  {one_line(program)}" for program in programs)
    return f"Its repository has git run these programs:\n{listed}"


def trusted_json(done: "Trusted", programs: Sequence[str]) -> dict[str, object]:
    """The object of `mem.trust/1`."""
    return {
        "format": "mem.trust/1",
        "root": done.root,
        "before": done.before,
        "programs": list(programs),
    }
