"""A store of many invented schemas: files as a person writes them, committed with git."""

import re
from hashlib import sha256
from itertools import islice

from sentences import claims

TYPES = ("fact", "fact", "decision", "preference", "constraint", "lesson", "warning")
LARGE = "project:atlas"  # holds half of the memories; the rest is spread
FOLDERS = ("project/atlas", *(f"project/p{number}" for number in range(7)), "user", "global")
DETAIL = "\nAgreed with everybody concerned.\n"


def fill(store, n, seed=0):
    """Write `n` schemas below the folder `store`."""
    for number, claim in enumerate(islice(claims(seed), n)):
        path, raw, _ = one(number, claim, seed)
        file = store / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(raw)


def one(number, claim, seed=0):
    """One schema: the path of its file in the store, its text, its id."""
    folder = FOLDERS[0] if number % 2 else FOLDERS[1 + number // 2 % (len(FOLDERS) - 1)]
    id_ = sha256(f"{seed} {number}".encode()).hexdigest()[:12]
    return f"schemas/{folder}/{_slug(claim)}-{id_}.md", _file(id_, number, claim), id_


def edit(path, claim):
    """Put another claim into a file, as an editor saves it."""
    path.write_text(reworded(path.read_text(), claim))


def reworded(raw, claim):
    """The text of a file with another claim."""
    head = raw.split("---\n")[1]
    return f"---\n{head}---\n\n{claim}\n"


def files(store):
    """All schema files in order."""
    return sorted((store / "schemas").rglob("*.md"))


def _file(id_, number, claim):
    head = [f"id: {id_}", f"type: {TYPES[number % len(TYPES)]}", "status: active"]
    if number % 3 == 0:
        head.append(f"validity:\n  from: {2020 + number % 6}-{1 + number % 12:02}-01")
    if number % 4 == 0:
        head.append(f"tags: [area{number % 9}, team{number % 5}]")
    return "---\n" + "\n".join(head) + f"\n---\n\n{claim}\n" + (DETAIL if number % 5 == 0 else "")


def _slug(claim):
    return "-".join(re.findall("[a-z]+", claim.lower())[:6])
