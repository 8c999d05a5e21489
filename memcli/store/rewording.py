"""Other words for the claim of a file, and not one byte more: title, detail and frontmatter stay."""

from typing import Final

from memcli.errors import BadFile
from memcli.store import body as bodies
from memcli.store import fences
from memcli.store.fences import Unfenced

_HINT: Final = "A claim is one paragraph, without a heading."


def is_claim(text: str) -> bool:
    """Whether `text` is one claim and nothing else: one paragraph, or one block of code."""
    read = bodies.read(text)
    return bool(read.claim) and not read.title and not read.detail


def set_claim(raw: bytes, text: str, path: str = "") -> bytes:
    """`raw` with `text` as its claim, its lines ending as they do there.

    Raises BadFile where `text` is not one claim, or where the file cannot be read.
    """
    if not is_claim(text):
        raise BadFile("The text is not one claim.", _HINT)
    try:
        start = fences.find(raw).body
        old = raw[start:].decode()
    except (Unfenced, UnicodeDecodeError) as error:
        raise BadFile(f"{path or 'The file'} is set aside.", "Correct the file first.") from error
    return raw[:start] + _reworded(old, bodies.read(text).claim).encode()


def _reworded(old: str, claim: str) -> str:
    read = bodies.read(old)
    head, behind = old[: read.rest], old[read.rest :]
    windows = "\r\n" in head
    for form in (read.claim, read.claim.replace("\n", "\r\n")):
        at = head.rfind(form)
        if form and at >= 0:
            break
    else:
        raise BadFile("The claim cannot be found in its file.", "Edit the file by hand: mem edit ID")
    new = head[:at] + (claim.replace("\n", "\r\n") if windows else claim) + head[at + len(form) :] + behind
    after = bodies.read(new)
    if (after.title, after.claim, after.detail) != (read.title, claim, read.detail):
        raise BadFile("The new words would change more than the claim.", _HINT)
    return new
