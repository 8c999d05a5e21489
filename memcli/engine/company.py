"""Whether a store has its branch to itself, or shares it with somebody's project."""

import re
from typing import Final

from memcli.journal import remotes
from memcli.journal.repository import Journal

# What lies at the top of a store's own branch; anything else is somebody's project.
_OWN: Final = re.compile(
    r"schemas|procedures|events|gold|receipts|tombstones\.jsonl|allowed_signers|mem\.toml|\..*|README.*|LICENSE.*",
    re.IGNORECASE,
)


def of(journal: Journal) -> str:
    """Something else that lies on the branch of the store; empty where nothing does."""
    others = [name for name in remotes.top(journal) if not _OWN.fullmatch(name)]
    return others[0] if others else journal.prefix
