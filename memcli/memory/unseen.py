"""Characters that no reader sees but that change what is read: by a person, a terminal or a model.

The danger is a claim that says one thing to whoever looks at it and another to the agent that
recalls it. Joiners between letters and one selector behind a picture are how scripts and emoji are
written, and pass; several selectors in a row carry bytes.
"""

import re
from typing import Final

_UNSEEN: Final = re.compile(
    "[\x01-\x08\x0b-\x1f\x7f-\x9f"  # controls; NUL is read as U+FFFD
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # turn the order of reading
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\u3164\ufeff"
    "\uffa0\ufff9-\ufffb\ufffd\U0001d173-\U0001d17a\U000e0000-\U000e007f]"  # no width, or fill none
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}"
)


def first(text: str) -> str:
    """The first of them in `text`, empty where there is none."""
    if text.isascii() and text.isprintable():
        return ""
    found = _UNSEEN.search(text)
    return found[0][0] if found else ""


def told(character: str) -> str:
    """What a person is told of one."""
    return f"its text holds U+{ord(character):04X}, which most editors do not show"
