"""Many writers, readers and an editor on one store with a resident: each acknowledged act is there, once.

In the suite six writers act six times each; `--campaign 20` are thirty-two that act a hundred
times. Acts are of every kind, on memories of one's own and on such as all may change.
"""

import json
import re
import select
from collections import Counter
from pathlib import Path

WRITERS, EACH = 6, 6
MANY, MORE = 32, 5  # of a campaign: as many writers, and five acts of each for every time
PATIENCE_S = 600
COMMON = 8  # memories that all may change
TESTS = str(Path(__file__).parents[1])
MEMBER = f"import sys; sys.path[:0] = [{TESTS!r}]; from faults import members; members.main(*sys.argv[1:])"
NUMBERS = {"reader": 50, "editor": 60}  # of the members that are no writers
GOOD = {0: "done", 1: "nothing found", 3: "no such memory", 5: "refused", 8: "busy"}


def crowd(trial, cradle, members, seed):
    """All lines that the members printed, each with who it was; and the ids of what all might change."""
    common = [one["id"] for one in trial.batch([f"The cellar holds {n + 3} crates." for n in range(COMMON)])]
    settings = trial.root / "mem.toml"  # nobody shall be refused because the machine has more to do
    settings.write_text(settings.read_text() + f"\n[lock]\nwait_s = {PATIENCE_S}\n")
    trial.commit_by_hand()
    trial.did("recall", "crates")  # so that index and vectors are there
    assert trial.process("watch", "--detach").code == 0
    try:
        running = {
            who: cradle.child(trial, (who[0], str(who[1]), str(times), seed, *common), program=MEMBER)
            for who, times in members.items()
        }
        for one in running.values():
            select.select([one.link], [], [])
        codes = {who: one.ended() for who, one in running.items()}
    finally:
        trial.process("watch", "--stop")
    assert not any(codes.values()), {who: running[who].told for who, code in codes.items() if code}
    told = [(who, line) for who, one in running.items() for line in one.told[0].splitlines()]
    return [{"who": who[0], **json.loads(line)} for who, line in told], common


def members(writers, each):
    """{(role, number): how often it acts}: beside the writers some that read, and one that edits."""
    found = {("writer", number): each for number in range(writers)}
    found |= {("reader", NUMBERS["reader"] + n): each for n in range(max(1, writers // 8))}
    return found | {("editor", NUMBERS["editor"]): each}


class Journal:
    """What HEAD holds: files, events, and what the trailers of each commit say."""

    def __init__(self, trial):
        self.files = {}
        for path in trial.root.glob("schemas/**/*.md"):
            head, _, body = path.read_text("utf-8").removeprefix("---\n").partition("\n---\n")
            id_ = re.search(r"^id: [\"']?([^\"'\n]+)", head, re.MULTILINE)[1]
            status = re.search(r"^status: (\S+)", head, re.MULTILINE)
            self.files.setdefault(id_, []).append((status[1] if status else "active", body.strip()))
        self.claims = Counter(body for held in self.files.values() for _, body in held)
        raw = "".join(path.read_text("utf-8") for path in trial.root.glob("events/**/*.jsonl"))
        self.turns = Counter(json.loads(line).get("text") for line in raw.splitlines())
        told = trial.git("log", "--format=%H%x00%B%x01").split("\x01")
        commits = dict(one.strip().split("\0") for one in told if one.strip())
        trailers = re.compile(r"^Mem-Id: (.*)\n(?:Mem-Prior-Status: .*\n)?Mem-Status: (.*)$", re.MULTILINE)
        self.commits = {commit: dict(trailers.findall(body)) for commit, body in commits.items()}


def judged(journal, lines, tally):
    """Count what was acknowledged and what became of it; the faults, in words."""
    faults = []

    def must(holds, what, one):
        tally[what] += not holds
        if not holds:
            faults.append((what, one))

    for one in lines:
        done, id_ = one["code"] == 0, one.get("id")
        tally[f"ended with {one['code']}: {GOOD.get(one['code'])}"] += 1
        must(one["code"] in GOOD and "Traceback" not in one["err"], "tracebacks and undocumented ends", one)
        if one["who"] == "reader":
            tally["answers to readers"] += 1
            tally["claims shown to readers"] += one["shown"]
            must(not one["torn"], "torn claims shown", one)
        elif one["act"] == "look":
            must(not done or one["seen"], "acknowledged and not in the next answer", one)
        elif done and one.get("commit"):
            tally["acknowledged acts"] += 1
            there = journal.commits.get(one["commit"])
            must(there is not None, "acknowledged and not in history", one)
            status = one.get("status")
            must(not there or not status or there.get(id_) == status, "journalled otherwise than told", one)
        if one.get("heard"):
            many = journal.turns[one["turns"][0]]
            tally["turns observed"] += done
            must(many == done or (not done and one["code"] == 8 and many < 2), "turns lost or doubled", one)
    return faults


def told_last(lines, common):
    """What each was told of its own memories: their claims, their statuses, which it took back."""
    said, last, gone = {}, {}, set()
    for one in (one for one in lines if one["code"] == 0):
        if one.get("undone"):
            gone.add(one["id"])
        elif one.get("id") and one["act"] in ("remember", "batch", "supersede"):
            said[one["id"]] = one["claim"]
        elif one.get("edited"):
            said[one["id"]] = one["edited"]
        if one.get("status") and one["who"] == "writer":
            last[one["id"]] = one["status"]
    return said, {id_: status for id_, status in last.items() if id_ not in gone | {*common}}, gone


def standing(journal, lines, common, tally):
    """Hold each memory that only one of the crowd may change to what that one was told last; the faults."""
    said, last, gone = told_last(lines, common)
    heard = {one["heard"] for one in lines if one.get("heard")}
    refused = {one["claim"] for one in lines if one["code"] and one.get("claim")}
    files = journal.files
    there = {id_: held[0] for id_, held in files.items() if id_ not in common}
    ours = {id_: claim for id_, claim in said.items() if id_ in there}
    found = {
        "acknowledged memories lost": said.keys() - gone - there.keys(),
        "undone and there": gone & there.keys(),
        "files doubled": {id_ for id_, held in files.items() if len(held) > 1},
        "claims doubled": {claim for claim, many in journal.claims.items() if many > 1},
        "refused and done": {claim for claim in refused if journal.claims[claim]},
        "memories that read otherwise": {id_ for id_, claim in ours.items() if there[id_][1] != claim},
        "memories that stand otherwise": {
            id_ for id_, status in last.items() if id_ in there and there[id_][0] != status
        },
        "memories that nobody made": {
            id_ for id_, held in there.items() if id_ not in said and held[1] not in heard
        },
    }
    tally["memories that all changed"] += len(common)
    tally["acknowledged memories"] += len(said)
    for what, which in found.items():
        tally[what] += len(which)
    return [(what, id_, files.get(id_), last.get(id_)) for what, which in found.items() for id_ in which]


def test_a_crowd_loses_and_doubles_nothing(trial, cradle, campaign, tally, request):
    writers, each = (WRITERS, EACH) if campaign == 1 else (MANY, MORE * campaign)
    lines, common = crowd(trial, cradle, members(writers, each), request.config.getoption("seed"))
    process = trial.process
    assert process("consolidate").code == 0
    assert process("save", "--yes").code == 0
    journal = Journal(trial)
    tally["writers"] += writers
    faults = judged(journal, lines, tally)
    wrong = standing(journal, lines, common, tally)
    assert faults + wrong == []
    for what, argv in {
        "audit": ("audit", "--json"),
        "check": ("check",),
        "verify": ("index", "verify"),
        "doctor": ("doctor", "--deep", "--json"),
    }.items():
        ran = process(*argv)
        assert ran.code == 0, (what, ran.out, ran.err)
    assert trial.git("status", "--porcelain") == ""
    tally["files that git finds changed"] += 0
    assert tally["acknowledged acts"] > writers * each / 3
