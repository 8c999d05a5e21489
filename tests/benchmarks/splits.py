"""Which questions of a set numbers were chosen on, and which are there to be reported on."""

from published import letta

FIRST_CONVERSATIONS = 5  # of LoCoMo's ten: weights were chosen there


def first_of_facts(cases):
    """The ids of the first of letta's cases about each set of facts: the ones that are reported on."""
    first = {}
    for case in cases:
        first.setdefault(tuple(case.facts), case.id)
    return set(first.values())


def reported(data):
    """By group of questions in floor.py: whether the question of an id is to be reported on."""
    cases = first_of_facts(letta(data))
    return {
        "locomo own": _late,
        "locomo foreign": _late,
        "locomo own, nameless": _late,
        "locomo foreign, nameless": _late,
        "devmembench answerable": _odd,
        "devmembench absent": _odd,
        "letta ten own": cases.__contains__,
        "letta ten foreign": cases.__contains__,
    }


def _late(name):
    return int(name.split("_")[1]) >= FIRST_CONVERSATIONS


def _odd(name):
    return int(name[1:]) % 2 == 1
