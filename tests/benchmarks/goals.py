"""What is to be reached, and whether it is: rows of (what, goal, measured, reached)."""

from locomo_summary import SHIPPED, UNFLOORED
from rivals import NAMES
from tables import interval, thousands

COLD, REBUILD, COMMIT = 0.20, 4.0, 0.25  # times what it is compared with
MANY = 10_000  # files from which the goal for a commit holds


def goals(found):
    """Everything that has a goal and a record."""
    if "locomo" in found:
        yield from _recall(found["locomo"])
    for name in ("scale-1000", "scale-10000"):
        if name in found:
            yield from _speed(found[name])
    if "commits" in found:
        yield from (_commit(row) for row in found["commits"]["rows"] if row["files"] >= MANY)
    if "writers" in found:
        one = found["writers"]
        measured = f"{one['in_head_once']} of {one['acknowledged']}"
        yield "writers at once: acknowledged and in HEAD once, all clean", "all", measured, one["sound"]


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


def _speed(record):
    among = f"{thousands(record['schemas'])} schemas"
    cold, cpu = (record[kind]["recall"]["import lancedb"] for kind in ("ratios", "cpu_ratios"))
    measured = f"{cold:.2f} (CPU {cpu:.2f})"
    yield f"cold recall over `import lancedb`, {among}", f"{COLD:.2f}", measured, cold <= COLD
    parse = record["ratios"]["rebuild, vectors kept"]["parsing the YAML alone"]
    yield f"cached rebuild over parsing the YAML, {among}", f"{REBUILD:g}", f"{parse:.1f}", parse <= REBUILD


def _commit(row):
    share, cpu = row["ms"] / row["git_ms"], row["cpu_ms"] / row["git_cpu_ms"]
    what = f"commit of one file over git's, {thousands(row['files'])} files, {row['layout']}"
    return what, f"{COMMIT}", f"{share:.2f} (CPU {cpu:.2f})", share <= COMMIT
