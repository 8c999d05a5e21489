"""Every number that the engine decides by, with where it comes from.

A threshold that hides in the code cannot be argued with. Here each has its key in
`mem.toml`, its default, one line that says what it does, and its provenance: `asserted`
(reasoned, not measured) or `measured:<evaluation>`, which names the benchmark that
gave it. `mem stats --constants` prints both.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

ASSERTED: Final = "asserted"
SCALE: Final = 10_000  # four decimals: what an answer shows is all that was compared


class NotAConstant(ValueError):
    """The key names no constant, or the value cannot be one."""


@dataclass(frozen=True, slots=True)
class Constant:
    """One number as `mem stats --constants` shows it."""

    key: str
    value: float
    provenance: str
    meaning: str


def _number(value: float, key: str, provenance: str, meaning: str) -> Any:  # noqa: ANN401 - a dataclass field
    return field(default=value, metadata={"key": key, "provenance": provenance, "meaning": meaning})


@dataclass(frozen=True, slots=True)
class Constants:
    """The numbers in force: the defaults, or what `constants` made of a store's settings."""

    k1: float = _number(0.9, "ranking.k1", "measured:locomo", "how soon repeating a word stops counting")
    b: float = _number(0.4, "ranking.b", "measured:locomo", "how much a long memory is discounted")
    meaning: float = _number(0.6, "ranking.meaning", "measured:locomo", "share of the vectors in the score")
    names_share: float = _number(
        0.3,
        "ranking.names_share",
        "measured:locomo",
        "a name in this share of the memories is cut from the query before it is encoded",
    )
    names_rows: int = _number(
        10,
        "ranking.names_rows",
        ASSERTED,
        "no name is cut while it stands in fewer memories than this",
    )
    subject: float = _number(
        0.2,
        "ranking.subject",
        "measured:locomo",
        "bonus of a memory that begins with a name cut from the query",
    )
    month: float = _number(
        0.1,
        "ranking.month",
        "measured:locomo",
        "bonus of a memory that names the query's month",
    )
    day: float = _number(
        0.3,
        "ranking.day",
        "measured:locomo",
        "share of a memory's score that is that of the best memory of its day",
    )
    question: float = _number(
        0.1,
        "ranking.question",
        "measured:locomo",
        "loss of a memory that is a question",
    )
    pool: int = _number(100, "ranking.pool", "measured:locomo", "candidates by vector, and as many by words")
    later_cosine: float = _number(
        0.6, "later.cosine", "measured:updates", "cosine from which two claims shown may speak of the same"
    )
    later_words: float = _number(
        0.5,
        "later.words",
        "measured:updates",
        "share of the longer one's words that they have in common",
    )
    later_answers: float = _number(
        0.7,
        "later.answers",
        "measured:updates",
        "share of the earlier one's coverage of the question that the later one needs",
    )
    carry: float = _number(
        0.7, "expansion.carry", ASSERTED, "share of a match that a related memory is reached with"
    )
    expanded: int = _number(2, "expansion.k", ASSERTED, "memories that are shown for others' sake at most")
    turn_meaning: float = _number(
        0.6, "events.meaning", "measured:locomo", "share of the vectors in the score of what was said"
    )
    neighbour: float = _number(
        0.3, "events.neighbour", "measured:locomo", "share of the better turn beside one in its score"
    )
    session: float = _number(
        0.3, "events.session", "measured:locomo", "share of the best of its session in a turn's score"
    )
    turn_question: float = _number(0.15, "events.question", "measured:locomo", "loss of a turn that asks")
    turn_pool: int = _number(
        200, "events.pool", "measured:locomo", "turns that are ranked by vector, and as many by words"
    )
    turn_share: float = _number(
        0.5, "events.share", "measured:locomo", "share of the best score that a turn beside it needs"
    )
    words: float = _number(0.7, "match.words", "measured:floor", "match of all words without any meaning")
    company: float = _number(
        1.5,
        "match.company",
        "measured:floor",
        "how much a memory's match gains beside a sure answer",
    )
    unheard: float = _number(
        0.4,
        "match.unheard",
        "measured:locomo",
        "what a match loses where no memory holds any name of the question",
    )
    chance: float = _number(
        0.06,
        "match.chance",
        "measured:floor",
        "how fast the cosine that chance reaches grows with the store",
    )
    chance_rows: int = _number(
        10, "match.chance_rows", "measured:floor", "memories up to which it hardly does"
    )
    unseen_rows: int = _number(
        100,
        "match.unseen_rows",
        ASSERTED,
        "memories that a store is thought to hold beside its own when words are weighed",
    )
    floor: float = _number(0.3, "recall.floor", "measured:floor", "match below which a memory is withheld")
    notice: float = _number(0.2, "recall.notice", "measured:floor", "match below which nothing matched")
    k: int = _number(8, "recall.k", ASSERTED, "memories in an answer at most")
    budget_tokens: int = _number(800, "recall.budget_tokens", ASSERTED, "tokens in an answer at most")
    gate_evidence: float = _number(
        0.25,
        "gate.evidence",
        "measured:gate",
        "cosine and words together below which a text needs no memory",
    )
    gate_words: float = _number(
        0.2, "gate.words", "measured:gate", "what a text's words add to that where a memory holds them all"
    )
    near_duplicate: float = _number(
        0.97,
        "recall.near_duplicate",
        ASSERTED,
        "cosine from which two claims with equal numbers are shown once",
    )
    same_claim: float = _number(0.92, "guard.same_claim", ASSERTED, "cosine from which a claim is reinforced")
    block: float = _number(0.88, "guard.block", "measured:guard", "cosine from which a removed claim blocks")
    hold: float = _number(0.80, "guard.hold", "measured:guard", "cosine from which a removed claim holds")
    hold_coverage: float = _number(
        0.65,
        "guard.hold_coverage",
        "measured:guard",
        "share of a removed claim's words from which it holds",
    )
    hold_cosine: float = _number(
        0.5,
        "guard.hold_cosine",
        "measured:guard",
        "cosine that goes with guard.hold_coverage",
    )
    resonance: float = _number(
        0.6,
        "staging.resonance",
        ASSERTED,
        "cosine from which what a later session says brings a staged claim to count",
    )
    expires_days: int = _number(
        14, "staging.expires_days", ASSERTED, "days after which a staged claim that nothing met is archived"
    )
    novelty: float = _number(
        0.3, "salience.novelty", ASSERTED, "what a claim gains that nothing believed comes near"
    )
    decision: float = _number(0.15, "salience.decision", ASSERTED, "what words of a decision or rule add")
    causal: float = _number(0.1, "salience.causal", ASSERTED, "what words of a reason add")
    surprise: float = _number(
        0.3, "salience.surprise", ASSERTED, "what a claim gains that says otherwise than a near one"
    )
    effort: float = _number(0.1, "salience.effort", ASSERTED, "what numbers, names and compounds add")
    type_share: float = _number(0.2, "salience.type", ASSERTED, "what its type adds at most")
    salience_active: float = _number(
        0.4, "salience.active", ASSERTED, "salience from which an observed claim is believed"
    )
    salience_staged: float = _number(
        0.2, "salience.staged", ASSERTED, "salience from which an observed claim is staged"
    )
    batch: int = _number(
        6, "consolidate.batch", ASSERTED, "closed exchanges after which a consolidation is due"
    )
    echo: float = _number(
        0.85, "consolidate.echo", ASSERTED, "cosine from which a turn repeats what its session was shown"
    )
    join: float = _number(
        0.65, "prototypes.join", ASSERTED, "cosine with a prototype's centre from which a turn joins it"
    )
    agree: float = _number(
        0.7, "prototypes.agree", ASSERTED, "cosine from which a turn says the same as a proposed sentence"
    )
    covered: float = _number(
        0.8, "prototypes.covered", ASSERTED, "cosine with a schema from which a prototype proposes nothing"
    )
    prototypes: int = _number(
        1024, "prototypes.kept", ASSERTED, "prototypes kept for a scope; the longest untouched ones go"
    )
    shift: float = _number(
        0.2, "episodes.shift", ASSERTED, "cosine with its episode below which a turn begins another one"
    )
    pause_s: int = _number(1800, "episodes.pause_s", ASSERTED, "seconds of silence that end an episode")
    related: float = _number(
        0.6, "relations.cosine", ASSERTED, "cosine from which two believed claims are related"
    )
    related_most: int = _number(3, "relations.most", ASSERTED, "related claims linked with a new one at most")
    procedures: int = _number(2, "procedures.k", ASSERTED, "procedures whose text a match shows at most")
    procedure_step: float = _number(
        0.05,
        "procedures.step",
        ASSERTED,
        "what a procedure that helped gains in order, and twice that it loses for a harm",
    )
    procedure_most: float = _number(
        0.2, "procedures.most", ASSERTED, "what a procedure gains or loses in order at most"
    )
    cross_floor: float = _number(
        0.4, "ladder.floor", ASSERTED, "match from which a memory of another scope is let in"
    )
    contextual: float = _number(
        0.7, "ladder.contextual", ASSERTED, "share of its match that a contextual memory keeps elsewhere"
    )
    own_sessions: int = _number(
        2, "ladder.own_sessions", ASSERTED, "sessions of its own scope that must use it before it is portable"
    )
    kin_scopes: int = _number(
        2, "ladder.kin_scopes", ASSERTED, "other scopes of its kind that must use it before it is contextual"
    )
    all_scopes: int = _number(
        3, "ladder.scopes", ASSERTED, "scopes in all that must use it before it is global"
    )
    all_kinds: int = _number(2, "ladder.kinds", ASSERTED, "kinds among these scopes before it is global")
    quiet_days: int = _number(
        90, "ladder.quiet_days", ASSERTED, "days without a report that it is stale before it is global"
    )
    misses: int = _number(
        3, "ladder.misses", ASSERTED, "answers elsewhere it was beside the point in, that cost it one stage"
    )
    labile_after: int = _number(
        3, "use.labile_after", ASSERTED, "answers in a row it was beside the point in, that make it labile"
    )
    recovered_after: int = _number(
        3, "use.recovered_after", ASSERTED, "uses after which it is labile no more"
    )
    labile: float = _number(0.2, "use.labile", ASSERTED, "share of its score that a labile memory keeps")
    use_weight: float = _number(
        0.1, "use.weight", ASSERTED, "by how much use can raise the score of a memory at most"
    )
    use_step: float = _number(0.25, "use.step", ASSERTED, "what one use adds to the salience of a memory")
    use_half_life_days: int = _number(
        30, "use.half_life_days", ASSERTED, "days in which a use loses half of its weight"
    )
    together_half_life_days: int = _number(
        7,
        "use.together_half_life_days",
        ASSERTED,
        "days in which two memories shown together lose half of it",
    )
    retract_penalty: float = _number(
        0.1, "retract.penalty", ASSERTED, "confidence that a direct neighbour of what is retracted loses"
    )
    retract_hop: float = _number(
        0.5, "retract.hop", ASSERTED, "share of it that is left with each further step"
    )
    retract_least_share: float = _number(
        0.5, "retract.apart", ASSERTED, "share of it in a neighbourhood without any cohesion, which is added"
    )
    retract_cohesion: float = _number(
        1.0, "retract.cohesion", ASSERTED, "share of it that a neighbourhood of full cohesion loses on top"
    )
    retract_most: int = _number(20, "retract.most", ASSERTED, "memories that one retraction affects at most")
    retract_evidence: float = _number(
        0.5, "retract.evidence", ASSERTED, "weight of a tie by an event that both rest on"
    )
    retract_overlap: float = _number(
        0.1, "retract.overlap", ASSERTED, "share of common tags below which a tie may be a bridge"
    )
    retract_bridge: float = _number(0.2, "retract.bridge", ASSERTED, "share of a path that crosses a bridge")
    retract_bridge_penalty: float = _number(
        0.5, "retract.bridge_penalty", ASSERTED, "share of the loss across a bridge"
    )
    retract_review: float = _number(
        0.07, "retract.review", ASSERTED, "loss from which on a person should look at a memory"
    )
    retract_least: float = _number(
        0.1, "retract.least", ASSERTED, "confidence below which no retraction brings a memory"
    )
    retract_inherited: float = _number(
        0.4, "retract.inherited", ASSERTED, "weight from which on a correction takes a link over"
    )
    retract_inherited_most: int = _number(
        10, "retract.inherited_most", ASSERTED, "links that a correction takes over at most"
    )
    retract_inherited_share: float = _number(
        0.7, "retract.inherited_share", ASSERTED, "share of its weight that an inherited link keeps"
    )
    tool_chars: int = _number(
        2000,
        "observe.tool_chars",
        ASSERTED,
        "characters that are kept of what a tool printed",
    )
    receipts_most: int = _number(2000, "receipts.most", ASSERTED, "receipts that this machine keeps at most")
    receipts_days: int = _number(400, "receipts.days", ASSERTED, "days that it keeps one")
    self_test: float = _number(
        0.15,
        "encoder.self_test",
        ASSERTED,
        "by how much a paraphrase must beat an unrelated pair for an encoder to be ranked on",
    )

    def __iter__(self) -> Iterator[Constant]:
        """All of them with key, provenance and meaning, in the order of this file."""
        for one in fields(self):
            about = one.metadata
            yield Constant(about["key"], getattr(self, one.name), about["provenance"], about["meaning"])


DEFAULTS: Final = Constants()
_FACTORS: Final = frozenset({"ranking.k1", "match.company"})  # what may exceed 1
_HIGHEST_FACTOR: Final = 10.0
_NAMES: Final[Mapping[str, str]] = {one.metadata["key"]: one.name for one in fields(Constants)}


def constants(overrides: Mapping[str, object]) -> Constants:
    """The defaults with `overrides` by key, like {"recall.floor": 0.25}. Raises NotAConstant."""
    changes: dict[str, Any] = {}
    for key, value in overrides.items():
        if key not in _NAMES:
            raise NotAConstant(f"{key} is not a constant; there are {', '.join(sorted(_NAMES))}")
        changes[_NAMES[key]] = _checked(key, value, getattr(DEFAULTS, _NAMES[key]))
    return replace(DEFAULTS, **changes)


def _checked(key: str, value: object, default: float) -> float:
    """`value` where it is a number of the default's kind: a count from 1, a share, or a factor."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise NotAConstant(f"{key} must be a number, not {value!r}")
    if isinstance(default, int):
        if not isinstance(value, int) or value < 1:
            raise NotAConstant(f"{key} must be a whole number from 1, not {value!r}")
        return value
    highest = _HIGHEST_FACTOR if key in _FACTORS else 1.0
    if not 0 <= value <= highest:
        raise NotAConstant(f"{key} must lie from 0 to {highest:g}, not {value!r}")
    return float(value)
