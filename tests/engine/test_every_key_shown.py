"""`mem show --json` tells every key that a file can have, as the file states it."""

from memcli.store import fields

HEAD = """status: needs_review
review:
  reason: resembles
  of: [gone0000aaaa]
stage: portable
stage_pinned: true
links:
  - to: other000aaaa
  - to: third000aaaa
    rel: duplicate_of
    weight: 0.5
"""


def test_every_key_is_told_with_what_the_file_states(trial):
    trial.write("whole000aaaa", "Refunds go back to the card.", HEAD)
    told = trial.told("show", "whole000aaaa")
    assert set(fields.KNOWN) <= set(told)
    assert told["review"] == {"reason": "resembles", "of": ["gone0000aaaa"]}
    assert (told["stage"], told["stage_pinned"]) == ("portable", True)
    assert told["links"] == [
        {"to": "other000aaaa", "rel": "relates_to", "weight": 1.0},
        {"to": "third000aaaa", "rel": "duplicate_of", "weight": 0.5},
    ]


def test_why_a_memory_counts_no_more_is_told_and_null_of_one_that_does(trial):
    trial.write("stale000aaaa", "Parcels leave at noon.", "status: stale\nstale_reason: outdated\n")
    trial.write("away0000aaaa", "Parcels leave at ten.", "status: archived\narchive_reason: rejected\n")
    trial.write("live0000aaaa", "Parcels leave at two.")
    keys = ("stale_reason", "archive_reason", "review", "stage_pinned", "links")
    told = {id_: trial.told("show", id_) for id_ in ("stale000aaaa", "away0000aaaa", "live0000aaaa")}
    assert [told["stale000aaaa"][key] for key in keys] == ["outdated", None, None, False, []]
    assert [told["away0000aaaa"][key] for key in keys] == [None, "rejected", None, False, []]
    assert [told["live0000aaaa"][key] for key in keys] == [None, None, None, False, []]
