"""Histories to ask about: things that happen to a store, and one question asked of its record both ways."""

import json
import os
from dataclasses import replace

from memcli.engine import reconcile
from memcli.engine.opened import open_store
from memcli.engine.recalling import recall
from memcli.engine.recalling.asking import Request
from memcli.engine.recalling.told import as_json
from memcli.engine.recorded import points, sources
from memcli.surroundings import Surroundings

THINGS = ("otters", "larches", "granite", "ferries", "lanterns", "beehives", "turbines", "harbours")


def opened(trial, now=None):
    """The trial's store as a verb gets it."""
    stands = Surroundings(
        environment={**trial.environment, "PATH": os.environ["PATH"]}, cwd=trial.root,
        now=now or trial.moment, width=80, ttys=(False,) * 3, terminal=False, home=None, own=None,
    )  # fmt: skip
    return open_store(stands, named=str(trial.root))


def asked_both_ways(trial, query, known_at, **more):
    """The answer by the index and by the tree, as objects."""
    request = Request(query, "project:t", known_at=known_at, **more)
    by_index = as_json(recall.run(opened(trial), request), "full")
    by_tree = as_json(recall.run(replace(opened(trial), by_tree=True), request), "full")
    return by_index, by_tree


def claim(chance):
    """A claim that others resemble, in words and numbers."""
    one, other = chance.sample(THINGS, 2)
    return f"The {one} of the {other} number {chance.randrange(6)} stand in the harbour."


def happenings(trial, chance, many, between=lambda: None):
    """Let so many things happen: by mem, by hand, by plain git, on two branches."""
    made = [trial.remember("The lanterns hang in the harbour.")["id"]]
    for _ in range(many):
        chance.choice(HAPPEN)(trial, chance, made)
        between()
    trial.did("list")


def _remember(trial, chance, made):
    answer = trial.ran("remember", "--json", *chance.choice(((), ("--scope", "user"), ("--tag", "a"))), "--",
                       claim(chance))  # fmt: skip
    if answer.code == 0:
        made.append(_id(answer.out))


def _id(out):
    told = json.loads(out)
    return told.get("id") or told["new"]


def _forget(trial, chance, made):
    trial.ran("forget", chance.choice(made), "--yes")


def _unforget(trial, chance, made):
    trial.ran("unforget", chance.choice(made), "--yes")


def _retract(trial, chance, made):
    trial.ran("retract", chance.choice(made), "--reason", "it was wrong", "--yes")


def _unretract(trial, chance, made):
    trial.ran("unretract", chance.choice(made), "--yes")


def _supersede(trial, chance, made):
    ran = trial.ran("supersede", chance.choice(made), "--with", claim(chance), "--json")
    if ran.code == 0:
        made.append(_id(ran.out))


def _echo(trial, chance, made):
    """A file by hand that says what some commit said, here or in a scope from which it may travel."""
    shown = trial.git("log", "-p", "--format=", "--", "schemas")
    claims = sorted({line[1:] for line in shown.splitlines() if line.startswith("+The ")})
    id_ = "".join(chance.choices("0123456789abcdefghjkmnpqrstvwxyz", k=12))
    folder, head = chance.choice((("project/t", ""), ("project/u", "stage: global\n"), ("global", "")))
    trial.write(id_, chance.choice(claims), head, folder=folder)
    trial.commit_by_hand("said again")
    made.append(id_)


def _edit(trial, chance, made):
    files = sorted(trial.root.glob("schemas/**/*.md"))
    path = chance.choice(files)
    head, _, _ = path.read_text().rpartition("---\n")
    path.write_text(f"{head}---\n\n{claim(chance)}\n")
    trial.commit_by_hand("an edit")


def _by_hand(trial, chance, made):
    id_ = "".join(chance.choices("0123456789abcdefghjkmnpqrstvwxyz", k=12))
    status = chance.choice(("", "status: staged\n", "status: forgotten\n", "stage: global\n"))
    trial.write(id_, claim(chance), status)
    trial.commit_by_hand("by hand")
    made.append(id_)


def _move(trial, chance, made):
    path = chance.choice(sorted(trial.root.glob("schemas/**/*.md")))
    path.rename(path.with_name(f"{chance.randrange(10**6)}-{path.name}"))
    trial.commit_by_hand("a move")


def _delete(trial, chance, made):
    files = sorted(trial.root.glob("schemas/**/*.md"))
    if len(files) > 6:
        chance.choice(files).unlink()
        trial.ran("save", "--yes")
        trial.commit_by_hand("a deletion") if trial.git("status", "--short") else None


def _break(trial, chance, made):
    path = chance.choice(sorted(trial.root.glob("schemas/**/*.md")))
    raw = path.read_bytes()
    path.write_bytes(b"---\nstatus: nonsense\n---\n\nBroken.\n")
    trial.commit_by_hand("broken")
    path.write_bytes(raw)
    trial.commit_by_hand("mended")


def _branch(trial, chance, made):
    trial.git("checkout", "-q", "-b", "side")
    _remember(trial, chance, made)
    _forget(trial, chance, made)
    trial.git("checkout", "-q", "main")
    _remember(trial, chance, made)
    if trial.git("merge", "-q", "--no-ff", "-m", "joined", "side", check=False) and _conflicted(trial):
        trial.git("merge", "--abort")
    trial.git("branch", "-q", "-D", "side")


def _conflicted(trial):
    return any(line[:2] in ("UU", "AA", "DU", "UD") for line in trial.git("status", "--short").splitlines())


HAPPEN = (_retract, _unretract, _remember, _remember, _echo, _echo, _forget, _forget, _unforget, _supersede, _edit, _by_hand, _move, _delete,
          _break, _branch)  # fmt: skip


def rows_both_ways(trial, known_at):
    """Path → id, what counts, where it is hidden and what it is, of all rows of a point: by index, by tree."""
    store = opened(trial)
    view, point = reconcile.freshen(store), points.resolve(store, known_at)
    index, tree = sources.of(store, view, point), sources.by_the_tree(store, view, point)
    assert type(index) is not type(tree)
    return [
        {
            one.path: (one.schema.id, one.row, one.schema.status, _told(source, one))
            for one in source.by_id("")
        }
        for source in (index, tree)
    ]


def _told(source, one):
    """The claim and the evidence of a row."""
    schema = source.told(one)
    return schema.claim, schema.evidence
