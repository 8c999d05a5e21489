"""The index against the files it was made from, and the cache of vectors behind it."""

from collections.abc import Iterator
from shlex import quote
from typing import Final

from memcli.engine import indexing
from memcli.engine.health.examining import Finding, Named, fail, ok, some, warn
from memcli.engine.health.look import Look
from memcli.memory.numerals import counted

_REBUILD: Final = "mem index rebuild"
_MODEL_FIRST: Final = "Put the model right first; then run `mem index status`."


def sound(look: Look) -> Iterator[Finding]:
    """Whether there is an index that fits this encoder, is whole, and says what was seen of the files."""
    if look.seen is None:
        return
    from memcli.index import generations

    folder, encoder = look.place.index_folder, look.opened.encoder
    generation = generations.current(folder)
    made = generations.about(generation) if generation else None
    wanted = generations.About(
        encoder.dimensions if encoder else 0, encoder.fingerprint if encoder else "words"
    )
    if not (folder / generations.CURRENT).exists():
        yield _missing(look)
    elif generation is None or made is None:
        yield fail("index", "The index is damaged: it does not say what it was made for.", _REBUILD)
    elif encoder is None and made.dimensions:
        yield warn("index", "The model that the index was made with cannot be used.", _MODEL_FIRST)
    elif made != wanted:
        yield warn("index", "The index was made for another encoder or by another version.", _REBUILD)
    else:
        yield _read(look)


def _missing(look: Look) -> Finding:
    if look.seen is None or not look.seen.files:
        return ok("index", "There is nothing to index yet.")
    return warn("index", "There is no index; the next recall makes one.", _REBUILD)


def _read(look: Look) -> Finding:
    from memcli.index import generations, seal

    generation = generations.current(look.place.index_folder)
    broken = seal.broken(generation) if generation else []
    if broken or look.index is None:
        why = broken[0] if broken else "LanceDB cannot open it"
        return fail("index", f"The index is damaged: {why}.", _REBUILD)
    if look.known is None:
        return warn("index", "What the index last saw of the files is lost, or of another version.", _REBUILD)
    held = {row["path"]: row["digest"] for row in look.index.all_rows(("path", "digest"))}
    saw = {path: one.digest for path, one in look.known.items() if not one.problem}
    odd = sorted(path for path in held.keys() | saw.keys() if held.get(path) != saw.get(path))
    if odd and look.busy:
        return ok("index", f"{look.busy} is writing it now.")
    if odd:
        return fail("index", f"The index does not hold what it saw of {some(odd)}.", _REBUILD)
    many, size = look.index.size()
    return ok("index", f"{counted(len(held), 'memory', 'memories')}, {size / 1e6:.1f} MB in {many} files.")


def behind(look: Look) -> Iterator[Finding]:
    """How many files changed since the index looked."""
    if look.index is None or look.known is None:
        return
    many = len(look.changed) + len(look.vanished)
    if many and look.busy:
        yield ok("behind", f"{look.busy} is writing now.")
    elif many:
        what = f"{counted(many, 'file')} changed since the index looked; the next recall reads them."
        yield warn("behind", what, "mem status")
    else:
        yield ok("behind", "The index is up to date.")


def fragments(look: Look) -> Iterator[Finding]:
    """Whether many small writes wait to be put together."""
    if look.index is None:
        return
    if look.index.due():
        many, _ = look.index.size()
        yield warn("fragments", f"The index lies in {many} small files.", "mem doctor --fix")
    else:
        yield ok("fragments", "The index is compact.")


def vectors(look: Look) -> Iterator[Finding]:
    """Whether the cache of vectors can be read; without it a rebuild only takes longer."""
    from memcli.index import cache

    many, wrong = cache.standing(look.place.vectors_folder)
    if wrong:
        remove = f"rm -r {quote(str(look.place.vectors_folder))}"
        yield warn("vectors", f"The cache of vectors is damaged: {wrong[0]}.", remove)
    else:
        yield ok("vectors", f"{counted(many, 'vector')} in the cache.")


def every_row(look: Look) -> Iterator[Finding]:
    """All of the index read, and compared with the bytes of all files: only for a deep look."""
    if look.index is None:
        return
    problems = indexing.verify(look.opened).problems
    if problems:
        yield fail("index, whole", f"{'; '.join(problems[:3])}.", _REBUILD)
    else:
        yield ok("index, whole", "Every row was read and is what its file says.")


CHECKS: Final[tuple[Named[Look], ...]] = (
    ("index", sound),
    ("behind", behind),
    ("fragments", fragments),
    ("vectors", vectors),
)
DEEP: Final[tuple[Named[Look], ...]] = (("index, whole", every_row),)
