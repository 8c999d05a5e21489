"""What is to be reached, and whether it is: rows of (what, goal, measured, reached)."""

from locomo_summary import SHIPPED, UNFLOORED
from report_record import TREE
from rivals import NAMES
from tables import interval, thousands

COLD, REBUILD, COMMIT = 0.20, 4.0, 0.25  # times what it is compared with
BARE, WORDS = "a bare interpreter", "search by plain words"
SEEN_MS = 60
RESIDENT = {
    ("warm recall, new question", BARE): {10_000: 2.6},
    ("warm recall, repeated question", BARE): {10_000: 2.0},
    ("warm recall, new question", WORDS): {1000: 1.4, 10_000: 0.30, 100_000: 0.04},
    ("first answer, resident started by it", "loading the shipped model and running it once"): 0.9,
}
KNOWN_AT = 0.3
MANY = 10_000  # files from which the goal for a commit holds


def goals(found):
    """Everything that has a goal and a record."""
    for name, reached in _REACHED.items():
        if name in found:
            yield from reached(found[name])


def _receipts(record):
    replayed, n = record["replayed"], record["receipts"]
    yield "receipts that replay to equal bytes", n, replayed.get("equal", 0), replayed == {"equal": n}
    found, of = (sum(one[side] for one in record["altered"].values()) for side in (0, 1))
    yield "altered receipts that are detected", of, found, found == of
    after = record["replayed_after_forgetting"]
    wrong = sum(count for name, count in after.items() if name not in ("equal", "forgotten"))
    yield "receipts neither equal nor refused once something is forgotten", 0, wrong, wrong == 0


def _commits(record):
    return (_commit(row) for row in record["rows"] if row["files"] >= MANY)


def _writers(record):
    created = record["decisions"].get("created", 0)
    measured = f"{record['acknowledged']} acknowledged, {record['in_head_once']} of {created} created"
    yield "writers at once: each created one in HEAD once, all clean", "all", measured, record["sound"]


def _recall(record):
    baseline = record["figures"][NAMES["fused"]]["full@10"]
    for name in (UNFLOORED, SHIPPED):
        ours = record["figures"][name]["full@10"]
        yield (
            f"LoCoMo full@10: {name}",
            f"the baseline *fused*, {baseline[0]}",
            interval(ours),
            ours[0] >= baseline[0],
        )
    leaked = record["leaks"]["leaked"]
    yield "rows of another scope", 0, leaked, leaked == 0


def _observed(record):
    """What was said is found as well as the best baseline finds it, and the default shows no less."""
    ours, best = (record["figures"][name] for name in ("turns, no floor", NAMES["best"]))
    for measure in ("full@10", "full@20"):
        goal = f"the baseline *best*, {best[measure][0]}"
        reached = ours[measure][0] >= best[measure][0]
        yield f"LoCoMo {measure} of what was observed, no floor", goal, interval(ours[measure]), reached
    turns, default = (record["within_words"][f"{name}, as shipped"] for name in ("turns", "default"))
    for words, found in turns.items():
        what = f"LoCoMo, all evidence within {words} words shown, default recall"
        yield what, f"turns alone, {found[0]}", interval(default[words]), default[words][0] >= found[0]


def _speed(record):
    among = f"{thousands(record['schemas'])} schemas"
    cold, cpu = (record[kind]["recall"]["import lancedb"] for kind in ("ratios", "cpu_ratios"))
    measured = f"{cold:.2f} (CPU {cpu:.2f})"
    yield f"cold recall over `import lancedb`, {among}", f"{COLD:.2f}", measured, cold <= COLD
    parse = record["ratios"]["rebuild, vectors kept"]["parsing the YAML alone"]
    yield f"cached rebuild over parsing the YAML, {among}", f"{REBUILD:g}", f"{parse:.1f}", parse <= REBUILD


def _resident(record):
    """SPEED's goals for what a resident answers: each ratio, and the time from a save to its recall."""
    among = f"{thousands(record['schemas'])} schemas"
    for one, other, ratio in record["ratios"]:
        goal = RESIDENT.get((one, other))
        goal = goal.get(record["schemas"]) if isinstance(goal, dict) else goal
        if goal:
            yield f"{one} over {other}, {among}", f"{goal:.2f}", f"{ratio:.2f}", ratio <= goal
    seen = record["milliseconds"]["save, then recall, with a resident"]["p50"]
    yield f"save, then recall: ms, {among}", SEEN_MS, f"{seen:.0f}", seen <= SEEN_MS


def _known_at(record):
    """The index of revisions says what git's trees say; at 10,000 commits it is quick."""
    label, pairs = f"{thousands(record['commits'])} commits", record["pairs"]
    equal = record["equal"]
    yield f"known-at by index and by tree, {label}", f"{pairs} equal", equal, equal == pairs
    if record["commits"] < MANY:
        return
    ratio = record["point_s"] / record["read_s"]
    yield f"known-at, its rows against {TREE}, {label}", f"{KNOWN_AT} x", f"{ratio:.2f} x", ratio <= KNOWN_AT


def _growth(record):
    after = f"after {thousands(record['updates'])} single updates"
    for what, goal, measured in (
        (f"size of the index over one made anew, {after}", 5, record["size_ratio"]),
        (f"files of the index {after}", 1000, record["grown"]["files"]),
        (f"recall over that from an index made anew, {after}", 2, record["recall_ratio"]),
    ):
        yield what, goal, measured, measured <= goal


def _commit(row):
    share, cpu = row["ms"] / row["git_ms"], row["cpu_ms"] / row["git_cpu_ms"]
    what = f"commit of one file over git's, {thousands(row['files'])} files, {row['layout']}"
    return what, f"{COMMIT}", f"{share:.2f} (CPU {cpu:.2f})", share <= COMMIT


_REACHED = {
    "locomo": _recall,
    "observed": _observed,
    "scale-1000": _speed,
    "scale-10000": _speed,
    "resident-1000": _resident,
    "resident-10000": _resident,
    "resident-100000": _resident,
    "known-at-1000": _known_at,
    "known-at-10000": _known_at,
    "receipts": _receipts,
    "growth": _growth,
    "commits": _commits,
    "writers": _writers,
}
