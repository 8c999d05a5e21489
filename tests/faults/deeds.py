"""A store that has seen everything, and every act that can change it.

`ACTS` names each act: what is done by hand before it, its words, and what it reads. The ids of the
memories it is about are keys of `Lived.ids`.
"""

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from trial import Trial

CLAIMS = {
    "refund": "The refund window is 30 days.",
    "deploy": "Deploys to production happen on Tuesdays only.",
    "stock": "Stock is counted in June.",
    "wages": "Wages are paid on the 25th.",
    "lift": "The lift is repaired in March.",
    "vault": "The vault code is kept by Oskar in a blue envelope.",
    "stale": "The warehouse closes at noon on Saturdays.",
    "parking": "Parking costs two euros an hour.",
}
OTHERS = ("The ferry to Gdansk leaves at seven.", "Tea costs 2 euros a pot.", "The north gate is locked.")
BEFORE_S = 2700  # so long ago it began
OPEN_S = 30 * 86400  # and so long its session stays open, however long a campaign takes
SESSION = ("--session", "s1")
PROCEDURE = "---\nname: tea\ndescription: Make tea.\n---\n\n1. Boil water.\n2. Wait four minutes.\n"


@dataclass
class Lived:
    """One store with a life behind it, in a folder of its own beside the store it syncs with."""

    trial: Trial
    ids: dict = field(default_factory=dict)

    @property
    def folder(self):
        """The folder that holds everything the store's acts may touch."""
        return self.trial.root.parent

    def copy(self, folder):
        """All of it again, in `folder`."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Lived(Trial(folder / "t", self.trial.environment, self.trial.moment), dict(self.ids))


def lived(empty, folder):
    """A store of every status, with talk nobody has digested, a session, a remote and an unread clone."""
    trial = empty.copy(folder)
    trial.moment = int(time.time()) - BEFORE_S
    settings = trial.root / "mem.toml"
    settings.write_text(f"{settings.read_text()}\n[session]\nidle_s = {OPEN_S}\n")
    trial.commit_by_hand()
    ids = dict(zip(CLAIMS, (one["id"] for one in trial.batch(CLAIMS.values())), strict=True))
    life = Lived(trial, ids)
    ids["staged"] = _staged(trial)
    trial.forget(ids["wages"])
    trial.did("retract", ids["lift"], "--reason", "never so", "--yes")
    (folder / "t.git").mkdir()
    trial.git("init", "-q", "--bare", "-b", "main", "../t.git")
    trial.git("remote", "add", "origin", "../t.git")
    trial.did("sync")
    _heard_elsewhere(life)
    _in_a_session(trial, ids)
    trial.did("save")
    (folder / "lines.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in OTHERS))
    (folder / "SKILL.md").write_text(PROCEDURE)
    (folder / "CLAUDE.md").write_text("# Rules\n\n- Always run the linter before a commit.\n- Use tabs.\n")
    trial.did("recall", "refund window")
    trial.did("feedback", "--coverage", "partial", *SESSION)
    return life


def _staged(trial):
    said = {"role": "user", "text": "It rained today."}
    weak = {"kind": "claim", "type": "task", "text": "Somebody should water the plants."}
    lines = "\n".join(json.dumps(one) for one in (said, weak))
    trial.did("observe", "--session", "s0", "-", stdin=lines)
    trial.did("consolidate")
    return trial.did("list", "--status", "staged", "--format", "{id}").strip()


def _heard_elsewhere(life):
    other = life.trial.clone(life.folder / "clone")
    other.git("remote", "set-url", "origin", str(life.folder / "t.git"))
    other.moment += 60
    other.forget(life.ids["parking"])
    other.remember("The canteen opens at eleven.")
    other.git("push", "-q", "origin", "main")
    shutil.rmtree(life.folder / "clone")


def _in_a_session(trial, ids):
    trial.did("activate", "--task", "Write down what the refund window is", *SESSION)
    trial.did("recall", "refund window", *SESSION)
    trial.did("recall", "when does the warehouse close", *SESSION)
    lines = "\n".join(
        json.dumps(one)
        for one in (
            {"role": "user", "text": "How long is the refund window?"},
            {"role": "assistant", "text": "It is thirty days."},
            {"kind": "claim", "type": "decision", "text": "Gift cards are never refunded."},
            {"kind": "claim", "type": "fact", "text": "The refund window was ninety days once."},
        )
    )
    trial.did("observe", "-", *SESSION, stdin=lines)
    trial.did("feedback", "--stale", ids["stale"], "--reason", "outdated", *SESSION)


@dataclass(frozen=True)
class Act:
    """One act: its words for the ids of a store, what it reads from stdin, what is done by hand before.

    `commits` says whether it makes a commit, `by_hand` whether it begins with files that somebody changed,
    `explains` whether it enters into the journal what that does not know, `again` whether it may be done
    once more with the same end.
    """

    words: Callable[[dict], list]
    stdin: str = ""
    before: Callable[[Lived], None] = lambda _: None
    commits: bool = True
    by_hand: bool = False
    explains: bool = False
    again: bool = True


def edits(life):
    """What a person did by hand: a rewording, a forgetting, a new file, a move."""
    trial, ids = life.trial, life.ids
    first, second, third = (trial.path(ids[name]) for name in ("refund", "deploy", "stock"))
    first.write_text(first.read_text() + "\nGift cards are excluded.\n")
    second.write_text(second.read_text().replace("status: active\n", "status: forgotten\n"))
    third.rename(third.with_name("renamed.md"))
    trial.write("hand0000aaaa", "Invoices are numbered per country.")


def unstamped(life):
    """A file by hand without what mem would give it."""
    path = life.trial.root / "schemas/project/t/plain.md"
    path.write_text("The roof is made of slate.\n")


def changed_by_git(life):
    """A change that no entry of the journal explains."""
    path = life.trial.path(life.ids["stock"])
    path.write_text(path.read_text().replace("status: active", "status: archived\narchive_reason: duplicate"))
    life.trial.commit_by_hand()


def expected(life):
    """What a preview of the purge says it comes to."""
    told = life.trial.told("purge", life.ids["vault"], "--dry-run")
    life.ids["digest"] = told["digest"]


def line(words):
    """Fixed words."""
    return lambda _: list(words)


def one(verb, name, *words):
    """A person's act on one memory."""
    return lambda ids: [verb, ids[name], *words]


BATCH = "\n".join(json.dumps({"text": text}) for text in OTHERS)
TALK = "\n".join(json.dumps({"role": "user", "text": text, "key": text[:9]}) for text in OTHERS)
ACTS = {
    "remember": Act(line(["remember", "Coffee is free on Fridays."])),
    "batch": Act(line(["remember", "--batch", "-"]), stdin=BATCH),
    "supersede": Act(one("supersede", "refund", "--with", "The refund window is 14 days.")),
    "forget": Act(one("forget", "refund", "--yes")),
    "unforget": Act(one("unforget", "wages", "--yes")),
    "retract": Act(
        one("retract", "refund", "--reason", "misread", "--correction", "It is 14 days.", "--yes")
    ),
    "unretract": Act(one("unretract", "lift", "--yes")),
    "reopen": Act(one("reopen", "stale", "--yes")),
    "purge": Act(
        lambda ids: ["purge", ids["vault"], "--yes", "--all-refs", "--expect", ids["digest"]],
        before=expected,
        again=False,  # it would come to another digest
    ),
    "move": Act(one("move", "deploy", "project:shop")),
    "undo": Act(line(["undo", "--yes"]), again=False),
    "save": Act(line(["save"]), before=edits, by_hand=True),
    "observe": Act(line(["observe", "-", "--session", "s2"]), stdin=TALK, commits=False),
    "consolidate": Act(line(["consolidate"])),
    "import": Act(line(["import", "../lines.jsonl", "--yes"])),
    "onboard": Act(line(["onboard", "../CLAUDE.md"])),
    "sync": Act(line(["sync"])),
    "review": Act(lambda ids: ["review", "accept", ids["stale"], "--yes"]),
    "promote": Act(lambda ids: ["stage", "promote", ids["staged"], "--yes"]),
    "pin": Act(lambda ids: ["stage", "pin", ids["refund"], "portable", "--yes"]),
    "feedback": Act(lambda ids: ["feedback", "--stale", ids["refund"], "--reason", "outdated", *SESSION]),
    "commit": Act(line(["commit", "--procedure", "../SKILL.md", "--verification", "it works", *SESSION])),
    "fix": Act(line(["check", "--fix"]), before=unstamped, by_hand=True),
    "accept": Act(
        line(["audit", "--accept", "--reason", "mine", "--yes"]),
        before=changed_by_git,
        by_hand=True,
        explains=True,
    ),
    "rebuild": Act(line(["index", "rebuild"]), commits=False),
    "recall": Act(line(["recall", "where is the refund window"]), before=edits, by_hand=True, commits=False),
}
