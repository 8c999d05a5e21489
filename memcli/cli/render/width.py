"""How wide text is in a terminal, and cutting it there without cutting a character in two."""

from typing import Final

ELLIPSIS: Final = "…"
_FLAG_LETTERS: Final = ("\U0001f1e6", "\U0001f1ff")  # two of them are one flag
_SKIN: Final = ("\U0001f3fb", "\U0001f3ff")  # changes the person before it


def cells(text: str) -> int:
    """Columns that `text` takes."""
    if text.isascii():
        return len(text)
    return sum(size for _, size in _characters(text))


def cut(text: str, width: int) -> str:
    """`text` in at most `width` columns (at least one), with an ellipsis where something was left out."""
    if cells(text) <= width:
        return text
    if text.isascii():
        return text[: width - 1].rstrip() + ELLIPSIS
    kept: list[str] = []
    room = width - 1
    for character, size in _characters(text):
        room -= size
        if room < 0:
            break
        kept.append(character)
    return "".join(kept).rstrip() + ELLIPSIS


def _characters(text: str) -> list[tuple[str, int]]:
    """What a reader sees as single characters, with their columns."""
    from rich.cells import split_graphemes

    spans, _ = split_graphemes(text)
    characters: list[tuple[str, int]] = []
    for start, end, size in spans:
        piece = text[start:end]
        if characters and _belongs(characters[-1][0], piece):
            before, width = characters.pop()
            characters.append((before + piece, max(width, size)))
        else:
            characters.append((piece, size))
    return characters


def _belongs(before: str, piece: str) -> bool:
    """Whether `piece` continues the character `before`: half of a flag, a colour of skin."""
    first = piece[0]
    if _SKIN[0] <= first <= _SKIN[1]:
        return True
    flags = sum(_FLAG_LETTERS[0] <= letter <= _FLAG_LETTERS[1] for letter in before)
    return flags % 2 == 1 and len(before) == flags and _FLAG_LETTERS[0] <= first <= _FLAG_LETTERS[1]
