"""Characters that no reader sees but that change what is read: by a person, a terminal or a model.

The danger is a claim that says one thing to whoever looks at it and another to the agent that
recalls it. Joiners between letters and one selector behind a picture are how scripts and emoji are
written, and pass; several selectors in a row carry bytes.
"""

import re
from typing import Final

from memcli.memory import hidden

# Beside what is escaped when it is shown: what some scripts are written with, and what stands for a lost one.
_ALSO: Final = "\u00ad\u17b4\u17b5\u180b-\u180f\ufffd\U0001d173-\U0001d17a"
_RANGES: Final = "".join(f"{chr(first)}-{chr(last)}" for first, last in hidden.RANGES)
_UNSEEN: Final = re.compile(f"[{_RANGES}{_ALSO}]|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{{2}}")


def first(text: str) -> str:
    """The first of them in `text`, empty where there is none."""
    if text.isascii() and text.isprintable():
        return ""
    found = _UNSEEN.search(text)
    return found[0][0] if found else ""


def told(character: str) -> str:
    """What a person is told of one."""
    return f"its text holds U+{ord(character):04X}, which most editors do not show"
