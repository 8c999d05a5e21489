"""Long text cut into pieces that a model can read whole.

The danger is a last line that nothing finds, or a text that eats the memory: pieces cover
every word, and never more than a window of the text is tokenised at a time.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final

WINDOW: Final = 4096  # characters tokenised at a time, at first
LARGEST_WINDOW: Final = 65_536  # a window grows where characters make few tokens, like spaces

# Where a reader would pause, best first.
PAUSES: Final = ("\n\n", "\n", ". ", "! ", "? ", "。", "; ", " ")

Spans = Callable[[str], Sequence[tuple[int, int]]]


def chunks(text: str, room: int, spans: Spans, limit: int | None = None) -> list[str]:
    """Pieces of at most `room` tokens that leave out nothing but blank ones; one if the text fits.

    With `limit` the first so many of them.

    `spans` says where each token of a string stands, in characters. A piece ends where a
    reader would pause, if there is such a place in its second half.
    """
    if text.isascii() and len(text) <= room:  # a token is at least one character of ASCII
        return [text]
    return list(islice(_pieces(text, room, spans), limit))


def _pieces(text: str, room: int, spans: Spans) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = _end(text, start, room, spans)
        if text[start:end].strip() or end - start == len(text):
            yield text[start:end]
        start = end


def _end(text: str, start: int, room: int, spans: Spans) -> int:
    reach = WINDOW
    while True:
        window = text[start : start + reach]
        found = spans(window)
        if len(found) > room:
            return start + _pause(window, max(found[room][0], 1))
        if start + reach >= len(text):
            return len(text)
        if reach >= LARGEST_WINDOW:
            return start + _pause(window, len(window))
        reach *= 4


def _pause(window: str, limit: int) -> int:
    for pause in PAUSES:
        place = window.rfind(pause, limit // 2, limit)
        if place >= 0:
            return place + len(pause)
    return limit
