"""What an audit would say, and whether a person's act could be signed here as the store demands."""

from collections.abc import Iterator
from typing import Final

from memcli.engine import sealing
from memcli.engine.health.examining import Finding, Named, fail, ok, warn
from memcli.engine.health.look import Look
from memcli.errors import Refused
from memcli.memory.numerals import counted

_AUDIT: Final = "mem audit"


def signing(look: Look) -> Iterator[Finding]:
    """Whether the signatures that the store demands can be given and judged."""
    opened = look.opened
    if look.journal is None or not opened.settings.require_signed:
        return
    try:
        sealing.signers(opened)
    except Refused as error:
        yield fail("signing", error.message, error.hint)
        return
    own = look.journal.configuration
    if own.text("user.signingkey") or own.text("gpg.ssh.defaultkeycommand"):
        yield ok("signing", "A person's acts are signed here, and the store says whose signatures count.")
    else:
        what = "This store demands a person's acts to be signed, and git knows no key of yours."
        yield warn("signing", what, "git config --global user.signingkey KEY")


def explained(look: Look) -> Iterator[Finding]:
    """What no entry of the journal explains: only where somebody asks for a deep look."""
    if look.journal is None or look.journal.head() is None:
        return
    from memcli.engine.auditing import audit

    found = audit.look(look.opened)
    if found.findings:
        what = f"{counted(len(found.findings), 'change')} that no entry of the journal explains"
        yield warn("journal", f"{what} (the first is {found.findings[0].commit[:12]}).", _AUDIT)
    else:
        yield ok("journal", f"The journal explains all {counted(found.memories, 'memory', 'memories')}.")


CHECKS: Final[tuple[Named[Look], ...]] = (("signing", signing),)
DEEP: Final[tuple[Named[Look], ...]] = (("journal", explained),)
