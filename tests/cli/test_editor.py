"""The editor's rounds: problems come back as comments, and nothing written is lost."""

import stat
from pathlib import Path

import pytest

from memcli.cli import editor
from memcli.errors import BadFile, Refused, Unavailable

BEFORE = b"---\nid: x\n---\n\nBefore.\n"


@pytest.fixture(autouse=True)
def _private_copies(tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    return tmp_path / "tmp"


@pytest.fixture
def script(tmp_path):
    """An editor that is a shell script; $1 is the file."""

    def make(text):
        path = tmp_path / "editor with space.sh"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return f"'{path}'"

    return make


def copies(tmp_path):
    return [path for folder in (tmp_path / "tmp").iterdir() for path in folder.iterdir()]


def no_problems(_text):
    return ()


def test_what_was_written_is_kept(script, tmp_path):
    kept = []
    assert editor.edited(script('echo after >> "$1"'), "x.md", BEFORE, no_problems, kept.append)
    assert kept == [BEFORE + b"after\n"]
    assert copies(tmp_path) == []


def test_left_unchanged_nothing_is_kept(script, tmp_path):
    kept = []
    assert not editor.edited(script("true"), "x.md", BEFORE, no_problems, kept.append)
    assert kept == []
    assert copies(tmp_path) == []


def test_a_failing_editor_changes_nothing(script, tmp_path):
    kept = []
    with pytest.raises(Unavailable, match="exit code 3"):
        editor.edited(script("exit 3"), "x.md", BEFORE, no_problems, kept.append)
    assert kept == []
    assert copies(tmp_path) == []


def test_a_failing_editor_does_not_lose_what_was_written(script, tmp_path):
    with pytest.raises(Unavailable) as told:
        editor.edited(script('echo after > "$1"; exit 1'), "x.md", BEFORE, no_problems, [].append)
    (copy,) = copies(tmp_path)
    assert copy.read_bytes() == b"after\n"
    assert str(copy) in told.value.hint


def test_an_editor_that_is_not_there_is_said_so():
    with pytest.raises(Unavailable, match="no-such-editor"):
        editor.edited("no-such-editor", "x.md", BEFORE, no_problems, [].append)


def test_problems_come_back_at_the_top_with_the_lines_that_the_editor_shows(script, tmp_path):
    seen = tmp_path / "seen"
    run = script(f'cat "$1" >> {seen}; echo ===== >> {seen}; echo more >> "$1"')
    rounds = [("line 2: status: wrong",), ("nothing here", "line 3: type: wrong"), ()]
    kept = []
    assert editor.edited(run, "x.md", BEFORE, lambda _: rounds.pop(0), kept.append)
    first, second, third, _ = seen.read_bytes().split(b"=====\n")
    assert first == BEFORE
    assert second.startswith(b"# mem: line 4: status: wrong\n# mem: save again")
    assert third.startswith(b"# mem: nothing here\n# mem: line 6: type: wrong\n# mem: save again")
    assert kept == [BEFORE + b"more\nmore\nmore\n"]


def test_a_byte_order_mark_stays_first(script, tmp_path):
    seen = tmp_path / "seen"
    rounds = [("1: : wrong",), ()]
    kept = []
    bom = b"\xef\xbb\xbf"
    run = script(f'cp "$1" {seen}; echo more >> "$1"')
    editor.edited(run, "x.md", bom + BEFORE, lambda _: rounds.pop(0), kept.append)
    assert seen.read_bytes().startswith(bom + b"# mem: ")
    assert kept == [bom + BEFORE + b"more\nmore\n"]


def test_giving_up_on_a_problem_keeps_the_text_and_names_it(script, tmp_path):
    run = script('grep -q broken "$1" || echo broken >> "$1"')
    with pytest.raises(BadFile) as told:
        editor.edited(run, "x.md", BEFORE, lambda _: ("1: : wrong",), [].append)
    assert told.value.details == ("1: : wrong",)
    (copy,) = copies(tmp_path)
    assert str(copy) in told.value.hint


def test_what_may_not_be_kept_stays_in_the_copy(script, tmp_path):
    def refuse(_text):
        raise Refused("It holds a secret.", "Take it out.")

    with pytest.raises(Refused) as told:
        editor.edited(script('echo after >> "$1"'), "x.md", BEFORE, no_problems, refuse)
    (copy,) = copies(tmp_path)
    assert told.value.hint == f"Take it out. What you wrote is in {copy}"


def test_the_copy_is_for_its_user_alone(script, tmp_path):
    seen = tmp_path / "seen"
    editor.edited(script(f'stat -c %a "$(dirname "$1")" > {seen}'), "x.md", BEFORE, no_problems, [].append)
    assert seen.read_text().strip() == "700"


@pytest.mark.parametrize(
    ("environment", "of_git", "named"),
    [
        ({"MEM_EDITOR": "a", "VISUAL": "b", "EDITOR": "c"}, "g", "a"),
        ({"VISUAL": "b", "EDITOR": "c"}, "g", "b"),
        ({"MEM_EDITOR": " ", "EDITOR": "c"}, "g", "c"),
        ({}, "g", "g"),
        ({}, "", "vi"),
    ],
)
def test_the_editor_is_the_first_that_is_named(environment, of_git, named):
    assert editor.command(environment, lambda: of_git, terminal=True) == named


def test_an_editor_that_nobody_chose_is_not_opened_without_a_terminal():
    with pytest.raises(Unavailable, match="no terminal for vi"):
        editor.command({}, lambda: "", terminal=False)
    assert editor.command({"EDITOR": "ed"}, lambda: "", terminal=False) == "ed"


def test_an_editor_that_removes_the_file_is_said_so(script):
    with pytest.raises(Unavailable, match="left no file"):
        editor.edited(script('rm "$1"'), "x.md", BEFORE, no_problems, [].append)


def test_copies_are_made_in_the_temporary_folder(script, tmp_path):
    seen = tmp_path / "seen"
    editor.edited(script(f'echo "$1" > {seen}'), "x.md", BEFORE, no_problems, [].append)
    assert Path(seen.read_text().strip()).is_relative_to(tmp_path / "tmp")
    assert Path(seen.read_text().strip()).name == "x.md"
