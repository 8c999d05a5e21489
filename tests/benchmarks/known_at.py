"""What was known at another time: the index of revisions against git's own trees, in answers and in time.

    python tests/benchmarks/known_at.py --commits 10000 --work WORK --mem .venv/bin/mem --out docs/figures

The history is invented (sentences.py) and written by `git fast-import`: three commits in four add a
memory, the others edit, supersede or forget one. Of 48 random pairs of a commit and a question
both ways are asked in one process, and their answers compared; then whole processes are timed, 500
commits back, beside one that only reads every file of that tree. WORK is a folder
that does not exist yet, or was filled by an earlier run of as many commits.
"""

import random
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from functools import cache
from itertools import islice

import stock
from clock import Act, brief, once, timed
from kept import write_figures
from program import Program, circumstances, measuring
from sentences import QUERIES, claims

from memcli.engine import reconcile
from memcli.engine.opened import open_store
from memcli.engine.recalling import asking, recall
from memcli.engine.recalling.asking import Request
from memcli.engine.recalling.told import as_json
from memcli.engine.recorded import points, sources
from memcli.journal import tree
from memcli.journal.message import Change, Message, compose
from memcli.surroundings import Surroundings

PAIRS = 48
BACK = 500
HOUR = 3600
READ = """
import subprocess, sys
import frontmatter
git = ["git", "-C", sys.argv[1]]
listed = subprocess.run([*git, "ls-tree", "-r", sys.argv[2], "--", "schemas"], capture_output=True).stdout
names = b"".join(line.split()[2] + b"\\n" for line in listed.splitlines())
out = subprocess.run([*git, "cat-file", "--batch"], input=names, capture_output=True).stdout
at = 0
while at < len(out):
    end = out.index(b"\\n", at)
    size = int(out[at:end].split()[2])
    text = out[end + 1 : end + 1 + size].decode()
    if "parse" in sys.argv:
        frontmatter.loads(text)
    at = end + 2 + size
"""


class History:
    """A store of `many` commits below `work`."""

    def __init__(self, work, mem, many):
        self.many = many
        self.program = Program.at(work, mem)
        self._chance = random.Random(many)
        self._live = {}

    def written(self):
        """Write all commits with one `git fast-import`."""
        first = self.program.git("rev-parse", "HEAD").strip()
        begun = int(self.program.git("log", "-1", "--format=%ct")) + HOUR
        parts, said = [], claims(self.many)
        for number, claim in enumerate(islice(said, self.many)):
            parts.append(self._commit(number, begun + number * HOUR, claim, first))
        subprocess.run(
            ["git", "fast-import", "--quiet", "--force"], cwd=self.program.folder,
            env=self.program.environment, input=b"".join(parts), check=True,
        )  # fmt: skip
        self.program.git("reset", "-q", "--hard")
        self.program.git("gc", "-q")

    @property
    def there(self):
        """Whether it was written before."""
        return int(self.program.git("rev-list", "--count", "HEAD")) > self.many

    @property
    def now(self):
        """An hour after the last commit."""
        return int(self.program.git("log", "-1", "--format=%ct")) + HOUR

    def _commit(self, number, at, claim, first):
        path, raw, message = self._act(number, claim)
        text = compose(replace(message, tx=f"{number:012}")).encode()
        head = f"commit refs/heads/main\ncommitter Ana <ana@example.org> {at} +0000\ndata {len(text)}\n"
        onto = f"from {first}\n" if not number else ""
        change = f"M 100644 inline {path}\ndata {len(raw)}\n"
        return head.encode() + text + b"\n" + onto.encode() + change.encode() + raw.encode() + b"\n"

    def _act(self, number, claim):
        """What one commit does: the path, its new bytes, what the journal says."""
        drawn = self._chance.random()
        if drawn < 0.75 or not self._live:
            path, raw, id_ = stock.one(number, claim)
            self._live[id_] = (path, raw)
            return path, raw, Message("remember", claim, changes=(Change(id_, "none", "active"),))
        id_ = self._chance.choice(list(self._live))
        path, raw = self._live[id_]
        if drawn < 0.95:
            raw = stock.reworded(raw, claim)
            self._live[id_] = (path, raw)
            return path, raw, Message("edit", claim)
        del self._live[id_]
        status = "superseded" if drawn < 0.997 else "forgotten"
        raw = raw.replace("status: active", f"status: {status}")
        op = "supersede" if status == "superseded" else "forget"
        return path, raw, Message(op, "A claim.", changes=(Change(id_, "active", status),))

    def opened(self):
        """The store, as a command opens it."""
        stands = Surroundings(
            environment=self.program.environment, cwd=self.program.folder, now=self.now, width=80,
            ttys=(False,) * 3, terminal=False, home=self.program.home, own=None,
        )  # fmt: skip
        return open_store(stands, named=str(self.program.folder))


def compared(history):
    """Both ways for each random pair: seconds of each, and whether the answers are equal."""
    chance = random.Random(48)
    commits = history.program.git("rev-list", "--first-parent", "HEAD").split()
    rows = []
    for _ in range(PAIRS):
        request = Request(chance.choice(QUERIES), stock.LARGE, known_at=chance.choice(commits))
        by_index = _asked(history, request)
        by_tree = _asked(history, request, by_tree=True)
        rows.append(
            {
                "index_s": by_index[1],
                "tree_s": by_tree[1],
                "equal": by_index[0] == by_tree[0],
                "items": len(by_index[0]["items"]),
                **_reached(history, request),
            }
        )
    return rows


def _reached(history, request):
    """Seconds until the rows of a point are there: by the index, and by reading every file of its tree."""
    opened = history.opened()
    opened.take_encoder(_encoder())
    view, asked = reconcile.freshen(opened), asking.asked(opened, request)
    point = points.resolve(opened, request.known_at)
    vector = _encoder().encode([request.query])[0]
    begun = time.perf_counter()
    source = sources.of(opened, view, point)
    source.words(asked.viewer, asked.query.stems)
    source.nearest(asked.viewer, vector, opened.settings.constants.pool)
    there = time.perf_counter()
    tree.read_blobs(opened.journal, tree.regular(opened.journal, point.commit, "schemas/").values())
    return {"point_s": round(there - begun, 4), "read_s": round(time.perf_counter() - there, 4)}


@cache
def _encoder():
    from memcli.index import encoder

    return encoder.load(None, None)


def _asked(history, request, *, by_tree=False):
    opened = replace(history.opened(), by_tree=by_tree)
    opened.take_encoder(_encoder())
    begun = time.perf_counter()
    found = as_json(recall.run(opened, request), "full")
    return found, round(time.perf_counter() - begun, 4)


def processes(history):
    """Whole processes, 500 commits back."""
    back = history.program.git("rev-parse", f"HEAD~{min(BACK, history.many - 1)}").strip()
    mem = [*history.program.command, "recall", "--no-daemon", "--scope", stock.LARGE]
    folder = str(history.program.folder)
    acts = (
        Act("recall --known-at", [*mem, "--known-at", back, "--", QUERIES[0]]),
        Act("recall of now", [*mem, "--", QUERIES[0]]),
        Act("reading every file of the tree", [sys.executable, "-c", READ, folder, back], runs=5),
        Act("reading and parsing them", [sys.executable, "-c", READ, folder, back, "parse"], runs=3),
    )
    return {one.name: brief(timed(one, folder, history.program.environment)) for one in acts}


def main():
    """Measure and write the record."""
    words = measuring(__doc__)
    words.add_argument("--commits", type=int, default=1000)
    chosen = words.parse_args()
    history = History(chosen.work, chosen.mem, chosen.commits)
    if not history.there:
        history.written()
    folder, environment = history.program.folder, history.program.environment
    asked = [*history.program.command, "recall", "--no-daemon", "--scope", stock.LARGE]
    then = [*asked, "--known-at", "HEAD~1", "--", QUERIES[0]]
    once(then, folder, environment)  # which encodes every claim there ever was
    for name in ("index", "revisions"):
        shutil.rmtree(folder / ".mem" / name)
    cold, filled = (once(words, folder, environment) for words in ([*asked, "--", QUERIES[0]], then))
    rows = compared(history)
    middle = lambda key: sorted(row[key] for row in rows)[len(rows) // 2]  # noqa: E731
    figures = {
        **circumstances(history.program),
        "commits": chosen.commits,
        "files": len(stock.files(folder)),
        "index of now, vectors kept": cold,
        "index of revisions, vectors kept": filled,
        "pairs": len(rows),
        "equal": sum(row["equal"] for row in rows),
        "with items": sum(row["items"] > 0 for row in rows),
        "index_s": middle("index_s"),
        "tree_s": middle("tree_s"),
        "point_s": middle("point_s"),
        "read_s": middle("read_s"),
        "processes": processes(history),
    }
    if chosen.out:
        write_figures(chosen.out / f"known-at-{chosen.commits}.json", figures)
    print(figures)


if __name__ == "__main__":
    main()
