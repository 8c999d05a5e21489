"""Who may see what, as LanceDB's filter text; the only place where such text is made.

Filters are SQL, so a scope called `x' OR '1'='1` must stay a name: every text goes through
`quote`, and no pattern (LIKE) is used at all. A contract test holds `where` equal to
memcli.memory.visibility.verdict over every status, mode, window, type, tag and name.
"""

from collections.abc import Iterable
from typing import Final

from memcli.index.layout import END
from memcli.index.rows import number
from memcli.memory.schema import Stage, StaleReason, Status
from memcli.memory.scope import Scope
from memcli.memory.visibility import ADMITTED, UNSEEN, Mode, Viewer, was_right

CLAIM: Final = "piece = 0"  # the row that stands for its schema; others are further pieces of its text
PIECE: Final = "piece > 0"
NOTHING: Final = "false"
WITHHELD: Final = "(hidden OR status <> stated)"  # rows that do not count as their files say
NOWHERE: Final = "\0"  # YAML has no such character, and no path may contain it


def quote(text: str) -> str:
    """`text` as an SQL string literal, whatever is in it.

    Bytes that are no UTF-8 reach us as lone surrogates; no row holds such text, so it
    becomes one that no row can hold either.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        text = NOWHERE + text.encode("ascii", "backslashreplace").decode()
    return "'" + text.replace("'", "''") + "'"


def where(viewer: Viewer) -> str:
    """The rows that `viewer` gets: those whose verdict is ADMITTED."""
    return both(_travelling(viewer) if viewer.abroad else _in_reach(viewer), _asked_for(viewer))


def where_held(viewer: Viewer) -> str:
    """The rows in reach that are withheld and may be counted: neither ADMITTED nor INVISIBLE."""
    if viewer.abroad:
        return NOTHING
    return both(_in_reach(viewer), f"NOT {among('status', UNSEEN)}", f"NOT ({_asked_for(viewer)})")


def where_scopes(viewer: Viewer) -> str:
    """The rows of the scopes that `viewer` reads, withheld or not; "" is every row."""
    return where_any_scope(viewer.scopes)


def where_any_scope(scopes: Iterable[Scope] | None) -> str:
    """The rows of exactly these scopes; "" is every row."""
    return "" if scopes is None else among("scope", map(str, scopes))


def where_status(statuses: Iterable[Status]) -> str:
    """The rows of these effective statuses."""
    return among("status", statuses)


def where_unsettled(as_of: int) -> str:
    """The rows that are not live at `as_of`: another status than active, or outside their window."""
    return f"NOT ({among('status', [Status.ACTIVE])} AND {_holds(as_of)})"


def where_id(prefix: str) -> str:
    """The schemas whose id begins with `prefix`, each of its characters taken as it is."""
    return f"starts_with(id, {quote(prefix)})"


def where_concept(scope: str, folded: str) -> str:
    """The schemas of exactly that scope and folded concept."""
    return both(f"scope = {quote(scope)}", f"folded = {quote(folded)}")


def where_known(position: int) -> str:
    """Of the revisions those that the record held at `position`."""
    return f"known_from <= {position:d} AND known_until > {position:d}"


def where_open() -> str:
    """Of the revisions those that the record still holds."""
    return f"known_until = {END:d}"


def where_any_stem(stems: Iterable[str]) -> str:
    """The rows that hold at least one of the stems."""
    listed = ", ".join(str(number(stem)) for stem in stems)
    return f"array_has_any(stems, [{listed}])" if listed else NOTHING


def where_citing(events: Iterable[str]) -> str:
    """The schemas that rest on at least one of these events."""
    listed = ", ".join(str(number(event)) for event in events)
    return f"array_has_any(cites, [{listed}])" if listed else NOTHING


def both(*conditions: str) -> str:
    """All of the conditions that are not empty."""
    return " AND ".join(condition for condition in conditions if condition)


def among(column: str, values: Iterable[str]) -> str:
    """The rows whose `column` is one of `values`."""
    listed = ", ".join(quote(value) for value in sorted(values))
    return f"{column} IN ({listed})" if listed else NOTHING


def _in_reach(viewer: Viewer) -> str:
    if viewer.scopes is None:
        return "NOT hidden"
    if not viewer.scopes:
        return NOTHING
    return both(where_scopes(viewer), _not_hidden(viewer.scopes[0]))


def _not_hidden(here: Scope) -> str:
    return f"NOT (hidden AND array_has(hidden_in, {quote(str(here))}))"


def _travelling(viewer: Viewer) -> str:
    """The rows of other scopes that may be let in."""
    if not viewer.scopes:
        return NOTHING
    kin = quote(f"{viewer.scopes[0].kind}:")
    kept = f"stage = {Stage.PORTABLE:d} AND starts_with(scope, {kin})"
    return both(
        f"NOT {where_scopes(viewer)}",
        _not_hidden(viewer.scopes[0]),
        f"(stage > {Stage.PORTABLE:d} OR ({kept}))",
        f"({among('status', [Status.ACTIVE])} OR {_WAS_RIGHT})",
    )


def _asked_for(viewer: Viewer) -> str:
    types = among("type", viewer.types) if viewer.types else ""
    tags = ", ".join(quote(tag) for tag in viewer.tags)
    return both(types, f"array_has_all(tags, [{tags}])" if tags else "", _standing(viewer))


def _standing(viewer: Viewer) -> str:
    holds = _holds(viewer.as_of)
    admitted = among("status", ADMITTED[viewer.mode])
    if viewer.mode is Mode.HISTORY:
        return f"({admitted} OR ({_WAS_RIGHT} AND {holds}))"
    return f"({admitted} OR {_WAS_RIGHT}) AND {holds}"


def _holds(as_of: int) -> str:
    return f"(valid_from <= {as_of:d} AND valid_to > {as_of:d})"


def _was_right() -> str:
    """The rule `was_right` written out, once, by asking it about every pair."""
    every = (None, *StaleReason)
    right = {status: [reason for reason in every if was_right(status, reason)] for status in Status}
    always = among("status", [status for status, reasons in right.items() if len(reasons) == len(every)])
    sometimes = [
        f"(status = {quote(status)} AND {among('stale_reason', [reason or '' for reason in reasons])})"
        for status, reasons in right.items()
        if 0 < len(reasons) < len(every)
    ]
    return f"(({' OR '.join([always, *sometimes])}) AND valid_to < {END:d})"


_WAS_RIGHT: Final = _was_right()
