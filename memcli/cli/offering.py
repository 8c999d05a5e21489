"""What a shell may offer to complete a word: verbs, choices, scopes and ids.

Completion runs while a person types, so it must be quick and can never complain: whatever
goes wrong, it offers nothing.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

from memcli.cli import words
from memcli.errors import MemError

if TYPE_CHECKING:
    from memcli.engine.opened import Opened
    from memcli.engine.reading import Listed

Offer = tuple[str, str]
LIMIT: Final = 200  # asserted: more than anybody reads


def source(completes: str, choices: tuple[str, ...]) -> Callable[[str], list[Offer]] | None:
    """The function that offers words for an argument or option, None where there is nothing to offer."""
    if choices:
        return lambda incomplete: [(choice, "") for choice in choices if choice.startswith(incomplete)]
    sources = {"ids": ids, "scopes": scopes, "verbs": verbs, "receipts": receipts, "shown": shown}
    more = {"procedures": procedures, "kept_receipts": kept_receipts}
    return (sources | more).get(completes)


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


def receipts(incomplete: str) -> list[Offer]:
    """The receipts of the open session, the newest first, with how much each showed."""
    from memcli.engine.task import shown_to

    told = _of_store(shown_to.receipts)
    return [(id_, f"{len(ids)} shown") for id_, ids in told if id_.startswith(incomplete)][:LIMIT]


def kept_receipts(incomplete: str) -> list[Offer]:
    """Every receipt that the working scope may see, the newest first, with what was asked."""
    from memcli.cli.render.text import one_line
    from memcli.engine.receipts import finding

    told = _of_store(finding.offered)
    return [(id_, one_line(query)) for id_, (query,) in told if id_.startswith(incomplete)][:LIMIT]


def shown(incomplete: str) -> list[Offer]:
    """Ids that the open session was shown, the newest first."""
    from memcli.engine.task import shown_to

    every = dict.fromkeys(id_ for _, ids in _of_store(shown_to.receipts) for id_ in ids)
    return [(id_, "") for id_ in every if id_.startswith(incomplete)][:LIMIT]


def procedures(incomplete: str) -> list[Offer]:
    """Names of the procedures that the working scope sees, with what they are for."""
    from memcli.cli.render.text import one_line
    from memcli.engine import skills

    told = _of_store(lambda opened: ((one.name, (one.description,)) for one in skills.list_(opened)))
    return [(name, one_line(what)) for name, (what,) in told if name.startswith(incomplete)][:LIMIT]


def _of_store(
    ask: "Callable[[Opened], Iterable[tuple[str, tuple[str, ...]]]]",
) -> list[tuple[str, tuple[str, ...]]]:
    from memcli.engine.opened import open_store
    from memcli.surroundings import read

    try:
        return list(ask(open_store(read())))
    except (MemError, OSError):
        return []


def _listed(*, every: bool = False) -> "Iterable[Listed]":
    from memcli.engine import reading
    from memcli.engine.opened import open_store
    from memcli.surroundings import read

    try:
        opened = open_store(read())
        return tuple(reading.list_(opened, reading.ListRequest("*" if every else None)))
    except (MemError, OSError):
        return ()
