"""Words that turn a claim round: negation, and words of which only one can hold.

A vector puts "we always deploy on Fridays" beside "we never deploy on Fridays". The lists are
English, short and written by hand (asserted); what they miss is counted by tests/benchmarks/guard.py.
"""

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from memcli.memory.tokens import spelled_out, stemmed, words

# Phrases in which a negative word does not deny the claim; they are taken out first.
_IDLE = re.compile(
    r"\bnot only\b|\bno\.? ?\d+|\bno doubt\b|\bno problem\b|\bnot to mention\b|\bwhether or not\b|\bor not\b"
    r"|\b(?:no|not) (?:later|earlier|more|less|fewer|sooner) than\b|\bnothing but\b|\bnone other than\b",
)
_NEGATIVE = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|hardly|unable|false|untrue"
    r"|(?:do|does|did|is|are|was|were|has|have|had|wo|ca|could|should|would)nt)\b",
)

# One group a line; words with a comma between are of one side. Any two sides of a line exclude each other.
_GROUPS: Final = """
always | sometimes | rarely,seldom
allow,allowed,permit,permitted | forbid,forbidden,prohibit,prohibited,disallow,disallowed,ban,banned
enable,enabled | disable,disabled
accept,accepted,approve,approved | reject,rejected,decline,declined,refuse,refused,deny,denied
include,included,including | exclude,excluded,excluding
require,required,mandatory,compulsory,must | optional,voluntary
increase,raise,rise,rose,grow,grew | decrease,reduce,lower,fall,fell,drop,shrink
add,added,insert,inserted,attach | remove,removed,delete,deleted,detach
start,started,begin,began,launch | stop,stopped,end,ended,finish,finished
open,opened,opening | close,closed,closing,shut
win,won | lose,lost
pass,passed,succeed,succeeded,success | fail,failed,failure
buy,bought,purchase | sell,sold,sale
love,like,enjoy,likes | hate,dislike,detest
agree,agreed | disagree,disagreed
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
hot,warm | cold,cool
fast,quick,quickly | slow,slowly
early | late
cheap | expensive
easy,simple | difficult,hard,complicated
full | empty
good,best,better | bad,worst,worse
safe,secure | unsafe,insecure,dangerous
true,right,correct | false,wrong,incorrect
same | different
single,unmarried | married
alive | dead
hourly | daily | weekly | fortnightly,biweekly | monthly | quarterly | yearly,annually,annual
morning | noon | afternoon | evening | night,midnight
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
profit | non-profit,nonprofit,charity
dev,development | staging | prod,production
http | https
tcp | udp
linux | windows | macos
left-handed | right-handed
vegan,vegetarian | carnivore
"""


def negated(text: str) -> bool:
    """Whether `text` denies something: not, never, without, nobody and their like."""
    return bool(_NEGATIVE.search(_IDLE.sub(" ", spelled_out(text).lower())))


def opposed(one: str, other: str) -> tuple[frozenset[int], frozenset[int]]:
    """The groups whose sides exclude each other between the texts: those of two sides, those of more.

    Both ways: each text has a word of a side that the other lacks. A word of a two-sided
    group together with a negation says the same again ("not enabled", "disabled").
    """
    ours, theirs = _placed(one), _placed(other)
    both = {g for g in ours.keys() & theirs.keys() if ours[g] - theirs[g] and theirs[g] - ours[g]}
    pairs = frozenset(g for g in both if _SIZES[g] == 2)  # noqa: PLR2004 - a pair
    return pairs, frozenset(both) - pairs


def _placed(text: str) -> dict[int, set[int]]:
    places: dict[int, set[int]] = {}
    for word in stemmed(words(text)):
        for group, side in _sides().get(word, ()):
            places.setdefault(group, set()).add(side)
    return places


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
