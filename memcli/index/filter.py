"""Who may see what, as LanceDB's filter text; the only place where such text is made.

Filters are SQL, so a scope called `x' OR '1'='1` must stay a name: every value goes
through `quote`, and no pattern (LIKE) is used anywhere. A contract test holds `where`
equal to memcli.memory.visibility.verdict over every status, mode, window and name.
"""

from collections.abc import Iterable
from typing import Final

from memcli.memory.schema import StaleReason, Status
from memcli.memory.visibility import ADMITTED, UNSEEN, Mode, Viewer, was_right

CLAIM: Final = "piece = 0"  # the one row of a schema that stands for it; others are further pieces of text


def quote(text: str) -> str:
    """`text` as an SQL string literal, whatever is in it."""
    return "'" + text.replace("'", "''") + "'"


def where(viewer: Viewer) -> str:
    """The rows that `viewer` gets: those whose verdict is ADMITTED."""
    return _all(_in_reach(viewer), _type(viewer), _tags(viewer), _standing(viewer))


def where_held(viewer: Viewer) -> str:
    """The rows in reach that are withheld and may be counted: neither ADMITTED nor INVISIBLE."""
    admitted = _all(_type(viewer), _tags(viewer), _standing(viewer))
    return _all(_in_reach(viewer), f"NOT {_among('status', UNSEEN)}", f"NOT ({admitted})")


def where_scopes(viewer: Viewer) -> str:
    """The rows of the scopes that `viewer` reads, withheld or not; "" is every row."""
    if viewer.scopes is None:
        return ""
    return _among("scope", map(str, viewer.scopes))


def where_paths(paths: Iterable[str]) -> str:
    """The rows of these files."""
    return _among("path", paths)


def where_id(prefix: str) -> str:
    """The schemas whose id begins with `prefix`, taken as it is."""
    return f"starts_with(id, {quote(prefix)})"


def where_concept(scope: str, folded: str) -> str:
    """The schemas of exactly that scope and folded concept."""
    return _all(f"scope = {quote(scope)}", f"folded = {quote(folded)}")


def where_any_stem(stems: Iterable[str]) -> str:
    """The rows that hold at least one of the stems."""
    return f"array_has_any(stems, {_list(stems)})"


def _all(*conditions: str) -> str:
    return " AND ".join(condition for condition in conditions if condition)


both = _all


def _among(column: str, values: Iterable[str]) -> str:
    listed = ", ".join(quote(value) for value in sorted(values))
    return f"{column} IN ({listed})" if listed else "false"


def _list(values: Iterable[str]) -> str:
    return "[" + ", ".join(quote(value) for value in values) + "]"


def _in_reach(viewer: Viewer) -> str:
    if viewer.scopes is None:
        return "NOT hidden"
    here = quote(str(viewer.scopes[0]))
    return f"{where_scopes(viewer)} AND NOT (hidden AND array_has(hidden_in, {here}))"


def _type(viewer: Viewer) -> str:
    return _among("type", viewer.types) if viewer.types else ""


def _tags(viewer: Viewer) -> str:
    return f"array_has_all(tags, {_list(viewer.tags)})" if viewer.tags else ""


def _standing(viewer: Viewer) -> str:
    holds = f"valid_from <= {viewer.as_of:d} AND valid_to > {viewer.as_of:d}"
    admitted = _among("status", ADMITTED[viewer.mode])
    if viewer.mode is not Mode.HISTORY:
        return f"({admitted} OR {_WAS_RIGHT}) AND {holds}"
    return f"({admitted} OR ({_WAS_RIGHT} AND {holds}))"


def _was_right() -> str:
    pairs = [
        (status, reason) for status in Status for reason in (None, *StaleReason) if was_right(status, reason)
    ]
    alike = [
        f"(status = {quote(status)} AND stale_reason = {quote(reason or '')})" for status, reason in pairs
    ]
    return "(" + " OR ".join(alike) + ")"


_WAS_RIGHT: Final = _was_right()
