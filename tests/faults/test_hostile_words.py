"""Whatever is typed, a command answers or refuses: never a traceback, a foreign scope, a file beside the store.

Three parts: queries as a resident answers them, ids given to every verb that takes one, and command lines
of every verb with options and values of all kinds. `--campaign 200` makes 50,000 of them; some are also
run as processes, with bytes that are no text.
"""

import re
from functools import cache
from itertools import pairwise

import pytest
from hostile import Speaker

from memcli.cli import served, typer_app, words
from memcli.cli.words import COMMON
from memcli.engine.kept import Kept
from memcli.resident.frames import Question
from memcli.store.place import Place

PARTS = range(5)
QUERIES, NAMED, LINES = 24, 13, 13  # of each round and part
SECRET = "quincewort"  # stands in another scope alone, and in no hostile word
CODES = frozenset(range(10))
PAINT = re.compile(r"\x1b\[[0-9;]*m")
# What a terminal would obey, and what turns or hides what is read.
OBEYED = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\U000e0000-\U000e007f]"
)
BY_ID = (
    *("show", "forget", "unforget", "supersede", "retract", "unretract", "reopen", "history", "blame", "log"),
    *("move", "feedback", "receipt", "stage", "review", "edit", "purge"),
)
# How often a verb is drawn: those that take long seldom.
OFTEN = {
    **dict.fromkeys(("recall", "show", "list", "gate", "history", "blame", "log", "receipt", "skills"), 30),
    **dict.fromkeys(("review", "stage", "timeline", "diff", "believed", "config", "supersede", "move"), 20),
    **dict.fromkeys(("forget", "unforget", "retract", "unretract", "reopen", "feedback", "remember"), 20),
    **dict.fromkeys(("check", "save", "status", "stats", "undo", "observe", "activate", "commit"), 8),
    **dict.fromkeys(
        ("eval", "import", "export", "onboard", "merge-driver", "trust", "setup", "edit", "new"), 8
    ),
    **dict.fromkeys(
        ("index", "sync", "init", "audit", "purge", "consolidate", "help", "doctor", "replay"), 2
    ),
}
NOT_DRAWN = {"watch", "demo"}  # one serves until it is stopped, the other takes seconds; both stand below


def test_every_verb_is_drawn():
    assert OFTEN.keys() | NOT_DRAWN == words.FAMILY.keys()


@pytest.fixture
def walled(trial, monkeypatch):
    """Memories of several kinds, one of another scope, and things beside them that words may name."""
    monkeypatch.setattr(typer_app, "command", cache(typer_app.command))  # made once, as in a process
    trial.write(
        "king0000aaaa", "Kingfishers eat minnows in the third canal.", "concept: food\ntags: [birds]\n"
    )
    trial.write("gone0000aaaa", "The old office closes at noon.", "status: forgotten\n")
    trial.write("wait0000aaaa", "Herons may nest here.", "status: needs_review\nreview: {reason: proposal}\n")
    trial.write("odd00000aaaa", "Red \x1b[31mink\u202e and \U000e0041 </memory>.", 'concept: "\\u202eink"\n')
    trial.write("quin0000aaaa", f"The combination of the safe is {SECRET}.", folder="project/other")
    trial.write("bad", "Nothing.", "status: [\n")
    (trial.root / "link").symlink_to("/etc")
    (trial.root / "loop").symlink_to("loop")
    (trial.root / "folder").mkdir()
    (trial.root / "lines.jsonl").write_text('{"text": "A"}\n{"text": 5}\n[]\nnull\n"\n{"id": {}}\n')
    (trial.root / "words.txt").write_bytes(b"user: hello \xff\nassistant: \x1b[2J\n")
    trial.ran("observe", "-", "--session", "s_open", stdin="user: Minnows are small fish.\n")
    trial.did("remember", "The canal is cleaned in May.")
    trial.ran("recall", "--receipt", "minnows")
    return trial


class Audience:
    """A store that is spoken to, and what must hold whatever is said."""

    def __init__(self, trial, dice, tally):
        self.trial, self.dice, self.tally = trial, dice, tally
        self.speaker = Speaker(dice)
        self.beside = self.around()
        self.failed = []

    def around(self):
        """What lies beside the store in the test's own folder, but homes, which mem keeps things in."""
        every = self.trial.root.parent.iterdir()
        return {one.name for one in every}

    def spoke(self, argv, ran, **how):
        """Hold the command to what `holds` says; what fails is told at the end, all of it."""
        try:
            self.holds(argv, ran, **how)
        except AssertionError as error:
            self.failed.append(str(error).partition("\nassert")[0][:3000])

    def holds(self, argv, ran, *, terminal=False, may_see=False):
        """What is true after any command."""
        assert ran.code in CODES, (argv, ran.code, ran.err[-500:], self.told_of_a_bug())
        assert "Traceback" not in ran.err, (argv, ran.err[-2000:])
        assert len(ran.err) < 20_000, argv
        printed = ran.out.replace("\0", "\n") if terminal else ""  # names that end in NUL were asked for
        own = "".join(OBEYED.findall(_form(argv)))  # whoever asks says how a list looks
        printed = printed.translate(dict.fromkeys(map(ord, own)))
        for text in (ran.err, printed):
            assert not OBEYED.search(PAINT.sub("", text).replace("\r\n", "\n")), (argv, text[-2000:])
        if not may_see:
            assert SECRET not in ran.out + ran.err, (argv, ran.out, ran.err)
            self.tally["words of another scope that were told"] += 0
        self.tally[f"answered with code {ran.code}"] += 1
        self.tally["tracebacks, or errors of mem's own (70)"] += 0

    def told_of_a_bug(self):
        """What mem wrote down about its last error of its own."""
        logs = sorted(self.trial.root.rglob(".mem/**/mem-*.log"))
        return logs[-1].read_text() if logs else ""

    def unharmed(self):
        """Nothing was made beside the store, nothing in it is damaged, and it still answers."""
        assert not self.failed, "\n\n".join(dict.fromkeys(self.failed))
        assert self.around() == self.beside
        assert not list(self.trial.root.rglob("pwn"))
        assert not list(self.trial.root.rglob(".mem-write-*"))
        assert self.trial.ran("index", "verify").code == 0
        self.tally["files made beside the store"] += 0


class Unseen:
    """A witness who cannot know what changed, so that every question looks."""

    def touched(self):
        return None


@pytest.mark.parametrize("part", PARTS)
def test_hostile_queries(walled, campaign, dice, tally, part):
    """Asked as a resident is asked, which declines what is a person's or its process's own."""
    heard = Audience(walled, dice, tally)
    kept = Kept(Place(walled.root), Unseen())
    for _ in range(campaign * QUERIES):
        verb = words.find(dice.choice(("recall",) * 6 + ("gate", "gate", "list", "show")))
        argv = heard.speaker.line(verb, COMMON if dice.random() < 0.2 else ())
        terminal = dice.random() < 0.5
        asked = Question(
            tuple(argv), str(walled.root), (False, terminal, terminal), 80, b"x", walled.environment
        )
        reply = served.answer(kept, asked, lambda: True)
        tally["queries, ids and arguments"] += 1
        if reply is None:
            tally["declined by the resident, for its process to do"] += 1
            continue
        ran = Said(reply)
        heard.spoke(argv, ran, terminal=terminal, may_see=_names_another(argv))
    heard.unharmed()


class Said:
    """A reply of the resident as the texts that its client prints."""

    def __init__(self, reply):
        self.code = reply.code
        self.out, self.err = (raw.decode("utf-8", "surrogateescape") for raw in (reply.out, reply.err))


def _form(argv):
    """The words that say in which form a list is to be printed."""
    return "".join(word for before, word in pairwise(("", *argv)) if "--format" in (before, word[:8]))


def _names_another(argv):
    """Whether the words ask for another scope, or name the memory by its own id, as a person may."""
    return any(
        "other" in word or "*" in word or "quin" in word.casefold() or "schemas" in word for word in argv
    )


@pytest.mark.parametrize("part", PARTS)
def test_hostile_ids(walled, campaign, dice, tally, part):
    """Every verb that takes an id, by a person who agrees to all, and by an agent."""
    heard = Audience(walled, dice, tally)
    for _ in range(campaign * NAMED):
        verb = words.find(dice.choice(BY_ID))
        action = [dice.choice(verb.arguments[0].choices)] if verb.arguments[0].choices else []
        flags = [
            flag for flag in ("--yes", "--dry-run", "--json") if dice.random() < 0.3 and _takes(verb, flag)
        ]
        named = [heard.speaker.id() for _ in range(dice.choice((1, 1, 1, 2)))]
        argv = [verb.name, *flags, *action, "--", *named]
        env = dice.choice(({}, {}, {"MEM_ACTOR": "agent:claude"}, {"CLAUDECODE": "1"}))
        ran = walled.ran(*argv, env={**env, "MEM_EDITOR": "true"})
        tally["queries, ids and arguments"] += 1
        heard.spoke(argv, ran, may_see=_names_another(argv) or verb.name == "log")
    heard.unharmed()


def _takes(verb, flag):
    return flag == "--json" or any(flag in one.flags for one in verb.options)


@pytest.mark.parametrize("part", PARTS)
def test_hostile_lines(walled, campaign, dice, tally, part):
    """Any verb with any options and values, and anything on stdin."""
    heard = Audience(walled, dice, tally)
    drawn = dice.choices(list(OFTEN), list(OFTEN.values()), k=campaign * LINES)
    for name in drawn:
        argv = [_inside(word) for word in heard.speaker.line(words.find(name), COMMON)]
        stdin = heard.speaker.text().encode("utf-8", "surrogateescape")
        terminal = dice.random() < 0.3
        env = dice.choice(({}, {"MEM_ACTOR": "agent:claude"})) | {"MEM_EDITOR": "true", "PAGER": "cat"}
        ran = walled.ran(*argv, stdin=stdin, env=env, ttys=(False, terminal, terminal))
        tally["queries, ids and arguments"] += 1
        heard.spoke(argv, ran, terminal=terminal, may_see=True)
    heard.unharmed()


def _inside(word):
    """The same word, where it would lead what is made out of the test's own folder."""
    return word.replace("../", "..x/")


def test_hostile_processes(walled, campaign, dice, tally):
    """As real processes, with bytes as words."""
    heard = Audience(walled, dice, tally)
    for _ in range(3 + campaign // 4):
        verb = words.find(dice.choice(("recall", "show", "list", "forget", "config", "log", "gate")))
        argv = [_inside(word).replace("\0", "") for word in heard.speaker.line(verb, COMMON)]
        argv = [word for word in argv if len(word) < 100_000]
        ran = walled.process(*argv)
        tally["as real processes"] += 1
        heard.spoke(argv, ran, may_see=True)
    heard.unharmed()
