"""Whose a signature is: by the signers that the caller names, with programs that the repository has no say in."""

import os
import shutil
import subprocess

import pytest

from memcli.errors import Unavailable
from memcli.journal import signing
from memcli.journal.signing import Signature, Signers, Verdict, signers_of, verified

needs_ssh = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="no ssh-keygen")
PRINT = "0123456789ABCDEF0123456789ABCDEF01234567"


def key(store, name):
    place = store.root.parent / name
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(place)]
    subprocess.run(words, check=True)
    return place


def line(place):
    return f"{place.name}@b.c {place.with_suffix('.pub').read_text()}".encode()


def sign(store, place, message="signed"):
    """A commit that is signed with a key of ssh; its id."""
    words = ("-c", "gpg.format=ssh", "-c", f"user.signingkey={place}")
    store.git(*words, "commit", "-q", "--allow-empty", "-S", "-m", message)
    return store.head


def script(store, body):
    place = store.root.parent / "program"
    place.write_text(f"#!/bin/sh\n{body}\n")
    place.chmod(0o755)
    return place


@pytest.fixture
def ana(begun):
    return key(begun, "ana")


def verdicts(store, commits, signers):
    return {commit: one.verdict for commit, one in verified(store.journal, commits, signers).items()}


def test_a_file_of_signers_holds_lines_of_ssh_and_fingerprints_of_openpgp():
    longer = "a" * 64
    raw = (
        b"# who may sign\n\nana@b.c ssh-ed25519 AAAA  # ana\nopenpgp 0123 4567 89ab cdef 0123 4567 89ab cdef 0123 4567\n"
        b"openpgp " + longer.encode() + b"  # bob\nopenpgp 0123\nopenpgp\nopenpgp " + b"x" * 40 + b"\n"
        b"cleo@b.c ssh-rsa \xff\n"
    )
    found = signers_of(raw)
    assert found.openpgp == {PRINT, longer.upper()}
    assert found.ssh == b"ana@b.c ssh-ed25519 AAAA  # ana\ncleo@b.c ssh-rsa \xff\n"
    assert signers_of(b"") == Signers()


@pytest.mark.parametrize(
    ("letter", "key", "primary", "verdict"),
    [
        ("G", "SHA256:x", "", Verdict.GOOD),
        ("U", "SHA256:x", "", Verdict.STRANGER),
        ("G", PRINT, "", Verdict.GOOD),
        ("U", "B" * 40, PRINT, Verdict.GOOD),
        ("G", "B" * 40, "C" * 40, Verdict.STRANGER),
        ("N", "", "", Verdict.NONE),
        ("E", "", "", Verdict.UNCHECKED),
        ("B", "SHA256:x", "", Verdict.BAD),
        ("X", PRINT, "", Verdict.BAD),
        ("Y", PRINT, "", Verdict.BAD),
        ("R", PRINT, "", Verdict.BAD),
    ],
)
def test_what_git_says_counts_only_as_far_as_the_signers_go(letter, key, primary, verdict):
    assert signing._verdict(letter, key, primary, Signers(openpgp=frozenset({PRINT}))) is verdict


@needs_ssh
def test_a_signature_is_good_a_strangers_bad_or_none(begun, ana):
    bob = key(begun, "bob")
    unsigned, good = begun.head, sign(begun, ana)
    strange = sign(begun, bob)
    raw = begun.git("cat-file", "commit", good).replace("signed", "forged")
    forged = begun.git("hash-object", "-t", "commit", "-w", "--stdin", given=raw.encode()).strip()
    signers = Signers(line(ana))
    assert verdicts(begun, (unsigned, good, strange, forged), signers) == {
        unsigned: Verdict.NONE,
        good: Verdict.GOOD,
        strange: Verdict.STRANGER,
        forged: Verdict.BAD,
    }
    one = verified(begun.journal, (good,), signers)[good]
    assert (one.by, one.key[:7]) == ("ana@b.c", "SHA256:")
    assert verdicts(begun, (good,), Signers()) == {good: Verdict.STRANGER}
    assert verified(begun.journal, (), signers) == {}


@needs_ssh
def test_a_signer_whose_name_has_a_line_end_of_its_own_is_one_signer(begun, ana):
    good = sign(begun, ana)
    signers = Signers(line(ana).replace(b"ana@", "ana\u2028x@".encode()))
    assert verified(begun.journal, (good,), signers)[good].by == "ana\u2028x@b.c"


@needs_ssh
def test_many_are_looked_at_in_parts_and_each_part_is_told(begun, ana, monkeypatch):
    monkeypatch.setattr(signing, "_AT_ONCE", 2)
    commits = [sign(begun, ana, str(number)) for number in range(5)]
    told = []
    found = verified(begun.journal, commits, Signers(line(ana)), lambda *so_far: told.append(so_far))
    assert list(found) == commits
    assert {one.verdict for one in found.values()} == {Verdict.GOOD}
    assert told == [(2, 5), (4, 5), (5, 5)]


@needs_ssh
def test_nothing_is_left_beside_the_repository(begun, ana):
    before = sorted((begun.root / ".git").iterdir())
    verified(begun.journal, (sign(begun, ana),), Signers(line(ana)))
    after = {path for path in (begun.root / ".git").iterdir() if path.name != "COMMIT_EDITMSG"}
    assert after <= set(before)


@needs_ssh
@pytest.mark.case("P-SEC-06")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gpg.ssh.program", "{program}"),
        ("gpg.ssh.allowedSignersFile", "{bob}"),
        ("gpg.ssh.revocationFile", "{ana}"),
        ("log.showSignature", "true"),
    ],
)
def test_what_the_repository_says_about_signatures_does_not_count(begun, ana, name, value):
    good, strange = sign(begun, ana), sign(begun, key(begun, "bob"))
    ran = begun.root / "ran"
    program = script(begun, f"touch {ran}; echo 'Good \"git\" signature for x@y with ED25519 key SHA256:x'")
    allowed = begun.root.parent / "allowed"
    allowed.write_bytes(line(begun.root.parent / "bob"))
    revoked = ana.with_suffix(".pub")
    begun.git("config", name, value.format(program=program, bob=allowed, ana=revoked))
    found = verdicts(begun, (good, strange), Signers(line(ana)))
    assert found == {good: Verdict.GOOD, strange: Verdict.STRANGER}
    assert not ran.exists()


@needs_ssh
def test_the_keys_that_the_user_revoked_are_revoked(begun, ana):
    good = sign(begun, ana)
    begun.git("config", "--global", "gpg.ssh.revocationFile", str(ana.with_suffix(".pub")))
    assert verdicts(begun, (good,), Signers(line(ana))) == {good: Verdict.BAD}


@needs_ssh
def test_the_program_that_the_user_names_is_asked(begun, ana):
    good = sign(begun, ana)
    begun.git("config", "--global", "gpg.ssh.program", str(script(begun, "cat > /dev/null; exit 1")))
    assert verdicts(begun, (good,), Signers(line(ana)))[good] is not Verdict.GOOD
    begun.git("config", "--global", "gpg.ssh.program", shutil.which("ssh-keygen"))
    assert verdicts(begun, (good,), Signers(line(ana))) == {good: Verdict.GOOD}


@needs_ssh
def test_a_program_is_found_on_whole_paths_alone_and_nowhere_else(begun):
    journal, program = begun.journal, script(begun, "true")
    assert signing._program(journal, str(program)) == str(program)
    assert signing._program(journal, "/no/such/program") == os.devnull
    assert signing._program(journal, "no-such-program") == os.devnull
    assert signing._program(journal, "ssh-keygen") == shutil.which("ssh-keygen")
    home = begun.root.parent / "home"
    assert signing._program(journal, "~/gpg") == f"{home}/gpg"
    begun.environment["PATH"] = f"bin:.:{program.parent}"
    (begun.root / "program").write_text("#!/bin/sh\n")
    (begun.root / "program").chmod(0o755)
    assert signing._program(begun.journal, "program") == str(program)


def test_a_signature_that_is_not_there_is_of_nobody(begun):
    found = verified(begun.journal, (begun.head,), Signers())
    assert found == {begun.head: Signature(begun.head, Verdict.NONE)}


def test_where_the_signers_cannot_be_written_down_that_is_said(begun, monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(signing, "NamedTemporaryFile", full)
    with pytest.raises(Unavailable, match="No space left on device"):
        verified(begun.journal, (begun.head,), Signers())
