"""Found, withheld or absent: what questions got, counted and with intervals."""

from dataclasses import dataclass, field

from intervals import auroc, wilson

from memcli.memory.constants import DEFAULTS
from memcli.memory.ranking import SCALE, divide

FLOORS = tuple(at / 100 for at in range(10, 61, 2))
FIRST = 10  # places in which evidence counts


@dataclass
class Group:
    """One kind of question; `partner` names the group that asks it where nothing answers.

    `best` is the best match of each question in 1/SCALE; `shown` and `held` what floor and
    notice made of the ranking.
    """

    name: str
    partner: str = ""
    ids: list = field(default_factory=list)
    best: list = field(default_factory=list)
    shown: list = field(default_factory=list)
    held: list = field(default_factory=list)

    def add(self, question, ranked):
        """Take in the answer to one question."""
        divided = divide(ranked, DEFAULTS.floor, DEFAULTS.notice)
        self.ids.append(question)
        self.best.append(max((one.match for one in ranked), default=0))
        self.shown.append(min(DEFAULTS.k, len(divided.admitted)))
        self.held.append(len(divided.withheld))

    def part(self, wanted):
        """The same questions, but only those whose ids are `wanted`."""
        places = [at for at, name in enumerate(self.ids) if wanted(name)]
        kinds = ("ids", "best", "shown", "held")
        parts = {kind: [getattr(self, kind)[at] for at in places] for kind in kinds}
        return Group(self.name, self.partner, **parts)

    def figures(self):
        """Counts with intervals."""
        n = len(self.best)
        found = sum(best >= DEFAULTS.floor * SCALE for best in self.best)
        absent = sum(best < DEFAULTS.notice * SCALE for best in self.best)
        outcomes = {"found": found, "withheld": n - found - absent, "absent": absent}
        return {
            "group": self.name,
            "n": n,
            **{name: share(count, n) for name, count in outcomes.items()},
            "shown_mean": round(sum(self.shown) / n, 2),
            "held_mean": round(sum(self.held) / n, 2),
        }


@dataclass(frozen=True)
class Evidence:
    """Where one question's evidence came: (rank, match, rank among the admitted or 0) of each turn."""

    id: str
    wanted: int
    places: tuple

    @classmethod
    def among(cls, question, wanted, ranked):
        """The places of the paths `wanted` within the first hundred of `ranked`."""
        admitted = divide(ranked, DEFAULTS.floor, DEFAULTS.notice).admitted
        above = {one.path: at for at, one in enumerate(admitted, 1)}
        first = enumerate(ranked[:100], 1)
        places = ((at, one.match, above.get(one.path, 0)) for at, one in first if one.path in wanted)
        return cls(question, len(wanted), tuple(places))

    @property
    def full(self):
        """Whether all of it stands in the first ten."""
        return sum(rank <= FIRST for rank, _, _ in self.places) == self.wanted

    @property
    def full_above_floor(self):
        """Whether all of it stands in the first ten that the floor admits."""
        return sum(0 < rank <= FIRST for _, _, rank in self.places) == self.wanted


def share(count, n):
    """A count as percent with its 95 % interval."""
    found, low, high = (round(100 * part, 1) for part in wilson(count, n))
    return {"count": count, "percent": found, "low": low, "high": high}


def sweep(own, foreign):
    """For each floor: own questions left without an answer and foreign ones given one, as counts."""
    return [
        [
            floor,
            sum(best < floor * SCALE for best in own.best),
            sum(best >= floor * SCALE for best in foreign.best),
        ]
        for floor in FLOORS
    ]


def kept(conversations):
    """Full evidence among the first ten, before and after the floor."""
    evidence = [one for asked in conversations for one in asked]
    n = len(evidence)
    return {
        "n": n,
        "full_at_10": share(sum(one.full for one in evidence), n),
        "full_at_10_above_floor": share(sum(one.full_above_floor for one in evidence), n),
    }


def pairs(groups):
    """Each group that was asked where the answer is, with its partner."""
    named = {group.name: group for group in groups}
    return [(group, named[group.partner]) for group in groups if group.partner]


def records(groups):
    """The best match of each question by group, without texts; `like` names the group with the same ids."""
    first = {tuple(group.ids): group.name for group in reversed(groups)}
    kept_ids = {group.name: first[tuple(group.ids)] for group in groups}
    return {
        group.name: {"best": group.best}
        | ({"ids": group.ids} if kept_ids[group.name] == group.name else {"like": kept_ids[group.name]})
        for group in groups
    }


def separation(groups):
    """AUROC of the best match, by group: answerable here against not."""
    return {own.name: round(auroc(own.best, foreign.best), 3) for own, foreign in pairs(groups)}


def table(groups):
    """The outcomes as aligned text."""
    heads = ("n", "found %", "from", "to", "withheld", "absent", "shown", "held")
    lines = [f"{'questions':26}" + "".join(f"{head:>9}" for head in heads)]
    for group in groups:
        one = group.figures()
        found, withheld, absent = one["found"], one["withheld"]["percent"], one["absent"]["percent"]
        cells = (one["n"], found["percent"], found["low"], found["high"], withheld, absent)
        cells += (one["shown_mean"], one["held_mean"])
        lines.append(f"{group.name:26}" + "".join(f"{cell:>9}" for cell in cells))
    return "\n".join(lines)
