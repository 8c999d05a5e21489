"""What a shell may offer to complete a word: verbs, choices, scopes and ids.

Completion runs while a person types, so it must be quick and can never complain: whatever
goes wrong, it offers nothing.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from memcli.cli import words
from memcli.errors import MemError

if TYPE_CHECKING:
    from memcli.engine.reading import Listed

Offer = tuple[str, str]
LIMIT: Final = 200  # asserted: more than anybody reads


def source(completes: str, choices: tuple[str, ...]) -> Callable[[str], list[Offer]] | None:
    """The function that offers words for an argument or option, None where there is nothing to offer."""
    if choices:
        return lambda incomplete: [(choice, "") for choice in choices if choice.startswith(incomplete)]
    return {"ids": ids, "scopes": scopes, "verbs": verbs}.get(completes)


def verbs(incomplete: str) -> list[Offer]:
    """Verbs with their summaries."""
    return [(verb.name, verb.summary) for verb in words.all_verbs() if verb.name.startswith(incomplete)]


def ids(incomplete: str) -> list[Offer]:
    """Ids of the working scope's memories with their claims."""
    from memcli.cli.render.text import one_line

    return [(line.id, one_line(line.claim)) for line in _listed() if line.id.startswith(incomplete)][:LIMIT]


def scopes(incomplete: str) -> list[Offer]:
    """Scopes that hold memories."""
    known = {"global": "", "user": ""} | {line.scope: "" for line in _listed(every=True)}
    return [(scope, "") for scope in sorted(known) if scope.startswith(incomplete)][:LIMIT]


def _listed(*, every: bool = False) -> "Iterable[Listed]":
    from memcli.engine import reading
    from memcli.engine.opened import open_store
    from memcli.surroundings import read

    try:
        opened = open_store(read())
        return tuple(reading.list_(opened, reading.ListRequest("*" if every else None)))
    except (MemError, OSError):
        return ()
