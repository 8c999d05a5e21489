"""Signatures: whose they are, and which programs may say so.

Git checks them (SSH through ssh-keygen, OpenPGP through gpg), but a repository that somebody
else made can name other programs for that, other keys and less strictness. So all of that is
set here for each look, from the user's own configuration or git's defaults, and the programs
are those on the PATH; who may sign is what the caller says, not what the repository says.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

from memcli.errors import Unavailable
from memcli.journal.configuration import Configuration
from memcli.journal.repository import Journal

_AT_ONCE: Final = 40  # asserted: some ten milliseconds each, so that one look stays far below git's limit
_FINGERPRINT: Final = re.compile(r"[0-9A-F]{40}(?:[0-9A-F]{24})?")
_OPENPGP: Final = "openpgp"
# Each program: the keys that name it (git takes the first two for one), and what it is called usually.
_PROGRAMS: Final = (
    (("gpg.openpgp.program", "gpg.program"), "gpg"),
    (("gpg.ssh.program",), "ssh-keygen"),
    (("gpg.x509.program",), "gpgsm"),
)
_FORM: Final = "%H%x09%G?%x09%GF%x09%GP%x09%GS"


class Verdict(StrEnum):
    """What a signature comes to."""

    GOOD = "good"
    NONE = "none"  # not signed
    BAD = "bad"  # the commit is not what was signed, or the key was expired or revoked
    STRANGER = "stranger"  # a good signature of nobody who may sign
    UNCHECKED = "unchecked"  # the key, or the program that would know, is not on this machine


@dataclass(frozen=True, slots=True)
class Signers:
    """Who may sign: lines of ssh's `allowed_signers`, and fingerprints of OpenPGP keys in upper case."""

    ssh: bytes = b""
    openpgp: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Signature:
    """The signature of one commit: `by` is who it is of, as the file of signers or gpg calls them."""

    commit: str
    verdict: Verdict
    by: str = ""
    key: str = ""


def signers_of(raw: bytes) -> Signers:
    """The signers that a file names: ssh's own format, and lines `openpgp FINGERPRINT`."""
    ssh: list[bytes] = []
    openpgp: set[str] = set()
    for line in raw.splitlines():
        words = line.decode("utf-8", "replace").split("#")[0].split()
        if words[:1] == [_OPENPGP]:
            openpgp |= {one for one in ("".join(words[1:]).upper(),) if _FINGERPRINT.fullmatch(one)}
        elif words:
            ssh.append(line)
    return Signers(b"".join(line + b"\n" for line in ssh), frozenset(openpgp))


def verified(
    journal: Journal,
    commits: Sequence[str],
    signers: Signers,
    report: Callable[[int, int], None] | None = None,
) -> dict[str, Signature]:
    """What the signature of each of `commits` (full ids) comes to. Raises Unavailable."""
    found: dict[str, Signature] = {}
    if not commits:
        return found
    try:
        with NamedTemporaryFile(dir=journal.found.git_dir, prefix="mem-signers-") as file:
            file.write(signers.ssh)
            file.flush()
            neutral = tuple(_neutral(journal, journal.configuration, Path(file.name)))
            for start in range(0, len(commits), _AT_ONCE):
                for one in _looked_at(journal, commits[start : start + _AT_ONCE], signers, neutral):
                    found[one.commit] = one
                if report:
                    report(len(found), len(commits))
    except OSError as error:
        raise Unavailable(f"Signatures cannot be looked at: {error.strerror}.", "Check the disk.") from error
    return found


def _neutral(journal: Journal, own: Configuration, file: Path) -> Iterator[str]:
    """Settings for one look: nothing that the repository itself says about signatures holds."""
    for keys, usual in _PROGRAMS:
        users = next((own.text(key) for key in keys if own.text(key) and key not in own.own), usual)
        for key in keys:
            yield from ("-c", f"{key}={_program(journal, users)}")
    yield from ("-c", f"gpg.ssh.allowedSignersFile={file}")
    revoked = own.path("gpg.ssh.revocationfile", journal.home)
    if revoked and "gpg.ssh.revocationfile" not in own.own:
        yield from ("-c", f"gpg.ssh.revocationFile={revoked}")
    elif revoked:
        yield from ("-c", f"gpg.ssh.revocationFile={os.devnull}")
    if "gpg.mintrustlevel" in own.own:
        yield from ("-c", "gpg.minTrustLevel=undefined")


def _program(journal: Journal, name: str) -> str:
    """Where the program of that name lies; what is no whole path is looked for on the PATH."""
    if name.startswith("~/"):
        return journal.home + name[1:]
    folders = journal.git.environment.get("PATH", os.defpath).split(os.pathsep)
    places = (
        [name] if name.startswith("/") else [f"{folder}/{name}" for folder in folders if folder[:1] == "/"]
    )
    return next((place for place in places if os.access(place, os.X_OK)), os.devnull)


def _looked_at(
    journal: Journal, commits: Sequence[str], signers: Signers, neutral: tuple[str, ...]
) -> Iterator[Signature]:
    words = ("log", "--no-walk=unsorted", f"--format={_FORM}", "--stdin")
    given = "".join(f"{one}\n" for one in commits).encode()
    out = journal.git.read(*words, given=given, neutral=neutral)
    for line in out.decode("utf-8", "replace").split("\n")[:-1]:  # a name may hold other line ends
        commit, letter, key, primary, by = line.split("\t", 4)
        yield Signature(commit, _verdict(letter, key, primary, signers), by, key)


def _verdict(letter: str, key: str, primary: str, signers: Signers) -> Verdict:
    """By git's letter; whether a key may sign is not its to say but that of `signers`."""
    if letter in "GU":
        by_ssh = key.startswith("SHA256:")
        known = letter == "G" if by_ssh else not {key, primary}.isdisjoint(signers.openpgp)
        return Verdict.GOOD if known else Verdict.STRANGER
    return {"N": Verdict.NONE, "E": Verdict.UNCHECKED}.get(letter, Verdict.BAD)
