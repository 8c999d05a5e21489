"""Onboarding: what the documents of a project state, as claims that wait for a person.

It is an import whose lines are made here: every sentence is judged like any claim that comes in,
what was forgotten stays out, and the same documents a second time bring nothing new.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from memcli.engine.moving import importing
from memcli.engine.moving.brought import Brought
from memcli.engine.moving.importing import Imported, ImportRequest
from memcli.engine.opened import Opened
from memcli.memory import onboarding

# What projects keep for agents and newcomers; a README advertises, and is read where it is named.
KNOWN: Final = (
    "CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
    "CONTRIBUTING.md",
)


@dataclass(frozen=True, slots=True)
class Document:
    """A text by the name that it was given by."""

    name: str
    text: str


def known(folder: Path) -> tuple[str, ...]:
    """Which of the usual documents lie in `folder`."""
    return tuple(name for name in KNOWN if (folder / name).is_file())


def run(
    opened: Opened,
    documents: Sequence[Document],
    *,
    dry_run: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Imported:
    """Take in what `documents` state, for review, in one commit. Raises what an import raises."""
    stated = [(document, one) for document in documents for one in onboarding.stated(document.text)]
    if not stated:
        return Imported(())
    lines = [
        {"text": one.text, "type": one.type.value, "tags": [Path(document.name).name]}
        for document, one in stated
    ]
    named = ", ".join(document.name for document in documents)
    text = "\n".join(json.dumps(one) for one in lines)
    told = importing.run(opened, ImportRequest(text, dry_run=dry_run, reason=f"onboard {named}"), progress)
    places = [f"{document.name}:{one.line}" for document, one in stated]
    return replace(told, memories=tuple(_placed(one, places) for one in told.memories))


def _placed(one: Brought, places: Sequence[str]) -> Brought:
    """A refusal with the line of the document that it is about; its type and tags are nobody's statement."""
    one = replace(one, own=())
    return replace(one, error=f"{places[one.line - 1]}: {one.error}") if one.error and one.line else one
