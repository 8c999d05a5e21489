import os
import re
import subprocess
import sys
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memcli.errors import BadFile, Unavailable
from memcli.memory import times
from memcli.store import settings
from memcli.store.place import Place
from memcli.store.settings import Settings, load, origin_of


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def said(place: Place, text: str | bytes, name: str = "mem.toml") -> Settings:
    raw = text if isinstance(text, bytes) else text.encode()
    (place.root / name).write_bytes(raw)
    return load(place)


def mistakes(place: Place, text: str | bytes) -> tuple[str, ...]:
    with pytest.raises(BadFile) as refused:
        said(place, text)
    assert refused.value.message.endswith(".")
    return refused.value.details


def test_without_a_file_the_defaults_hold(place):
    assert load(place) == Settings()
    assert (load(place).k, load(place).budget_tokens, load(place).lock_wait_s) == (8, 800, 30)


def test_the_template_changes_nothing(place):
    assert said(place, settings.TEMPLATE) == Settings()


def test_every_key_of_the_template_is_one_and_shows_its_default(place):
    bare = re.sub(r"^# (?=\[|[\w\"~/]+ = )", "", settings.TEMPLATE, flags=re.MULTILINE)
    bare = re.sub(r"^# .*\n", "", bare, flags=re.MULTILINE)
    assert said(place, bare) == Settings(
        scopes={"~/projects/shop": "project:shop"}, encoder_path=str(place.root / "models/other")
    )


def test_the_template_shows_every_key_that_is_not_a_number_of_the_engine():
    assert all(f"\n# {key[-1]} = " in settings.TEMPLATE for key in settings.KEYS)


ALL = """
timezone = "Europe/Rome"
scopes."lib" = "project:lib"
[recall]
k = 3
budget_tokens = 50
floor = 0
[ranking]
k1 = 1.2
[lock]
wait_s = 0.5
[encoder]
path = "/models/x"
"""


def test_what_is_said_holds(place):
    found = said(place, ALL)
    assert found.timezone == ZoneInfo("Europe/Rome")
    assert found.timezone_name == "Europe/Rome"
    assert found.scopes == {"lib": "project:lib"}
    assert (found.k, found.budget_tokens, found.floor, found.constants.k1) == (3, 50, 0, 1.2)
    assert found.lock_wait_s == 0.5
    assert found.encoder_path == "/models/x"
    assert found.notices == ()


@pytest.mark.case("P-IDX-09")
def test_a_relative_model_follows_the_store(place, tmp_path):
    assert said(place, '[encoder]\npath = "models/x"').encoder_path == f"{tmp_path}/models/x"


def test_settings_cannot_be_changed(place):
    with pytest.raises(TypeError):
        said(place, "[scopes]\na = 'user'").scopes["b"] = "user"


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("timezone = 5", "mem.toml:1: timezone: must be text in quotes, not 5"),
        ("\n[recall]\nk = 'many'", "mem.toml:3: recall.k: must be a number, not 'many'"),
        ("[recall]\nk = true", "mem.toml:2: recall.k: must be a number, not True"),
        ("[recall]\nfloor = nan", "mem.toml:2: recall.floor: must lie from 0 to 1, not nan"),
        ("recall = 5", "mem.toml:1: recall: is a table: write [recall] above its keys"),
        ("[[recall]]\nk = 1", "mem.toml:1: recall: is a table: write [recall] above its keys"),
        ("recall = { floor = 7 }", "mem.toml:1: recall.floor: must lie from 0 to 1, not 7"),
        ("[lock]\nwait_s = inf", "mem.toml:2: lock.wait_s: must be seconds from 0 to 3600, not inf"),
        ("[lock]\nwait_s = false", "mem.toml:2: lock.wait_s: must be seconds from 0 to 3600, not false"),
        ("[encoder]\npath = ''", 'mem.toml:2: encoder.path: must be text in quotes, not ""'),
        ("[encoder]\npath = 1979-05-27", "mem.toml:2: encoder.path: must be text in quotes, not a date"),
        ("# x\nscopes = 'user'", "mem.toml:2: scopes: is a table: write [scopes] above its keys"),
    ],
)
def test_a_wrong_value_is_named_with_its_line_and_what_is_allowed(place, text, mistake):
    assert mistakes(place, text) == (mistake,)


def test_a_number_out_of_range_is_refused_as_the_constants_say(place):
    (line,) = mistakes(place, "[recall]\nk = -1")
    assert line.startswith("mem.toml:2: recall.k: must be a whole number from ")


def test_every_mistake_is_named_at_once(place):
    text = '[recall]\nk = "x"\nfloor = 2\n[scopes]\n"a" = "nothing"\n'
    assert [line.split(": ")[0] for line in mistakes(place, text)] == [
        "mem.toml:2",
        "mem.toml:3",
        "mem.toml:5",
    ]


@pytest.mark.case("P-SEC-01")
@pytest.mark.parametrize(
    "text", ["../../x", "project:", "Project:x", "global:x", "project:a\\u0000b", "", "a"]
)
def test_a_mapping_to_something_that_is_no_scope_is_refused(place, text):
    (line,) = mistakes(place, f'[scopes]\n"lib" = "{text}"')
    assert line.startswith("mem.toml:2: scopes.lib: ")
    assert line.isprintable()


@pytest.mark.case("P-SEC-03")
def test_a_scope_with_quotes_in_its_name_is_mapped(place):
    found = said(place, """[scopes]\n"it's" = "client:O'Brien & \\"Sons\\""\n""")
    assert found.scopes == {"it's": """client:O'Brien & "Sons\""""}


@pytest.mark.parametrize("text", ["[scopes]\na.b = 'user'", "[scopes]\n\"a\\u0000b\" = 'user'"])
def test_a_mapping_from_something_that_is_no_folder_is_refused(place, text):
    (line,) = mistakes(place, text)
    assert "must be one folder" in line
    assert line.isprintable()


@pytest.mark.case("P-SEC-08")
@pytest.mark.parametrize(
    ("text", "notice"),
    [
        (
            "[recall]\nkk = 3",
            "mem.toml:2: recall.kk: is not a setting, and nothing follows it; did you mean recall.k?",
        ),
        ("hooks = 'touch /tmp/pwn'", "mem.toml:1: hooks: is not a setting, and nothing follows it"),
        ("[trust]\nall = true", "mem.toml:2: trust.all: is not a setting, and nothing follows it"),
        ('"x\\ny" = 1', "mem.toml: x\\ny: is not a setting, and nothing follows it"),
        (
            "timezone.x = 1",
            "mem.toml:1: timezone.x: is not a setting, and nothing follows it; did you mean timezone?",
        ),
    ],
)
def test_an_unknown_key_is_reported_and_obeyed_by_nothing(place, text, notice):
    found = said(place, text + "\n")
    assert [str(one) for one in found.notices] == [notice]
    assert found == Settings(notices=found.notices)


@pytest.mark.case("P-TIME-07")
@pytest.mark.parametrize(
    "name", ["Mars/Base", ":/nonexistent", "../../etc/passwd", "Europe", "x" * 5000, "+14:00", "a\\nb"]
)
def test_an_unknown_zone_is_utc_with_one_notice(place, name):
    found = said(place, f'timezone = "{name}"')
    assert found.timezone is UTC
    (notice,) = found.notices
    assert str(notice).startswith('mem.toml:1: timezone: "')
    assert "UTC is used" in str(notice)
    assert str(notice).isprintable()


@pytest.mark.case("P-TIME-07")
@pytest.mark.parametrize(
    ("name", "hours"), [("Asia/Kolkata", 5.5), ("Pacific/Kiritimati", 14), ("UTC", 0), ("Etc/UTC", 0)]
)
def test_half_hour_and_far_zones_hold(place, name, hours):
    found = said(place, f'timezone = "{name}"')
    assert found.notices == ()
    assert times.parse("2026-01-01T00:00:00", found.timezone) == 1767225600 - hours * 3600


@pytest.mark.case("P-TIME-07")
@pytest.mark.parametrize("zone", ["Mars/Base", ":/nonexistent", "Asia/Tokyo", ""])
def test_the_zone_of_the_process_changes_nothing(place, zone):
    (place.root / "mem.toml").write_text("# nothing\n")
    code = f"""
from pathlib import Path; from memcli.store import settings; from memcli.store.place import Place
from memcli.memory import times
found = settings.load(Place(Path({str(place.root)!r})))
print(found.timezone, times.parse('2026-01-01', found.timezone), len(found.notices))"""
    assert in_python(code, TZ=zone) == "UTC 1767225600 0"


@pytest.mark.case("P-TIME-07")
def test_without_a_zone_table_a_named_zone_is_utc_with_one_notice(place):
    (place.root / "mem.toml").write_text('timezone = "Europe/Rome"\n')
    code = f"""
import sys; sys.modules["tzdata"] = None
from pathlib import Path; from memcli.store import settings; from memcli.store.place import Place
found = settings.load(Place(Path({str(place.root)!r})))
print(found.timezone, len(found.notices))"""
    assert in_python(code, PYTHONTZPATH="") == "UTC 1"


@pytest.mark.parametrize(
    ("raw", "mistake"),
    [
        (b"a = 1\nb = \n", "mem.toml:2: is not TOML (invalid value"),
        (b"\n\nx", "mem.toml:3: is not TOML ("),
        (b"a = 1\nb = '\xff'\n", "mem.toml:2: is not UTF-8"),
        (b"a = 1\n\n\x00", "mem.toml:3: is not TOML ("),
        (b"a = " + b"[" * 5000, "mem.toml: is nested too deeply"),
        (b"<<<<<<< HEAD\nrecall.k = 1\n=======\n", "mem.toml:1: is not TOML ("),
        (b"#" * (1 << 20) + b"#", "mem.toml: is larger than 1 MiB"),
    ],
)
def test_what_is_no_toml_is_refused_with_its_line(place, raw, mistake):
    (line,) = mistakes(place, raw)
    assert line.startswith(mistake)


@pytest.mark.parametrize("raw", [b"\xef\xbb\xbf[recall]\r\nk = 3\r\n", b"[recall]\nk = 3 # why"])
def test_a_byte_order_mark_carriage_returns_and_comments_are_no_mistake(place, raw):
    assert said(place, raw).k == 3


def test_settings_that_are_a_link_a_folder_or_a_pipe_are_refused_at_once(place):
    file = place.root / "mem.toml"
    file.symlink_to("/etc/hostname")
    assert mistakes_of(place) == ("mem.toml: is a link; a store's settings are a file of its own",)
    file.unlink()
    file.mkdir()
    assert mistakes_of(place) == ("mem.toml: is not a file",)
    file.rmdir()
    os.mkfifo(file)
    assert mistakes_of(place) == ("mem.toml: is not a file",)


def mistakes_of(place: Place) -> tuple[str, ...]:
    with pytest.raises(BadFile) as refused:
        load(place)
    return refused.value.details


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_settings_that_may_not_be_read_are_unavailable(place):
    (place.root / "mem.toml").touch(mode=0)
    with pytest.raises(Unavailable):
        load(place)


def test_a_pyproject_says_the_same_below_tool_mem(place):
    text = '[project]\nname = "x"\n[tool.other]\nk = 1\n[tool.mem]\ntimezone = "Asia/Tokyo"\n'
    text += "[tool.mem.recall]\nk = 3\n"
    found = said(place, text, "pyproject.toml")
    assert (found.timezone_name, found.k, found.notices) == ("Asia/Tokyo", 3, ())


def test_a_mistake_in_a_pyproject_is_named_with_its_line(place):
    with pytest.raises(BadFile) as refused:
        said(place, '[project]\nrecall = "x"\n[tool.mem.recall]\nk = "x"\n', "pyproject.toml")
    assert refused.value.details == ("pyproject.toml:4: recall.k: must be a number, not 'x'",)


@pytest.mark.parametrize("text", ["[tool]\nmem = 5\n", "tool = 5\n", "[project]\n"])
def test_a_pyproject_without_a_table_for_mem_says_nothing(place, text):
    assert said(place, text, "pyproject.toml") == Settings()


def test_mem_toml_is_taken_before_a_pyproject(place):
    (place.root / "pyproject.toml").write_text("[tool.mem.recall]\nk = 3\n")
    assert said(place, "[recall]\nk = 4\n").k == 4


def test_every_setting_says_where_it_comes_from(place):
    said(place, '# x\ntimezone = "Asia/Tokyo"\n[recall]\nk = 3\n[scopes]\n"lib" = "project:lib"\n')
    origins = {one.key: (one.value, one.where) for one in origin_of(place)}
    assert origins["timezone"] == ("Asia/Tokyo", "mem.toml:2")
    assert origins["recall.k"] == (3, "mem.toml:4")
    assert origins["scopes.lib"] == ("project:lib", "mem.toml:6")
    assert origins["recall.floor"] == (0.3, "default (measured:floor)")
    assert origins["lock.wait_s"] == (30.0, "default")
    assert origins["encoder.path"] == (None, "default")


def in_python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(Path(__file__).parents[2]), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr
    return done.stdout.strip()


HEAVY = (
    *("tomllib", "json", "subprocess", "socket", "hashlib", "random", "difflib", "platformdirs"),
    *("yaml", "numpy", "git", "lancedb", "typer", "rich"),
)


def test_finding_a_store_its_settings_and_scope_loads_nothing_heavy(place):
    (place.root / "mem.toml").write_text(settings.TEMPLATE)
    code = f"""
import sys
from pathlib import Path
from memcli import surroundings
from memcli.store import discovery, settings, working_scope
around = surroundings.read()
place = discovery.find(named=None, environment=None, start=Path({str(place.root)!r}), own=around.own)
working_scope.of(around.cwd, settings.load(place), place, around.home)
print([name for name in {HEAVY!r} if name in sys.modules])"""
    assert in_python(code, HOME="/nowhere") == "[]"
