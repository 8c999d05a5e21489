"""Export, import and sync as a person, a pipe and a program see them."""

import json
import subprocess

import pytest

CLAIM = "The refund window is 45 days."
PERSON = {"MEM_ACTOR": "human:ana"}


@pytest.fixture
def lines(store, within, tmp_path):
    """What the store holds, and one line that says nothing; in a file."""
    out = within("export", env=PERSON).out
    forged = json.dumps({
        "kind": "schema", "id": "esc00000aaaa", "path": "schemas/project/t/esc.md", "status": "active",
        "text": f"---\nid: esc00000aaaa\n---\n\n\x1b[31m{CLAIM}\n",
    })  # fmt: skip
    (tmp_path / "lines.jsonl").write_text(f"{out}{forged}\nnonsense\n")
    return str(tmp_path / "lines.jsonl")


def test_an_export_is_lines_for_every_reader(within):
    for ran in (
        within("export"),
        within.at_terminal("export"),
        within("export", "--json"),
        within("export", "-q"),
    ):
        told = [json.loads(line) for line in ran.out.splitlines()]
        assert told[0]["format"] == "mem.export/1"
        assert [one["kind"] for one in told[1:]] == ["schema", "schema"]
    assert "Wrote 2 memories" in within("export").err


def test_an_import_has_looks_for_each_reader(within, lines):
    ran = within("import", "--dry-run", "--yes", lines, env=PERSON)
    assert ran.code == 4
    assert [line.split("\t")[:3] for line in ran.out.splitlines()] == [
        ["deploy00aaaa", "unchanged", "active"],
        ["refund00aaaa", "unchanged", "active"],
        ["esc00000aaaa", "created", "active"],
    ]
    assert "Line 5 is no JSON object" in ran.err
    assert "Nothing was written." in ran.err
    shown = within.at_terminal("import", "--dry-run", "--yes", lines, env=PERSON)
    assert "     2  as they stand here" in shown.out
    told = json.loads(within("import", "--dry-run", "--yes", "--json", lines, env=PERSON).out)
    assert (told["dry_run"], told["counts"]) == (True, {"created": 1, "unchanged": 2})
    assert {"id", "decision", "status", "rule", "score", "of", "text", "error", "own"} == set(
        told["memories"][0]
    )


def test_a_terminal_obeys_no_line(within, lines):
    for ran in (
        within("import", "--dry-run", "--yes", lines, env=PERSON),
        within.at_terminal("import", "--dry-run", "--yes", lines, env=PERSON),
    ):
        assert "\x1b[31m" not in ran.out + ran.err


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (("import",), 2),
        (("import", "nowhere.jsonl"), 2),
        (("import", "--review", "--yes", "x"), 2),
        (("merge-driver",), 2),
        (("merge-driver", "a"), 2),
        (("sync", "a", "b"), 2),
        (("sync",), 2),
    ],
)
def test_words_that_make_no_sense_are_refused_with_a_hint(within, argv, code):
    ran = within(*argv)
    assert (ran.code, "Hint:" in ran.err) == (code, True), ran.err


def test_an_empty_file_is_no_import(within, tmp_path):
    (tmp_path / "empty").write_text("\n\n")
    assert within("import", str(tmp_path / "empty")).code == 2


def test_a_sync_has_looks_for_each_reader(store, within, tmp_path):
    bare = tmp_path / "t.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", bare], env=store.environment, check=True)
    assert within("sync", str(bare)).out == f"{bare}\t0\t1\t0\n"
    assert within.at_terminal("sync", str(bare)).out == f"Met {bare}: 0 commits came, 0 went.\n"
    told = json.loads(within("sync", str(bare), "--json").out)
    assert set(told) == {
        "format",
        "remote",
        "received",
        "sent",
        "commit",
        "changed",
        "settled",
        "withheld",
        "unsaved",
    }
    assert within("sync", str(bare), "--quiet").out == ""
