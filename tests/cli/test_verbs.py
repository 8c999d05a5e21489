"""The verbs around the task: a store made, looked at, edited, checked, and the demo."""

import json
import subprocess
import sys
import tracemalloc

import pytest
from cli.conftest import Mem, Store, Within, environment_in

from memcli.engine import reading

ID = "refund00aaaa"


@pytest.fixture
def editor(tmp_path):
    """The environment of an editor that is a shell script; $1 is the file."""

    def make(text):
        path = tmp_path / "editor.sh"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return {"MEM_EDITOR": str(path), "TMPDIR": str(tmp_path)}

    return make


def test_an_edit_is_one_commit(within, store, editor):
    before = store.head()
    ran = within("edit", "refund00", env=editor('sed -i s/30/14/ "$1"'))
    assert ran.code == 0, ran.err
    assert ran.out == f"{ID}\tedit\tschemas/project/t/refund00aaaa.md\n"
    assert "The refund window is 14 days." in within("show", ID).out
    assert store.head() != before


def test_an_editor_closed_unchanged_or_failing_makes_no_commit(within, store, editor):
    before = store.head()
    ran = within("edit", ID, env=editor("true"))
    assert (ran.code, ran.out, ran.err) == (0, "", "Nothing was changed.\n")
    ran = within("edit", ID, env=editor('echo x >> "$1"; false'))
    assert ran.code == 6
    assert "Hint: " in ran.err
    ran = within("new", env=editor("true"))
    assert (ran.code, ran.out) == (0, "")
    assert store.head() == before


def test_what_does_not_fit_is_shown_and_can_be_put_right(within, store, editor):
    fix = f'if grep -q "# mem: line" "$1"; then sed -i s/actve/active/ "$1"; cp "$1" {store.root / "seen"}; '
    ran = within("edit", ID, env=editor(fix + 'else sed -i "s/^id/status: actve\\nid/; s/30/14/" "$1"; fi'))
    assert ran.code == 0, ran.err
    assert "The refund window is 14 days." in within("show", ID).out
    first = (store.root / "seen").read_text().splitlines()[0]
    assert first.startswith("# mem: line 4: status: ")


def test_giving_up_on_what_does_not_fit_keeps_store_and_text(within, store, editor):
    before = store.head()
    ran = within("edit", ID, env=editor('grep -q nope "$1" || sed -i "s/^id/status: nope\\nid/" "$1"'))
    assert ran.code == 4
    assert "  line 4: status: " in ran.err
    assert "What you wrote is in " in ran.err
    assert store.head() == before
    assert "nope" not in within("show", ID).out


def test_a_new_memory_is_written_in_the_editor(mem, store, editor):
    ran = mem(
        "new", "--type", "decision", "--json", env=editor('echo "We number invoices per country." >> "$1"')
    )
    told = json.loads(ran.out)
    assert told["text"] == "We number invoices per country."
    assert told["commit"]
    assert json.loads(mem("show", told["id"], "--json").out)["type"] == "decision"


def test_check_speaks_the_language_of_compilers(within, store):
    assert within("check").code == 0
    store.write("broken00aaaa", "x", head="status: actve\n")
    ran = within("check")
    assert ran.code == 4
    assert ran.out.startswith('schemas/project/t/broken00aaaa.md:3: status: "actve" is not')
    assert "1 file set aside, 2 understood." in ran.err
    told = json.loads(within("check", "--json").out)
    assert (told["files"], told["understood"], told["set_aside"]) == (3, 2, 1)
    assert within("recall", "refund window").code == 0


@pytest.mark.case("P-CLI-04")
def test_brackets_in_the_name_of_a_file_are_literal(within, store):
    path = store.root / "schemas/project/t/[red]x [link=y].md"
    path.write_text("---\nstatus: [\n---\nx\n")
    assert "[red]x [link=y].md:" in within("check").out
    assert "[red]x [link=y].md:" in within.at_terminal("check").out


def test_status_says_what_needs_a_person(within, store):
    told = json.loads(within("status", "--json").out)
    assert told["format"] == "mem.status/1"
    assert (told["schemas"], told["set_aside"], told["uncommitted"]) == (2, 0, [])
    assert (told["visible"], told["found_by"]) == (2, "above")
    assert "project:t (sees 2 of 2 memories)" in within("status").out
    elsewhere = within("status", "--scope", "project:evil", "--store", ".").out
    assert "project:evil (sees 0 of 2 memories)" in elsewhere
    assert "(named by --store)" in elsewhere
    store.write("hand0000aaaa", "Written by hand.")
    store.write("broken00aaaa", "x", head="status: actve\n")
    shown = within("status").out
    assert "set aside" in shown
    assert "uncommitted" in shown


def test_config_says_where_a_value_comes_from(within, store):
    (store.root / "mem.toml").write_text("[recall]\nk = 3\n")
    assert "recall.k\t3\n" in within("config").out
    ran = within("config", "recall.k", "--show-origin")
    assert ran.out == "recall.k\t3\tmem.toml:2\n"
    unknown = within("config", "recall.kk")
    assert (unknown.code, unknown.out) == (2, "")
    assert "Hint: Did you mean recall.k? " in unknown.err


def test_config_gives_values_as_what_they_are(within, store):
    (store.root / "mem.toml").write_text('timezone = "Europe/Berlin"\n[recall]\nk = 3\n')
    told = {one["key"]: one["value"] for one in json.loads(within("config", "--json").out)["settings"]}
    assert (told["timezone"], told["recall.k"], told["lock.wait_s"]) == ("Europe/Berlin", 3, 30.0)
    assert told["encoder.path"] is None
    assert within("config", "timezone").out == "timezone\tEurope/Berlin\n"
    assert within.at_terminal("config", "timezone").out.endswith('  "Europe/Berlin"\n')


def test_the_index_can_be_looked_at_and_made_anew(within):
    assert within("index", "status").code == 0
    ran = within("index", "rebuild", "--json")
    told = json.loads(ran.out)
    assert (told["rows"], told["rebuilt"], told["encoded"]) == (2, True, 2)
    assert json.loads(within("index", "rebuild", "--json").out)["encoded"] == 0  # their vectors are kept
    assert within("index", "verify").code == 0
    assert within("index").code == 2
    assert within("index", "nonsense").code == 2


def test_init_says_its_steps_and_only_then_acts(tmp_path):
    within = Within(tmp_path, environment_in(tmp_path / "home"))
    planned = within("init", "notes", "--dry-run")
    assert planned.code == 0
    assert not (tmp_path / "notes").exists()
    made = within("init", "notes")
    assert made.out == planned.out
    assert (tmp_path / "notes" / "mem.toml").exists()
    again = within("init", "notes")
    assert (again.code, again.out) == (0, "")
    assert "already" in again.err


def test_help_by_word_is_help_by_option(mem):
    assert mem("help", "recall").out == mem("recall", "--help").out
    assert mem("help").out == mem().out


def test_help_begins_with_an_example(mem):
    ran = mem("recall", "--help")
    assert ran.code == 0
    assert ran.out.lstrip().startswith("mem recall how long can customers send things back")
    assert "Usage: mem recall [OPTIONS] QUERY..." in ran.out
    assert "<bool>" not in ran.out


def test_help_is_printed_as_it_is_written(within):
    assert "KIND:ID: the scope it goes to." in within("move", "--help").out
    for argv in (("--help",), *((verb, "--help") for verb in ("move", "list", "remember", "config"))):
        shown = within(*argv).out
        assert "<bool>" not in shown
        assert "[none]" not in shown
        assert all(ord(letter) < 0x1F000 for letter in shown)


@pytest.mark.parametrize(
    ("typed", "meant"), [("comit", "'commit'"), ("recal", "'recall'"), ("purg", ""), ("forgot", "")]
)
def test_a_mistyped_verb_leads_to_no_act_of_a_person(within, typed, meant):
    ran = within(typed)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines()[0].partition("Did you mean ")[2].rstrip("?") == meant
    assert "forget" not in ran.err


def test_what_is_no_folder_in_place_of_mems_own_costs_nothing_but_speed(within, store):
    (store.root / ".mem").write_text("")
    ran = within("recall", "refund window")
    assert ran.code == 0, ran.err
    assert "30 days" in ran.out
    assert "the files answer: .mem is not a folder" in ran.err
    refused = within("remember", "Trains leave at nine.")
    assert refused.code == 6
    assert "Hint: " in refused.err


def test_what_is_wrong_with_settings_and_model_is_told_in_sentences(within, store):
    (store.root / "mem.toml").write_text("[encoder]\npath = 'nowhere'\n")
    ran = within("recall", "refund window")
    assert f"is not there: {store.root / 'nowhere'}. Answers go by words only." in ran.err
    (store.root / "mem.toml").write_text("k = \n")
    ran = within("list")
    assert ran.code == 4
    assert ran.err.startswith(
        "The settings of the store cannot be read: mem.toml is not TOML (invalid value).\n"
    )


def test_a_time_that_cannot_be_read_is_said_once(within):
    ran = within("log", "--since", "foo")
    assert ran.code == 2
    assert ran.err.count("a date like") == 1
    assert ran.err.startswith("--since: 'foo' is not a time")


def test_verbose_says_which_store_and_scope(within, store):
    assert f"store {store.root}, scope project:t" in within("list", "-v").err


@pytest.mark.case("P-CLI-09")
def test_a_long_list_starts_at_once_and_stays_small(within, monkeypatch):
    seen = []

    def many(_opened, _request):
        for number in range(20_000):
            seen.append(number)
            yield reading.Listed(
                f"id{number:010d}", "p", "active", "fact", "project:t", "A claim of some length." * 3
            )

    monkeypatch.setattr(reading, "list_", many)
    for argv in (["list"], ["list", "--json"], ["list", "-0"]):
        seen.clear()
        written = _Sink(seen)
        _run_into(within, written, argv, monkeypatch)
        assert written.first < 1000
        assert written.peak < 4_000_000


class _Sink:
    """A stdout that keeps nothing but when it was first written to, and the memory used."""

    def __init__(self, seen):
        self.seen, self.first, self.peak, self.lines = seen, None, 0, 0
        self.buffer = self

    def write(self, text):
        self.first = len(self.seen) if self.first is None else self.first
        return len(text)

    def flush(self):
        """Nothing is kept back."""


def _run_into(within, sink, argv, monkeypatch):
    from memcli import __main__ as process
    from memcli import surroundings

    stands = surroundings.read()
    environment = {**within.environment, "MEM_STORE": str(within.folder)}
    from dataclasses import replace

    monkeypatch.setattr(
        surroundings,
        "read",
        lambda: replace(stands, environment=environment, cwd=within.folder, ttys=(False, False, False)),
    )
    monkeypatch.setattr(sys, "stdout", sink)
    tracemalloc.start()
    code = process.main(argv)
    sink.peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    monkeypatch.setattr(sys, "stdout", sys.__stdout__)
    assert code == 0


def test_a_shell_is_offered_ids(mem):
    ran = mem(env={"_MEM_COMPLETE": "complete_bash", "COMP_WORDS": "mem show ref", "COMP_CWORD": "2"})
    assert ran.out.split() == [ID]
    outside = mem(
        cwd="/", env={"_MEM_COMPLETE": "complete_bash", "COMP_WORDS": "mem show ref", "COMP_CWORD": "2"}
    )
    assert (outside.out.strip(), outside.err) == ("", "")


def test_the_demo_takes_in_recalls_forgets_and_shows_the_journal(tmp_path):
    mem = Mem(tmp_path, environment_in(tmp_path / "home"))
    ran = mem("demo", "shown", env={"CLAUDECODE": "1"})
    assert (ran.code, ran.err) == (0, "")
    for step in (
        "$ mem init ",
        "$ cd ",
        "$ mem remember --batch ",
        "$ mem recall ",
        "$ mem forget ",
        "$ mem log",
    ):
        assert step in ran.out
    assert "This is a bug" not in ran.out
    assert "It says again what was removed" in ran.out
    assert f"rm -rf {tmp_path / 'shown'}" in ran.out
    shown = Mem(tmp_path / "shown", mem.environment)
    assert shown("list").code == 0
    assert mem("demo", "shown").code == 5
    assert not (tmp_path / "home" / "data").exists()


def test_a_demo_thrown_away_as_it_says_leaves_nothing(tmp_path):
    (tmp_path / "tmp").mkdir()
    environment = {**environment_in(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp")}
    ran = Mem(tmp_path, environment)("demo")
    assert ran.code == 0, ran.err
    said = next(line for line in ran.out.splitlines() if line.startswith("Throw it away with: "))
    subprocess.run(said.partition(": ")[2], shell=True, check=True)
    assert [path.name for path in (tmp_path / "tmp").iterdir() if path.name.startswith("mem-demo-")] == []


def test_an_interrupt_ends_with_its_code(store, mem):
    import signal
    import subprocess
    import time

    process = subprocess.Popen(
        [*mem.command, "remember", "-"],
        cwd=store.root,
        env=mem.environment,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"Traceback" not in err


def test_a_store_is_found_from_a_folder_below_it(store):
    below = store.root / "schemas" / "project"
    assert Within(below, store.environment)("list").code == 0
    made = Store(store.root, store.environment)
    made.write("hand0000aaaa", "Written by hand.")
    ran = Within(below, store.environment)("save", "t/hand0000aaaa.md")
    assert ran.code == 0, ran.err


@pytest.mark.case("P-CLI-07")
def test_a_busy_store_is_told_by_its_own_code(within, store):
    from memcli.store import lock
    from memcli.store.place import Place

    (store.root / "mem.toml").write_text("[lock]\nwait_s = 0.1\n")
    with lock.hold(Place(store.root), wait_s=1, holder="a test"):
        ran = within("remember", "Coffee is free on Fridays.")
        assert (ran.code, ran.out) == (8, "")
        assert "Hint: " in ran.err
        assert within("list").code == 0
        assert within("recall", "refund window").code == 0
