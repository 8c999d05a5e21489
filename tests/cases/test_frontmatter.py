"""Frontmatter (FM): what people and programs write between the fences, at the command line."""

import hashlib
import json
import re
import time
import tracemalloc
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from situations import checked, findings, here, memory, one_word_changed, put, sound, told_once

from memcli.store import format as files

FIXTURES = Path(__file__).parents[2] / "fixtures" / "files"

# Every command that changes a memory, on an id; `{}` is where it stands.
WRITES = (
    ("forget", "{}", "--yes"),
    ("unforget", "{}", "--yes"),
    ("supersede", "{}", "--with", "Another claim entirely."),
    ("move", "{}", "project:elsewhere"),
)
NINE = ",".join("x" * 9)
BOMB = f"a0: &a0 [{NINE}]\n" + "".join(
    f"a{level}: &a{level} [{','.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 9)
)

# What cannot be understood: the frontmatter's own lines, and of the first problem its line and words.
BROKEN = {
    "FM-02 half a flow": ("---\nid: brok\nnote: *star* [\n---\nBody\n", 3, "YAML"),
    "FM-02 tab": ("---\nid: brok\nnote:\n\t- x\n---\nBody\n", 4, "YAML"),
    "FM-02 quote": ('---\nid: brok\nnote: "open\n---\nBody\n', 4, "YAML"),
    "FM-02 key twice": ("---\nid: brok\nnote: a\nnote: b\n---\nBody\n", 4, "twice"),
    "FM-04 no fence": ("---\nid: brok\nstatus: active\nBody without fence\n", 1, "closing"),
    "FM-08 list": ("---\n- a\n- b\n---\nid: brok\n", 2, "key: value"),
    "FM-08 scalar": ("---\njust text\n---\nid: brok\n", 2, "key: value"),
    "FM-08 number": ("---\n42\n---\nid: brok\n", 2, "key: value"),
    "FM-08 null": ("---\n~\n---\nid: brok\n", 2, "key: value"),
    "FM-08 empty list": ("---\n[]\n---\nid: brok\n", 2, "key: value"),
    "FM-09 id": ("---\nid: ~\nx: brok\n---\nBody\n", 2, "id"),
    "FM-09 status": ("---\nid: brok\nstatus: null\n---\nBody\n", 3, "active"),
    "FM-09 scope": ("---\nid: brok\nscope: ~\n---\nBody\n", 3, "scope"),
    "FM-10 capital": ("---\nid: brok\nstatus: Active\n---\nBody\n", 3, "staged, active"),
    "FM-10 true": ("---\nid: brok\nstatus: true\n---\nBody\n", 3, "staged, active"),
    "FM-10 list": ("---\nid: brok\nstatus: [active]\n---\nBody\n", 3, "status"),
    "FM-10 stage 7": ("---\nid: brok\nstage: 7\n---\nBody\n", 3, "scoped, portable"),
    "FM-10 stage '2'": ("---\nid: brok\nstage: '2'\n---\nBody\n", 3, "scoped, portable"),
    "FM-10 confidence": ("---\nid: brok\nconfidence: high\n---\nBody\n", 3, "0.8"),
    "FM-10 not a number": ("---\nid: brok\nconfidence: .nan\n---\nBody\n", 3, "0.8"),
    "FM-10 type": ("---\nid: brok\ntype: Fact\n---\nBody\n", 3, "preference"),
    "FM-11 bomb": (f"---\nid: brok\n{BOMB}---\nBody\n", 3, "aliases"),
    "FM-11 merge": ("---\nid: brok\nx: &b {status: forgotten}\n<<: *b\n---\nBody\n", 3, "aliases"),
    "FM-11 depth": (f"---\nid: brok\nx: {'[' * 5000}{']' * 5000}\n---\nBody\n", 3, "nest"),
    "FM-12 own tag": ("---\nid: brok\nowner: !team core\n---\nBody\n", 3, "!team"),
    "FM-12 timestamp": (
        "---\nid: brok\nwhen: !!timestamp 2026-01-01\n---\nBody\n",
        3,
        "timestamp",
    ),
    "FM-12 binary": ("---\nid: brok\nx: !!binary aGk=\n---\nBody\n", 3, "binary"),
    "FM-12 python": ("---\nid: brok\nx: !!python/name:os.system\n---\nBody\n", 3, "python"),
    "FM-15 double": ("---\npermalink: x\n---\n\n---\nid: brok\n---\nBody\n", 5, "second"),
}


@pytest.fixture
def beside(trial):
    """A store with one memory that must go on answering."""
    trial.remember("Good neighbours of a walrus answer.")
    return trial


@pytest.mark.case("P-FM-02", "P-FM-04", "P-FM-08", "P-FM-09", "P-FM-10", "P-FM-11", "P-FM-12", "P-FM-15")
@pytest.mark.parametrize(("text", "line", "word"), BROKEN.values(), ids=BROKEN)
def test_a_file_that_is_not_understood_is_set_aside_whatever_command_meets_it(beside, text, line, word):
    path = put(beside, "walrus-brok.md", text)
    before = beside.head()
    (said, *_) = [one for one in findings(beside, "walrus-brok.md") if one[4] == "error"]
    assert (said[1], word in f"{said[2]}: {said[3]}") == (line, True), said
    for argv in (*WRITES, ("show", "{}"), ("history", "{}")):
        told = told_once(beside.ran(*(word.replace("{}", "brok") for word in argv)), 4)
        assert f"walrus-brok.md:{line}: " in told
    told = beside.ran("save")
    assert (told.code, f"walrus-brok.md:{line}: " in told.err) == (4, True)
    assert beside.ran("check", "--fix").code == 4
    beside.did("index", "rebuild")
    assert [item["text"] for item in beside.recall("walrus body")["items"]] == [
        "Good neighbours of a walrus answer."
    ]
    assert beside.head() == before
    assert path.read_bytes() == text.encode()
    assert beside.told("status")["set_aside"] == 1


@pytest.mark.case("P-FM-01")
def test_rules_in_the_body_are_body(trial):
    raw = b"---\nid: hr1x\nstatus: active\n---\nApples\n\n---\n\nBananas\n---\nCherries\n"
    path = put(trial, "h.md", raw)
    trial.forget("hr1x")
    one_word_changed(trial, path, raw, raw.replace(b"active", b"forgotten"))
    trial.unforget("hr1x")
    assert path.read_bytes() == raw
    for word in ("apples", "bananas", "cherries"):
        assert trial.found(word) == ["hr1x"]


@pytest.mark.case("P-FM-03")
def test_a_broken_file_delays_nobody_and_is_read_once(trial, monkeypatch):
    trial.batch([f"Claim number {number} is about heron {number}." for number in range(200)])
    trial.found("heron")
    put(trial, "broken-one.md", "---\nid: broken1\nstatus: [\n---\nBody about heron.\n")
    edited = sorted(trial.root.glob("schemas/**/*heron*.md"))[:5]
    for number, path in enumerate(edited):
        path.write_text(path.read_text().replace("heron", f"crane q{number}x"))
    read = []
    parse = files.parse
    monkeypatch.setattr(files, "parse", lambda raw, path, zone: read.append(path) or parse(raw, path, zone))
    for number in range(5):
        ran = trial.ran("recall", f"crane q{number}x", "-k1", "--json")
        assert (ran.code, f"q{number}x" in json.loads(ran.out)["items"][0]["text"]) == (0, True)
        assert ran.err == ""
    assert sum("broken-one" in path for path in read) == 1
    assert len(read) <= 12  # the broken one and the edited ones, not 200 of them, at every question
    monkeypatch.undo()
    status = trial.told("status")
    assert (status["schemas"], status["set_aside"]) == (200, 1)
    assert len(findings(trial, "broken-one.md")) == 1
    assert checked(trial)["files"] == 201


@pytest.mark.case("P-FM-05")
@pytest.mark.parametrize(
    "head",
    [
        b'zeta: "q"  # why\nid: keep1\ntags: [b, a]\nstatus: active # human note\nx-team: {k: v}\n',
        b"# top\nid:   'keep1'   # quoted\nstatus  : \"active\"\n\n\n  # odd indent\nlast: |\n  a\n\n",
        b"{id: keep1, status: active, x: {y: [1, 2]}} # flow\n",
        b"\"id\": keep1\n'status': active\n",
    ],
    ids=["comments and order", "spaces and quotes", "all in flow", "quoted keys"],
)
def test_a_changed_status_touches_its_own_word_and_taking_it_back_gives_the_bytes(trial, head):
    raw = b"---\n" + head + b"---\nBody"
    path = put(trial, "k.md", raw)
    trial.forget("keep1")
    one_word_changed(trial, path, raw, raw.replace(b"active", b"forgotten"))
    trial.forget("keep1")
    trial.unforget("keep1")
    assert path.read_bytes() == raw
    sound(trial)


@pytest.mark.case("P-FM-06")
def test_scalars_are_the_text_that_stands_there(trial):
    ids = ["1e3", "6e0363", "0123", "no", "on", "2026-01-02", "null", "1_000", "0x1F", "1.0", "true", "0o17"]
    for number, id_ in enumerate(ids):
        head = f"concept: {id_}\ntags: [{id_}]\nscope: project:{id_}\n"
        put(trial, f"f{number}.md", memory(id_, f"Claim {number}.", head))
    shown = [json.loads(line) for line in trial.did("show", *ids, "--json").splitlines()]
    read = [(one["id"], one["concept"], one["tags"], one["scope"]) for one in shown]
    assert read == [(id_, id_, [id_], f"project:{id_}") for id_ in ids]
    assert trial.did("list", "--scope", "project:1e3", "--ids") == "1e3\n"
    assert {one["prior_status"] for one in trial.forget(*ids)} == {"active"}
    assert {one["prior_status"] for one in trial.unforget(*ids)} == {"forgotten"}
    put(trial, "clock.md", memory("12:30", "Not an id."))
    ((_, line, key, what, _),) = [one for one in findings(trial, "clock.md") if one[4] == "error"]
    assert (line, key, '"12:30"' in what) == (2, "id", True)


AMBIGUOUS = [
    *("1e3", "no", "0123", "12:30", "2026-01-02", "null", "~", "y", "0x1f", "a: b", "#x", "@x", "`x", "- x"),
    *("? x", "1_000", "=", "<<", ".inf", "[x]", "{x}", "!x", "&x", "*x", "%x", "'x", '"x', "x:", "Yes"),
    *("0b1", "1:2:3", "x # y", "\\", "---", "...", "é", ",", "|", ">", "x\\n"),
]


@pytest.mark.case("P-FM-06")
def test_what_is_written_reads_as_text_by_every_reader_of_yaml(trial):
    told = trial.batch(
        [
            {
                "text": f"Claim {at}.",
                "concept": value,
                "tags": [value],
                "key": value,
                "scope": f"project:{value}",
            }
            for at, value in enumerate(AMBIGUOUS)
        ]
    )
    for value, made in zip(AMBIGUOUS, told, strict=True):
        text = (trial.root / made["path"]).read_text()
        head = text.removeprefix("---\n").rpartition("\n---\n")[0]
        for read in (yaml.safe_load(head), YAML(typ="safe", pure=True).load(head)):
            words = (read["concept"], read["tags"], read["key"], read["scope"])
            assert words == (value, [value], value, f"project:{value}")
    assert checked(trial)["set_aside"] == 0


@pytest.mark.case("P-FM-06")
def test_links_between_odd_ids_are_quoted(trial):
    old, new = (
        put(trial, "a.md", memory("no", "Walruses bark.")),
        put(trial, "b.md", memory("1e3", "They dive.")),
    )
    trial.did("supersede", "no", "1e3", "--from", "2026-01-02")
    assert 'superseded_by: "1e3"' in old.read_text()
    assert 'supersedes: ["no"]' in new.read_text()
    assert yaml.safe_load(old.read_text().split("---\n")[1])["validity"] == {"to": "2026-01-02"}


@pytest.mark.case("P-FM-07")
def test_keys_called_like_parts_of_the_program_mean_nothing_and_stay(trial):
    names = [
        "content",
        "handler",
        "self",
        "1",
        "no",
        "metadata",
        "__class__",
        "text",
        "path",
        "claim",
        "body",
        "kind",
    ]
    odd = "".join(f"{name}: z\n" for name in names)
    raw = f"---\nid: keys1\n{odd}status: active\n---\nOdd keys of the narwhal.\n".encode()
    path = put(trial, "k.md", raw)
    assert trial.told("show", "keys1")["text"] == "Odd keys of the narwhal."
    assert trial.found("narwhal") == ["keys1"]
    trial.forget("keys1")
    one_word_changed(trial, path, raw, raw.replace(b"active", b"forgotten"))


@pytest.mark.case("P-FM-09")
def test_a_missing_id_follows_from_the_path_and_is_nobody_elses(trial):
    first = put(trial, "first.md", "---\nstatus: active\n---\nNo id, first.\n")
    second = put(trial, "second.md", "---\nid:\nstatus:\ntype:\n---\nNo id, second.\n")
    put(trial, "bare.md", "No frontmatter at all.\n")
    listed = trial.did("list", "--ids").split()
    assert len(set(listed)) == 3
    assert checked(trial)["set_aside"] == 0
    raws = first.read_bytes(), second.read_bytes()
    trial.found("first second")
    trial.did("index", "rebuild")
    assert trial.did("list", "--ids").split() == listed
    assert (first.read_bytes(), second.read_bytes()) == raws
    trial.did("check", "--fix")
    assert f"id: {listed[1]}".encode() in first.read_bytes()
    assert sorted(trial.did("list", "--ids").split()) == sorted(listed)


@pytest.mark.case("P-FM-11")
def test_a_bomb_costs_no_command_time_or_memory(trial):
    put(trial, "bomb.md", f"---\nid: bomb1\n{BOMB}---\nBody\n")
    for argv in (
        ["show", "bomb1", "--json"], ["index", "rebuild"], ["recall", "body", "--json"], ["check", "--json"],
        ["list", "--json"], ["save", "--json"], ["status", "--json"],
    ):  # fmt: skip
        tracemalloc.start()
        began = time.process_time()
        ran = trial.ran(*argv)
        spent, peak = time.process_time() - began, tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (ran.code == 70, spent < 1, peak < 50_000_000) == (False, True, True), (argv, spent, peak)


@pytest.mark.case("P-FM-13")
@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (
            b"---\nid: blk1\nt: |\n  one\n  ---\n  two\nstatus: active\n---\nBlock body.\n",
            ["Block body.", None],
        ),
        (
            b"---\nid: blk1\nstatus: active\nt: |\n  one\n---\n  two\n---\nRest of it.\n",
            ["two", "---\nRest of it."],
        ),
    ],
    ids=["indented", "at the margin"],
)
def test_a_fence_in_a_block_of_text_loses_nothing(trial, raw, shown):
    path = put(trial, "b.md", raw)
    told = trial.told("show", "blk1")
    assert [told["text"], told["detail"]] == shown
    trial.forget("blk1")
    one_word_changed(trial, path, raw, raw.replace(b"active", b"forgotten"))
    trial.unforget("blk1")
    assert path.read_bytes() == raw


@pytest.mark.case("P-FM-14")
@pytest.mark.parametrize(
    "body", [b"\n\n    code\n\nend  \n\n", b"x", b"\n\n\nx\t\n \n", b"x\r\n\r\n", b"# T\n\nx\n\n\n"]
)
def test_the_body_is_the_same_bytes_whatever_becomes_of_the_status(trial, body):
    path = put(trial, "e.md", b"---\nid: edge1\n---\n" + body)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    trial.forget("edge1")
    assert path.read_bytes().endswith(b"---\n" + body)
    trial.unforget("edge1")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    trial.did("supersede", "edge1", "--with", "Another claim entirely.")
    assert path.read_bytes().endswith(b"---\n" + body)


@pytest.mark.case("A22")
def test_every_good_fixture_comes_back_as_the_bytes_that_it_was(trial):
    for path in sorted(FIXTURES.glob("good/*.md")):
        put(trial, path.name, path.read_bytes())
    for path in sorted(FIXTURES.glob("broken/*.md")):
        put(trial, f"broken-{path.name}", path.read_bytes())
    trial.ran("save")
    before = {path: path.read_bytes() for path in here(trial).iterdir()}
    everywhere = ("--scope", "*", "--format", r"{id}\t{path}")
    ids = dict(line.split("\t") for line in trial.did("list", *everywhere).splitlines())
    assert len(ids) >= 50
    acts = trial.forget(*ids)
    assert {act["prior_status"] for act in acts} == {"active", "needs_review"}
    changed = {path for path, raw in before.items() if path.read_bytes() != raw}
    assert changed == {Path(path) for path in ids.values()}
    trial.unforget(*ids)
    for path, raw in before.items():
        stated = re.search(rb"^[\"']?id[\"']?[ \t]*:[ \t]*[^\s#]|^\{.*id:", raw, re.MULTILINE)
        if stated or path.name.startswith("broken-"):
            assert path.read_bytes() == raw, path.name
    trial.did("index", "rebuild")
    assert trial.ran("check", "--fix").code == 4
    assert all(path.read_bytes() == raw for path, raw in before.items() if path.name.startswith("broken-"))


QUOTED = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cf", "Zl", "Zp"]), min_size=1, max_size=12)
VALUES = st.one_of(
    QUOTED.map(lambda text: "'" + text.replace("'", "''") + "'"),
    st.sampled_from(["plain", "1.5", "[a, b]", "{k: v}", "|\n  one\n  two", "~", "2026-01-02", "  spaced  "]),
)
KEYS = st.from_regex(r"x[a-z_-]{0,8}", fullmatch=True)
COMMENTS = st.sampled_from(["", "# why\n", "\n"])
FILES = st.tuples(
    st.dictionaries(KEYS, VALUES, max_size=5),
    COMMENTS,
    st.sampled_from(["\n", "\r\n"]),
    QUOTED,
    st.integers(0, 5),
)


def written(number, drawn):
    """A memory's file of what was drawn: keys, a comment, its line ends, its body, the place of its status."""
    keys, comment, end, body, at = drawn
    lines = [f"{key}: {value}\n" for key, value in keys.items()]
    lines.insert(min(at, len(lines)), "status: active  # mine\n")
    text = f"---\nid: drawn{number:07d}\n{comment}{''.join(lines)}---\n\nClaim {number} about {body}\n"
    return text.replace("\n", end).encode()


@pytest.mark.case("A22")
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=st.lists(FILES, min_size=10, max_size=10))
def test_whatever_stands_beside_the_status_survives_forgetting(trial, drawn):
    files = {put(trial, f"{at}.md", written(at, one)): written(at, one) for at, one in enumerate(drawn)}
    ids = [f"drawn{at:07d}" for at in range(len(drawn))]
    assert trial.ran("save").code == 0
    trial.forget(*ids)
    for path, raw in files.items():
        assert path.read_bytes() == raw.replace(b"status: active ", b"status: forgotten ")
    trial.unforget(*ids)
    assert {path: path.read_bytes() for path in files} == files
