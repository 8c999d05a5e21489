"""The command line (CLI): words, streams, codes and surroundings as shells and programs give them."""

import json
import os
import stat
import subprocess
import sys

import pytest
from situations import findings, here, memory, put, sound, told_once
from trial import AGENT

MEM = f"{sys.executable} -m memcli"


def shell(trial, line, *, cwd=None, without=(), **env):
    """What a shell gets of one line in the store: its process, with bytes."""
    environment = {**trial.process.environment, **env, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        ["bash", "-c", line.replace("mem ", f"{MEM} ")],
        cwd=cwd or trial.root,
        env={name: value for name, value in environment.items() if name not in without},
        capture_output=True,
        start_new_session=True,
        timeout=120,
        check=False,
    )


def plain(ran):
    """Whatever it was: no traceback, and nothing that the interpreter says by itself."""
    assert b"Traceback" not in ran.stderr
    assert b"Exception ignored" not in ran.stderr
    assert b"This is a bug" not in ran.stderr
    return ran


@pytest.fixture(scope="module")
def many(empty, tmp_path_factory):
    """A store of more than a pipe holds; read only."""
    made = empty.copy(tmp_path_factory.mktemp("many"))
    for number in range(300):
        put(made, f"{number}.md", memory(f"many{number:04d}", "A lighthouse blinks. " * 20))
    made.did("recall", "lighthouse")
    return made


@pytest.mark.case("P-CLI-01")
@pytest.mark.parametrize("line", ["mem list --json", "mem show $(seq -f many%04g 0 299)"])
def test_a_reader_that_closes_the_pipe_is_no_error(many, line):
    ran = plain(shell(many, f"{line} | head -c 30; echo; echo ${{PIPESTATUS[0]}}", PYTHONUNBUFFERED="1"))
    assert ran.stdout.splitlines()[-1] in (b"0", b"141")
    assert (len(ran.stdout) > 30, ran.stderr) == (True, b"")


@pytest.mark.case("P-CLI-02")
def test_text_that_begins_with_a_dash_has_two_ways_in_and_the_error_names_them(trial):
    for text in ("- buy milk", "-- two dashes", "\u2014 a long dash"):
        assert trial.told("show", trial.told("remember", text)["id"])["text"] == text
    for text in ("--help", "-x is a flag", "--as-of", "-1", "--"):
        assert trial.told("show", trial.remember(text)["id"])["text"] == text
        made = json.loads(trial.ran("remember", "-", "--json", stdin=f"{text} by stdin").out)
        assert trial.told("show", made["id"])["text"] == f"{text} by stdin"
    for argv in (
        ["remember", "-x is a flag"],
        ["recall", "-5 degrees"],
        ["remember", "--halp"],
        ["show", "-abcd"],
    ):
        told = told_once(trial.ran(*argv), 2)
        assert "after --" in told
        assert "stdin with -" in told
    assert trial.ran("recall", "->method(").code in (0, 1)
    assert trial.found("- milk")[0] == trial.found("buy milk")[0]


@pytest.mark.case("P-CLI-03")
def test_a_query_of_signs_finds_what_it_names_and_none_is_an_error(trial):
    claims = {
        "@jpl": "Write to ephemerides@jpl.nasa.gov about orbits.",
        "C#": "Services are written in C# since the merger.",
        "a=b": "Set a=b in the launcher.",
        "C++": "The engine is C++ throughout.",
        "/usr/local": "Tools live in /usr/local/bin here.",
        "std::vector": "Use std::vector<int> for the rows.",
        ".NET": "The portal is .NET based.",
        "$5": "Entry costs $5 for members.",
        "max_retries": "Leave max_retries at seven.",
        "fooBarBaz": "The hook is called fooBarBaz there.",
    }
    told = trial.batch(list(claims.values()))
    for query, made in zip(claims, told, strict=True):
        assert trial.found(query)[0] == made["id"], query
    for query in (
        '"open quote',
        "(",
        "AND OR NOT",
        "*",
        "title:x",
        "~2",
        "^",
        "\\",
        "'",
        "[",
        "{",
        "NEAR(a b)",
        "%",
    ):
        ran = trial.ran("recall", "--", query)
        assert ran.code in (0, 1), query
        assert (ran.out == "") == (ran.code == 1)
        assert ran.err or ran.code == 0  # why there is none


@pytest.mark.case("P-CLI-04")
def test_brackets_in_errors_and_in_names_are_printed_as_they_are(trial):
    name = "[red]x[-red] [link=e]y[-link].md"
    put(trial, name, "---\nstatus: [bold]x[/bold]\n---\nBody\n")
    assert f"{name}:2: " in trial.ran("check").out
    for argv in (["show", "[red]ab[/red]"], ["recall", "x", "--type", "[red]"], ["list", "--scope", "[x]"]):
        assert argv[-1] in trial.ran(*argv).err
    text = "read/{type}[/nested], arr[0] [red]x[/red] [link=http://e]y[/link] :smile: {{x}}"
    made = trial.remember(text)
    for argv in (
        ["list"],
        ["recall", "nested"],
        ["show", made["id"]],
        ["recall", "nested", "--format", "{text}"],
    ):
        assert text in trial.ran(*argv).out


@pytest.mark.case("P-CLI-06")
@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "C", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["C", "latin"],
)
def test_arguments_are_understood_in_any_locale(trial, env):
    put(trial, "a.md", memory("cafe0000aaaa", "Le café ouvre à huit heures, 漢字."))
    ran = plain(shell(trial, "mem recall é café --json", **env))
    told = json.loads(ran.stdout)
    assert (ran.returncode, told["query"]) == (0, "é café")
    assert "漢字" in told["items"][0]["text"]


@pytest.mark.case("P-CLI-07")
def test_every_situation_has_its_own_code(trial, tmp_path):
    made = trial.remember("Lighthouses blink.")
    put(trial, "broken.md", "---\nstatus: [\n---\nx\n")
    codes = {
        "found": trial.ran("recall", "lighthouses").code,
        "nothing": trial.ran("recall", "zanzibar", "--floor", "0.9").code,
        "usage": trial.ran("recall", "--nope").code,
        "id": trial.ran("show", "nope0000").code,
        "file": trial.ran("check").code,
        "person": trial.ran("forget", made["id"], env=AGENT).code,
        "git": trial.ran("remember", "x", env={"PATH": str(tmp_path)}).code,
        "store": trial.ran("--store", str(tmp_path / "nowhere"), "list").code,
    }
    assert list(codes.values()) == [0, 1, 2, 3, 4, 5, 6, 9]
    assert trial.ran("recall", "zanzibar", "--floor", "0.9", "--ok-if-empty").code == 0


@pytest.mark.case("P-CLI-07")
@pytest.mark.case("P-CLI-08")
def test_a_busy_store_is_told_apart_and_an_index_behind_is_said(trial):
    trial.remember("Lighthouses blink.")
    (trial.root / "mem.toml").write_text("[lock]\nwait_s = 0.2\n")
    hold = (
        "import sys, fcntl, time; f = open(sys.argv[1]); fcntl.flock(f, fcntl.LOCK_EX);"
        "print('held', flush=True); sys.stdin.read()"
    )
    lock = str(trial.root / ".mem" / "lock")
    with subprocess.Popen(
        [sys.executable, "-c", hold, lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holding:
        assert holding.stdout.readline() == b"held\n"
        told = json.loads(trial.ran("--json", "remember", "Another one.").err)
        assert (told["format"], told["code"]) == ("mem.error/1", 8)
        assert trial.ran("index", "rebuild").code == 8
        put(trial, "new.md", memory("newer000aaaa", "Lighthouses are newer."))
        ran = trial.ran("recall", "lighthouses", "--json")
        answer = json.loads(ran.out)
        assert "newer000aaaa" in [item["id"] for item in answer["items"]]
        assert "was not brought up to date" in ran.err
        assert answer["notices"]
        holding.stdin.close()
    assert trial.remember("Another one.")["decision"] == "created"


@pytest.mark.case("P-CLI-08")
def test_json_is_strict_whatever_the_memories_hold(trial):
    hard = {
        "controls": "Tab\t bell \x07 escape \x1b[31m DEL \x7f and C1 \x9b lighthouse.",
        "quotes": 'Quote " backslash \\ slash / lighthouse.',
        "separators": "Lines \u2028 and \u2029 and \x85 and \ufeff lighthouse.",
        "nul": "NUL \0 lighthouse.",
        "astral": "Astral \U0001f469\u200d\U0001f4bb and \U0010ffff lighthouse.",
        "html": "</script><!-- &amp; lighthouse.",
        "nan": "NaN Infinity -Infinity 1e999 lighthouse.",
    }
    for name, text in hard.items():
        put(trial, f"{name}.md", memory(f"{name}0000aaaa"[:12], text))
    put(trial, "big.md", memory("big000000aaa", "A lighthouse begins. " + "word " * 180_000))
    wide = ("-k", "50", "--budget", "9999999", "--floor", "0")

    def strict(text):
        return json.loads(text, parse_constant=pytest.fail)

    answer = strict(trial.ran("recall", "lighthouse", "--json", *wide).out)
    assert len(answer["items"]) == len(hard) + 1
    listed = strict(trial.ran("list", "--json").out)
    texts = {item["text"] for item in answer["items"]}
    assert {item["text"] for item in listed["items"]} == texts
    assert {text.replace("\0", "\ufffd") for text in hard.values()} <= texts
    for argv in (
        ["status"],
        ["check"],
        ["log"],
        ["config"],
        ["index", "status"],
        ["index", "verify"],
        ["save"],
    ):
        ran = trial.ran("--json", *argv)
        assert strict(ran.out)["format"].startswith("mem.")
    for line in trial.ran("show", "--json", "nul0000aaaa", "controls0000").out.splitlines():
        strict(line)
    for argv in (
        ["recall", "--nope"],
        ["show", "nope0000"],
        ["remember", " "],
        ["list", "--scope", "\x1b[x"],
    ):
        ran = trial.ran("--json", *argv)
        assert (ran.out, strict(ran.err)["format"]) == ("", "mem.error/1")


@pytest.mark.case("P-CLI-09")
def test_a_megabyte_comes_by_stdin_and_an_argument_has_its_limit(trial):
    text = "lighthouse " * 90_000
    made = json.loads(trial.ran("remember", "-", "--json", stdin=text).out)
    assert made["decision"] == "created"
    argument = "zanzibar " + "x" * 140_000
    with pytest.raises(OSError, match="Argument list too long"):
        trial.process("remember", argument)
    longest = "zanzibar " + "y" * 131_000
    ran = trial.process("remember", longest, "--json")
    assert json.loads(ran.out)["decision"] == "created"
    assert "stdin" in trial.process("remember", "--help").out


@pytest.mark.case("P-CLI-10")
def test_a_working_directory_that_is_gone_harms_nothing(trial, tmp_path):
    trial.remember("Lighthouses blink.", "--scope", "user")
    for line in (
        f'mem --store "{trial.root}" recall lighthouses',
        f'mem --store "{trial.root}" remember "Another claim."', f'mem --store "{trial.root}" status',
    ):  # fmt: skip
        gone = tmp_path / "gone"
        gone.mkdir()
        ran = plain(shell(trial, f'rmdir "{gone}"; {line}', cwd=gone))
        assert ran.returncode == 0, ran.stderr
    gone.mkdir()
    assert plain(shell(trial, f'rmdir "{gone}"; mem list', cwd=gone)).returncode == 9
    sound(trial)


@pytest.mark.case("P-CLI-10")
@pytest.mark.parametrize("home", [None, "relative", "/proc/nowhere"])
def test_a_home_that_is_none_harms_nothing(trial, home):
    without = ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")
    env = {} if home is None else {"HOME": home}
    gone = without if home is None else without[1:]
    assert plain(shell(trial, 'mem remember "Another claim."', without=gone, **env)).returncode == 0
    if home and home.startswith("/"):
        ran = plain(shell(trial, 'mem remember "Without a store."', cwd="/", without=gone, **env))
        assert (ran.returncode, b"Hint: " in ran.stderr) == (6, True)
    sound(trial)


@pytest.mark.case("P-CLI-10")
def test_a_temporary_folder_that_is_missing_harms_nothing(trial):
    for line in ('mem remember "A claim."', "mem new"):
        ran = plain(shell(trial, line, TMPDIR="/proc/nowhere", MEM_EDITOR="true"))
        assert ran.returncode in (0, 1), ran.stderr
    for text in ("Rooms are booked by mail.", "The lift is serviced in May."):
        ran = plain(shell(trial, f'mem remember "{text}"', TMPDIR="/proc/nowhere"))
        assert (ran.returncode, b"could not follow" in ran.stderr) == (0, False)


@pytest.mark.case("P-CLI-10")
def test_few_descriptors_are_enough_or_said(trial):
    trial.remember("Lighthouses blink.")
    ran = plain(shell(trial, "ulimit -n 32; mem recall lighthouses"))
    assert (ran.returncode, b"blink" in ran.stdout) == (0, True)
    assert plain(shell(trial, 'ulimit -n 32; mem remember "Windmills turn."')).returncode == 0
    ran = shell(trial, 'ulimit -n 8; mem remember "Too few for this."')
    assert (ran.returncode, b"Too many open files" in ran.stderr) == (6, True)
    assert len(trial.did("list", "--ids").split()) == 2
    sound(trial)


@pytest.mark.case("P-CLI-10")
@pytest.mark.parametrize("blocks", [1, 16])
def test_a_limit_on_file_sizes_leaves_nothing_half_written(trial, blocks):
    trial.remember("Lighthouses blink.")
    before, head = trial.git("status", "--porcelain"), trial.head()
    ran = plain(shell(trial, f'ulimit -f {blocks}; mem remember "Limited by {blocks}."'))
    if ran.returncode:
        assert ran.returncode == 6
        assert trial.head() == head
    assert trial.git("status", "--porcelain") == before
    assert plain(shell(trial, f"ulimit -f {blocks}; mem recall lighthouses")).returncode == 0
    assert trial.remember("And on it goes.")["decision"] == "created"
    assert findings(trial) == []
    sound(trial)


@pytest.mark.case("P-CLI-10")
@pytest.mark.parametrize("umask", ["000", "022", "777"])
def test_any_umask_will_do(trial, umask):
    if umask == "777" and os.geteuid():
        pytest.skip("not even oneself may read then")
    for claim in ("Lighthouses blink.", "Otters hold hands."):
        ran = plain(shell(trial, f'umask {umask}; mem remember "{claim}" --json'))
        made = json.loads(ran.stdout)
        assert stat.S_IMODE((trial.root / made["path"]).stat().st_mode) == 0o600
    plain(shell(trial, f"umask {umask}; mem recall lighthouses"))
    assert trial.remember("Otters hold hands.")["decision"] == "reinforced"
    assert not_the_owners_alone(trial.root) == []
    sound(trial)


def not_the_owners_alone(root):
    """What of a store has another mode than its own; what LanceDB and git make stands in folders of their own.

    LanceDB's are closed by the folder around them.
    """
    makers = {root / ".git", *root.glob(".mem/index/*/tables")}
    return [
        f"{path.relative_to(root)} {stat.S_IMODE(path.stat().st_mode):o}"
        for path in (root, *root.rglob("*"))
        if makers.isdisjoint((path, *path.parents))
        and stat.S_IMODE(path.stat().st_mode) != (0o700 if path.is_dir() else 0o600)
    ]


@pytest.mark.case("P-CLI-11")
@pytest.mark.parametrize(
    "verb", [["forget", "{}", "--yes"], ["unforget", "{}", "--yes"], ["supersede", "{}", "--with", "New."],
             ["move", "{}", "project:x"], ["edit", "{}"], ["show", "{}"], ["history", "{}"]],
    ids=lambda verb: verb[0],
)  # fmt: skip
def test_an_id_that_is_not_one_memory_is_refused_with_the_candidates(trial, verb):
    for id_ in ("abcd1111", "abcd2222", "Zebra99"):
        put(trial, f"{id_}.md", memory(id_, f"Claim of {id_}."))
    trial.did("save")
    head = trial.head()
    said = {
        text: told_once(trial.ran(*(word.replace("{}", text) for word in verb)), 3)
        for text in (
            "abcd",
            "ABCD1111",
            "zebra99",
            "abcd 1111",
            " abcd1111",
            "abcd1111 ",
            "",
            "abc",
            "abcd11112",
        )
    }
    assert "abcd1111" in said["abcd"]
    assert "abcd2222" in said["abcd"]
    assert "abcd1111" in said["ABCD1111"]
    assert "Zebra99" in said["zebra99"]
    assert trial.head() == head


@pytest.mark.case("P-CLI-12")
@pytest.mark.parametrize(
    "text",
    [
        r"C:\new\t%s $(id) `id` %(x)s {0} \\ 100 %d", "a\nb\n\nc", "%n%n%s", "$HOME ~ *.md ?", "!! !x ^a^b",
        "\\", "trailing \\", "'single' \"double\"", "tab\there", "&& rm -rf / ; true | cat > x",
    ],
)  # fmt: skip
def test_an_argument_is_stored_byte_for_byte(trial, text):
    made = trial.remember(text)
    assert (trial.root / made["path"]).read_bytes().endswith(b"\n\n" + text.encode() + b"\n")
    shown = trial.told("show", made["id"])
    assert (shown["text"] + ("\n\n" + shown["detail"] if shown["detail"] else "")) == text
    subject = trial.git("log", "-1", "--format=%s")
    assert subject.startswith("mem remember: ")
    assert "uid=" not in trial.git("log", "-1", "--format=%B")
    trailers = trial.git("log", "-1", "--format=%(trailers:key=Mem-Op,valueonly)").split()
    assert trailers == ["remember"]
    assert list(here(trial).glob("*")) == [trial.root / made["path"]]


@pytest.mark.case("P-CLI-09")
@pytest.mark.parametrize("words", [("check",), ("init",), ("demo",), ("eval", "gold"), ("observe", "--from")])
@pytest.mark.parametrize("name", ["a" * 300, "x/" * 3000], ids=["name", "path"])
def test_a_name_longer_than_the_system_takes_is_no_bug(trial, words, name):
    ran = trial.ran(*words, name)
    assert ran.code not in (0, 70), ran
    assert "Hint: " in ran.err
    assert "Traceback" not in ran.err
