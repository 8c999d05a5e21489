"""What belongs to this machine: who may look into the store, who writes, what a crash left."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Final

from memcli.engine.health.examining import Finding, Named, fail, ok, some, warn
from memcli.engine.health.look import Look
from memcli.memory import receipt
from memcli.memory.numerals import counted
from memcli.store import intent, private, receipts

LONG_S: Final = 300  # asserted: a first rebuild of 100,000 memories is the longest honest write
_OTHERS: Final = 0o077


def permissions(look: Look) -> Iterator[Finding]:
    """`.mem` is its owner's alone, and nobody else may write the store."""
    root, own = look.place.root, look.place.private
    lying = [one for one in (root, look.place.schemas) if one.is_dir() and _open_to_all(one)]
    if own.is_symlink() or (own.exists() and not own.is_dir()):
        what = f"{own.name} is not a folder, so nothing can be locked or indexed."
        yield fail("permissions", what, f"mv {quote(str(own))} {quote(str(own))}.old")
    elif own.is_dir() and stat.S_IMODE(own.stat().st_mode) & _OTHERS:
        yield warn("permissions", f"Others may look into {own.name}.", f"chmod 700 {quote(str(own))}")
    elif lying:
        yield warn("permissions", f"Anybody may write into {lying[0]}.", f"chmod o-w {quote(str(lying[0]))}")
    elif not all(os.access(one, os.W_OK) for one in (root, own, look.place.schemas) if one.exists()):
        yield warn(
            "permissions", "You may not write this store; it can be read.", f"ls -ld {quote(str(root))}"
        )
    else:
        yield ok("permissions", "Nobody else may write the store or look into its index.")


def _open_to_all(folder: Path) -> bool:
    return bool(folder.stat().st_mode & stat.S_IWOTH)


def lock(look: Look) -> Iterator[Finding]:
    """Who holds the store's lock; it is never taken from anybody."""
    if not look.busy:
        yield ok("lock", "Nobody is writing.")
        return
    held_s = look.opened.now - int(look.place.lock_file.stat().st_mtime)
    if held_s > LONG_S:
        what = f"{look.busy} has held the store's lock for {held_s // 60} minutes."
        yield warn("lock", what, f"fuser -v {quote(str(look.place.lock_file))}")
    else:
        yield ok("lock", f"{look.busy} is writing now.")


def crashed(look: Look) -> Iterator[Finding]:
    """An operation that was killed in the middle; one under way is none."""
    if not look.busy and private.exists(look.place, look.place.purge_file):
        yield warn(
            "crash", "A purge was killed in the middle; the next command that writes ends it.", "mem save"
        )
    if look.busy or not private.exists(look.place, look.place.intent_file):
        yield ok("crash", "No operation was cut off.")
        return
    left = intent.pending(look.place)
    if left is None:
        what = "What a killed operation noted cannot be read, so nothing is taken back by itself."
        yield warn("crash", what, f"mem save --dry-run && rm {quote(str(look.place.intent_file))}")
    else:
        files = counted(len(left.before), "file")
        what = f"An operation was killed in the middle of {files}: {some(sorted(left.before))}."
        yield warn("crash", what, "mem doctor --fix")


def machine(look: Look) -> Iterator[Finding]:
    """Whether the folder of the store is the caller's own."""
    owner = look.place.root.stat().st_uid
    if owner != os.geteuid():
        root = quote(str(look.place.root))
        yield warn("owner", f"The store belongs to another user ({owner}).", f"ls -ld {root}")


def answered(look: Look) -> Iterator[Finding]:
    """Whether every receipt that is kept is one, and nobody touched it."""
    kept = receipts.kept(look.place)
    touched = [one.id for one in kept if _touched(look, one.id)]
    if touched:
        what = f"{counted(len(touched), 'receipt')} read otherwise than when given: {some(touched)}."
        yield warn("receipts", what, f"mem receipt verify {touched[0]}")
    else:
        yield ok("receipts", f"{counted(len(kept), 'receipt')} kept, as they were given.")


def _touched(look: Look, id_: str) -> bool:
    raw = receipts.load(look.place, id_)
    try:
        return raw is not None and bool(receipt.touched(raw, id_))
    except receipt.NotAReceipt:
        return True


CHECKS: Final[tuple[Named[Look], ...]] = (
    ("permissions", permissions),
    ("owner", machine),
    ("lock", lock),
    ("crash", crashed),
    ("receipts", answered),
)
