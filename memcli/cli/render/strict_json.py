"""JSON that every strict reader takes and no terminal obeys.

`json.dumps` writes NaN, leaves lone surrogates that cannot be encoded, and passes on
separators and controls that break lines or steer terminals. Here all of them are escapes,
so the text read back is the text stored.
"""

import json

from memcli.cli.render.text import ESCAPES
from memcli.memory.rounding import number

__all__ = ["dumps", "number"]


def dumps(value: object) -> str:
    """`value` as one line of JSON; numbers that are none become null."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if text.isascii() and text.isprintable() else "".join(map(_escaped, text))


def _escaped(character: str) -> str:
    code = ord(character)
    if code not in ESCAPES and not 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004 - the surrogates
        return character
    if code > 0xFFFF:  # noqa: PLR2004 - JSON escapes hold 16 bits
        high, low = divmod(code - 0x10000, 0x400)
        return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
    return f"\\u{code:04x}"
