"""A procedure: how something was done before, what it did for whoever followed it, what failed.

It is evidence of past work and never an order. Whether it helped decides only its place
among those that fit; what fits at all is decided by match alone, as for memories. And a way
that failed must not be tried again because somebody wrote a cleaner page: warnings outlive
the text that they stood in.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from memcli.memory.constants import DEFAULTS, Constants
from memcli.memory.reporting import Effect
from memcli.memory.scope import Scope

NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
NAME_LIMIT: Final = 64  # characters: the Agent Skills format
DESCRIPTION_LIMIT: Final = 1024  # characters: the Agent Skills format
_WARNS: Final = re.compile(r"(?:failed|warning|caveat|pitfall|do not|never)", re.IGNORECASE)
_SECTION: Final = re.compile(r"^(?=## )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Procedure:
    """What a list shows of one: all of it stands in the frontmatter of the file `path`."""

    name: str
    description: str
    scope: Scope
    path: str


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a procedure helped, and how often it harmed."""

    helped: int = 0
    harmed: int = 0

    def told(self, effect: str) -> "Tally":
        """The same after one more report; what had no effect or is unknown counts for nothing."""
        return Tally(self.helped + (effect == Effect.HELPED), self.harmed + (effect == Effect.HARMED))


NOTHING: Final = Tally()


def lift(tally: Tally, rules: Constants = DEFAULTS) -> float:
    """What is added to a match when procedures are put in order; a harm weighs double (ENGINE section 9)."""
    told = rules.procedure_step * (tally.helped - 2 * tally.harmed)
    return min(max(told, -rules.procedure_most), rules.procedure_most)


def wrong_with(name: str, description: str, folder: str) -> Iterator[tuple[str, str]]:
    """Key and reason of everything in which the frontmatter is not that of a skill in the folder `folder`."""
    if not NAME.fullmatch(name) or len(name) > NAME_LIMIT:
        limit = f"up to {NAME_LIMIT} of a-z 0-9, in words joined by single hyphens"
        yield "name", f"is missing; write {limit}" if not name else f"{name!r} is no name: {limit}"
    elif name != folder:
        yield "name", f"{name!r} differs from the name of its folder, {folder!r}"
    if not description.strip():
        yield "description", "is missing; say in a sentence what it does and when to use it"
    elif len(description) > DESCRIPTION_LIMIT:
        yield "description", f"is longer than {DESCRIPTION_LIMIT} characters"


def with_warnings(before: str, now: str) -> str:
    """The body `now` with every warning of the body `before` that it leaves out, at its end."""
    kept = list(_lacking(before, now))
    return "\n\n".join([now.rstrip("\n"), *kept]) + "\n" if kept else now


def failed(before: str, now: str, day: str) -> str:
    """The body `before` with `now` as an attempt that failed on `day`, like 2026-07-01."""
    attempt = f"## Failed attempt, {day}\n\n{_deeper(now).strip()}"
    if attempt in before:
        return before
    return f"{before.rstrip()}\n\n{attempt}\n" if before.strip() else f"\n{attempt}\n"


def _lacking(before: str, now: str) -> Iterator[str]:
    lines = {line.strip() for line in now.splitlines()}
    for heading, text in _warnings(before):
        left = [line for line in text if not line.strip() or line.strip() not in lines]
        if any(line.strip() for line in left):
            yield f"{heading}\n\n" + "\n".join(left).strip("\n")


def _warnings(body: str) -> Iterator[tuple[str, list[str]]]:
    """Heading and lines of each section that warns."""
    for section in _SECTION.split(body):
        heading, _, text = section.partition("\n")
        if heading.startswith("## ") and _WARNS.search(heading):
            yield heading, text.splitlines()


def _deeper(body: str) -> str:
    """The text of `body` with its headings one level further in, so that they end no section."""
    return re.sub(r"^(#{1,5}) ", r"\1## ", body, flags=re.MULTILINE)


def nearest(found: Iterable[Procedure], scope: Scope) -> dict[str, Procedure]:
    """Name → the procedure that is meant from `scope`: its own before those that every scope sees."""
    order = {seen: at for at, seen in enumerate(scope.seen)}
    chosen: dict[str, Procedure] = {}
    for one in sorted(found, key=lambda one: (order.get(one.scope, len(order)), one.path)):
        if one.scope in order:
            chosen.setdefault(one.name, one)
    return chosen
