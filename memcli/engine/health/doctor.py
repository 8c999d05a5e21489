"""Doctor: what is wrong with a store and with the machine it lies on, and what to do about it.

It is asked where other commands have given up, so it goes on with whatever can be opened:
without a store the machine is examined, with settings that cannot be read the defaults hold.
Looking changes nothing; `mend` is another act.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from shlex import quote
from typing import Final

from memcli.engine.health import (
    examining_files,
    examining_index,
    examining_journal,
    examining_machine,
    examining_private,
    examining_repository,
    mending,
)
from memcli.engine.health.examining import Finding, Level, Named, examined, fail, ok, refused, warn
from memcli.engine.health.look import Look
from memcli.engine.health.mending import Mend
from memcli.engine.opened import Opened, open_store, open_with_defaults
from memcli.errors import BadFile, MemError, NoStore, Unavailable, Usage
from memcli.surroundings import Surroundings

CHECKS: Final[tuple[Named[Look], ...]] = (
    *examining_machine.CHECKS,
    *examining_repository.CHECKS,
    *examining_journal.CHECKS,
    *examining_private.CHECKS,
    *examining_files.CHECKS,
    *examining_index.CHECKS,
)
LOOKS: Final = 3  # asserted: one write lasts shorter than a look
_MEM: Final = "mem"
DEEP: Final[tuple[Named[Look], ...]] = (
    *examining_repository.DEEP,
    *examining_journal.DEEP,
    *examining_index.DEEP,
)


@dataclass(frozen=True, slots=True)
class Request:
    """Which store, as the words of the command say it; `deep` also reads all and tries everything."""

    named: str | None = None
    scope: str | None = None
    deep: bool = False


@dataclass(frozen=True, slots=True)
class Health:
    """What was found; `store` is its folder, None where there is none to examine."""

    store: str | None
    findings: tuple[Finding, ...]

    def at(self, level: Level) -> tuple[Finding, ...]:
        """The findings of one level."""
        return tuple(one for one in self.findings if one.level is level)


def run(surroundings: Surroundings, request: Request, further: Sequence[Named[Look]] = ()) -> Health:
    """Examine everything; `further` are the checks of rooms above this one. Changes nothing.

    Raises Usage for words that name no scope.
    """
    found = list(examined(examining_machine.MACHINE, surroundings))
    opened, told = _opened(surroundings, request)
    found += told
    if opened is None:
        found += examined((("model", examining_machine.shipped_model),), surroundings)
    else:
        checks = (*CHECKS, *further, *(DEEP if request.deep else ()))
        found += _still(opened, checks)
    if request.deep:
        from memcli.engine.health import rehearsing  # all verbs, and whatever they import

        encoder = opened.encoder if opened else None
        found += examined((("rehearsal", rehearsing.check(encoder)),), surroundings)
    named = tuple(_naming(one, request.named) for one in found) if request.named else tuple(found)
    return Health(str(opened.place.root) if opened else None, named)


def _naming(finding: Finding, store: str | None) -> Finding:
    """The finding whose next command names the store, as this one did."""
    named = f"{_MEM} --store {quote(store or '')} "
    return replace(
        finding, todo=re.sub(rf"(?<![\w/-]){_MEM} (?!init)(?=[a-z])", lambda _: named, finding.todo)
    )


def _still(opened: Opened, checks: Sequence[Named[Look]]) -> tuple[Finding, ...]:
    """What `checks` find in a store that nobody wrote meanwhile, as far as that can be had."""
    for _ in range(LOOKS):
        look = Look(opened)
        found = examined(checks, look)
        look.close()
        if look.still() or not any(one.level is not Level.OK for one in found):
            break
    return found


def mend(
    surroundings: Surroundings, request: Request, health: Health, further: Sequence[Mend] = ()
) -> tuple[Finding, ...]:
    """Mend what `health` names and mem can mend by itself; what was done, a line each."""
    opened, _ = _opened(surroundings, request)
    if opened is None:
        return ()
    lost = any(one.name in mending.FIRST and one.level is Level.FAIL for one in health.findings)
    found = [one for one in health.findings if not (lost and one.name in mending.AFTER)]
    return mending.mend(opened, found, further)


def _opened(surroundings: Surroundings, request: Request) -> tuple[Opened | None, tuple[Finding, ...]]:
    """The store, as far as it can be opened, and what is to be said of its settings."""
    try:
        opened = open_store(surroundings, named=request.named, scope=request.scope)
    except Usage:
        raise
    except NoStore as error:
        return None, (_no_store(surroundings, request, error),)
    except (BadFile, Unavailable) as error:
        opened = open_with_defaults(surroundings, named=request.named)
        todo = f"Correct {opened.place.settings_file}; `mem config` then shows what holds."
        return opened, (_store(opened), replace(refused("settings", error), todo=todo))
    except (MemError, OSError) as error:
        return None, (refused("store", error),)
    return opened, (_store(opened), *_settings(opened))


def _store(opened: Opened) -> Finding:
    return ok("store", f"The store is {opened.place.root}.")


def _settings(opened: Opened) -> tuple[Finding, ...]:
    notices = [str(one) for one in opened.settings.notices]
    opened.notices.clear()  # they are findings here
    name = opened.place.settings_file.name
    if notices:
        return (warn("settings", f"{'; '.join(notices)}.", f"Correct {opened.place.settings_file}."),)
    return (ok("settings", f"{name} can be read."),)


def _no_store(surroundings: Surroundings, request: Request, error: NoStore) -> Finding:
    """A store that was named must be there; where none was made yet, nothing is broken."""
    if request.named is None and not surroundings.environment.get("MEM_STORE") and surroundings.own:
        return warn("store", error.message, "mem init")
    return fail("store", error.message, error.hint)
