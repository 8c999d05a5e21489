"""Talk for a store on trial: sessions of turns and claims, taken in by `mem observe`."""

import json

CLUSTER = "The staging cluster runs in Frankfurt on three nodes."
CLUSTER_AGAIN = "Our staging cluster runs on three nodes in Frankfurt."
SUBJECTS = (
    "The invoices are printed by the warehouse in Leeds.",
    "Support answers the phone from nine to five.",
    "The mobile app stores its settings in a small database.",
    "Our designers draw every icon on a grid of eight pixels.",
    "The backup of the archive is copied to Lisbon each night.",
    "New colleagues get a laptop on their first day.",
    "The search page lists twenty products at a time.",
    "Salaries are paid on the last working day of a month.",
)


def observe(store, session, *said, **how):
    """Observe what was said in a session: texts, spoken by user and assistant in turn, or whole objects."""
    roles = ("user", "assistant")
    objects = [
        one if isinstance(one, dict) else {"role": roles[nth % 2], "text": one}
        for nth, one in enumerate(said)
    ]
    lines = "\n".join(json.dumps(one) for one in objects)
    return store.did("observe", "--session", session, "-", stdin=lines, **how)


def claim(text, type_="fact", **more):
    """A claim line of a transcript."""
    return {"kind": "claim", "type": type_, "text": text, **more}


def exchanges(many):
    """So many closed exchanges about one thing after the other."""
    found = []
    for nth in range(many):
        found += [SUBJECTS[nth % len(SUBJECTS)], f"That is understood, {nth + 3} people were told about it."]
    return found


def consolidate(store, *options, **how):
    """Consolidate; the answer as an object."""
    return store.told("consolidate", "--explain", *options, **how)


def tracked(store):
    """Path → bytes of every file that git follows or could follow."""
    listed = store.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return {name: (store.root / name).read_bytes() for name in sorted(filter(None, listed))}
