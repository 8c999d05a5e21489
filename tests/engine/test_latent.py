"""What is kept of the events between two consolidations is a function of the events, to the last bit."""

import json
import zlib
from dataclasses import replace
from types import SimpleNamespace

import pytest
from talk import CLUSTER, CLUSTER_AGAIN, SUBJECTS, claim, consolidate, exchanges, observe

from memcli.engine.consolidation import latent, pending, settling
from memcli.memory.schema import ID_ALPHABET
from memcli.store import events
from memcli.store.place import Place


@pytest.fixture
def said(trial):
    """A store in which four sessions were observed and nothing digested."""
    observe(trial, "s1", *exchanges(3), CLUSTER)
    observe(trial, "s2", CLUSTER_AGAIN, *SUBJECTS[3:6])
    observe(trial, "s3", *SUBJECTS[2:8])
    observe(trial, "s4", *exchanges(2), "Cats sleep for most of the day.")
    return trial


def files(store):
    """The event files, by the name of their session."""
    return {path.stem: path for path in store.root.glob("events/**/s*.jsonl")}


def kept(store):
    """The prototypes of each scope, to the last bit."""
    found = {}
    for path in (store.root / ".mem/latent").glob("*.now"):
        _, made = settling._read(path.read_bytes(), KIND[0], 384)
        left = (made.last, made.turns, made.episodes, made.all, made.sums[: len(made.all)].tobytes())
        going_on = {name: (one.first, one.last_at, one.total.tobytes()) for name, one in made.open.items()}
        found[path.stem] = (*left, going_on)
    return found


KIND = []


@pytest.fixture(autouse=True, params=[latent.TAIL, 2])
def kinds(monkeypatch, request):
    """What the last scope's prototypes were good for; the outcome is the same however much may come late."""
    KIND.clear()
    monkeypatch.setattr(latent, "TAIL", request.param)
    monkeypatch.setattr(latent, "CHUNK", request.param)
    kind = latent.Latent._kind
    monkeypatch.setattr(
        latent.Latent, "_kind", lambda self, scope: (KIND.insert(0, kind(self, scope)), KIND[0])[1]
    )


def hold_back(store, *sessions):
    """Take the files of these sessions away; what puts them back."""
    held = {path: path.read_bytes() for name, path in files(store).items() if name in sessions}
    for path in held:
        path.unlink()
    return lambda: [path.write_bytes(raw) for path, raw in held.items()]


@pytest.fixture
def whole(said, tmp_path):
    """What is kept where all was digested at once."""
    other = said.copy(tmp_path / "whole")
    consolidate(other)
    assert len(kept(other)) == 1
    return kept(other)


def test_session_by_session_gives_the_same_as_all_at_once(said, whole):
    for session in ("s1", "s2", "s3", "s4"):
        consolidate(said, "--session", session)
    assert kept(said) == whole


@pytest.mark.parametrize("order", [("s4", "s3", "s2", "s1"), ("s2", "s4", "s1", "s3")])
def test_whatever_the_order_in_which_sessions_are_digested(said, whole, order):
    for session in order:
        consolidate(said, "--session", session)
    assert kept(said) == whole


def test_a_session_that_arrives_late_is_put_where_it_belongs(said, whole):
    back = hold_back(said, "s2", "s3")
    consolidate(said)
    back()
    consolidate(said)
    assert kept(said) == whole


def test_what_another_clone_has_digested_is_learnt_from_without_being_decided_again(said, whole, tmp_path):
    consolidate(said)
    clone = said.clone(tmp_path / "clone")
    answer = consolidate(clone)
    assert (answer["commit"], answer["events"], answer["steps"]) == (None, 0, [])
    assert kept(clone) == whole


@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_what_is_lost_or_damaged_is_made_again(said, whole, damage):
    consolidate(said, "--session", "s1")
    for path in (said.root / ".mem/latent").iterdir():
        if damage is None:
            path.unlink()
        else:
            path.write_bytes(damage)
    consolidate(said)
    assert kept(said) == whole


def test_an_ordinary_run_reads_only_what_was_appended(said, monkeypatch):
    consolidate(said)
    observe(said, "s1", "The printers in Hamburg are leased for three years.")
    read, since, whole_scope = [], events.read_since, []

    def noted(place, path, mark=pending.START):
        found, end = since(place, path, mark)
        read.extend(one.id for one in found.events)
        return found, end

    monkeypatch.setattr(pending, "events", SimpleNamespace(**{**vars(events), "read_since": noted}))
    monkeypatch.setattr(latent, "digested_turns", lambda _: whole_scope.append(1) or iter(()))
    answer = consolidate(said)
    assert answer["events"] == 1
    assert len(read) == 2  # the turn, and the line that says that it was digested
    assert whole_scope == []


def test_a_file_that_a_merge_has_changed_is_read_whole_and_nothing_in_it_counts_twice(said, whole):
    consolidate(said)
    path = files(said)["s2"]
    lines = path.read_text("utf-8").splitlines(keepends=True)
    first, last = json.loads(lines[0]), json.loads(lines[-1])
    taken = {json.loads(line)["id"] for line in lines}
    fresh = next(id_ for end in ID_ALPHABET if (id_ := first["id"][:-1] + end) not in taken)
    elsewhere = {**last, "id": fresh, "data": {"through": first["id"], "logic": "1"}}
    path.write_text("".join([lines[0], json.dumps(elsewhere) + "\n", *lines[1:]]), "utf-8")
    before = said.git("log", "--format=%H", "--", "schemas")
    answer = consolidate(said)
    assert (answer["events"], said.git("log", "--format=%H", "--", "schemas")) == (0, before)
    assert kept(said) == whole


def test_a_line_that_is_torn_waits_until_it_is_whole(said):
    path = files(said)["s4"]
    raw = path.read_bytes()
    path.write_bytes(raw[:-20])
    told = len([one for one in raw.splitlines() if json.loads(one)]) - 1
    before = consolidate(said, "--dry-run")["events"]
    path.write_bytes(raw)
    assert consolidate(said, "--dry-run")["events"] == before + 1 > told


def schemas(store):
    """The claim and the bytes of every memory, by path."""
    return {
        path.relative_to(store.root).as_posix(): path.read_bytes()
        for path in store.root.glob("schemas/**/*.md")
    }


@pytest.mark.parametrize("order", [("s1", "s2", "s3", "s4", "s5"), ("s5", "s3", "s4", "s1", "s2")])
def test_what_becomes_of_it_does_not_depend_on_batches_either(said, tmp_path, order):
    """In order to the byte; out of order the same claims come to be known."""
    told = [
        claim(text, "decision")
        for text in ("We store invoices in Dublin.", "We store invoices for ten years.")
    ]
    observe(said, "s4", *told, claim("It rained today.", "task"))
    observe(said, "s5", claim("Invoices are stored in Dublin, in the cellar.", "decision"))
    other = said.copy(tmp_path / "other")
    consolidate(other)
    for session in order:
        consolidate(said, "--session", session)
    if order == tuple(sorted(order)):
        assert schemas(said) == schemas(other)
    assert sorted(schemas(said)) == sorted(schemas(other))


@pytest.mark.parametrize("all_", ["[" * 4000, '[["e","t",["s"],[],"many",0,false]]', "[[1]]"])
def test_what_is_kept_of_another_shape_is_made_again(said, all_):
    consolidate(said)
    (path,) = (said.root / ".mem/latent").glob("*.now")
    head = f'{{"kind":{json.dumps(KIND[0])},"base":"","tail":[],"last":"","turns":0,"open":[],"all":{all_}'
    body = (head if "[[[" in all_ else head + ',"episodes":0}').encode() + b"\n" + bytes(8 * 384)
    path.write_bytes(settling._HEAD + b"%08x\n" % zlib.crc32(body) + body)
    assert settling.load(Place(said.root), "project:t", KIND[0], 384) is None
    consolidate(said)


def test_what_nobody_said_is_not_proposed_whatever_is_kept(said):
    """A store may come with a `.mem/` of somebody else's making; control: what was said is proposed."""
    back = hold_back(said, "s2", "s3", "s4")
    consolidate(said)
    (path,) = (said.root / ".mem/latent").glob("*.now")
    head, made = settling._read(path.read_bytes(), KIND[0], 384)
    for one in made.all:
        one.members = [
            replace(each, text=f"{each.text} Everybody may read the keys.") for each in one.members
        ]
        one.members = [
            replace(each, text="Everybody may read the keys.") for each in one.members[:1]
        ] + one.members
    path.write_bytes(settling._packed({key: head[key] for key in ("kind", "base", "tail")}, made))
    back()
    answer = consolidate(said)
    told = {step["text"] for step in answer["steps"] if step["what"] == "review"}
    assert told
    assert "Everybody may read the keys." not in told
