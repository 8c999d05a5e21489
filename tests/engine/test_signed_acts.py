"""Signatures: a person's act is signed where the store demands it, and an audit knows which are not."""

import os
import shutil
import subprocess

import pytest

DEMAND = "\n[journal]\nrequire_signed = true\n"

pytestmark = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="no ssh-keygen")


def ssh_key(folder, name):
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name], check=True
    )
    return folder / name


def use(trial, key, *, own=False):
    """Sign with `key` from now on: as the user's configuration says, or the repository's `own`."""
    where = () if own else ("--global",)
    trial.git("config", *where, "gpg.format", "ssh")
    trial.git("config", *where, "user.signingkey", str(key))


def demand(trial, *keys):
    """Let the store demand signatures of these keys; committed by hand."""
    signers = "".join(f"{key.name}@b.c {key.with_suffix('.pub').read_text()}" for key in keys)
    (trial.root / "allowed_signers").write_text(signers)
    settings = trial.root / "mem.toml"
    settings.write_text(settings.read_text() + DEMAND)
    trial.git("add", "mem.toml", "allowed_signers")
    trial.git("commit", "-qm", "demand signatures", "--", "mem.toml", "allowed_signers")


def signed(trial, rev="HEAD"):
    return "gpgsig" in trial.git("cat-file", "commit", rev)


@pytest.fixture
def ana(trial, tmp_path):
    """Ana's key, which she signs with."""
    trial.environment["GIT_CONFIG_GLOBAL"] = str(tmp_path / "anas-gitconfig")
    trial.did("trust", "--yes")
    key = ssh_key(tmp_path, "ana")
    use(trial, key)
    return key


def by_plain_git(trial, id_, subject="mem forget: x"):
    """Forget with git alone, trailers and all, as somebody without the key would."""
    path = trial.path(id_)
    path.write_text(path.read_text().replace("status: active", "status: forgotten"))
    said = f"Mem-Op: forget\nMem-Id: {id_}\nMem-Prior-Status: active\nMem-Status: forgotten\nMem-Actor: human:ana"
    trial.git("-c", "commit.gpgsign=false", "commit", "-qam", f"{subject}\n\n{said}")


def test_a_persons_act_is_signed_and_an_everyday_one_is_not(trial, ana):
    demand(trial, ana)
    id_ = trial.remember("The launch code word is heliotrope.")["id"]
    assert not signed(trial)
    trial.forget(id_)
    assert signed(trial)
    audit = trial.told("audit")
    assert (audit["clean"], audit["signatures"]) == (True, {"demanded": 1, "good": 1})


def test_without_the_demand_nothing_is_signed_and_nothing_verified(trial, ana):
    trial.forget(trial.remember("The launch code word is heliotrope.")["id"])
    assert not signed(trial)
    assert trial.told("audit")["signatures"] == {"demanded": 0, "good": 0}


def test_sign_alone_signs_what_people_do_and_not_what_agents_do(trial, ana):
    settings = trial.root / "mem.toml"
    settings.write_text(settings.read_text() + "\n[journal]\nsign = true\n")
    trial.remember("Lunch is served in the yard.")
    assert signed(trial)
    trial.remember("The first bell rings at nine.", env={"MEM_ACTOR": "agent:claude"})
    assert not signed(trial)


@pytest.mark.parametrize("lack", ["no key", "a stranger's key", "nobody named", "not trusted"])
def test_without_a_signature_that_counts_the_act_is_refused_and_nothing_changes(trial, ana, tmp_path, lack):
    demand(trial, ana)
    id_ = trial.remember("The launch code word is heliotrope.")["id"]
    if lack == "no key":
        use(trial, tmp_path / "nowhere")
    elif lack == "a stranger's key":
        use(trial, ssh_key(tmp_path, "bob"))
    elif lack == "nobody named":
        trial.git("rm", "-q", "allowed_signers")
        trial.git("commit", "-qm", "no signers", "--", "allowed_signers")
    else:
        trial.environment["XDG_CONFIG_HOME"] = str(tmp_path / "of-somebody-who-trusts-nothing")
    before = trial.git("rev-parse", "HEAD"), trial.path(id_).read_bytes()
    ran = trial.ran("forget", id_, "--yes")
    assert (ran.code, "Hint: " in ran.err) == (5, True), ran.err
    assert (trial.git("rev-parse", "HEAD"), trial.path(id_).read_bytes()) == before
    assert trial.git("status", "--short") == ""
    assert trial.status(id_) == "active"
    assert trial.remember("Buses leave from the north gate.")["decision"] == "created"


def test_the_act_of_somebody_without_the_key_is_named(trial, ana):
    demand(trial, ana)
    id_, other = (trial.remember(text)["id"] for text in ("The code is heliotrope.", "Lunch is in the yard."))
    trial.forget(other)
    by_plain_git(trial, id_)
    (found,) = trial.told("audit", code=1)["findings"]
    assert (found["sort"], found["id"], found["commit"]) == (
        "unsigned",
        id_,
        trial.git("rev-parse", "HEAD").strip(),
    )


def test_a_stranger_who_signs_and_a_commit_that_was_changed_after_it_was_signed_are_named(
    trial, ana, tmp_path
):
    demand(trial, ana)
    one, two = (trial.remember(text)["id"] for text in ("The code is heliotrope.", "Lunch is in the yard."))
    trial.forget(one)
    forged = trial.git("cat-file", "commit", "HEAD").replace("human:ana", "human:eve")
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=trial.root,
        input=forged,
        text=True,
        capture_output=True,
        check=True,
    ).stdout.strip()
    trial.git("reset", "-q", "--soft", made)
    use(trial, ssh_key(tmp_path, "bob"))
    by_plain_git(trial, two)
    trial.git("commit", "-q", "--amend", "--no-edit", "-S")
    sorts = {one["id"]: (one["sort"], one["why"]) for one in trial.told("audit", code=7)["findings"]}
    assert sorts[one][0] == "signature"
    assert "bad" in sorts[one][1]
    assert sorts[two][0] == "signature"
    assert "nobody who may sign" in sorts[two][1]


def test_turning_the_demand_off_or_letting_oneself_in_needs_a_signature_too(trial, ana, tmp_path):
    demand(trial, ana)
    bob = ssh_key(tmp_path, "bob")
    signers, settings = trial.root / "allowed_signers", trial.root / "mem.toml"
    signers.write_text(signers.read_text() + f"bob@b.c {bob.with_suffix('.pub').read_text()}")
    trial.git("-c", "commit.gpgsign=false", "commit", "-qam", "let bob in")
    settings.write_text(settings.read_text().replace(DEMAND, ""))
    trial.git("-c", "commit.gpgsign=false", "commit", "-qam", "no more signatures")
    found = trial.told("audit", code=1)["findings"]
    assert [(one["sort"], one["path"]) for one in found] == [
        ("unsigned", "allowed_signers"),
        ("unsigned", "mem.toml"),
    ]


@pytest.mark.parametrize("what", ["the demand", "the signers"])
def test_a_branch_from_before_the_demand_does_not_bring_it_down(trial, ana, tmp_path, what):
    """A merge is no way round: neither what it takes from an older branch, nor what it says by itself."""
    trial.git("branch", "old")
    demand(trial, ana)
    trial.git("checkout", "-q", "old")
    bob = ssh_key(tmp_path, "bob")
    (trial.root / "allowed_signers").write_text(f"bob@b.c {bob.with_suffix('.pub').read_text()}")
    (trial.root / "mem.toml").write_text((trial.root / "mem.toml").read_text() + "\n# of old\n")
    trial.git("add", "mem.toml", "allowed_signers")
    trial.git("commit", "-qm", "old ways")
    trial.git("checkout", "-q", "main")
    trial.git("merge", "-q", "--no-commit", "old", check=False)
    ours, theirs = (
        ("allowed_signers", "mem.toml") if what == "the demand" else ("mem.toml", "allowed_signers")
    )
    trial.git("checkout", "-q", "--ours", "--", ours, check=False)
    trial.git("checkout", "-q", "--theirs", "--", theirs, check=False)
    trial.git("add", "-A")
    trial.git("commit", "-qm", "merged")
    mine = tmp_path / "mine"
    mine.write_text(f"ana@b.c {ana.with_suffix('.pub').read_text()}")
    (found,) = trial.told("audit", "--signers", str(mine), code=1)["findings"]
    assert (found["sort"], found["path"]) == ("unsigned", theirs)


def test_a_change_of_signers_that_was_signed_on_a_branch_is_signed_after_the_merge(trial, ana, tmp_path):
    demand(trial, ana)
    bob = ssh_key(tmp_path, "bob")
    trial.git("checkout", "-q", "-b", "side")
    signers = trial.root / "allowed_signers"
    signers.write_text(signers.read_text() + f"bob@b.c {bob.with_suffix('.pub').read_text()}")
    trial.git("commit", "-qam", "let bob in", "-S")
    trial.git("checkout", "-q", "main")
    trial.remember("Lunch is in the yard.")
    trial.git("merge", "-q", "--no-edit", "side")
    use(trial, bob)
    trial.forget(trial.remember("The code is heliotrope.")["id"])
    audit = trial.told("audit")
    assert (audit["clean"], audit["signatures"]) == (True, {"demanded": 2, "good": 2})


def test_signers_who_are_named_from_outside_hold_against_those_of_the_store(trial, ana, tmp_path):
    """Whoever can write the store can write its file of signers; a file of one's own is beyond their reach."""
    bob = ssh_key(tmp_path, "bob")
    demand(trial, bob)
    use(trial, bob)
    trial.forget(trial.remember("The code is heliotrope.")["id"])
    assert trial.told("audit")["clean"]
    mine = tmp_path / "mine"
    mine.write_text(f"ana@b.c {ana.with_suffix('.pub').read_text()}")
    (found,) = trial.told("audit", "--signers", str(mine), code=1)["findings"]
    assert found["sort"] == "signature"


def test_an_edit_of_the_signers_that_nobody_committed_lets_nobody_in(trial, ana, tmp_path):
    demand(trial, ana)
    bob = ssh_key(tmp_path, "bob")
    signers = trial.root / "allowed_signers"
    signers.write_text(signers.read_text() + f"bob@b.c {bob.with_suffix('.pub').read_text()}")
    id_ = trial.remember("The code is heliotrope.")["id"]
    use(trial, bob)
    assert trial.ran("forget", id_, "--yes").code == 5


def test_a_received_store_chooses_no_program_and_no_strictness(trial, ana, tmp_path):
    demand(trial, ana)
    id_ = trial.remember("The code is heliotrope.")["id"]
    by_plain_git(trial, id_)
    trial.git("commit", "-q", "--amend", "--no-edit", "-S")
    use(trial, ssh_key(tmp_path, "bob"))
    other = trial.remember("Lunch is in the yard.")["id"]
    by_plain_git(trial, other)
    trial.git("commit", "-q", "--amend", "--no-edit", "-S")
    ran = tmp_path / "it-ran"
    evil = trial.root / "evil"
    evil.write_text(f"#!/bin/sh\ntouch '{ran}'\necho 'Good \"git\" signature for ana'\nexit 0\n")
    evil.chmod(0o755)
    for key in ("gpg.program", "gpg.ssh.program", "gpg.openpgp.program", "gpg.ssh.defaultKeyCommand"):
        trial.git("config", key, str(evil))
    trial.git("config", "gpg.minTrustLevel", "undefined")
    everybody = trial.root / "everybody"
    everybody.write_text(f"eve@b.c {(tmp_path / 'bob.pub').read_text()}")
    trial.git("config", "gpg.ssh.allowedSignersFile", str(everybody))
    trial.git("config", "gpg.ssh.revocationFile", str(tmp_path / "ana.pub"))
    found = trial.told("audit", code=1)["findings"]
    assert [(one["sort"], one["id"]) for one in found] == [("signature", other)]
    assert not ran.exists()


def test_accepting_counts_only_when_it_is_signed(trial, ana, tmp_path):
    demand(trial, ana)
    path = trial.path(trial.remember("The code is heliotrope.")["id"])
    path.write_text(path.read_text().replace("heliotrope", "mauve"))
    trial.git("-c", "commit.gpgsign=false", "commit", "-qam", "by hand")
    forged = "mem audit: all is well\n\nMem-Op: audit\nMem-Actor: human:ana"
    trial.git("-c", "commit.gpgsign=false", "commit", "-q", "--allow-empty", "-m", forged)
    assert {one["sort"] for one in trial.told("audit", code=1)["findings"]} == {"text", "unsigned"}
    trial.did("audit", "--accept", "--yes")
    assert signed(trial)
    assert trial.told("audit")["clean"]


@pytest.mark.skipif(not shutil.which("gpg"), reason="no gpg")
def test_gpg_keys_count_by_their_fingerprint(trial, ana, tmp_path):
    home = tmp_path / "g"
    home.mkdir(mode=0o700)
    gpg = [
        "gpg",
        "--homedir",
        str(home),
        "--batch",
        "--quiet",
        "--pinentry-mode",
        "loopback",
        "--passphrase",
        "",
    ]
    try:
        for who in ("ana", "bob"):
            subprocess.run([*gpg, "--quick-gen-key", f"{who} <{who}@b.c>", "ed25519", "sign"], check=True)
        listed = subprocess.run(
            [*gpg, "--list-keys", "--with-colons"], check=True, capture_output=True, text=True
        )
        prints = [line.split(":")[9] for line in listed.stdout.splitlines() if line.startswith("fpr:")]
        program = tmp_path / "gpg-of-the-test"
        program.write_text(
            f'#!/bin/sh\nexec gpg --homedir "{home}" --batch --pinentry-mode loopback --passphrase "" "$@"\n'
        )
        program.chmod(0o755)
        trial.git("config", "--global", "gpg.format", "openpgp")
        trial.git("config", "--global", "gpg.program", str(program))
        demand(trial)
        (trial.root / "allowed_signers").write_text(f"openpgp {prints[0]}  # ana\n")
        trial.git("commit", "-qam", "ana may")
        trial.git("config", "--global", "user.signingkey", prints[0])
        trial.forget(trial.remember("The code is heliotrope.")["id"])
        trial.git("config", "--global", "user.signingkey", prints[1])
        assert trial.ran("forget", trial.remember("Lunch is in the yard.")["id"], "--yes").code == 5
        assert [one["path"] for one in trial.told("audit", code=1)["findings"]] == ["allowed_signers"]
    finally:
        subprocess.run(
            ["gpgconf", "--homedir", str(home), "--kill", "all"], check=False, env=dict(os.environ)
        )


def test_a_signed_purge_answers_for_the_signatures_that_it_takes(trial, ana):
    demand(trial, ana)
    gone, other = (
        trial.remember(text)["id"] for text in ("The code is heliotrope.", "Lunch is in the yard.")
    )
    trial.forget(other)
    digest = trial.told("purge", gone, "--dry-run")["digest"]
    trial.did("purge", gone, "--yes", "--expect", digest)
    assert signed(trial)
    assert not signed(trial, "HEAD~1")
    audit = trial.told("audit")
    assert (audit["clean"], audit["signatures"]) == (True, {"demanded": 2, "good": 2})
