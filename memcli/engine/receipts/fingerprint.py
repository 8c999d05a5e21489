"""What beside the files an answer depends on: the settings it went by, and the engine that gave it."""

from hashlib import sha256
from typing import Final

from memcli.engine.opened import Opened
from memcli.memory import receipt
from memcli.memory.constants import DEFAULTS
from memcli.store.settings import Settings

# The groups of constants that an answer goes by. How many and how much were asked for stands in
# the receipt itself.
_GROUPS: Final = frozenset(
    {
        "ranking",
        "expansion",
        "events",
        "match",
        "recall",
        "guard",
        "gate",
        "ladder",
        "use",
        "retract",
        "encoder",
    }
)
_ASKED: Final = frozenset({"recall.k", "recall.budget_tokens"})


def of_settings(settings: Settings) -> str:
    """The hash of every setting that can change an answer, as far as it is not the default.

    So a version that knows one more setting still knows the receipts from before; what the
    defaults are is the engine's to say.
    """
    numbers = {
        one.key: repr(one.value)
        for one, usual in zip(settings.constants, DEFAULTS, strict=True)
        if one.value != usual.value and one.key.partition(".")[0] in _GROUPS and one.key not in _ASKED
    }
    said = {"timezone": settings.timezone_name, "constants": numbers}
    return "sha256:" + sha256(receipt.canonical(said)).hexdigest()


def of_engine(opened: Opened) -> dict[str, object]:
    """The engine: its encoder (None where words alone were ranked on), and the version of its rules.

    An encoder's fingerprint changes with its model, how that was quantised, its runtime, the
    kernels of this machine and everything else that moves a bit of a vector.
    """
    encoder = opened.encoder
    return {"encoder": encoder.fingerprint if encoder else None, "logic": receipt.LOGIC}
