"""The ladder: how far a memory may travel beyond its own scope, and by which use it earned that.

The danger is both ways: a memory of one project that turns up in another where it is
wrong, and one that everybody needs and nobody else may see. So reach is earned by use
alone, it is a function of the reports up to a moment (sweeping twice changes nothing), and
one function decides who lets what in, for candidates and for whatever is found through them.
"""

from dataclasses import dataclass

from memcli.memory.account import DAY_S, Account
from memcli.memory.constants import DEFAULTS, SCALE, Constants
from memcli.memory.numerals import counted
from memcli.memory.schema import Stage
from memcli.memory.scope import GLOBAL, USER, Scope, parse


def may_reach(stage: Stage, own: Scope, viewer: Scope) -> bool:
    """Whether a memory of the scope `own` can be let into `viewer` at all, whatever it matches."""
    if stage is Stage.PORTABLE:
        return own.kind == viewer.kind
    return stage > Stage.PORTABLE


def cross_scope(
    stage: Stage, own: Scope, viewer: Scope, match: int, rules: Constants = DEFAULTS
) -> int | None:
    """The match with which a memory of `own` answers in `viewer`, or None where it is not let in.

    `match` is in whole 1/SCALE. What `viewer` sees anyway (its own scope, global, user) is
    not judged.
    """
    if own in viewer.seen:
        return match
    if not may_reach(stage, own, viewer):
        return None
    if stage is Stage.GLOBAL:
        return match
    kept = lessened(stage, match, rules)
    return kept if kept >= round(rules.cross_floor * SCALE) else None


def lessened(stage: Stage, number: int, rules: Constants = DEFAULTS) -> int:
    """A score or match, in whole 1/SCALE, as it counts for a memory of that stage outside its scope."""
    return int(number * rules.contextual + 1e-6) if stage is Stage.CONTEXTUAL else number


@dataclass(frozen=True, slots=True)
class Counts:
    """What the stage of a memory follows from, up to one moment.

    `own_sessions` of its own scope used it, and `kin_scopes` others of its kind; `scopes` and
    `kinds` count all that did. `stale` were reported within `ladder.quiet_days`, `misses` are
    answers in other scopes that it was beside the point in since its last use.
    """

    own_sessions: int = 0
    kin_scopes: int = 0
    scopes: int = 0
    kinds: int = 0
    stale: int = 0
    misses: int = 0


def counts(account: Account, own: Scope, as_of: int, rules: Constants = DEFAULTS) -> Counts:
    """What the reports up to `as_of` say of a memory of the scope `own`."""
    stood = account.until(as_of)
    users = {one.scope: parse(one.scope) for one in stood.used}
    since = as_of - rules.quiet_days * DAY_S
    return Counts(
        own_sessions=len({one.session for one in stood.used if one.scope == str(own)}),
        kin_scopes=sum(1 for scope in users.values() if scope.kind == own.kind and scope != own),
        scopes=len(users),
        kinds=len({scope.kind for scope in users.values()}),
        stale=sum(1 for one in stood.stale if one.at > since),
        misses=sum(1 for one in stood.since_use if one.scope != str(own)),
    )


def climbed(found: Counts, rules: Constants = DEFAULTS) -> Stage:
    """The stage that use alone would give, whatever speaks against it since."""
    if found.own_sessions < rules.own_sessions:
        return Stage.SCOPED
    if found.kin_scopes < rules.kin_scopes:
        return Stage.PORTABLE
    if found.scopes < rules.all_scopes or found.kinds < rules.all_kinds:
        return Stage.CONTEXTUAL
    return Stage.GLOBAL


def stage_of(found: Counts, rules: Constants = DEFAULTS) -> Stage:
    """The stage that these counts give."""
    stage = climbed(found, rules)
    if stage is Stage.GLOBAL and found.stale:
        stage = Stage.CONTEXTUAL
    return Stage(max(Stage.SCOPED, stage - 1)) if found.misses >= rules.misses else stage


def earned(account: Account, own: Scope, as_of: int, rules: Constants = DEFAULTS) -> Stage:
    """How far a memory of the scope `own` may travel by the reports up to `as_of`."""
    return stage_of(counts(account, own, as_of, rules), rules)


def climbs(own: Scope) -> bool:
    """Whether memories of a scope climb at all: every other scope sees global and user anyway."""
    return own not in (GLOBAL, USER)


def said(found: Counts) -> str:
    """The counts as one line of the journal."""
    told = [
        f"used in {counted(found.own_sessions, 'session')} of its own scope",
        f"in {counted(found.kin_scopes, 'other scope')} of its kind",
        f"in {counted(found.scopes, 'scope')} of {counted(found.kinds, 'kind')} in all",
    ]
    if found.misses:
        told.append(f"beside the point in {counted(found.misses, 'answer')} elsewhere since")
    if found.stale:
        told.append(f"{counted(found.stale, 'report')} of late that it is stale")
    return ", ".join(told)
