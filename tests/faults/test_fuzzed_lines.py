"""Lines and files that are no schemas: events, tombstones, imports, receipts, sessions, settings, frames.

Each is a sound one with values exchanged, keys lost and bytes damaged. What cannot be read is passed over
and told, what stands beside it is read as ever, and no command fails in its own way.
"""

import io
import json
import zlib

import pytest
from hostile import TEXTS
from mangled import ACCIDENTS, Mangler

from memcli.resident import client, door, frames

LINES = 20  # of each file
DEEP = "[" * 3000
# Values as JSON spells them: of another kind, too large, half a character, without end.
VALUES = (
    *(
        "null",
        "true",
        "0",
        "-1",
        "1.5",
        "1e999",
        "-1e999",
        "NaN",
        "1" * 30,
        "9" * 5000,
        '""',
        '"x"',
        "[]",
        "{}",
    ),
    *(
        '"\\ud800"',
        '"\\u0000"',
        '"\\u001b[2J"',
        '"../../x"',
        '"2026-02-30"',
        '"9999-12-31T23:59:59Z"',
        '"0001-01-01"',
    ),
    *(
        "[null]",
        '[{"a": []}]',
        '{"a": {"b": {}}}',
        DEEP,
        '"project:../x"',
        '"active"',
        '"human:ana"',
        '"\\u202e"',
        "[[]]",
    ),
)


class Damage:
    """Draws damaged JSON from `dice`."""

    def __init__(self, dice):
        self.dice = dice
        self.mangler = Mangler(dice)

    def value(self, value):
        """`value` as JSON with one to three places exchanged, lost or added."""
        marks = {}
        for _ in range(self.dice.choice((1, 1, 2, 3))):
            value = self.exchanged(value, marks)
        raw = json.dumps(value, ensure_ascii=self.dice.random() < 0.5)
        for mark, spelled in marks.items():
            raw = raw.replace(json.dumps(mark), spelled)
        return raw.encode("utf-8", "surrogatepass")

    def exchanged(self, value, marks):
        """`value` with something else in one place; `marks` says how that is spelled."""
        if isinstance(value, dict) and value and self.dice.random() < 0.9:
            key = self.dice.choice(list(value))
            return self.changed(dict(value), key, marks)
        if isinstance(value, list) and value and self.dice.random() < 0.8:
            return self.changed(list(value), self.dice.randrange(len(value)), marks)
        mark = f"mark-{len(marks)}-{self.dice.randrange(10**9)}"
        some = self.dice.choice(TEXTS).encode("utf-8", "replace").decode()
        marks[mark] = self.dice.choice(VALUES) if self.dice.random() < 0.8 else json.dumps(some)
        return mark

    def changed(self, holder, key, marks):
        """`holder` with what stands at `key` exchanged further in, lost, or doubled under another name."""
        way = self.dice.random()
        if way < 0.75:
            holder[key] = self.exchanged(holder[key], marks)
        elif way < 0.9:
            del holder[key]
        elif isinstance(holder, dict):
            holder[self.dice.choice(("x", "", "id", "status", "\u202e"))] = holder[key]
        return holder

    def line(self, value):
        """One line, its bytes damaged too now and then."""
        raw = self.value(value)
        if self.dice.random() < 0.2:
            raw = self.bytes(raw)
        return raw.replace(b"\n", b" ") + b"\n"

    def bytes(self, raw):
        """`raw` after an accident."""
        return self.dice.choice(ACCIDENTS)(self.mangler, raw)

    def lines(self, values):
        """LINES lines made of some of `values`."""
        return b"".join(self.line(self.dice.choice(values)) for _ in range(LINES))


class Watched:
    """A store whose commands may say what they like, but may not fail in their own way."""

    def __init__(self, trial, dice, tally):
        self.trial, self.tally = trial, tally
        self.damage = Damage(dice)

    def ran(self, *argv, **how):
        ran = self.trial.ran(*argv, **how)
        logs = sorted(self.trial.root.rglob(".mem/**/mem-*.log")) if ran.code not in range(10) else []
        assert ran.code in range(10), (argv, ran.err, [one.read_text() for one in logs[-1:]])
        assert "Traceback" not in ran.err
        self.tally["commands over them"] += 1
        self.tally["tracebacks, or errors of mem's own (70)"] += 0
        return ran

    def lay(self, path, raw):
        """Put `raw` into a file of the store, of which LINES lines, or the whole, are damaged."""
        where = self.trial.root / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_bytes(raw)


@pytest.fixture
def lived(trial):
    """A store with one of everything: claims, turns, a session, receipts, something removed, a procedure."""
    trial.did("remember", "Kingfishers eat minnows in the third canal.", "--concept", "food")
    gone = trial.remember("The old office closes at noon.")["id"]
    trial.forget(gone)
    trial.did("activate", "--task", "count birds", "--session", "s_open")
    trial.did(
        "observe", "-", "--session", "s_open", stdin="user: Minnows are small fish.\nassistant: Noted.\n"
    )
    trial.did("recall", "--receipt", "--session", "s_open", "minnows")
    trial.ran("consolidate")
    return trial


def objects(path):
    """The objects of a file of lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_fuzzed_events(lived, campaign, dice, tally):
    one = Watched(lived, dice, tally)
    known = [line for path in lived.root.glob("events/**/*.jsonl") for line in objects(path)]
    turn = next(line for line in known if line["kind"] == "turn")
    folder = next(lived.root.glob("events/*/*")).relative_to(lived.root)
    for number in range(campaign):
        ids = [f"{turn['id'][:-6]}{number:03}aa{end}" for end in "ab"]
        good = [{**turn, "id": id_, "text": f"Herons sleep on pole {number}."} for id_ in ids]
        first, last = (json.dumps(line).encode() + b"\n" for line in good)
        one.lay(folder / f"fuzzed{number % 3}.jsonl", first + one.damage.lines(known) + last)
        tally["lines of events"] += LINES
        one.ran("check", "--json")
        told = json.loads(
            one.ran("recall", "--events", "only", "--json", f"herons sleep on pole {number}").out
        )
        assert f"pole {number}" in json.dumps(told), "what stands beside them is not found"
        argv = dice.choice((["consolidate"], ["export"], ["doctor"], ["stats"], ["timeline"], ["activate"]))
        one.ran(*argv)
        one.ran(
            *dice.choice((["recall", "minnows"], ["audit"], ["replay", "--dry-run"], ["status"], ["log"]))
        )


def test_fuzzed_tombstones(lived, campaign, dice, tally):
    one = Watched(lived, dice, tally)
    next(path for path in lived.root.glob("schemas/**/*.md") if "forgotten" in path.read_text()).unlink()
    lived.did("save", "--yes")
    known = objects(lived.root / "tombstones.jsonl")
    sound = (lived.root / "tombstones.jsonl").read_bytes()
    for _ in range(campaign):
        raw = one.damage.lines(known) + sound + one.damage.lines(known)
        one.lay("tombstones.jsonl", raw)
        tally["lines of tombstones"] += 2 * LINES
        one.ran("check", "--json")
        one.ran("recall", "the old office closes at noon")
        told = one.ran(
            "remember", "The old office closes at noon.", "--json", env={"MEM_ACTOR": "agent:claude"}
        )
        assert "skipped" in told.out or told.code in (4, 5), (told.out, told.err)
        tally["forgotten claims that came back"] += 0
        one.ran(*dice.choice((["status"], ["doctor"], ["export"], ["audit"], ["consolidate"])))
        assert raw in (lived.root / "tombstones.jsonl").read_bytes()


def test_fuzzed_imports(lived, empty, campaign, dice, tally):
    known = [json.loads(line) for line in lived.did("export").splitlines()]
    known += [{"text": "Otters swim.", "tags": ["a"], "key": "k", "valid_from": "2026-01-01"}]
    for number in range(campaign):
        one = Watched(empty.copy(lived.root.parent / str(number)), dice, tally)
        good = json.dumps({"text": "Herons sleep on one leg."}).encode() + b"\n"
        raw = one.damage.lines(known) + good + one.damage.lines(known)
        tally["lines of imports"] += 2 * LINES
        one.ran("import", "-", "--dry-run", stdin=raw)
        brought = one.ran("import", "-", stdin=raw, env={"MEM_ACTOR": "agent:claude"})
        try:
            raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            assert brought.code == 2
            tally["imports that are no text, refused whole"] += 1
            continue
        assert not [word for word in one.trial.statuses("--scope", "*").values() if word == "active"]
        tally["claims that were believed on their own word"] += 0
        one.ran("check", "--json")
        one.ran("recall", "herons", "--mode", "wide")
        one.ran("index", "verify")


def test_fuzzed_receipts_and_sessions(lived, campaign, dice, tally):
    one = Watched(lived, dice, tally)
    files = [*(lived.root / ".mem/receipts").glob("*.json"), *(lived.root / ".mem/sessions").glob("*.json")]
    sound = {path: json.loads(path.read_bytes()) for path in files}
    assert {path.parent.name for path in files} == {"receipts", "sessions"}
    shown = next(path.stem for path in files if path.parent.name == "receipts")
    for number in range(campaign * 2):
        for path, value in sound.items():
            raw = one.damage.value(value)
            path.write_bytes(one.damage.bytes(raw) if dice.random() < 0.3 else raw)
            if dice.random() < 0.3:
                (path.parent / f"s_fuzz{number % 5}.json").write_bytes(raw)
            tally["files of receipts and sessions"] += 1
        act = dice.choice(("list", "show", "verify", "replay", "diff"))
        one.ran("receipt", act, *([] if act == "list" else [shown]))
        one.ran(*dice.choice((["status"], ["recall", "minnows"], ["remember", f"Bird {number} is seen."])))
        argv = dice.choice((["feedback", "--coverage", "full"], ["commit"], ["observe", "-"], ["activate"]))
        one.ran(*argv, "--session", dice.choice(("s_open", "s_fuzz1")), stdin="user: hi\n")


SETTINGS = b"""\
timezone = "Europe/Rome"
[scopes]
"/x" = "project:t"
[recall]
k = 8
budget_tokens = 800
floor = 0.3
[watch]
autostart = false
[journal]
sign = false
"""


def test_fuzzed_settings(lived, campaign, dice, tally):
    one = Watched(lived, dice, tally)
    for _ in range(campaign * 3):
        raw = SETTINGS
        for _ in range(dice.choice((1, 1, 2, 4))):
            raw = one.damage.bytes(raw)
        one.lay("mem.toml", raw)
        tally["files of settings"] += 1
        told = one.ran(*dice.choice((["config"], ["status"], ["recall", "minnows"], ["check"], ["doctor"])))
        assert told.code in (0, 1, 4, 6), told  # 6: what the doctor says of a store that does not open
        one.ran("config", "--show-origin", "--json")


class Lost:
    """A door with nobody behind: what comes is what the dice say."""

    def __init__(self, raw):
        self._file = io.BytesIO(raw)

    def settimeout(self, _):
        pass

    def recv(self, size):
        return self._file.read(size)


def test_fuzzed_frames(campaign, dice, tally):
    sound = client.framed(
        b"run", client.KIN, b"/x", b"000", b"80", b"stdin", b"2", b"recall", b"minnows", b"HOME", b"/h"
    )
    mangler = Mangler(dice)
    assert frames.question(frames.read(door.request(Lost(sound), 1))[1]).argv == ("recall", "minnows")
    for _ in range(campaign * 200):
        raw = sound
        for _ in range(dice.choice((1, 1, 2, 5))):
            raw = dice.choice(ACCIDENTS)(mangler, raw)
        tally["frames for a resident"] += 1
        try:
            _, parts = frames.read(door.request(Lost(raw), 1))
            frames.question(parts)
        except frames.Unreadable:
            tally["of these refused"] += 1
        except OSError:
            tally["of these cut short"] += 1
        tally["other failures"] += 0
    assert zlib.crc32(sound)


def test_fuzzed_private_files(lived, campaign, dice, tally):
    """What mem keeps beside the files may come with a received store, or be damaged: it is made again."""
    one = Watched(lived, dice, tally)
    for _ in range(campaign):
        files = [
            path for path in (lived.root / ".mem").rglob("*") if path.is_file() and not path.is_symlink()
        ]
        kept = [path for path in files if "lance" not in str(path) and path.suffix != ".log"]
        for path in dice.sample(kept, min(3, len(kept))):
            path.write_bytes(
                dice.choice((one.damage.bytes(path.read_bytes()), b"", b"[]", b"{", DEEP.encode()))
            )
            tally["files below .mem"] += 1
        told = one.ran("recall", "--json", "kingfishers minnows canal")
        assert "Kingfishers eat minnows" in told.out, (told.out, told.err)
        tally["answers lost"] += 0
        one.ran(
            *dice.choice(
                (["status"], ["doctor"], ["remember", "Egrets are white."], ["consolidate"], ["gate", "x"])
            )
        )
        one.ran(
            *dice.choice(
                (["index", "verify"], ["log"], ["audit"], ["recall", "--known-at", "HEAD", "minnows"])
            )
        )
