"""Where the frontmatter of a file ends and its body begins, decided on bytes.

The danger here is a block that is taken for text or text that is taken for a block: a
`status: forgotten` that stands in the wrong half is a claim served again. So there is one
rule (the first line is `---`, the block ends at the next line that is `---`), and whatever
looks as if another rule was meant is refused, never guessed.
"""

import re
from typing import Final, NamedTuple

BOM: Final = b"\xef\xbb\xbf"
_OPEN: Final = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*(?:\r?\n|\Z)")
_CLOSE: Final = re.compile(rb"^---[ \t]*\r?$", re.MULTILINE)
_LATE: Final = re.compile(rb"(?:[ \t\r\n]|\xef\xbb\xbf)+---[ \t]*\r?\n[ \t\r\n]*[A-Za-z_][\w.-]*:")
# Keys that say what counts: below no fence, or nearly one, they are no text.
_GRAVE: Final = re.compile(rb"[\"']?(?:id|status|scope|validity)[\"']?[ \t]*:(?=[ \t\r]|\Z)")
_KEY: Final = re.compile(rb"[\"']?[A-Za-z_][\w.-]*[\"']?[ \t]*:(?=[ \t\r]|\Z)")
_NEARLY: Final = re.compile(rb"[ \t]*-{3,}[ \t\r]*\Z")
_LOOKED_AT: Final = 64 * 1024  # asserted: as much as a frontmatter may hold
_CARRIAGE: Final = re.compile(rb"---[ \t]*\r(?!\n)")
_SECOND: Final = re.compile(rb"[ \t\r\n]*---[ \t]*\r?\n[ \t\r\n]*[A-Za-z_][\w.-]*:(?:[ \t\r\n]|\Z)")
_OURS: Final = re.compile(rb"^<{7}(?: |\r?$)", re.MULTILINE)
_MIDDLE: Final = re.compile(rb"^={7}\r?$", re.MULTILINE)
_THEIRS: Final = re.compile(rb"^>{7} ", re.MULTILINE)


class Unfenced(ValueError):
    """The file has no clear frontmatter; `line` counts from 1."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line
        self.what = what


class Fences(NamedTuple):
    """Offsets into the file's bytes: YAML is [start, end), the body begins at `body`.

    Without frontmatter `start` and `end` are 0 and `body` stands behind a byte order mark.
    """

    start: int
    end: int
    body: int

    @property
    def bare(self) -> bool:
        """Whether there is no frontmatter at all."""
        return self.start == 0


def find(raw: bytes) -> Fences:
    """The fences of `raw`. Raises Unfenced where the file leaves a doubt."""
    opening = _OPEN.match(raw)
    if opening is None:
        return _bare(raw)
    closing = _CLOSE.search(raw, opening.end())
    if closing is None:
        raise Unfenced(1, "the frontmatter has no closing line ---")
    body = min(closing.end() + 1, len(raw))
    second = _SECOND.match(raw, body)
    if second is not None and _CLOSE.search(raw, second.end()):
        raise Unfenced(
            line_at(raw, raw.index(b"---", body)), "a second frontmatter block follows the first; keep one"
        )
    return Fences(opening.end(), closing.start(), body)


def _bare(raw: bytes) -> Fences:
    """A file without frontmatter, if nothing suggests that one was meant."""
    if raw.startswith((b"+++\n", b"+++\r\n")):
        raise Unfenced(1, "TOML frontmatter (+++) is not read; write YAML between lines ---")
    text = raw.strip(BOM + b" \t\r\n")
    if _CARRIAGE.match(text) or (b"\r" in text and b"\n" not in text):
        raise Unfenced(1, "lines end in a carriage return alone; save with LF or CRLF")
    late = _LATE.match(raw)
    if late is not None:
        raise Unfenced(line_at(raw, raw.index(b"---")), "the frontmatter has to begin on the first line")
    if _meant(raw):
        raise Unfenced(1, "the frontmatter has to begin with a line --- and nothing else on it")
    start = len(BOM) if raw.startswith(BOM) else 0
    return Fences(0, 0, start)


def _meant(raw: bytes) -> bool:
    """Whether the text begins like a frontmatter whose first line is lost, or nearly a fence (`--- #`)."""
    lines = raw[:_LOOKED_AT].lstrip(BOM + b" \t\r\n").split(b"\n")
    nearly = lines[0].startswith(b"--")
    end = next((at for at, line in enumerate(lines) if at and _NEARLY.match(line)), 0)
    block = lines[nearly:end]
    if not any(_GRAVE.match(line) for line in block):
        return False
    return nearly or (_KEY.match(block[0]) is not None and all(line.strip() for line in block))


def conflict_line(raw: bytes) -> int:
    """The line of the first conflict marker that git left, 0 where there is none.

    `=======` underlines a heading and seven `>` quote a quote, so these two count only together.
    """
    if b"<<<<<<<" not in raw and b">>>>>>>" not in raw:
        return 0
    raw = raw.removeprefix(BOM)
    ours = _OURS.search(raw)
    if ours is not None:
        return line_at(raw, ours.start())
    middle, theirs = _MIDDLE.search(raw), _THEIRS.search(raw)
    return line_at(raw, min(middle.start(), theirs.start())) if middle and theirs else 0


def line_at(raw: bytes, offset: int) -> int:
    """The line that holds byte `offset`, counted from 1 by LF alone."""
    return raw.count(b"\n", 0, offset) + 1


def split(raw: bytes) -> tuple[bytes, bytes]:
    """(head, body) with `head + body == raw`; the head holds both fences, or is empty (or a BOM).

    Raises Unfenced.
    """
    body = find(raw).body
    return raw[:body], raw[body:]
