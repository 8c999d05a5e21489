"""Words that turn a claim round: negation, and words of which only one can hold.

A vector puts "we always deploy on Fridays" beside "we never deploy on Fridays". The lists are
English, short and written by hand (asserted); what they miss is counted by tests/benchmarks/guard.py.
"""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from memcli.memory.tokens import spelled_out, stemmed, stems, words

# Phrases in which a negative word does not deny the claim; they are taken out first.
_IDLE = re.compile(
    r"\bnot only\b|\bno\.? ?\d+|\bno doubt\b|\bno problem\b|\bnot to mention\b|\bwhether or not\b|\bor not\b"
    r"|\b(?:no|not) (?:later|earlier|more|less|fewer|sooner) than\b|\bnothing but\b|\bnone other than\b",
)
_NEGATIVE = re.compile(
    r"\b(?:not|no(?!-)|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|hardly|unable|false|untrue"
    r"|(?:do|does|did|is|are|was|were|has|have|had|wo|ca|could|should|would)nt"
    r"|avoid\w*|refus\w+|forbid\w*|forbade|prohibit\w*|disallow\w*|bann(?:ed|ing)|lack(?:s|ed|ing)?"
    r"|fail(?:s|ed|ing)? to|declin(?:e|es|ed|ing) to|ceas\w+|(?:stop|stops|stopped|quit) (?=\w+ing))\b",
)
_TRAILING: Final = frozenset(("longer", "anymor"))  # stems that end a negation: "no longer"
REACH: Final = 4  # content words after a negation that it may deny; asserted

# One group a line; words with a comma between are of one side. Any two sides of a line exclude each other.
_GROUPS: Final = """
always | sometimes | rarely,seldom
accept,approve | reject
support,favour,favor,advocate | oppose,opponent,against
love,enjoy | hate,detest
safe,secure | insecure,dangerous
near,close | far
include | exclude
require,mandatory,compulsory,must | optional,voluntary
increase,raise,rise,rose,grow,grew | decrease,reduce,lower,fall,fell,drop,shrink
add,insert,attach | remove,delete,detach
start,begin,began,launch | stop,end,finish
open | close,shut
win,won | lose,lost
pass,succeed,success | fail,failure
buy,bought,purchase | sell,sold,sale
before,earlier | after,later,afterwards
first | last
minimum,least,min | maximum,most,max
more | less,fewer
above,over | below,under
up,upwards | down,downwards
left | right
north,northern | south,southern | east,eastern | west,western
inside,indoors,indoor | outside,outdoors,outdoor
public | private
internal | external
manual,manually | automatic,automatically,automated
synchronous,sync | asynchronous,async
old | new,young
big,large,huge | small,little,tiny
long | short
tall,high | low,short
higher | lower
light | dark
hot,warm | cold,cool
fast,quick,quickly | slow,slowly
early | late
cheap | expensive
easy,simple | difficult,hard,complicated
full | empty
good,best,better | bad,worst,worse
true,right,correct | false,wrong,incorrect
same | different
single,unmarried | married
alive | dead
hourly | daily | weekly | fortnightly,biweekly | monthly | quarterly | yearly,annually,annual
morning | afternoon | evening | night,midnight
today | yesterday | tomorrow
spring | summer | autumn | winter
red | green | blue | yellow | orange | purple | pink | brown | black | white | grey,gray
man,men,gentleman,guy | woman,women,lady,ladies
boy,boys | girl,girls
father,dad | mother,mum,mom
son | daughter
brother | sister
husband | wife
he,his,him | she,her,hers
dev,development | staging | prod,production
http | https
tcp | udp
linux | windows | macos
vegan,vegetarian | carnivore
"""


def negated(text: str) -> bool:
    """Whether `text` denies something: not, never, without, nobody, refuses and their like."""
    return bool(_NEGATIVE.search(_plain(text)))


def denied(text: str, about: frozenset[str], reach: int = REACH) -> frozenset[str]:
    """The stems of `about` within `reach` of a negation in `text`; "" for one that reaches no word.

    What `text` denies of something that the other text never mentions is an addition to it,
    not its opposite.
    """
    plain = _plain(text)
    found: set[str] = set()
    for cue in _NEGATIVE.finditer(plain):
        after = [stem for stem in stems(plain[cue.end() :]) if stem not in _TRAILING]
        found.update(after[:reach] or stems(plain[: cue.start()]) or ("",))
    return frozenset(found) & (about | {""})


def _plain(text: str) -> str:
    return _IDLE.sub(" ", spelled_out(text).lower())


def opposed(one: str, other: str) -> tuple[frozenset[int], frozenset[int]]:
    """The groups whose sides exclude each other between the texts: those of two sides, those of more.

    Both ways: each text has a word of a side that the other lacks. A word of a two-sided
    group together with a negation says the same again ("not enabled", "disabled").
    """
    mine, yours = frozenset(words(one)), frozenset(words(other))
    ours, theirs = _placed(mine), _placed(yours)
    both = {g for g in ours.keys() & theirs.keys() if ours[g] - theirs[g] and theirs[g] - ours[g]}
    pairs = {g for g in both if _SIZES[g] == 2}  # noqa: PLR2004 - a pair
    prefixed = {_PREFIXED} if _negates(mine, yours) or _negates(yours, mine) else set()
    return frozenset(pairs | prefixed), frozenset(both - pairs)


def _placed(found: frozenset[str]) -> dict[int, set[int]]:
    places: dict[int, set[int]] = {}
    for word in stemmed(found):
        for group, side in _sides().get(word, ()):
            places.setdefault(group, set()).add(side)
    return places


def _negates(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether one text has a word (`unfolds`) whose opposite without prefix (`fold`) only the other has."""
    mine, yours = frozenset(stemmed(one)), frozenset(stemmed(other))
    bare = {word[len(p) :] for word in one - other for p in _PREFIXES if word.startswith(p)}
    return bool(frozenset(stemmed(w for w in bare if len(w) >= _SHORTEST)) & (yours - mine))


_PREFIXES: Final = ("un", "non-", "non", "dis")
_PREFIXED: Final = -1  # the group of words that a prefix turns round
_SHORTEST: Final = 4  # letters; asserted: `under` is not the opposite of `der`
_SIZES: Final = tuple(line.count("|") + 1 for line in _GROUPS.strip().splitlines())


@cache
def _sides() -> Mapping[str, tuple[tuple[int, int], ...]]:
    """Stem -> its (group, side) places."""
    sides: dict[str, list[tuple[int, int]]] = {}
    for group, line in enumerate(_GROUPS.strip().splitlines()):
        for side, listed in enumerate(line.split("|")):
            for word in stemmed(part.strip() for part in listed.split(",")):
                sides.setdefault(word, []).append((group, side))
    return MappingProxyType({stem: tuple(places) for stem, places in sides.items()})
