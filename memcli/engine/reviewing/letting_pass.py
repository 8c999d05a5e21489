"""Letting pass what says again what was removed: a person's word that every rebuild and merge respects."""

from memcli.engine import arrivals, filing
from memcli.engine.opened import Opened
from memcli.engine.view import View
from memcli.memory import reviewing
from memcli.memory.scope import Scope


def let_pass(
    opened: Opened, view: View, path: str, raw: bytes, here: Scope | None = None
) -> tuple[bytes, tuple[str, ...]]:
    """`raw`, as the file `path` shall be written, with what it would be held for in `overrides`; those ids.

    Nothing changes where it says nothing again, or where it is set aside. With `here` it is let
    past what was removed in that scope too, though its own is a wider one.
    """
    filed = filing.understand(opened, path, raw)
    said = arrivals.said_again(opened, view, [filed], here).get(path, ()) if filed.schema else ()
    if not said or filed.schema is None:
        return raw, ()
    keys = {"overrides": reviewing.overriding(filed.schema, said)}
    return filing.changed(opened, path, raw, keys), said
