"""The process: what it loads, how it ends, and what it says when something is wrong."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from memcli import __main__ as process
from memcli.cli import streams as streams_module
from memcli.errors import NoSuchMemory

HEAVY = {"lancedb", "onnxruntime", "numpy", "git", "pyarrow", "tokenizers", "typer", "rich", "Stemmer"}

# Runs mem in this process and prints on stderr, last, which heavy packages it came to load.
SPY = f"""
import sys
from memcli.__main__ import main
code = main(sys.argv[1:])
sys.stdout.flush()
heavy = sorted({sorted(HEAVY)!r} & {{name.partition(".")[0] for name in sys.modules}})
sys.stderr.write("loaded:" + ",".join(heavy))
""".replace("sorted([", "sorted(set([").replace("] & {name", "]) & {name")

WITH_MODULES = """
import sys
from memcli.__main__ import main
main(['--version'])
print(*sorted(name for name in sys.modules if name.startswith('memcli') or name in ('typing', 're')))
"""


def loaded(mem, *argv):
    mem.command = [sys.executable, "-c", SPY]
    return set(filter(None, mem(*argv).err.rpartition("loaded:")[2].split(",")))


def test_the_version_is_said_without_loading_anything(mem):
    assert loaded(mem, "--version") == set()
    mem.command = [sys.executable, "-c", WITH_MODULES]
    assert mem().out.split()[2:] == ["memcli", "memcli.__main__"]


@pytest.mark.parametrize("argv", [["--help"], ["recall", "--help"], ["help", "log"]])
def test_help_loads_neither_index_nor_model_nor_git(mem, argv):
    assert loaded(mem, *argv) <= {"typer", "rich"}


@pytest.mark.parametrize(
    "argv",
    [
        ["show", "refund00"],
        ["show", "refund00", "--json"],
        ["list"],
        ["list", "--json"],
        ["log"],
        ["log", "--json"],
        ["history", "refund00"],
        ["blame", "refund00"],
        ["config"],
        ["show", "nothere0"],
        ["recall", "x", "-k", "0"],
    ],
)
def test_reading_loads_neither_index_nor_model_nor_typer(mem, argv):
    assert loaded(mem, *argv) == set()


@pytest.mark.parametrize("argv", [["timeline"], ["timeline", "--active"], ["timeline", "refund"], ["diff"]])
def test_looking_back_loads_no_model_where_nothing_was_taken_out(mem, argv):
    assert loaded(mem, *argv) <= {"numpy", "Stemmer"}


def test_an_option_that_is_not_there_names_those_that_are_like_it(mem):
    ran = mem("recall", "--floo", "1")
    assert ran.code == 2
    assert "--floor" in ran.err
    assert ran.err.count("\n") == 2
    assert "Hint: " in ran.err


@pytest.mark.case("P-CLI-02")
def test_an_error_about_a_dash_names_both_ways_out(mem):
    for argv in (["remember", "-j4 is fastest"], ["recall", "--foo"]):
        ran = mem(*argv)
        assert ran.code == 2
        assert "after --" in ran.err
        assert "stdin with -" in ran.err


@pytest.mark.case("P-EMB-01")
@pytest.mark.parametrize(
    "argv", [["recall", ""], ["recall", "   "], ["recall", "\n\t"], ["recall"], ["remember", ""]]
)
def test_blank_is_a_wrong_command_line(mem, argv):
    ran = mem(*argv)
    assert (ran.code, ran.out) == (2, "")
    assert "Hint: " in ran.err


@pytest.mark.case("P-EMB-01")
@pytest.mark.parametrize("verb", ["recall", "remember"])
def test_blank_stdin_is_a_wrong_command_line(mem, verb):
    ran = mem(verb, "-", stdin=" \n\t ")
    assert (ran.code, ran.out) == (2, "")


@pytest.mark.case("P-ENC-04")
def test_an_argument_that_is_not_utf8_is_refused_in_one_sentence(mem):
    for verb in ("remember", "recall"):
        ran = mem(verb, b"caf\xe9 au lait")
        assert ran.code == 2
        assert "UTF-8" in ran.err
        assert "Traceback" not in ran.err
    assert mem("remember", "-", stdin=b"caf\xe9").code == 2
    assert mem("list").code == 0


@pytest.mark.case("P-CLI-06")
@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "xx_YY"},
        {"LC_ALL": "POSIX", "LANG": ""},
    ],
)
def test_output_is_utf8_and_arguments_are_understood_in_any_locale(mem, store, env):
    store.write("cafe00aaaa11", "Le café ouvre à 8 h, 漢字.")
    ran = mem("list", "--json", env=env)
    assert ran.code == 0
    assert "café ouvre à 8 h, 漢字" in ran.out
    ran = mem("recall", "x", "--mode", "é", env=env)
    assert ran.code == 2
    assert "'é'" in ran.err


def test_errors_are_json_on_request(mem):
    ran = mem("show", "nothere0", "--json")
    told = json.loads(ran.err)
    assert (ran.code, ran.out) == (3, "")
    assert list(told)[:4] == ["format", "code", "message", "hint"]
    assert (told["format"], told["code"]) == ("mem.error/1", 3)


@pytest.mark.case("P-CLI-07")
def test_exit_codes_tell_the_cases_apart(mem, tmp_path):
    assert mem("list").code == 0
    assert mem("list", "--tag", "none").code == 1
    assert mem("list", "--tag", "none", "--ok-if-empty").code == 0
    assert mem("list", "--nope").code == 2
    assert mem("show", "nothere0").code == 3
    assert mem("--store", str(tmp_path / "nowhere"), "list").code == 9
    assert mem("list", cwd="/", env={"MEM_STORE": ""}).code == 9


@pytest.mark.case("P-CLI-07")
def test_a_set_aside_file_is_told_by_its_own_code(mem, store):
    store.write("broken00aaaa", "x", head="status: [\n")
    assert mem("check").code == 4
    assert mem("show", "refund00").code == 0


@pytest.mark.case("P-CLI-11")
@pytest.mark.parametrize(
    "id_",
    ["", "refund00AAAA", "refund 00", "nothere0", "re", "../../etc", "-", "refund00aaaa\n"],
)
def test_an_id_that_is_none_is_refused(mem, id_):
    ran = mem("show", "--", id_)
    assert ran.code == 3
    assert ran.out == ""


@pytest.mark.case("P-CLI-11")
def test_a_beginning_of_two_ids_lists_both(mem, store):
    store.write("refund00bbbb", "Another.")
    ran = mem("show", "refund00")
    assert ran.code == 3
    assert "refund00aaaa" in ran.err
    assert "refund00bbbb" in ran.err


@pytest.mark.case("P-CLI-01")
@pytest.mark.parametrize("env", [{}, {"PYTHONUNBUFFERED": "1"}])
def test_a_reader_that_goes_is_no_error(mem, store, env):
    for number in range(300):
        store.write(f"many{number:08d}", "A claim that is long enough to fill a pipe. " * 12)
    line = f"{sys.executable} -m memcli list | head -1; echo ${{PIPESTATUS[0]}}"
    ran = subprocess.run(
        ["bash", "-c", line], cwd=store.root, env={**mem.environment, **env}, capture_output=True, check=False
    )
    first, code = ran.stdout.decode().splitlines()
    assert first.startswith("deploy00aaaa")
    assert code in ("0", "141")
    assert ran.stderr == b""


def test_a_full_disk_behind_stdout_is_one_sentence(mem, store):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    line = f"{sys.executable} -m memcli list > /dev/full; echo $?"
    ran = subprocess.run(
        ["sh", "-c", line], cwd=store.root, env=mem.environment, capture_output=True, check=False
    )
    assert ran.stdout == b"6\n"
    assert b"No space left" in ran.stderr
    assert b"Exception ignored" not in ran.stderr


@pytest.mark.case("P-CLI-10")
@pytest.mark.parametrize("closing", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_do_no_harm(mem, store, closing):
    line = f"{sys.executable} -m memcli show refund00 {closing}; echo $? >&3"
    whole = ["sh", "-c", f"{{ {line}; }} 3>&1"]
    ran = subprocess.run(whole, cwd=store.root, env=mem.environment, capture_output=True, check=False)
    assert ran.stdout.splitlines()[-1] == b"0"
    assert b"Traceback" not in ran.stderr


def test_a_bug_is_logged_without_any_text_and_its_path_printed(mem, store, monkeypatch, capsys):
    def broken(streams):
        streams.log_folder = store.root / ".mem" / "log"
        streams.log_folder.mkdir(parents=True)
        secret_text = "the text of a memory"
        raise ValueError(secret_text)

    monkeypatch.setattr("memcli.cli.verbs.reading.show", broken)
    assert process.main(["show", "abcd"]) == 70
    told = capsys.readouterr().err
    path = told.rpartition("with ")[2].strip()
    log = Path(path).read_text()
    assert path.startswith(str(store.root / ".mem" / "log"))
    assert "ValueError" in log
    assert "broken" in log
    assert "the text of a memory" not in log + told
    assert Path(path).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("raised", "code"),
    [(KeyboardInterrupt(), 130), (BrokenPipeError(), 141), (NoSuchMemory("No."), 3)],
)
def test_every_end_has_its_code(monkeypatch, capsys, raised, code):
    def ends(_streams):
        raise raised

    monkeypatch.setattr(streams_module, "run", ends)
    assert process.main(["list"]) == code
    assert "Traceback" not in capsys.readouterr().err


def test_the_script_of_the_wheel_is_mem(mem):
    script = Path(process.__file__).parent / "bin" / "mem"
    assert script.read_text().startswith("#!python\n")
    mem.command = [sys.executable, str(script)]
    assert mem("--version").out == mem("-V").out
    assert mem("list").code == 0
