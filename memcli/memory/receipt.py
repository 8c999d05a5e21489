"""A receipt: what was asked, of which state of the store, and what was answered, under the hash of it all.

It says enough to ask the same question again and to tell whether the answer is the same. No
text of a memory stands in it, so that forgetting one needs no search through old answers. The
danger is a receipt that somebody touched up: its id is the hash of its body, so one changed
character is another receipt.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from memcli.memory import scope, times
from memcli.memory.schema import ID_ALPHABET
from memcli.memory.visibility import Mode

FORMAT: Final = "mem.receipt/1"
LOGIC: Final = 1  # raised whenever an equal question of equal files may be answered otherwise
PREFIX: Final = "r_"
ID_LENGTH: Final = 20  # characters after `r_`: 100 bits, so that nobody makes a second body for an id

Said = Mapping[str, Any]

_TEXT, _LIST, _OBJECT, _COUNT = str, list, dict, int
_NONE: Final = type(None)
# Every key of a receipt with the types that its value may have.
KEYS: Final[Mapping[str, tuple[type, ...]]] = {
    "format": (_TEXT,),
    "id": (_TEXT,),
    "of": (_TEXT,),
    "query": (_TEXT,),
    "masked": (bool,),
    "scope": (_TEXT,),
    "mode": (_TEXT,),
    "k": (_COUNT,),
    "budget": (_COUNT,),
    "floor": (_TEXT, _NONE),
    "types": (_LIST,),
    "tags": (_LIST,),
    "evidence": (_TEXT,),
    "events": (_TEXT,),
    "frame": (_LIST,),
    "asked": (_OBJECT,),
    "as_of": (_TEXT,),
    "known_at": (_TEXT, _NONE),
    "commit": (_TEXT, _NONE),
    "tree": (_TEXT, _NONE),
    "uncommitted": (_LIST,),
    "stale": (bool,),
    "settings": (_TEXT,),
    "engine": (_OBJECT,),
    "gate": (_OBJECT, _NONE),
    "outcome": (_TEXT,),
    "withheld": (_OBJECT,),
    "selected": (_LIST,),
    "procedures": (_LIST,),
    "tokens": (_COUNT,),
    "session": (_TEXT, _NONE),
    "output": (_OBJECT,),
}
_INNER: Final[Mapping[str, Mapping[str, tuple[type, ...]]]] = {
    "asked": {"as_of": (_TEXT, _NONE), "known_at": (_TEXT, _NONE), "gate": (bool,)},
    "engine": {"encoder": (_TEXT, _NONE), "logic": (_COUNT,)},
    "output": {"bytes": (_COUNT,), "sha256": (_TEXT,)},
}
_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")  # SHA-1 or SHA-256
_OF: Final = ("recall", "activate")  # what a receipt can be of
_PROCEDURE: Final[Mapping[str, tuple[type, ...]]] = {
    "name": (_TEXT,),
    "path": (_TEXT,),
    "blob": (_TEXT, _NONE),
}
_SELECTED: Final[Mapping[str, tuple[type, ...]]] = {
    "rank": (_COUNT,),
    "kind": (_TEXT,),
    "id": (_TEXT,),
    "blob": (_TEXT, _NONE),
    "score": (_COUNT,),
    "match": (_COUNT,),
    "vector": (_COUNT,),
    "lexical": (_COUNT,),
    "via": (_TEXT,),
}


@dataclass(frozen=True, slots=True)
class Receipt:
    """One receipt; `said` holds every key of KEYS."""

    said: Said

    @property
    def id(self) -> str:
        """What it calls itself."""
        return str(self.said["id"])

    @property
    def raw(self) -> bytes:
        """The bytes of its file."""
        return canonical(self.said) + b"\n"

    @property
    def selected(self) -> tuple[Mapping[str, Any], ...]:
        """What was shown, in order."""
        return tuple(self.said["selected"])


@dataclass(frozen=True, slots=True)
class Changed:
    """One key that is not what it must be: what the receipt says, and what holds."""

    key: str
    given: object
    holds: object


class NotAReceipt(ValueError):
    """The bytes are no receipt; the words say why."""


def made(body: Mapping[str, object]) -> Receipt:
    """The receipt with this body: every key of KEYS but the id, and no number that is not whole."""
    said = {"format": FORMAT, **body}
    return Receipt({**said, "id": id_of(said)})


def id_of(said: Mapping[str, object]) -> str:
    """The id that a receipt with these keys must have; an id among them does not count."""
    body = {key: value for key, value in said.items() if key != "id"}
    digest = sha256(canonical(body)).digest()
    return PREFIX + "".join(ID_ALPHABET[byte & 31] for byte in digest[:ID_LENGTH])


def canonical(value: object) -> bytes:
    """`value` as JSON in the one way that is hashed: keys in order, no spaces, ASCII alone."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    ).encode()


def read(raw: bytes) -> Receipt:
    """The receipt in these bytes, whether its id is right or not. Raises NotAReceipt."""
    try:
        said = json.loads(raw, parse_float=_refuse_float, parse_constant=_refuse_float)
    except NotAReceipt:
        raise
    except (ValueError, RecursionError) as error:
        raise NotAReceipt(f"it is no JSON ({error})") from error
    problem = next(_problems(said), "") or _unasked(said)
    if problem:
        raise NotAReceipt(problem)
    return Receipt(said)


def _refuse_float(text: str) -> object:
    raise NotAReceipt(f"it holds {text}, and no number in a receipt has a fraction")


def _problems(said: object) -> Iterator[str]:
    if not isinstance(said, dict):
        yield "it is no JSON object"
        return
    if said.get("format") != FORMAT:
        yield f"its format is {said.get('format')!r}, not {FORMAT}"
    yield from _wrong("", said, KEYS)
    for key, inner in _INNER.items():
        value = said.get(key)
        if isinstance(value, dict):
            yield from _wrong(f"{key}.", value, inner)
    for key, each in (("selected", _SELECTED), ("procedures", _PROCEDURE)):
        listed = said.get(key)
        for place, one in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(one, dict):
                yield from _wrong(f"{key}[{place}].", one, each)
            else:
                yield f"{key}[{place}] is no object"


def _unasked(said: Said) -> str:
    """Why nobody can have asked this, empty where somebody can; its keys are of the right types."""
    try:
        for moment in (said["as_of"], said["known_at"], said["asked"]["as_of"]):
            if moment is not None:
                times.parse(moment)
        Mode(said["mode"])
        if said["scope"] != "*":
            scope.parse(said["scope"])
        floor = 0.0 if said["floor"] is None else float(said["floor"])
    except ValueError as error:
        return f"nobody can have asked this: {error}"
    words = [*said["types"], *said["tags"], *said["uncommitted"]]
    sound = 0 <= floor <= 1 and said["k"] > 0 and said["budget"] > 0 and said["query"].strip()
    if not sound or not all(isinstance(word, str) for word in words) or said["of"] not in _OF:
        return "nobody can have asked this"
    if said["commit"] is not None and not _COMMIT.fullmatch(said["commit"]):
        return f"commit cannot be {said['commit']!r}"
    if [type(one) for one in said["frame"]] != [int, int]:
        return f"frame cannot be {said['frame']!r}"
    return ""


def _wrong(where: str, said: Mapping[str, object], keys: Mapping[str, tuple[type, ...]]) -> Iterator[str]:
    for key in sorted(said.keys() ^ keys.keys()):
        yield f"{where}{key} is missing" if key in keys else f"{where}{key} is no key of a receipt"
    for key, kinds in keys.items():
        if key in said and type(said[key]) not in kinds:
            yield f"{where}{key} cannot be {said[key]!r}"


def touched(raw: bytes, name: str) -> tuple[Changed, ...]:
    """What the bytes of the receipt called `name` give away by themselves. Raises NotAReceipt.

    Its id must be the hash of its body, its name that id, and its bytes the one spelling.
    """
    one = read(raw)
    right = id_of(one.said)
    found = [Changed("id", one.id, right)] if one.id != right else []
    if name not in (one.id, right):
        found.append(Changed("name", name, right))
    if not found and raw.rstrip(b"\n") != canonical(one.said):
        found.append(Changed("spelling", "", "keys in order, no spaces, ASCII alone"))
    return tuple(found)


def differing(given: Receipt, again: Receipt) -> tuple[Changed, ...]:
    """The keys that a receipt for the same question, made anew, states otherwise."""
    keys = (key for key in KEYS if key != "id")
    return tuple(
        Changed(key, given.said[key], again.said[key]) for key in keys if given.said[key] != again.said[key]
    )
