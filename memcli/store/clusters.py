"""Files of clusters: memories of which one was never right, and a person's word about the others."""

from collections.abc import Iterator
from datetime import UTC

from memcli.errors import BadFile
from memcli.memory import scope
from memcli.memory.clusters import Cluster, Member
from memcli.memory.scope import Scope
from memcli.store import head
from memcli.store.keys import Keys

DEFAULT_SCOPE = Scope("project", "clusters")  # of a memory that names none


def of_bytes(raw: bytes, path: str) -> tuple[Cluster, ...]:
    """The clusters that a file holds; ids are made unlike those of other clusters by its name.

    Raises BadFile (with lines) where it does not say clearly what it means.
    """
    try:
        block = raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise BadFile(f"{path} is not UTF-8.", "Convert it first, for example with iconv.") from error
    try:
        keys = Keys(head.read(block), block, UTC)
    except head.NotRead as error:
        raise _bad(path, (f"{path}:{error.line}: {error.key}: {error.what}",)) from error
    found = tuple(_cluster(each) for each in keys.each("clusters"))
    if keys.mistakes or not found:
        lines = tuple(f"{path}:{wrong.line}: {wrong.key}: {wrong.what}" for wrong in keys.mistakes)
        raise _bad(path, lines or (f"{path}:1: clusters: is missing",))
    return found


def _bad(path: str, details: tuple[str, ...]) -> BadFile:
    hint = "A list `clusters`, each with name, retract and memories (id, claim, events, tags, scope, stands)."
    return BadFile(f"{path} is no file of clusters.", hint, details)


def _cluster(keys: Keys) -> Cluster:
    name = keys.text("name")
    members = tuple(_members(keys, name))
    retract = _named(name, keys.text("retract"))
    if retract not in {one.id for one in members}:
        keys.wrong("retract", "names none of its memories")
    if len({one.id for one in members}) < len(members):
        keys.wrong("memories", "two of them have one id")
    return Cluster(name, retract, members)


def _members(keys: Keys, name: str) -> Iterator[Member]:
    for each in keys.each("memories"):
        if not each.text("claim"):
            each.wrong("claim", "is missing")
        where = each.parsed("scope", scope.parse, DEFAULT_SCOPE)
        yield Member(
            id=_named(name, each.text("id")),
            claim=each.text("claim"),
            scope=where or DEFAULT_SCOPE,
            tags=frozenset(each.texts("tags")),
            events=tuple(_named(name, one) for one in each.texts("events")),
            stands=each.parsed("stands", _stands, None),
        )


def _stands(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false")
    return text == "true"


def _named(cluster: str, id_: str) -> str:
    return f"{cluster}/{id_}"
