"""Observe: what was said is kept once, in order, without secrets, and commits nothing by itself."""

import json

import pytest
from trial import AGENT

TOKEN = "ghp_" + "a1B2" * 9


def events(trial, kind=None):
    """All events, in the order of their ids."""
    found = [
        json.loads(line)
        for path in trial.root.glob("events/**/*.jsonl")
        for line in path.read_text("utf-8").splitlines()
    ]
    return sorted((one for one in found if kind in (None, one["kind"])), key=lambda one: one["id"])


def observed(trial, text, *options, code=0, **how):
    """Observe a text; the answer."""
    return trial.told("observe", *options, "-", stdin=text, code=code, **how)


def lines(*objects):
    return "\n".join(json.dumps(one) for one in objects)


def test_a_text_is_one_turn_with_who_said_it_and_when(trial):
    told = observed(
        trial, "We ship on Tuesdays.\n", "--name", "Mel", "--at", "2026-07-01", "--role", "assistant"
    )
    (event,) = events(trial)
    assert told["ids"] == [event["id"]]
    assert (event["kind"], event["text"]) == ("turn", "We ship on Tuesdays.")
    assert event["data"] == {"role": "assistant", "subject": "Mel", "source": "stdin"}
    assert event["occurred_at"] == "2026-07-01T00:00:00Z"
    assert (event["scope"], event["actor"], event["logic"]) == ("project:t", "human:ana", "1")


def test_a_conversation_is_a_turn_for_each_speaker(trial):
    text = "User: We ship on Tuesdays.\nBecause of the tax office.\n\nassistant: Then I wait.\nNote: not a speaker"
    assert observed(trial, text)["events"] == 2
    first, second = events(trial)
    assert (first["data"]["role"], first["text"]) == (
        "user",
        "We ship on Tuesdays.\nBecause of the tax office.",
    )
    assert (second["data"]["role"], second["text"]) == ("assistant", "Then I wait.\nNote: not a speaker")


def test_a_colon_in_a_text_makes_no_conversation(trial):
    assert observed(trial, "Remember: the user: field is required.")["events"] == 1


def test_json_lines_keep_role_name_time_and_kind(trial):
    said = lines(
        {"role": "human", "text": "Hello", "at": 1_782_900_000},
        {"role": "tool", "text": "exit 0", "at": 1_782_900_001_500},
        {
            "kind": "claim",
            "text": "Mel likes tea.",
            "type": "preference",
            "concept": "drink",
            "tags": ["mel"],
        },
        {"text": "No role at all", "name": " Mel  B "},
    )
    assert observed(trial, said)["events"] == 4
    person, tool, claim, other = events(trial)
    assert (person["data"]["role"], person["occurred_at"]) == ("user", "2026-07-01T10:00:00Z")
    assert (tool["data"]["role"], tool["occurred_at"]) == ("tool", "2026-07-01T10:00:01Z")
    assert claim["kind"] == "claim"
    assert claim["data"] == {
        "role": "user",
        "source": "stdin",
        "observed": True,
        "type": "preference",
        "concept": "drink",
        "tags": ["mel"],
    }
    assert other["data"] == {"role": "user", "subject": "Mel B", "source": "stdin"}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"text": "torn', "is not JSON, or torn"),
        ('{"role": "wizard", "text": "x"}', "'wizard' is not a role"),
        ('{"role": "user"}', "there is no text"),
        ('{"role": "user", "text": "  "}', "there is no text"),
        ('{"role": "user", "txt": "x"}', "'txt' is no key"),
        ('{"text": 3}', "text must be text"),
        ('{"text": "x", "at": "yesterday"}', "at: 'yesterday' is not a time"),
        ('{"text": "x", "at": 1e300}', "at: "),
        ('{"text": "x", "at": true}', "at: "),
        ('{"text": "x", "kind": "rumour"}', "'rumour' is not a kind"),
        ('{"kind": "claim", "text": "x", "type": "fakt"}', "'fakt' is not a type"),
        ('{"kind": "claim", "text": "x", "tags": "y"}', "tags must be a list"),
        ('{"kind": "claim", "text": "x", "valid_to": "soon"}', "valid_to: 'soon' is not a time"),
        ("[1]", "is not a JSON object"),
    ],
)
def test_a_bad_line_answers_for_itself_and_the_others_are_kept(trial, line, why):
    told = observed(trial, f'{{"text": "before"}}\n\n{line}\n{{"text": "after"}}\n', code=5)
    assert [one["text"] for one in events(trial)] == ["before", "after"]
    (error,) = told["refused"]
    assert error["message"].startswith("Line 3")
    assert why in error["message"]


@pytest.mark.parametrize("text", ["", "  \n\t", "\u200b"])
def test_a_blank_text_is_refused(trial, text):
    assert trial.ran("observe", "-", stdin=text).code == 2
    assert events(trial) == []


def test_nothing_is_committed_and_everything_is_on_the_disk(trial):
    head = trial.head()
    observed(trial, "We ship on Tuesdays.")
    assert trial.head() == head
    assert trial.git("status", "--porcelain") == "?? events/"
    assert trial.told("status")["uncommitted"] == [
        str(path.relative_to(trial.root)) for path in trial.root.glob("events/**/*.jsonl")
    ]
    saved = trial.told("save")
    assert [one["op"] for one in saved["edits"]] == ["observe"]
    assert trial.git("status", "--porcelain") == ""
    assert trial.told("status")["uncommitted"] == []
    assert trial.git("log", "-1", "--format=%s") == "mem observe: 1 event"
    assert trial.told("save")["commits"] == []


def test_status_counts_the_turns_that_no_consolidation_has_passed(trial):
    assert trial.told("status")["undigested"] == 0
    trial.remember("The refund window is 30 days.")
    assert trial.told("status")["undigested"] == 0
    observed(trial, "We ship on Tuesdays.")
    observed(trial, "And the printer wants A5 paper.")
    assert trial.told("status")["undigested"] == 2
    trial.did("save")
    assert trial.told("status")["undigested"] == 2
    trial.did("consolidate")
    assert trial.told("status")["undigested"] == 0
    observed(trial, "The desk opens at nine.")
    trial.forgets_the_index()
    assert trial.told("status")["undigested"] == 1


def test_a_claim_takes_the_lines_of_its_session_along(trial):
    observed(trial, "We ship on Tuesdays.", "--session", "s1")
    trial.remember("Deploys happen on Tuesdays only.", "--session", "s1")
    assert trial.git("status", "--porcelain") == ""
    assert trial.git("log", "-1", "--format=%(trailers:key=Mem-Session,valueonly)") == "s1"
    assert [one["kind"] for one in events(trial)] == ["turn", "claim"]


def test_a_file_of_events_that_lost_lines_is_not_saved(trial):
    observed(trial, "First.")
    trial.did("save")
    observed(trial, "Second.")
    (path,) = trial.root.glob("events/**/*.jsonl")
    path.write_text(path.read_text().splitlines()[1] + "\n")
    head = trial.head()
    ran = trial.ran("save")
    assert ran.code == 4
    assert "1 event that were committed" not in ran.out
    assert "committed are gone" in ran.err
    assert trial.head() == head


def test_undo_passes_over_what_only_added_events(trial):
    id_ = trial.remember("The refund window is 30 days.")["id"]
    observed(trial, "We ship on Tuesdays.")
    trial.did("save")
    assert trial.told("undo")["undone"]["op"] == "remember"
    assert id_ not in trial.statuses()


def test_turns_of_one_second_sort_as_they_were_said(trial):
    for nth in range(6):
        observed(trial, f"Turn {nth}", "--session", "s1", now=trial.moment)
    assert [one["text"] for one in events(trial)] == [f"Turn {nth}" for nth in range(6)]


def test_turns_sort_behind_those_of_a_clock_that_ran_ahead(trial):
    observed(trial, "later clock", "--session", "s1", now=trial.moment + 500)
    observed(trial, "earlier clock", "--session", "s1", now=trial.moment)
    assert [one["text"] for one in events(trial)] == ["later clock", "earlier clock"]


@pytest.mark.case("P-SEC-06")
@pytest.mark.parametrize("where", ["concept", "tags"])
def test_a_secret_beside_the_words_of_a_claim_is_taken_out_too(trial, where):
    said = f"use {TOKEN} here"
    claim = {"kind": "claim", "text": "The deploy uses a token."} | {
        where: [said] if where == "tags" else said
    }
    told = observed(trial, lines(claim))
    assert (told["secrets"], told["events"]) == ({"github-token": 1}, 1)
    raw = next(trial.root.glob("events/**/*.jsonl")).read_text()
    assert TOKEN not in raw
    assert "use [secret:github-token] here" in raw


@pytest.mark.case("P-SEC-06")
def test_a_key_that_holds_a_secret_is_refused_alone(trial):
    ran = trial.ran(
        "observe", "-", "--json", stdin=lines({"text": "one", "key": TOKEN}, {"text": "two", "key": "k2"})
    )
    told = json.loads(ran.out)
    assert ran.code == 5
    assert "looks like a secret (github-token)" in told["refused"][0]["message"]
    raw = next(trial.root.glob("events/**/*.jsonl")).read_text()
    assert (TOKEN in raw, "two" in raw, "one" in raw) == (False, True, False)


@pytest.mark.case("P-SEC-06")
@pytest.mark.parametrize("where", ["text", "name"])
def test_a_secret_is_taken_out_and_the_rest_is_kept(trial, where):
    turn = {"text": "call me", "name": "Mel"} | {where: f"use {TOKEN} here"}
    told = observed(trial, lines(turn, {"text": "a harmless turn"}))
    assert told["secrets"] == {"github-token": 1}
    raw = next(trial.root.glob("events/**/*.jsonl")).read_text()
    assert TOKEN not in raw
    assert "use [secret:github-token] here" in raw
    assert "a harmless turn" in raw
    assert all(
        TOKEN not in path.read_text("utf-8", "replace") for path in trial.root.rglob("*") if path.is_file()
    )


def test_a_private_key_goes_with_all_its_lines(trial):
    key = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA\nAAAAgQ\n-----END OPENSSH PRIVATE KEY-----"
    observed(trial, f"before {key} after")
    (event,) = events(trial)
    assert event["text"] == "before [secret:private-key] after"


def test_the_same_key_and_text_are_kept_once(trial):
    first = observed(trial, "We ship on Tuesdays.", "--key", "k1")
    again = observed(trial, "We ship on Tuesdays.", "--key", "k1")
    assert (again["ids"], again["events"], again["known"]) == (first["ids"], 0, 1)
    assert len(events(trial)) == 1


def test_a_key_with_another_text_is_refused_and_nothing_written(trial):
    observed(trial, "We ship on Tuesdays.", "--key", "k1")
    ran = trial.ran("observe", "--key", "k1", "-", stdin="We ship on Fridays.")
    assert ran.code == 5
    assert "used before" in ran.err
    assert [one["text"] for one in events(trial)] == ["We ship on Tuesdays."]


def test_the_same_key_in_another_scope_is_written(trial):
    observed(trial, "We ship on Tuesdays.", "--key", "k1")
    assert observed(trial, "We ship on Tuesdays.", "--key", "k1", "--scope", "project:other")["events"] == 1
    assert len(events(trial)) == 2


def test_a_key_that_stands_twice_in_one_input_counts_once(trial):
    same = {"text": "Yes.", "key": "k"}
    told = observed(trial, lines(same, same, {"text": "No.", "key": "k"}), code=5)
    assert (told["events"], told["known"], len(told["refused"])) == (1, 1, 1)
    assert told["ids"][0] == told["ids"][1]


def test_a_key_of_a_claim_is_not_taken_again_by_a_turn(trial):
    trial.remember("Deploys happen on Tuesdays.", "--key", "k")
    assert trial.ran("observe", "--key", "k", "-", stdin="Deploys happen on Tuesdays.").code == 5
    assert trial.ran("remember", "--key", "k2", "x y z").code == 0


def test_an_agent_observes_in_its_session_alone(trial):
    trial.did("activate", "--task", "Ship it", env=AGENT)
    assert trial.ran("observe", "--scope", "project:other", "-", stdin="x", env=AGENT).code == 5
    assert observed(trial, "We ship on Tuesdays.", env=AGENT)["session"].startswith("s_")
    assert [one["text"] for one in events(trial)] == ["We ship on Tuesdays."]


def test_a_name_that_no_file_can_have_is_refused(trial):
    assert trial.ran("observe", "--session", "../up", "-", stdin="x").code == 2
    assert not (trial.root / "events").exists() or not events(trial)


def test_what_is_no_utf8_and_what_is_no_file_are_refused(trial):
    assert trial.ran("observe", "-", stdin=b"\xff\xfe x").code == 2
    assert trial.ran("observe", "nowhere.txt").code == 2
    (trial.root / "said.txt").write_text("We ship on Tuesdays.")
    assert trial.told("observe", str(trial.root / "said.txt"))["events"] == 1


def test_a_pipe_gets_the_number_alone(trial):
    assert trial.did("observe", "-", stdin="user: one\nassistant: two") == "2\n"


def test_a_tools_output_is_cut_and_a_persons_word_is_not(trial):
    told = observed(trial, lines({"role": "tool", "text": "x" * 5000}, {"text": "y" * 5000}))
    assert told["events"] == 2
    tool, person = events(trial)
    assert len(tool["text"]) < 2100
    assert tool["text"].endswith(" […]")
    assert person["text"] == "y" * 5000


def test_observing_loads_no_index(trial):
    ran = trial.process("observe", "-", stdin="We ship on Tuesdays.")
    assert (ran.code, ran.out) == (0, "1\n")
    assert not (trial.root / ".mem" / "index").exists()


def test_a_turn_that_no_line_can_hold_is_refused_and_the_others_are_kept(trial):
    long = {"role": "user", "text": "x " * 600_000}
    ran = trial.ran("observe", "-", stdin=lines(long, {"role": "user", "text": "We ship on Tuesdays."}))
    assert ran.code == 5
    assert "too long" in ran.err
    assert [one["text"] for one in events(trial)] == ["We ship on Tuesdays."]
