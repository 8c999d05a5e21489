"""The files of a store: what is set aside, twice there, not committed, held back, left over."""

from collections.abc import Iterator
from typing import Final

from memcli.engine import reconcile
from memcli.engine.health import status
from memcli.engine.health.examining import FEW, Finding, Named, fail, in_folder, ok, some, warn
from memcli.engine.health.look import Look
from memcli.memory.numerals import counted
from memcli.store import events, private, scan, tombstones
from memcli.store import known as knowns


def there(look: Look) -> Iterator[Finding]:
    """Whether the files are there at all: a disk that is not mounted is no mass deletion."""
    root = look.place.root
    if look.seen is None:
        scan.scan(look.place)  # raises, and says why
        return
    change = knowns.difference(look.seen, look.known or {})
    if change.emptied and len(change.vanished) >= reconcile.MASS:
        what = f"All {len(change.vanished)} memories that were here are gone at once."
        yield fail("files", what, in_folder(root, "checkout", "HEAD", "--", "schemas"))
    elif look.seen.unlisted:
        yield fail("files", f"{some(look.seen.unlisted)} cannot be listed.", "Look at who owns it.")
    elif look.seen.notices:
        told = "; ".join(str(one) for one in look.seen.notices[:FEW])
        yield warn("files", f"{told}.", "mem check")
    else:
        yield ok("files", f"{counted(len(look.seen.files), 'memory', 'memories')} in files.")


def set_aside(look: Look) -> Iterator[Finding]:
    """Files that do not fit the format, each with its line."""
    if look.seen is None:
        return
    aside = [one.problem for _, one in sorted(look.files.items()) if one.problem]
    aside += [str(one) for one in look.seen.set_aside]
    if aside:
        told = "; ".join(aside[:FEW])
        what = f"{counted(len(aside), 'file is', 'files are')} set aside: {told}."
        yield warn("set aside", what, "mem check")
    else:
        yield ok("set aside", "Every file fits the format.")


def lines(look: Look) -> Iterator[Finding]:
    """Lines of events and tombstones that cannot be read."""
    problems = list(tombstones.load(look.place).problems)
    for path in events.files(look.place):
        problems += events.read(look.place, path).problems
    if problems:
        told = "; ".join(str(one) for one in problems[:FEW])
        yield warn("lines", f"{counted(len(problems), 'line')} cannot be read: {told}.", "mem check")
    else:
        yield ok("lines", "Every line of events and tombstones can be read.")


def twice(look: Look) -> Iterator[Finding]:
    """Ids that stand in several files."""
    if look.seen is None:
        return
    found = status.duplicates(look.files)
    if found:
        what = f"{counted(len(found), 'id stands', 'ids stand')} in several files: {some(found[0])}."
        yield warn("same id", what, f"Remove one of them, or take out its line `id:` ({found[0][-1]}).")
    else:
        yield ok("same id", "Every id stands in one file.")


def uncommitted(look: Look) -> Iterator[Finding]:
    """Edits that the journal does not know yet."""
    if look.journal is None or look.seen is None:
        return
    dirty = sorted(look.confirmed.dirty)
    if dirty and look.busy:
        yield ok("uncommitted", f"{look.busy} is writing now.")
    elif dirty:
        yield warn("uncommitted", f"{counted(len(dirty), 'file')} not committed: {some(dirty)}.", "mem save")
    else:
        yield ok("uncommitted", "Every memory is committed.")


def held_back(look: Look) -> Iterator[Finding]:
    """Files that count for less than they say: what was removed came back by hand."""
    if look.seen is None:
        return
    less = sorted(path for path, one in look.statuses.items() if one.stated != one.counts)
    if less:
        what = f"{counted(len(less), 'memory', 'memories')} held back, since what was removed came back: "
        yield warn("held back", f"{what}{some(less)}.", "mem check")
    else:
        yield ok("held back", "Nothing that was removed came back by hand.")


def left_over(look: Look) -> Iterator[Finding]:
    """Temporary files of writes that were killed; of a write under way they are none."""
    if look.busy:
        yield ok("left over", f"A write is under way: {look.busy}.")
        return
    left = (*(look.seen.leftovers if look.seen else ()), *private.leftovers(look.place))
    if left:
        what = f"{counted(len(left), 'temporary file')} of a killed write: {some(left)}."
        yield warn("left over", what, "mem doctor --fix")
    else:
        yield ok("left over", "No temporary file was left.")


CHECKS: Final[tuple[Named[Look], ...]] = (
    ("files", there),
    ("set aside", set_aside),
    ("lines", lines),
    ("same id", twice),
    ("uncommitted", uncommitted),
    ("held back", held_back),
    ("left over", left_over),
)
