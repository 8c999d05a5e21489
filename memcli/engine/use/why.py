"""Why a memory may travel as far as it does: the counts of its use, and the moves that the journal names."""

from dataclasses import dataclass

from memcli.engine import standing
from memcli.engine.opened import Opened
from memcli.engine.retracting import doubting
from memcli.engine.use import accounts, laddering
from memcli.engine.use.laddering import Stated
from memcli.memory import account, confidence, ladder
from memcli.memory.account import NOTHING
from memcli.memory.confidence import NONE, Taken
from memcli.memory.constants import Constants
from memcli.memory.ladder import Counts
from memcli.memory.schema import Schema, Stage


@dataclass(frozen=True, slots=True)
class Why:
    """The stage in the file and what it follows from; `earned` is what use alone gives now.

    `next` says what is missing for one stage more, "" where nothing more can be had. `left` is
    what retractions left of its `confidence`, `taken` those of them that may be named.
    """

    stage: Stage
    earned: Stage
    pinned: bool
    because: str
    counts: Counts
    next: str
    labile: bool
    moves: tuple[Stated, ...] = ()
    confidence: float = 0.0
    left: float = 0.0
    taken: tuple[Taken, ...] = ()


def of(opened: Opened, path: str, schema: Schema) -> Why:
    """The evidence for the stage of `schema` as of now."""
    rules = opened.settings.constants
    said = accounts.load(opened).get(schema.id, NOTHING)
    counts = ladder.counts(said, schema.scope, opened.now, rules)
    doubt = doubting.of_journal(opened, standing.current(opened)).get(schema.id, NONE)
    return Why(
        stage=schema.stage,
        earned=ladder.stage_of(counts, rules),
        pinned=schema.stage_pinned,
        because=_because(opened, path, schema),
        counts=counts,
        next=_missing(counts, rules) if ladder.climbs(schema.scope) else "",
        labile=account.labile(said, opened.now, rules) or doubt.labile,
        moves=tuple(laddering.moves(opened, path, schema.id)),
        confidence=schema.confidence,
        left=confidence.left(schema.confidence, doubt.penalty, rules),
        taken=tuple(one for one in doubt.taken if one.scope in doubting.named_beside(opened, schema)),
    )


def _because(opened: Opened, path: str, schema: Schema) -> str:
    if not ladder.climbs(schema.scope):
        return "every scope sees it anyway"
    if schema.stage_pinned:
        return "a person pinned it"
    if laddering.by_hand(opened, path, schema):
        return "somebody set it by hand"
    return "nothing was earned yet" if schema.stage is Stage.SCOPED else "it was earned by use"


def _missing(found: Counts, rules: Constants) -> str:
    """What one stage more takes."""
    stage = ladder.climbed(found, rules)
    if stage is Stage.SCOPED:
        return f"portable takes {rules.own_sessions} sessions of its own scope that used it"
    if stage is Stage.PORTABLE:
        return f"contextual takes {rules.kin_scopes} other scopes of its kind that used it"
    if stage is Stage.CONTEXTUAL:
        return f"global takes {rules.all_scopes} scopes of {rules.all_kinds} kinds that used it"
    return ""
