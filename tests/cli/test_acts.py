"""Acts: a person is asked on the terminal, and every act says its commit and the way back."""

import json

import pytest
from cli.conftest import Mem, Store, Within

ID = "refund00aaaa"
HUMAN = {"MEM_ACTOR": "human:ana"}
AGENTS = [{"CLAUDECODE": "1"}, {"MEM_ACTOR": "agent:claude"}, {"MEM_ACTOR": "human:ana", "AI_AGENT": "x"}]


def status_of(mem):
    return json.loads(mem("show", ID, "--json").out)["status"]


def test_forgetting_shows_the_memory_and_takes_its_id(mem, store, within):
    before = store.head()
    ran = mem.at_terminal("forget", "refund00", answers=[("Type refund00aaaa", ID)], env={"NO_COLOR": "1"})
    assert ran.code == 0, ran.screen
    assert "The refund window is 30 days." in ran.screen
    assert "Forgotten: refund00aaaa, active → forgotten." in ran.screen
    assert "Take it back: mem unforget refund00aaaa" in ran.screen
    assert "Remains: " in ran.screen
    assert store.head() != before
    assert status_of(within) == "forgotten"


def test_retracting_shows_the_memory_and_who_loses_by_it(mem, store, within):
    asked = {"answers": [("Type refund00aaaa", ID)], "env": {"NO_COLOR": "1"}}
    ran = mem.at_terminal(
        "retract", "refund00", "--reason", "misread", "--correction", "It is a week.", **asked
    )
    assert ran.code == 0, ran.screen
    assert "The refund window is 30 days." in ran.screen
    assert "Retracted: refund00aaaa, active → retracted." in ran.screen
    assert "Right instead: " in ran.screen
    assert "Take it back: mem unretract refund00aaaa" in ran.screen
    assert status_of(within) == "retracted"
    before = store.head()
    assert mem.at_terminal("unretract", ID, answers=[("Type refund00aaaa", "no")]).code == 5
    assert store.head() == before
    ran = mem.at_terminal("unretract", ID, **asked)
    assert "Taken back: refund00aaaa, retracted → active." in ran.screen
    assert status_of(within) == "active"


@pytest.mark.parametrize("typed", ["", "yes", "y", "ref", "refund00aaab", "refund00aaaa b"])
def test_anything_but_the_id_leaves_it_alone(mem, store, typed):
    before = store.head()
    ran = mem.at_terminal("forget", ID, answers=[("Type refund00aaaa", typed)])
    assert ran.code == 5
    assert "not typed back" in ran.screen
    assert store.head() == before


def test_a_beginning_of_the_id_is_enough(mem):
    assert mem.at_terminal("forget", ID, answers=[("Type refund00aaaa", "refu")]).code == 0


def test_the_question_reaches_the_terminal_although_all_streams_are_pipes(mem):
    ran = mem.at_terminal("forget", ID, answers=[("Type refund00aaaa", ID)], pipe_out=True)
    assert ran.out == f"{ID}\tforget\tactive\tforgotten\n"


def test_two_are_asked_for_one_by_one_and_done_in_one_commit(mem, store):
    asked = [("Type refund00aaaa", ID), ("Type deploy00aaaa", "deploy00aaaa")]
    ran = mem.at_terminal("forget", ID, "deploy00aaaa", "--json", answers=asked, pipe_out=True)
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert [one["id"] for one in told] == [ID, "deploy00aaaa"]
    assert told[0]["commit"] == told[1]["commit"]


def test_one_refusal_of_two_leaves_both(mem, store):
    before = store.head()
    asked = [("Type refund00aaaa", ID), ("Type deploy00aaaa", "")]
    assert mem.at_terminal("forget", ID, "deploy00aaaa", answers=asked).code == 5
    assert store.head() == before


@pytest.mark.parametrize(
    "verb", [["forget", ID], ["unforget", ID], ["retract", ID, "--reason", "x"], ["unretract", ID], ["trust"]]
)
def test_without_a_terminal_a_person_is_told_how(mem, store, verb):
    before = store.head()
    ran = mem(*verb)
    assert ran.code == 5
    assert "there is no terminal here" in ran.err
    assert "MEM_ACTOR=human:NAME" in ran.err
    assert store.head() == before
    assert mem(*verb, "--yes").code == 5  # nobody said who


@pytest.mark.parametrize("env", AGENTS)
def test_an_agent_is_refused_whatever_it_says(mem, store, env):
    before = store.head()
    ran = mem("forget", ID, "--yes", env=env)
    assert ran.code == 5
    assert "agent acts here" in ran.err
    ran = mem.at_terminal("forget", ID, "--yes", env=env, answers=[("Type", ID)])
    assert ran.code == 5
    assert store.head() == before


def test_a_person_who_said_so_beforehand_is_believed(within, store):
    told = json.loads(within("forget", ID, "--yes", "--reason", "wrong customer", "--json", env=HUMAN).out)
    assert list(told)[:6] == ["format", "op", "id", "prior_status", "commit", "remains"]
    assert (told["format"], told["op"], told["prior_status"]) == ("mem.act/1", "forget", "active")
    assert told["remains"]
    entry = json.loads(within("log", "--op", "forget", "--json").out)["entries"][0]
    assert (entry["actor"], entry["reason"]) == ("human:ana", "wrong customer")
    assert entry["changes"] == [{"id": ID, "prior_status": "active", "status": "forgotten"}]


def test_forgetting_again_makes_no_commit(within, store):
    within("forget", ID, "--yes", env=HUMAN)
    before = store.head()
    ran = within.at_terminal("forget", ID, "--yes", env=HUMAN)
    assert ran.code == 0
    assert "already" in ran.screen
    assert store.head() == before


def test_what_was_forgotten_comes_back_byte_for_byte(within, store):
    path = store.root / "schemas/project/t/refund00aaaa.md"
    raw = path.read_bytes()
    within("forget", ID, "--yes", env=HUMAN)
    assert path.read_bytes() != raw
    assert within("recall", "refund window").code == 1
    assert within("unforget", ID, "--yes", env=HUMAN).code == 0
    assert path.read_bytes() == raw
    assert within("recall", "refund window").out.startswith(ID)


def test_ids_may_come_on_stdin(within):
    assert within("list", "--ids").out == "deploy00aaaa\nrefund00aaaa\n"
    ran = within("show", "--stdin", stdin="refund00aaaa\n\ndeploy00aaaa\n")
    assert ran.out.index("refund window") < ran.out.index("Deploys")
    ran = within("show", "--stdin", "-0", stdin="refund00aaaa\0deploy00aaaa\0")
    assert "Deploys" in ran.out
    assert within("show", "--stdin", stdin="\n").code == 2


def test_remembering_says_where_with_which_id_and_how_to_undo(within):
    ran = within.at_terminal(
        "remember", "Coffee is free on Fridays.", "--type", "fact", env={"NO_COLOR": "1"}
    )
    first, second, *_ = ran.out.splitlines()
    assert first.startswith("Remembered in project:t  ")
    assert second == "Coffee is free on Fridays."
    assert "Undo: mem undo" in ran.err
    ran = within("remember", "Tea is free on Mondays.")
    id_, decision, claim = ran.out.rstrip("\n").split("\t")
    assert (len(id_), decision, claim) == (12, "created", "Tea is free on Mondays.")


def test_remembering_answers_in_json(within):
    told = json.loads(within("remember", "Coffee is free on Fridays.", "--json").out)
    keys = ["format", "id", "path", "decision", "rule", "score", "superseded", "commit"]
    assert list(told)[:8] == keys
    assert told["format"] == "mem.remember/1"
    assert told["decision"] == "created"


@pytest.mark.case("P-CLI-12")
def test_backslashes_percents_and_newlines_are_kept_byte_for_byte(within, store):
    text = r"C:\new\t%s $(id) `id` %(x)s {0} \\ 100 %d"
    told = json.loads(within("remember", text, "--json").out)
    assert text in (store.root / told["path"]).read_text()
    assert json.loads(within("show", told["id"], "--json").out)["text"] == text
    assert json.loads(within("log", "-n1", "--json").out)["entries"][0]["text"].startswith(text[:40])
    assert within("recall", "new id", "--format", "{text}").out.splitlines()[0] == text


@pytest.mark.case("P-ENC-08")
def test_text_of_any_script_goes_round_exactly(within, store):
    text = "שלום 👩‍👩‍👧‍👦 e\u0301 नि"
    told = json.loads(within("remember", text, "--json").out)
    assert (store.root / told["path"]).read_bytes().rstrip(b"\n").endswith(text.encode())
    assert told["path"].rpartition("/")[2].removesuffix(".md").rpartition("-")[0]
    shown = within.at_terminal("list", env={"COLUMNS": "32", "NO_COLOR": "1"}).out
    assert told["id"] in shown
    assert "\ufffd" not in shown
    assert text.encode() in within("show", told["id"]).raw


@pytest.mark.case("P-CLI-09")
def test_a_long_text_comes_by_stdin(within):
    told = json.loads(within("remember", "-", "--json", stdin="word " * 4_000).out)
    assert told["decision"] == "created"


@pytest.mark.parametrize("shape", [None, "--json"])
def test_of_a_long_text_the_beginning_is_said_back_and_all_is_kept(within, store, shape):
    text = " ".join(f"word{n}" for n in range(400))
    ran = within("remember", "-", *([shape] if shape else []), stdin=text)
    assert len(ran.out) < 700
    assert any(text in path.read_text("utf-8") for path in store.root.glob("schemas/**/*.md"))


def test_a_batch_answers_each_line_and_keeps_the_good_ones_in_one_commit(within, store):
    lines = [
        '{"text": "Invoices are numbered per country.", "tags": ["billing"]}',
        "not json",
        '{"text": "  "}',
        "",
        '{"text": "x", "nope": 1}',
        '{"text": "Wages are paid on the 25th.", "type": "nonsense"}',
        '{"text": "Stock is counted in June.", "scope": "user", "valid_from": "2026-06-01"}',
        "[" * 100_000,
    ]
    ran = within("remember", "--batch", "-", stdin="\n".join(lines))
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == 5
    assert [one["decision"] == "created" for one in told] == [True, False, False, False, False, True, False]
    assert all(one["error"]["message"] and one["error"]["code"] == 2 for one in told if one["id"] is None)
    assert len({one["commit"] for one in told if one["id"]}) == 1
    assert "Line 2" in told[1]["error"]["message"]
    assert within("recall", "stock counted", "--scope", "user", "--as-of", "2026-07-01").code == 0


def test_an_empty_batch_is_a_wrong_command_line(within, tmp_path):
    assert within("remember", "--batch", "-", stdin="\n").code == 2
    assert within("remember", "--batch", str(tmp_path / "nowhere")).code == 2


def test_saying_again_what_was_forgotten_is_refused_with_its_reason(within):
    within("forget", ID, "--yes", "--reason", "wrong", env=HUMAN)
    ran = within("remember", "the refund window is 30 days")
    assert (ran.code, ran.out) == (5, "")
    assert "Hint: " in ran.err
    told = json.loads(within("remember", "the refund window is 30 days", "--json").out)
    assert told["decision"] == "skipped"


def test_a_person_lets_pass_what_was_removed(mem, within):
    within("forget", ID, "--yes", env=HUMAN)
    again = ("remember", "The refund window is 30 days.", "--override", ID)
    assert within(*again).code == 5
    ran = mem.at_terminal(*again, answers=[("Type refund00aaaa", ID)])
    assert ran.code == 0, ran.screen
    assert "Remembered in project:t" in ran.screen


def test_superseding_names_both_and_the_switch(within):
    ran = within("supersede", ID, "--with", "The refund window is 14 days.", "--from", "2026-07-01", "--json")
    told = json.loads(ran.out)
    assert told["format"] == "mem.supersede/1"
    assert (told["old"], told["until"]) == (ID, "2026-07-01T00:00:00Z")
    shown = within.at_terminal("history", ID, env={"NO_COLOR": "1"}, columns=120).out
    assert f"→ {told['new']}" in shown
    assert "2026-07-01" in shown


def test_undoing_says_what_it_took_back(within, store):
    made = json.loads(within("remember", "Coffee is free on Fridays.", "--json").out)
    planned = within("undo", "--dry-run")
    assert "Coffee is free on Fridays." in planned.out
    assert made["path"] in planned.out
    assert (store.root / made["path"]).exists()
    assert json.loads(within("undo", "--json").out)["undone"]["op"] == "remember"
    assert not (store.root / made["path"]).exists()


def test_undoing_a_forget_is_asked_for_on_the_terminal(mem, store, within):
    within("forget", ID, "--yes", env=HUMAN)
    before = store.head()
    assert within("undo", env=HUMAN).code == 5
    assert store.head() == before
    ran = mem.at_terminal("undo", env=HUMAN, answers=[("Type refund00aaaa", ID)])
    assert ran.code == 0, ran.screen
    assert status_of(within) == "active"


def test_moving_changes_scope_and_folder(within, store):
    told = json.loads(within("move", ID, "project:shop", "--json").out)
    assert told["path"].startswith("schemas/project/shop/")
    assert (store.root / told["path"]).exists()
    assert within("list", "--scope", "project:shop", "--ids").out == f"{ID}\n"
    assert within("move", ID, "nonsense").code == 2


def test_quiet_acts_say_nothing(within):
    for argv in (
        ["remember", "Coffee is free on Fridays.", "-q"],
        ["forget", ID, "--yes", "-q"],
        ["undo", "-q", "--yes"],
    ):
        ran = within(*argv, env=HUMAN)
        assert (ran.code, ran.out, ran.err) == (0, "", "")


def test_the_first_remember_makes_the_users_own_store_and_says_so(tmp_path, environment_of):
    mem = Mem(tmp_path, environment_of(tmp_path / "home"))
    ran = mem("remember", "The refund window is 30 days.")
    assert ran.code == 0
    assert "Made your store in ~/" in ran.err
    assert "private to you" in ran.err
    assert mem("recall", "refund window").code == 0
    assert "Made your store" not in mem("remember", "Another claim entirely.").err


def test_nothing_else_makes_a_store(tmp_path, environment_of):
    mem = Mem(tmp_path, environment_of(tmp_path / "home"))
    for verb in (["recall", "x"], ["list"], ["log"], ["show", "abcd"], ["status"], ["check"], ["save"]):
        ran = mem(*verb)
        assert (ran.code, ran.out) == (9, "")
        assert "Hint: " in ran.err


def test_saving_asks_before_a_forgotten_memory_comes_back(mem, store, within):
    within("forget", ID, "--yes", env=HUMAN)
    path = store.root / "schemas/project/t/refund00aaaa.md"
    path.write_text(path.read_text().replace("status: forgotten\n", ""))
    store.write("hand0000aaaa", "Written by hand.")
    before = store.head()
    ran = within("save")
    assert ran.code == 5
    assert "hand0000aaaa" in ran.out
    assert "there is no terminal here" in ran.err
    assert status_of(within) == "forgotten"
    assert store.head() != before
    ran = mem.at_terminal("save", answers=[("Type refund00aaaa", ID)])
    assert ran.code == 0, ran.screen
    assert status_of(within) == "active"


def test_saving_plans_before_it_acts(within, store):
    store.write("hand0000aaaa", "Written by hand.")
    before = store.head()
    assert within("save", "--dry-run").out.startswith("add  hand0000aaaa  schemas/")
    assert store.head() == before
    told = json.loads(within("save", "--json").out)
    assert told["format"] == "mem.save/1"
    assert [edit["op"] for edit in told["edits"]] == ["add"]
    assert len(told["commits"]) == 1
    assert "Nothing to save" in within("save").err


def test_where_only_a_person_can_save_nothing_but_that_is_said(within, store):
    path = store.write("gone0000aaaa", "The old price list.", head="status: forgotten\n")
    store.commit()
    path.write_text(path.read_text().replace("status: forgotten\n", ""))
    ran = within("save", env={"CLAUDECODE": "1"})
    assert (ran.code, ran.out) == (5, "")
    assert "Nothing to save" not in ran.err
    assert ran.err.startswith("Bringing back what was removed is a person's act")
    assert "Hint: Ask the person to look at these files and to run `mem save`." in ran.err


@pytest.mark.parametrize("argv", [("save",), ("undo",), ("forget", ID), ("list", "--scope", "*")])
def test_no_agent_is_told_to_call_itself_a_person(within, store, argv):
    person = {"MEM_ACTOR": "human:ana"}
    within("forget", ID, "--yes", env=person)
    path = store.root / "schemas/project/t" / f"{ID}.md"
    if argv == ("save",):
        path.write_text(path.read_text().replace("status: forgotten\n", ""))
    ran = within(*argv, env={**person, "CLAUDECODE": "1"})
    assert ran.code == 5, ran.err
    assert "MEM_ACTOR" not in ran.err
    assert "erson" in ran.err.partition("Hint: ")[2]


def test_what_is_set_already_is_not_asked_for_again(within):
    assert "MEM_ACTOR=human:NAME" in within("forget", ID).err
    ran = within("forget", ID, env={"MEM_ACTOR": "human:ana"})
    assert ran.err.endswith("Hint: A person runs it in a terminal, or adds --yes.\n")


def test_the_log_knows_its_acts(within):
    ran = within("log", "--op", "forgot")
    assert (ran.code, ran.out) == (2, "")
    assert "supersede, forget, unforget" in ran.err


def test_every_act_that_the_engine_writes_can_be_asked_for():
    from memcli.cli.words.common import ACTS
    from memcli.engine import handmade

    written = {*handmade._OPS.values(), *handmade._BACK.values(), handmade.BURY}
    written |= {handmade.OBSERVE, "init", "remember", "undo", "add", "edit", "move", "delete"}
    written |= {"feedback", "commit"}
    assert written <= set(ACTS)


@pytest.fixture
def environment_of():
    from cli.conftest import environment_in

    return environment_in


def test_an_empty_store_says_that_there_is_nothing_yet(tmp_path):
    store = Store.made(tmp_path)
    store.commit()
    within = Within(store.root, store.environment)
    ran = within("list")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "There is no memory of project:t yet.\n"
    assert within("recall", "x").err == "Nothing in project:t matches.\n"


@pytest.mark.parametrize(
    ("key", "value"),
    [("type", "fakt"), ("scope", "nowhere"), ("valid_from", "soon"), ("valid_to", "x"), ("occurred_at", "x")],
)
def test_a_wrong_value_in_a_batch_is_told_by_its_line_and_key(within, key, value):
    lines = '{"text": "Trains leave at nine."}\n\n' + json.dumps({"text": "Late.", key: value})
    ran = within("remember", "--batch", "-", stdin=lines)
    assert ran.code == 5
    told = [json.loads(line) for line in ran.out.splitlines()]
    assert "error" not in told[0]
    assert told[1]["error"]["message"].startswith(f"Line 3: {key}: ")
    assert "--" not in str(told[1]["error"])
