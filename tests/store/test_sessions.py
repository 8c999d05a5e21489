"""Open sessions: whose a command is, two that write at once, and files that say no session."""

import errno
import json
import multiprocessing
import os
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memcli.errors import Exhausted, Usage
from memcli.memory.scope import Scope
from memcli.store import sessions
from memcli.store.place import Place
from memcli.store.sessions import Receipt, Session
from memcli.store.settings import Settings
from memcli.surroundings import Actor, Kind, made

SHOP = Scope("project", "shop")
NOW = 1_796_000_000
USUAL = Settings()
ANA = Actor(Kind.HUMAN, "ana")


@dataclass
class Stands:
    """As an open store stands."""

    place: Place
    surroundings: object
    scope: Scope = SHOP
    settings: Settings = USUAL
    actor: Actor = ANA


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def stands(place, cwd="/w", now=NOW, named="", **how):
    environment = {"MEM_SESSION": named} if named else {}
    around = replace(made(environment, Path(cwd), (False,) * 3, 0, terminal=False), now=now)
    return Stands(place, around, **how)


def session(id_="s_1", **how):
    usual = {
        "scope": SHOP,
        "cwd": "/w",
        "actor": "human:ana",
        "task": "Fix it",
        "goal": "",
        "continuity": "c_1",
        "opened": NOW,
        "last": NOW,
    }
    return Session(id_, **{**usual, **how})


def test_a_session_comes_back_as_it_was_kept(place):
    kept = session(receipts=(Receipt("r_1", "ab", NOW, ("x", "y"), ("release",)),), task="Fix\n“it”")
    sessions.save(place, kept)
    assert sessions.load(place, "s_1") == kept
    assert sessions.all_of(place) == (kept,)
    sessions.close(place, "s_1")
    assert sessions.load(place, "s_1") is None
    assert sessions.all_of(place) == ()


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("call", ["open", "listdir"])
def test_a_process_that_can_open_nothing_does_not_say_that_no_session_is_open(place, monkeypatch, call):
    sessions.save(place, session())

    def failing(*_words, **_named):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(os, call, failing)
    with pytest.raises(Exhausted, match="Too many open files"):
        sessions.current(stands(place))
    monkeypatch.undo()
    assert sessions.current(stands(place)) == session()


def test_without_a_folder_there_is_none_and_none_is_made(place):
    assert sessions.current(stands(place)) is None
    assert sessions.name(stands(place)) == ""
    assert not place.private.exists()


def test_a_command_belongs_to_the_session_of_its_scope_folder_and_actor(place):
    sessions.save(place, session())
    assert sessions.current(stands(place)).id == "s_1"
    assert sessions.current(stands(place, cwd="/elsewhere")) is None
    assert sessions.current(stands(place, scope=Scope("user"))) is None
    assert sessions.current(stands(place, actor=Actor(Kind.AGENT, "claude"))) is None
    assert sessions.current(stands(place, named="s_1", cwd="/elsewhere")).id == "s_1"
    assert sessions.current(stands(place, named="s_2")) is None
    assert sessions.name(stands(place, named="s_2")) == "s_2"


def test_a_folder_below_belongs_to_it_and_one_above_or_beside_does_not(place):
    sessions.save(place, session(cwd="/w/shop"))
    assert sessions.current(stands(place, cwd="/w/shop/src/deep")).id == "s_1"
    assert sessions.current(stands(place, cwd="/w")) is None
    assert sessions.current(stands(place, cwd="/w/shop2")) is None
    sessions.save(place, session("s_2", cwd="/w/shop/src", opened=NOW - 50))
    assert sessions.current(stands(place, cwd="/w/shop/src/deep")).id == "s_2"
    assert sessions.current(stands(place, cwd="/w/shop")).id == "s_1"
    assert sessions.around(stands(place, cwd="/w/shop/src/deep")) == ()


def test_of_two_the_later_one_is_meant_and_an_idle_one_never(place):
    sessions.save(place, session("s_a", opened=NOW - 10))
    sessions.save(place, session("s_b", opened=NOW - 5))
    assert sessions.current(stands(place)).id == "s_b"
    assert sessions.current(stands(place, now=NOW + 3600)).id == "s_b"
    assert sessions.current(stands(place, now=NOW + 3601)) is None
    sessions.heard(place, "s_a", NOW + 3000)
    assert sessions.current(stands(place, now=NOW + 3601)).id == "s_a"


def test_a_session_without_a_folder_is_nobodys_but_by_its_name(place):
    sessions.save(place, session(cwd=""))
    gone = stands(place)
    gone.surroundings = replace(gone.surroundings, cwd=None)
    assert sessions.current(gone) is None
    assert sessions.current(stands(place, named="s_1")).id == "s_1"


@pytest.mark.parametrize("name", ["../up", "a/b", ".hidden", "", "x" * 65, "a\0b", "lock/../s_1"])
def test_a_name_never_leads_out_of_the_folder(place, name):
    sessions.save(place, session())
    assert sessions.load(place, name) is None
    if name:
        with pytest.raises(Usage):
            sessions.named(stands(place, named=name))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"id": "s_2"}',
        b"\xff",
        b'{"scope": 3}',
        json.dumps({"scope": "x"}).encode(),
    ],
)
def test_a_file_that_says_no_session_is_none(place, raw):
    sessions.save(place, session())
    (place.sessions_folder / "s_2.json").write_bytes(raw)
    assert sessions.load(place, "s_2") is None
    assert [one.id for one in sessions.all_of(place)] == ["s_1"]


def test_links_and_folders_in_place_of_a_session_are_none(place, tmp_path):
    sessions.save(place, session())
    outside = tmp_path / "outside.json"
    outside.write_bytes((place.sessions_folder / "s_1.json").read_bytes())
    (place.sessions_folder / "s_2.json").symlink_to(outside)
    (place.sessions_folder / "s_3.json").mkdir()
    assert [one.id for one in sessions.all_of(place)] == ["s_1"]


def _notes(root, start):
    place = Place(root)
    for nth in range(start, start + 20):
        receipt = Receipt(f"r_{nth}", "q", NOW, (f"id{nth}",))
        sessions.change(place, "s_1", lambda one, made=receipt: replace(one, receipts=(*one.receipts, made)))


def test_what_two_processes_note_at_once_is_all_kept(place):
    sessions.save(place, session())
    forked = multiprocessing.get_context("spawn")
    workers = [forked.Process(target=_notes, args=(place.root, start)) for start in (0, 100)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert len(sessions.load(place, "s_1").receipts) == 40


def test_what_is_closed_meanwhile_is_not_opened_again(place):
    sessions.save(place, session())
    sessions.close(place, "s_1")
    assert sessions.change(place, "s_1", lambda one: replace(one, task="again")) is None
    sessions.heard(place, "s_1", NOW)
    assert sessions.all_of(place) == ()


def test_the_files_of_a_session_are_its_own_and_its_clones(place):
    folder = place.events / "2026" / "11"
    folder.mkdir(parents=True)
    for name in (
        "s_1.jsonl",
        "s_1.0123456789ab.jsonl",
        "s_1.x.jsonl",
        "s_10.jsonl",
        "s_1.a.0123456789ab.jsonl",
    ):
        (folder / name).write_text("")
    names = [path.rpartition("/")[2] for path in sessions.files(place, "s_1")]
    assert names == ["s_1.0123456789ab.jsonl", "s_1.jsonl"]
