"""What a schema's file says, and what is wrong with it.

One bad file never hides another and is never repaired by a guess: it is *set aside* with
its problems, its bytes untouched. `parse` answers for every sequence of bytes and raises
for none.
"""

import hashlib
from datetime import tzinfo
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from memcli.memory import scope, unseen
from memcli.memory.schema import ID_ALPHABET, ID_LENGTH, Schema
from memcli.memory.scope import Scope
from memcli.store import body as bodies
from memcli.store import fences
from memcli.store.compose import compose, moment
from memcli.store.fences import Unfenced, split
from memcli.store.problem import Problem

if TYPE_CHECKING:
    from frontmatter.default_handlers import YAMLHandler

    from memcli.store.head import Keyed

__all__ = ["LIMIT_BYTES", "Parsed", "Problem", "claim_of", "compose", "derived_id", "digest", "moment",
           "parse", "scope_of", "split"]  # fmt: skip

LIMIT_BYTES: Final = 1024 * 1024  # FORMAT section 3: what is larger is not read
_FOLDER: Final = "schemas"


class Parsed(NamedTuple):
    """What a file says: `schema`, or None with the `problems` that set it aside.

    `notices` are worth a person's look but withhold nothing; `bare` means no frontmatter,
    `derived` that the id stands in no file yet and follows from the path.
    """

    schema: Schema | None
    problems: tuple[Problem, ...] = ()
    notices: tuple[Problem, ...] = ()
    bare: bool = False
    derived: bool = False


def parse(raw: bytes, path: str, zone: tzinfo) -> Parsed:
    """Read the bytes of the file that the store calls `path`; times without offset are in `zone`."""
    try:
        text = _text(raw)
        fence = fences.find(raw)
    except Unfenced as error:
        return Parsed(None, (Problem(path, error.line, "", error.what),))
    return _parsed(text, raw[fence.body :].decode(), path, zone, bare=fence.bare)


def _text(raw: bytes) -> str:
    """The text of `raw` without its byte order mark. Raises Unfenced where it is no text to read."""
    if len(raw) > LIMIT_BYTES:
        raise Unfenced(0, f"is larger than {LIMIT_BYTES // 1024} KiB, the limit of a file")
    marker = fences.conflict_line(raw)
    if marker:
        raise Unfenced(marker, "in conflict: git left its markers here; resolve them and save")
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unfenced(1, "is UTF-16; save it as UTF-8")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise Unfenced(fences.line_at(raw, error.start), "is not UTF-8 here; save it as UTF-8") from error
    if not text.strip("\ufeff\0 \t\r\n"):
        raise Unfenced(1, "is empty")
    return text.removeprefix("\ufeff")


def _parsed(text: str, body_text: str, path: str, zone: tzinfo, *, bare: bool) -> Parsed:
    from memcli.store import fields, head, keys  # printing a claim needs none of them

    try:
        read, block = (head.NOTHING, "") if bare else _metadata(text)
    except head.NotRead as error:
        return Parsed(None, (Problem(path, error.line + 1, error.key, error.what),))
    asked = keys.Keys(read, block, zone)
    body = bodies.read(body_text)
    folder = scope_of(path)
    schema = fields.read(asked, body, derived_id=derived_id(path), folder_scope=folder)
    problems = tuple(Problem(path, 1 if bare else wrong.line + 1, *wrong[1:]) for wrong in asked.mistakes)
    if not bodies.says_something(body.claim):
        problems += (Problem(path, 0, "", "has no claim: no paragraph stands below the frontmatter"),)
    if schema is None or problems:
        return Parsed(None, tuple(sorted(problems, key=lambda problem: problem.line)), (), bare)
    remarks = tuple(Problem(path, remark.line + 1, *remark[1:]) for remark in asked.remarks)
    derived = not asked.has("id")
    notices = (*remarks, *_notices(schema, path, folder, missing_id=derived and not bare))
    notices += _hidden(schema, path, text, len(text) - len(body_text))
    return Parsed(schema, (), notices, bare, derived)


def _metadata(text: str) -> "tuple[Keyed, str]":
    """What the frontmatter of `text` says, and the block itself. Raises NotRead."""
    import frontmatter  # 27 ms that only a reader of whole files pays

    metadata, _ = frontmatter.parse(text, handler=_as_written())
    return cast("tuple[Keyed, str]", (metadata["head"], metadata["block"]))


@cache
def _as_written() -> "YAMLHandler":
    """python-frontmatter's YAML, with our fences and with scalars left as they are written."""
    from frontmatter.default_handlers import YAMLHandler  # see _metadata

    from memcli.store import head  # see _parsed

    class AsWritten(YAMLHandler):
        def split(self, text: str) -> tuple[str, str]:
            raw = text.encode()
            fence = fences.find(raw)
            return raw[fence.start : fence.end].decode(), raw[fence.body :].decode()

        def load(self, fm: str, **_: object) -> dict[str, object]:
            return {"head": head.read(fm), "block": fm}

    return AsWritten()


def scope_of(path: str) -> Scope | None:
    """The scope of the folder in which `path` lies, None outside any."""
    first, *folders = path.split("/")[:-1] or ("",)
    return scope.of_folder(tuple(folders)) if first == _FOLDER else None


def _notices(schema: Schema, path: str, folder: Scope | None, *, missing_id: bool) -> tuple[Problem, ...]:
    found = []
    if missing_id:
        found.append(Problem(path, 1, "id", f"is missing; {schema.id} is used, and follows from the path"))
    if folder != schema.scope:
        where = f"the folder says {folder}" if folder else "the folder names no scope"
        found.append(Problem(path, 1, "scope", f"{where}, the frontmatter {schema.scope}, which counts"))
    return tuple(found)


def _hidden(schema: Schema, path: str, text: str, start: int) -> tuple[Problem, ...]:
    """What no reader sees in the body, which begins at `start` of `text`, and in the keys that hold texts."""
    said = {
        "": f"{schema.title}\n{schema.claim}\n{schema.detail}",
        "concept": schema.concept,
        "tags": " ".join(schema.tags),
        "key": schema.key,
        "evidence": " ".join(each.quote for each in schema.evidence),
    }
    found = [(key, unseen.first(one)) for key, one in said.items()]
    return tuple(_unseen(key, one, path, text, start) for key, one in found if one)


def _unseen(key: str, character: str, path: str, text: str, start: int) -> Problem:
    """Where the first one stands: one of a key may be an escape there, and is told on the first line."""
    if character == "\ufffd" and "\0" in text[start:]:
        character = "\0"
    at = max(text.find(character, 0 if key else start), 0 if key else start)
    return Problem(path, text.count("\n", 0, at) + 1, key, unseen.told(character))


def claim_of(raw: bytes) -> str:
    """The claim of a file that `parse` accepts, read without YAML; empty where it finds none."""
    try:
        start = fences.find(raw).body
    except Unfenced:
        return ""
    return bodies.read(raw[start:].decode(errors="replace")).claim


def digest(raw: bytes) -> str:
    """32 hexadecimal digits of the SHA-256 of `raw`."""
    return hashlib.sha256(raw).hexdigest()[:32]


def derived_id(path: str) -> str:
    """The id of the file at `path` while it states none: 12 characters that follow from the path alone.

    Two spellings of one name (NFC, NFD) are two files and get two ids.
    """
    number = int.from_bytes(hashlib.sha256(b"path\0" + path.encode("utf-8", "surrogateescape")).digest()[:8])
    return "".join(ID_ALPHABET[number >> 5 * place & 31] for place in range(ID_LENGTH))
