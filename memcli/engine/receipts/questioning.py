"""The question of a receipt, put again: under the settings and with the words that it was put with."""

from dataclasses import replace
from typing import Final

from memcli.engine.opened import Opened
from memcli.engine.recalling.asking import Request
from memcli.engine.receipts import fingerprint, giving, refusing
from memcli.engine.receipts.giving import Given
from memcli.errors import BadFile
from memcli.journal import tree
from memcli.memory import times
from memcli.memory.receipt import Receipt
from memcli.memory.visibility import Mode
from memcli.store import settings

_FILES: Final = ("mem.toml", "pyproject.toml")  # where a store's settings may be, the one that counts first


def with_its_settings(opened: Opened, given: Receipt) -> Opened:
    """The store under the settings that the answer went by: those of now, else those of its commit."""
    wanted = given.said["settings"]
    if fingerprint.of_settings(opened.settings) == wanted:
        return opened
    for name in _FILES:
        raw = _committed(opened, given.said["commit"], name)
        if raw is None:
            continue
        try:
            then = settings.of_bytes(opened.place, name, raw)
        except BadFile:
            break
        if fingerprint.of_settings(then) == wanted:
            return _under(opened, then)
        break
    else:
        if fingerprint.of_settings(settings.Settings()) == wanted:
            return _under(opened, settings.Settings())
    raise refusing.settings()


def _committed(opened: Opened, commit: str | None, name: str) -> bytes | None:
    return None if commit is None else tree.read(opened.journal, commit, [name])[name]


def _under(opened: Opened, then: settings.Settings) -> Opened:
    """The store with the constants and the zone of another time; whom it waits for stays as it is."""
    mixed = replace(
        opened.settings,
        constants=then.constants,
        timezone=then.timezone,
        timezone_name=then.timezone_name,
    )
    made = replace(opened, settings=mixed, by_tree=True)
    made.take_journal(opened.journal)
    made.take_encoder(opened.encoder)
    return made


def request_of(given: Receipt, *, as_of: str | None, known_at: str | None) -> Request:
    """The question of a receipt, asked of these two times."""
    said = given.said
    overhead, each = (*said["frame"], 0, 0)[:2]
    return Request(
        query=said["query"],
        scope=said["scope"],
        as_of=None if as_of is None else times.parse(as_of),
        mode=Mode(said["mode"]),
        k=said["k"],
        budget=said["budget"],
        floor=None if said["floor"] is None else float(said["floor"]),
        types=tuple(said["types"]),
        tags=tuple(said["tags"]),
        evidence=said["evidence"],
        overhead_tokens=overhead,
        line_overhead_tokens=each,
        events=said["events"],
        known_at=known_at,
        gate=bool(said["asked"]["gate"]),
    )


def answered(opened: Opened, given: Receipt, request: Request) -> Given:
    """The answer to the question of a receipt, with what stood beside it."""
    said = given.said
    procedures = tuple((one["name"], one["path"]) for one in said["procedures"])
    session = said["session"] or ""
    if said["of"] == giving.ACTIVATE:
        from memcli.engine.task import activate

        answer, warnings = activate.known_for(opened, request)
        return Given(request, answer, session, giving.ACTIVATE, warnings, procedures)
    from memcli.engine.recalling import recall

    return Given(request, recall.run(opened, request), session, procedures=procedures)
