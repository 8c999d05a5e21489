"""Security (SEC): ids, scopes, texts, options, links and modes that mean harm, at the command line."""

import json
import os
import random
import stat
import string
import subprocess
import threading
from pathlib import Path

import pytest
from situations import checked, here, memory, put, sound, told_once

UP = [
    *("../../x", "/etc/x", "a/../../b", ".git/hooks/post-commit", "..", "CON", "nul.txt:", "a\nb", "%2e%2e"),
    *("x" * 300, "..\\..\\x", "~/x", "-x", ".hidden", "foo/bar", "schemas/x.md", "\u202ex"),
]
QUOTES = [
    *(
        "x' OR '1'='1",
        "'; DROP TABLE schemas; --",
        ") OR (1=1",
        '" OR ""="',
        "x') UNION SELECT * --",
        "\\' OR 1=1",
    ),
    *("%", "_____", "x%' --", "\0", "\u2019 OR \u20191\u2019=\u20191"),
]
ID, OTHER = "mine0000aaaa", "other000aaaa"


def drawn(length, alphabet=string.ascii_letters + string.digits, seed=4):
    """What is drawn at random, as credentials are."""
    return "".join(random.Random(seed).choices(alphabet, k=length))


SECRETS = {
    "github-token": f"key ghp_{drawn(36)}",
    "private-key": f"-----BEGIN RSA PRIVATE KEY-----\n{drawn(64)}\n-----END RSA PRIVATE KEY-----",
    "aws-access-key": f"use AKIA{drawn(16, string.ascii_uppercase + '234567')}",
    "url-password": f"postgres://app:{drawn(14)}@db.internal/app",
    "slack-token": f"xoxb-{drawn(12, string.digits)}-{drawn(24)}",
    "openai-key": f"sk-proj-{drawn(48)}",
    "json-web-token": f"eyJ{drawn(20)}.eyJ{drawn(30)}.{drawn(43)}",
    "assigned-password": f"password = '{drawn(16)}'",
}
PLACEHOLDERS = [
    *(
        "<token>",
        "xxx",
        "${GITHUB_TOKEN}",
        "password: <your password>",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ),
    *("sk-...", "token=***", "https://user:${PASS}@host/x", "The API key is rotated every 30 days."),
    *("commit 8c1f2ab0d9e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3", "-----BEGIN PUBLIC KEY-----"),
]


@pytest.fixture
def walled(trial):
    """One memory here and one behind the wall."""
    put(trial, "a.md", memory(ID, "Otters are in this scope."))
    folder = trial.root / "schemas" / "project" / "other"
    folder.mkdir()
    (folder / "b.md").write_bytes(memory(OTHER, "Otters are in the other scope."))
    trial.did("save")
    return trial


def outside(trial):
    """Every path beside the store, with what it holds."""
    every = [path for path in trial.root.parent.rglob("*") if not path.is_relative_to(trial.root)]
    return {path: path.read_bytes() if path.is_file() else None for path in every}


@pytest.mark.case("P-SEC-01")
def test_no_id_reaches_a_file_outside(walled):
    before, head = outside(walled), walled.head()
    for text in UP:
        for argv in (
            ["show", text],
            ["forget", text],
            ["unforget", text],
            ["history", text],
            ["edit", text],
            ["move", text, "project:x"],
            ["supersede", text, ID],
        ):
            ran = walled.ran(argv[0], "--", *argv[1:])
            assert ran.code in (2, 3), (argv, ran)
            told_once(ran, ran.code)
        put(walled, "bad.md", f"---\nid: {json.dumps(text)}\n---\nA bad id.\n")
        assert checked(walled)["set_aside"] == 1
        assert walled.found("otters bad id", "--floor", "0") == [ID]
    assert (outside(walled), walled.head()) == (before, head)


@pytest.mark.case("P-SEC-01")
def test_no_scope_and_no_concept_names_a_path(trial):
    before = outside(trial)
    told = trial.batch(
        [{"text": f"Scoped {at}.", "scope": f"project:{text}"} for at, text in enumerate(UP)]
        + [{"text": f"About {at}.", "concept": text} for at, text in enumerate(UP)]
    )
    assert all(one["path"] or one["error"]["code"] == 2 for one in told)
    made = [one["path"] for one in told if one["path"]]
    assert len(made) >= len(UP) + len(UP) - 6
    for path in made:
        schemas, kind, folder, name = path.split("/")
        assert (schemas, kind) == ("schemas", "project")
        assert not folder.startswith(".")
        assert not set(folder + name) & set('\\:*?"<>|\n ~')
        assert (trial.root / path).is_file()
    for scope in ("..", "../x:y", ":x", "x:", "pro/ject:x", "global:x", "PROJECT:x"):
        told_once(trial.ran("list", "--scope", scope), 2)
        told_once(trial.ran("remember", "x", "--scope", scope), 2)
    assert outside(trial) == before
    assert trial.git("status", "--porcelain") == ""
    assert checked(trial)["set_aside"] == 0


@pytest.mark.case("P-SEC-02")
@pytest.mark.parametrize("text", [one for one in QUOTES if "\0" not in one])
def test_no_quote_opens_a_filter(walled, text):
    head = walled.head()
    for argv in (
        ["recall", "--scope", f"project:{text}", "otters"],
        ["recall", "--tag", text, "otters"],
        ["recall", "--scope", "project:t", "--", text],
        ["list", "--scope", f"project:{text}"],
        ["list", "--tag", text],
        ["list", "--concept", text],
    ):
        ran = walled.ran(*argv)
        assert OTHER not in ran.out + ran.err
        assert ran.code in (0, 1)
        assert ID not in ran.out or argv[:3] == ["recall", "--scope", "project:t"]
    for verb in ("forget", "unforget", "show"):
        told_once(walled.ran(verb, "--", text), 3)
    told_once(walled.ran("recall", "--type", text, "otters"), 2)
    told_once(walled.ran("list", "--status", text), 2)
    assert walled.head() == head
    assert walled.found("otters") == [ID]


@pytest.mark.case("P-SEC-03")
@pytest.mark.parametrize(
    "name", ['O\'Brien & "Sons"', "it's", 'a "b" c', "back\\slash", "100% `x` $y", "semi;colon"]
)
def test_a_legitimate_quote_works_everywhere(trial, name):
    scope, text = f"project:{name}", f"{name} opens at eight."
    made = trial.remember(text, "--scope", scope, "--concept", name, "--tag", name, "--key", name)
    assert (
        trial.remember(text, "--scope", scope, "--key", name, "--concept", name, "--tag", name)["id"]
        == made["id"]
    )
    for asked in ((), ("--tag", name)):
        assert trial.found("opens", "--scope", scope, *asked) == [made["id"]]
    assert trial.did("list", "--scope", scope, "--concept", name, "--tag", name, "--ids").split() == [
        made["id"]
    ]
    trial.forget(made["id"])
    assert trial.found("opens", "--scope", scope) == []
    trial.unforget(made["id"])
    assert trial.found(text, "--scope", scope) == [made["id"]]
    sound(trial)


@pytest.mark.case("P-SEC-04")
def test_percent_and_underscore_match_themselves_alone(trial):
    scopes = ["a_b", "axb", "100%", "100x", "%", "_", "a%b", "A_B"]
    told = trial.batch([{"text": f"An otter of {one}.", "scope": f"project:{one}"} for one in scopes])
    for scope, made in zip(scopes, told, strict=True):
        assert trial.found("otter", "--scope", f"project:{scope}", "--floor", "0") == [made["id"]]
        assert trial.did("list", "--scope", f"project:{scope}", "--ids").split() == [made["id"]]
    for none in ("a", "100", "a?b", "*_b", "a[_]b"):
        assert trial.found("otter", "--scope", f"project:{none}", "--floor", "0") == []


def kept_anywhere(trial, *values):
    """Which of these values stand in any file or any object of the store."""
    every = [path.read_bytes() for path in trial.root.rglob("*") if path.is_file()]
    listing = ["git", "cat-file", "--batch-all-objects", "--batch"]
    objects = subprocess.run(listing, cwd=trial.root, capture_output=True, check=True).stdout
    return [value for value in values if any(value.encode() in raw for raw in (*every, objects))]


def core(secret):
    """The part of it that nobody must read."""
    return max(secret.replace("\n", " ").replace("'", " ").split(), key=len)


@pytest.mark.case("P-SEC-06")
def test_a_secret_is_named_by_its_pattern_and_stands_nowhere(trial):
    kept = trial.remember("Something is known.")
    head = trial.head()
    for name, secret in SECRETS.items():
        for argv in (["remember", secret], ["supersede", kept["id"], "--with", secret], ["remember", "-"]):
            told = told_once(trial.ran(*argv, stdin=secret), 5)
            assert name in told
            assert core(secret) not in told
    one = SECRETS["github-token"]
    for argv in (
        ["remember", "Fine.", "--concept", one],
        ["remember", "Fine.", "--tag", one],
        ["remember", "Fine.", "--key", one],
        ["forget", kept["id"], "--yes", "--reason", one],
        ["supersede", kept["id"], "--with", "Fine too.", "--reason", one],
    ):
        assert core(one) not in told_once(trial.ran(*argv), 5)
    (good, bad) = trial.batch(["This one is fine.", f"And this one: {one}"])
    assert (good["decision"], bad["error"]["code"], core(one) in json.dumps(bad)) == ("created", 5, False)
    assert trial.git("rev-list", "--count", f"{head}..HEAD") == "1"
    assert kept_anywhere(trial, *(core(secret) for secret in SECRETS.values())) == []
    assert trial.status(kept["id"]) == "active"


@pytest.mark.case("P-SEC-06")
def test_a_secret_that_a_person_writes_into_a_file_is_left_out_of_git(trial):
    one = SECRETS["github-token"]
    path = put(trial, "hand.md", memory("hand0000aaaa", f"The {one} opens it."))
    put(trial, "fine.md", memory("fine0000aaaa", "This one is fine."))
    ran = trial.ran("save")
    assert (ran.code, "fine0000aaaa" in ran.out, "github-token" in ran.err) == (5, True, True)
    assert core(one) not in ran.out + ran.err
    for argv in (["forget", "hand0000aaaa", "--yes"], ["move", "hand0000aaaa", "project:x"]):
        told_once(trial.ran(*argv), 5)
    assert trial.git("ls-files", "schemas/project") == "schemas/project/t/fine.md"
    path.unlink()
    assert kept_anywhere(trial, core(one)) == []


@pytest.mark.case("P-SEC-06")
def test_what_stands_in_place_of_a_secret_passes_and_a_person_may_let_one_pass(trial):
    told = trial.batch([f"Placeholder {at}: {text}" for at, text in enumerate(PLACEHOLDERS)])
    assert [one["decision"] for one in told] == ["created"] * len(PLACEHOLDERS)
    one = SECRETS["url-password"]
    assert trial.ran("remember", one, "--allow-secret", env={"CLAUDECODE": "1"}).code == 5
    assert trial.ran("remember", one, "--allow-secret", "--yes", env={"MEM_ACTOR": "agent:x"}).code == 5
    assert trial.remember(one, "--allow-secret", "--yes")["decision"] == "created"


@pytest.mark.case("P-SEC-07")
def test_no_text_becomes_an_option_or_a_command_of_git(walled, tmp_path):
    pwn = tmp_path / "pwn"
    head = walled.head()
    for text in (
        *(f"--output={pwn}", f"--upload-pack=touch {pwn}", f"-utouch {pwn}", f"-o{pwn}", f"$(touch {pwn})"),
        *(
            f"HEAD --output={pwn}",
            f"; touch {pwn}",
            f"--exec=touch {pwn}",
            "@{-1}",
            "HEAD~1",
            "--all",
            ":/x",
            "a..b",
        ),
    ):
        for argv in (
            *([f"--as-of={text}", "recall", "otters"], ["log", f"--since={text}"], ["log", f"--op={text}"]),
            *(["log", f"--by={text}"], ["log", "--", text], ["show", "--", text], ["history", "--", text]),
            *(["forget", "--yes", "--", text], ["move", "--", ID, text], ["check", "--", text]),
            *(["save", "--", text], [f"--store={text}", "list"], [f"--scope={text}", "list"]),
            *(["supersede", ID, "--with", "Otters.", f"--from={text}"], ["init", f"--branch={text}"]),
            *(["remember", "x", f"--override={text}", "--yes"], ["remember", "x", f"--valid-from={text}"]),
            ["config", "--", text],
        ):
            assert walled.ran(*argv).code not in (0, 70), argv
    assert not pwn.exists()
    assert walled.head() == head
    assert walled.git("branch", "--format=%(refname:short)") == "main"


@pytest.mark.case("P-SEC-10")
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_link_put_in_place_of_a_file_leads_no_write_and_no_read_outside(trial, tmp_path, what):
    target = tmp_path / "private"
    target.mkdir()
    secret = target / "a.md"
    secret.write_bytes(memory(ID, "The combination of the safe is quince."))
    raw = secret.read_bytes()
    folder = here(trial) / "sub"
    folder.mkdir()
    real = folder / "a.md"
    real.write_bytes(memory(ID, "Otters are in this scope."))
    trial.did("save")
    place, link = (real, secret) if what == "file" else (folder, target)
    ended = threading.Event()

    def swap():
        aside = place.with_name("aside.bak")
        while not ended.is_set():
            place.rename(aside)
            place.symlink_to(link)
            ended.wait(0.001)
            place.unlink()
            aside.rename(place)
            ended.wait(0.002)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        codes = {trial.ran(verb, ID, "--yes").code for _ in range(12) for verb in ("forget", "unforget")}
        said = [
            trial.ran("recall", "safe quince otters", "--floor", "0", "--mode", "history").out
            for _ in range(4)
        ]
    finally:
        ended.set()
        swapping.join()
    assert 70 not in codes
    assert secret.read_bytes() == raw
    assert sorted(path.name for path in target.iterdir()) == ["a.md"]
    assert not [text for text in said if "quince" in text]
    assert "quince" not in trial.git("log", "-p")
    assert trial.ran("show", ID).code == 0


@pytest.mark.case("P-SEC-11")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_new_files_are_private_and_old_modes_are_kept(trial, umask):
    before = os.umask(umask)
    try:
        made = trial.remember("A new memory.")
        path = trial.root / made["path"]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        for one in (trial.root / "events").rglob("*"):
            assert stat.S_IMODE(one.stat().st_mode) == (0o700 if one.is_dir() else 0o600)
        for mode in (0o600, 0o644, 0o664):
            path.chmod(mode)
            trial.forget(made["id"])
            trial.unforget(made["id"])
            assert stat.S_IMODE(path.stat().st_mode) == mode
        fresh = trial.root.parent / "fresh"
        trial.did("init", str(fresh))
        assert stat.S_IMODE(fresh.stat().st_mode) == 0o700
    finally:
        os.umask(before)


@pytest.mark.case("P-SEC-11")
@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes here")
def test_extended_attributes_are_kept(trial):
    path = put(trial, "a.md", memory(ID, "Otters."))
    try:
        os.setxattr(path, "user.note", b"mine")
    except OSError:
        pytest.skip("this disk has no extended attributes")
    trial.forget(ID)
    assert os.getxattr(path, "user.note") == b"mine"


@pytest.mark.case("P-SEC-12")
def test_only_memories_are_read(trial):
    put(trial, "a.md", memory(ID, "Otters are in this scope."))
    text = memory(OTHER, "Otters are where nobody looks.")
    for name in (
        *(".env", "id_rsa", "x.md.gpg", "node_modules/y.md", ".hidden/z.md", ".z.md", "z.MD.bak", "z.txt"),
        *("__pycache__/z.md", "z.markdown", "nested/.git/z.md", "nested/.git/HEAD", "nested/deeper/z.md"),
        "nested/z.md",
    ):
        put(trial, name, text)
    for name in ("README.md", "notes.md", "events/x.md", "procedures/x.md", "docs/x.md"):
        (trial.root / name).parent.mkdir(exist_ok=True)
        (trial.root / name).write_bytes(text)
    assert trial.found("otters where nobody looks", "--floor", "0") == [ID]
    found = checked(trial)
    assert (found["files"], found["set_aside"]) == (1, 0)
    assert [one["path"] for one in found["findings"]] == ["schemas/project/t/nested/"]
    trial.did("save")
    assert trial.git("ls-files", "schemas/project") == "schemas/project/t/a.md"
    for name in ("nested/z.md", ".z.md", "README.md"):
        assert trial.ran("save", str(Path("schemas/project/t") / name)).code == 2
