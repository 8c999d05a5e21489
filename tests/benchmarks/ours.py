"""`mem` itself among the programs that are asked."""

import json
from dataclasses import dataclass

from contenders import QUESTION, Contender, Way
from placed import DEPTH
from program import Program


@dataclass
class Mem(Contender):
    """`mem`: a document is a memory, a corpus is a scope; a resident answers."""

    program: Program | None = None

    @classmethod
    def at(cls, work, corpora, mem):
        """The store."""
        ways = (Way("mem, no floor", QUESTION, "0"), Way("mem, as shipped"))
        program = Program.at(work / "mem", mem)
        version = program.ran("--version", cwd=program.home).stdout.strip()
        return cls(work / "mem", version, ways, corpora, program.command[0], program=program)

    @property
    def environment(self):
        """That of every measurement of mem."""
        return self.program.environment

    def take_in(self, corpus):
        """One batch."""
        lines = [
            {"text": text, "scope": _scope(corpus.name), "occurred_at": day}
            for day, text in corpus.texts.values()
        ]
        ids = [row.get("id") for row in self.program.batch(lines)]
        (self.folder / f"{corpus.name}.json").write_text(json.dumps(ids))

    def opened(self):
        """Start the resident."""
        self.program.ran("watch", "--detach")

    def closed(self):
        """Stop it."""
        self.program.ran("watch", "--stop")

    def ready(self, way):
        """Show what matches too little, where the ranking alone is asked for."""
        settings = "[recall]\nnotice = 0.0\n" if way.kind else ""
        (self.program.folder / "mem.toml").write_text(settings)

    def ask(self, way, sought):
        """(names in order, best match of what is shown or withheld); a memory may say several documents."""
        answer = self.program.recall(sought.text, *self._options(way, sought))
        held = self._names(sought.corpus)
        matches = [one["match"] for one in answer["items"]] + [answer["withheld"]["top_score"] or 0]
        return [held[one["id"]] for one in answer["items"]], max(matches)

    def cold(self, way, sought):
        """The command and where it runs, without a resident."""
        asked = [
            *self.program.command,
            "--no-daemon",
            "recall",
            *self._options(way, sought),
            "--",
            sought.text,
        ]
        return asked, self.program.folder

    def _options(self, way, sought):
        floor = ("--floor", way.kind) if way.kind else ()
        return ("--scope", _scope(sought.corpus), "-k", str(DEPTH), "--budget", "1000000", *floor)

    def _names(self, corpus):
        ids = json.loads((self.folder / f"{corpus}.json").read_text())
        found = {}
        for id_, name in zip(ids, self.corpora[corpus].texts, strict=True):
            found.setdefault(id_, []).append(name)
        return {id_: " ".join(names) for id_, names in found.items()}


def _scope(name):
    return f"corpus:{name}"
