"""Lines from anybody: whatever they hold, each is a value or a complaint of its own."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.engine.moving import bundle, unbundling
from memcli.memory.schema import Status
from memcli.memory.scope import Scope
from memcli.store import event
from memcli.store.event import Event, Kind
from memcli.store.tombstones import Tombstone

KEYS = ["kind", "id", "path", "status", "text", "event", "tombstone", "beside", "format", "scope", "tags", "at",
        "claim", "act", "digest", "evidence", "data"]  # fmt: skip
WORDS = st.sampled_from(["schema", "event", "tombstone", "procedure", "active", "user", "turn", "forgotten",
                         "2026-11-30", "schemas/user/a.md", "events/2026/11/a.jsonl", "../x", "a\0b"])  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=6),
    max_leaves=12,
)


@given(st.lists(VALUES, max_size=4))
def test_nothing_that_is_json_stops_the_reading(values):
    lines = [json.dumps(value) for value in values]
    read = unbundling.read("\n".join(lines))
    things = (*read.schemas, *read.tombstones, *read.events, *read.procedures, *read.claims, *read.wrong)
    headings = sum(isinstance(value, dict) and value.get("format") == bundle.FORMAT for value in values)
    assert len(things) + headings <= len(values)


@given(st.text())
def test_nothing_that_is_text_stops_the_reading(text):
    read = unbundling.read(text)
    assert len(read.wrong) <= text.count("\n") + 1


SAID = Event(
    "01m8n93v20b907t4v28zvje2gv", 1_796_000_000, Scope("project", "t"), "human:ana", Kind.TURN, "1", "hi"
)


def test_what_is_written_is_read_back():
    schema = bundle.Filed("x", "schemas/user/x.md", Status.STALE, "---\nid: x\n---\n\nA.\n", ("y",), 2)
    grave = Tombstone("x", Scope("user"), "0" * 32, "forgotten", ("e",), "A.")
    said = bundle.Happened(SAID, f"events/{event.month_of(SAID.id)}/s.jsonl", 4)
    kept = bundle.Kept("procedures/user/tea/SKILL.md", "---\nname: tea\n---\n", 5)
    lines = [
        bundle.heading("user", None, "Europe/Berlin"),
        bundle.of_schema(schema),
        bundle.of_tombstone(grave),
        bundle.of_event(said),
        bundle.of_procedure(kept),
    ]
    read = unbundling.read("\n".join(map(json.dumps, lines)))
    assert (read.schemas, read.tombstones, read.procedures) == ((schema,), (grave,), (kept,))
    assert [bundle.of_event(one) for one in read.events] == [bundle.of_event(said)]
    assert (read.wrong, read.timezone) == ((), "Europe/Berlin")


NAMED = {
    "kind": "schema",
    "id": "a" * 12,
    "path": "schemas/project/t/a.md",
    "status": "active",
    "text": "x",
}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"kind": "tombstone"}, "tombstone must be an object"),
        ({"kind": "tombstone", "tombstone": []}, "tombstone must be an object"),
        ({"kind": "tombstone", "tombstone": "gone"}, "tombstone must be an object"),
        ({"kind": "event", "path": "events/2026/11/a.jsonl", "event": None}, "event must be an object"),
        (
            {"kind": "schema", "id": "aaaa", "path": "schemas/project/t/a.md", "status": "nope", "text": "x"},
            "'nope' is not a status",
        ),
        (
            {**NAMED, "beside": ["no id"]},
            "beside must be a list of ids",
        ),
        ({**NAMED, "beside": ["\ud800"]}, "beside holds half a character, a lone surrogate"),
        ({"text": "half \ud800"}, "text holds half a character, a lone surrogate"),
    ],
)
def test_a_line_of_the_wrong_make_says_so_in_words_and_harms_no_other(trial, said, why):
    lines = [{"format": "mem.export/1"}, said, {"text": "Stock is counted in June."}]
    ran = trial.ran("import", "-", "--json", stdin="\n".join(map(json.dumps, lines)))
    told = json.loads(ran.out)
    assert (ran.code, told["wrong"]) == (4, [f"Line 2: {why}"])
    assert [one["text"] for one in told["memories"]] == ["Stock is counted in June."]


def test_two_lines_of_one_id_that_differ_are_not_passed_over_in_silence(trial):
    head = "---\nid: dup123456789\n---\n\n"
    lines = [
        {
            "kind": "schema",
            "id": "dup123456789",
            "path": "schemas/project/t/a.md",
            "status": "active",
            "text": t,
        }
        for t in (f"{head}The lamp is green.\n", f"{head}The lamp is red.\n", f"{head}The lamp is green.\n")
    ]
    told = trial.told("import", "-", stdin="\n".join(map(json.dumps, lines)), code=4)
    assert told["wrong"] == ["Line 2: an earlier line says otherwise what dup123456789 is"]
    assert [one["text"] for one in told["memories"]] == ["The lamp is green."]
