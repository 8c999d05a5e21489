import os
import pwd
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from memcli.environment import AGENT_SIGNS, NAMES
from memcli.errors import Usage
from memcli.surroundings import (
    Actor,
    Kind,
    Permit,
    actor_of,
    home_of,
    own_of,
    parse_actor,
    person_allowed,
    read,
    sign_of_agent,
    width_of,
)


def said(code: str, environment: dict[str, str], before: str = "") -> str:
    """What `code` prints in a fresh process; `before` runs first in its shell."""
    command = f'{before} exec "$0" -c "$1"'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, f"from memcli.surroundings import *; s = read(); {code}"],
        env={"PYTHONPATH": str(Path(__file__).parents[1]), **environment},
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert not done.stderr
    return done.stdout.strip()


def nobody() -> str | None:
    return None


def test_only_the_listed_variables_are_read(monkeypatch):
    monkeypatch.setenv("MEM_STORE", "/s")
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("SOME_SECRET", "x")
    environment = read().environment
    assert environment["MEM_STORE"] == "/s"
    assert set(environment) <= set(NAMES)
    assert not {"GIT_DIR", "SOME_SECRET"} & set(environment)


def test_the_list_of_names_holds_no_repository_variable_of_git_and_no_name_twice():
    local = subprocess.run(
        ["git", "rev-parse", "--local-env-vars"], capture_output=True, text=True, check=True
    )
    assert not set(local.stdout.split()) & set(NAMES)
    assert len(set(NAMES)) == len(NAMES)


def test_what_was_read_cannot_be_changed():
    with pytest.raises(TypeError):
        read().environment["MEM_STORE"] = "/other"


def test_now_is_whole_seconds():
    assert isinstance(read().now, int)


@pytest.mark.case("P-CLI-10")
def test_a_deleted_working_directory_is_none_and_nothing_else_suffers(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    before = f"cd '{gone}' && rmdir '{gone}';"
    assert said("print(s.cwd, s.home)", {"HOME": "/home/ana"}, before) == "None /home/ana"


@pytest.mark.case("P-CLI-10")
@pytest.mark.parametrize("environment", [{}, {"HOME": ""}, {"HOME": "not/absolute"}])
def test_without_home_the_user_database_says_where_the_own_store_lies(environment):
    home = pwd.getpwuid(os.getuid()).pw_dir
    assert said("print(s.own)", environment) == f"{home}/.local/share/mem"


@pytest.mark.case("P-CLI-10")
def test_a_user_without_home_and_without_entry_has_no_own_store(monkeypatch):
    def unknown(uid):
        raise KeyError(uid)

    monkeypatch.setattr("pwd.getpwuid", unknown)
    assert home_of({}) is None
    assert own_of({}, None) is None
    assert own_of({"XDG_DATA_HOME": "/d"}, None) == Path("/d/mem")


@pytest.mark.case("P-CLI-10")
def test_closed_descriptors_are_no_terminals():
    assert said("import os; os.write(9, repr(s.ttys).encode())", {}, "exec 9>&1 0<&- 1>&- 2>&-;") == str(
        (False,) * 3
    )


def test_a_process_without_controlling_terminal_cannot_ask():
    code = "import os; os.setsid(); print(read().terminal)"
    assert said(f"exec({code!r})", {}, "true |") == "False"


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="the rule written out is that of XDG")
@pytest.mark.parametrize("data", [None, "", "relative/share", "/data", "/with space"])
def test_the_own_store_lies_where_platformdirs_says(monkeypatch, data):
    monkeypatch.setenv("HOME", "/home/ana")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    environment = {"HOME": "/home/ana"}
    if data is not None:
        monkeypatch.setenv("XDG_DATA_HOME", data)
        environment["XDG_DATA_HOME"] = data
    assert own_of(environment, home_of(environment)) == Path(platformdirs.user_data_dir("mem"))


@pytest.mark.case("P-CLI-05")
@pytest.mark.parametrize(
    ("columns", "terminal", "width"),
    [
        ("120", 80, 120),
        ("", 132, 132),
        ("", 0, 80),
        ("abc", 0, 80),
        ("-5", 90, 90),
        ("0", 90, 90),
        ("٣", 90, 90),
        ("1", 80, 20),
        ("20", 80, 20),
        ("9" * 400, 100, 100),
        ("99999", 80, 10_000),
    ],
)
def test_any_width_becomes_one_that_can_be_laid_out_for(columns, terminal, width):
    assert width_of(columns, terminal) == width


@pytest.mark.parametrize(
    ("text", "actor"),
    [
        ("human:ana", Actor(Kind.HUMAN, "ana")),
        ("agent:claude", Actor(Kind.AGENT, "claude")),
        ("system:import", Actor(Kind.SYSTEM, "import")),
        ("human:Ana María", Actor(Kind.HUMAN, "Ana María")),
        ("agent:a:b", Actor(Kind.AGENT, "a:b")),
    ],
)
def test_an_actor_is_read_and_written_the_same(text, actor):
    assert parse_actor(text) == actor
    assert str(actor) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ana",
        "human",
        "human:",
        "Human:ana",
        "robot:x",
        "human: ana",
        "human:a\nMem-Op: forget",
        "human:\x1b[2J",
        "human:" + "x" * 65,
        "human:\udce9",
    ],
)
def test_what_is_no_actor_is_refused_in_one_printable_line(text):
    with pytest.raises(Usage) as refused:
        parse_actor(text)
    assert refused.value.message.isprintable()
    assert "human:NAME" in refused.value.hint


def test_mem_actor_is_taken_before_everything_else():
    environment = {"MEM_ACTOR": "human:ana", "CLAUDECODE": "1"}
    assert actor_of(environment, lambda: "git") == Actor(Kind.HUMAN, "ana")


@pytest.mark.parametrize("variable", sorted(set(AGENT_SIGNS) - {"AI_AGENT"}))
def test_each_known_client_makes_the_actor_an_agent(variable):
    actor = actor_of({variable: "1"}, lambda: "ana")
    assert actor == Actor(Kind.AGENT, AGENT_SIGNS[variable])


@pytest.mark.parametrize("value", ["", "0", "false", "No", "off", "  "])
def test_a_variable_that_says_no_is_no_sign_of_an_agent(value):
    assert sign_of_agent({"CLAUDECODE": value}) is None
    assert actor_of({"CLAUDECODE": value}, lambda: "ana").kind is Kind.HUMAN


@pytest.mark.parametrize(
    ("value", "name"), [("my-agent@2", "my-agent@2"), ("a\nb", "a b"), ("\x1b", "unknown")]
)
def test_a_client_that_names_itself_is_known_by_that_name(value, name):
    assert sign_of_agent({"AI_AGENT": value}) == ("AI_AGENT", name)


@pytest.mark.parametrize("variable", ["AIDER_MODEL", "ANTHROPIC_API_KEY", "CURSOR_TRACE_ID", "TERM_PROGRAM"])
def test_a_persons_own_settings_are_no_sign_of_an_agent(variable):
    assert sign_of_agent({variable: "x"}) is None
    assert variable not in NAMES


@pytest.mark.parametrize(
    ("environment", "git", "name"),
    [
        ({"USER": "u"}, "Ana María", "Ana María"),
        ({"USER": "u"}, None, "u"),
        ({"USER": "u"}, "  ", "u"),
        ({"LOGNAME": "l"}, "", "l"),
        ({}, None, "unknown"),
        ({}, "Ana\nMem-Op: forget", "Ana Mem-Op: forget"),
        ({}, "x" * 200, "x" * 64),
    ],
)
def test_a_person_is_who_git_says(environment, git, name):
    assert actor_of(environment, lambda: git) == Actor(Kind.HUMAN, name)


def test_git_is_not_asked_when_the_actor_is_said():
    def asked():
        raise AssertionError

    assert str(actor_of({"MEM_ACTOR": "system:import"}, asked)) == "system:import"
    assert actor_of({"GEMINI_CLI": "1"}, asked).kind is Kind.AGENT


ANA = {"MEM_ACTOR": "human:ana"}


@pytest.mark.parametrize(
    ("environment", "tty", "yes", "permit"),
    [
        ({}, True, False, Permit.ASK),
        ({}, True, True, Permit.ASK),
        ({}, False, False, Permit.NO_TERMINAL),
        ({}, False, True, Permit.NO_TERMINAL),
        (ANA, True, False, Permit.ASK),
        (ANA, False, False, Permit.NO_TERMINAL),
        (ANA, False, True, Permit.GRANTED),
        (ANA, True, True, Permit.GRANTED),
        ({"MEM_ACTOR": "agent:x"}, True, True, Permit.AGENT),
        ({"MEM_ACTOR": "system:cron"}, True, True, Permit.AGENT),
        ({**ANA, "CLAUDECODE": "1"}, False, True, Permit.AGENT),
        ({**ANA, "CLAUDECODE": "1"}, True, True, Permit.AGENT),
        ({"CODEX_SANDBOX": "seatbelt"}, True, False, Permit.AGENT),
        ({**ANA, "CLAUDECODE": "0"}, False, True, Permit.GRANTED),
    ],
)
def test_a_persons_act_needs_a_person(environment, tty, yes, permit):
    assert person_allowed(environment, tty=tty, yes=yes) is permit


def test_an_actor_on_the_command_line_can_withdraw_a_person_but_not_stand_in_for_one():
    assert person_allowed(ANA, tty=True, yes=True, actor="agent:x") is Permit.AGENT
    assert person_allowed({}, tty=False, yes=True, actor="human:ana") is Permit.NO_TERMINAL
    assert person_allowed(ANA, tty=False, yes=True, actor="human:ben") is Permit.GRANTED


def test_a_malformed_actor_never_counts_as_a_person():
    with pytest.raises(Usage):
        person_allowed({"MEM_ACTOR": "ana"}, tty=True, yes=True)


def test_reading_the_surroundings_loads_nothing_heavy():
    heavy = "platformdirs tomllib json subprocess socket logging yaml numpy git lancedb typer rich"
    code = f"import sys; print([m for m in {heavy.split()!r} if m in sys.modules])"
    assert said(code, {"HOME": "/home/ana"}) == "[]"
