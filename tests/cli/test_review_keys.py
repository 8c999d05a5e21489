"""The queue at a terminal: a card, one key a decision, one commit each; leaving loses nothing."""

import json
import subprocess

import pytest

PROPOSED, STAGED, FORGOTTEN, HELD = "prop0000aaaa", "stag0000aaaa", "gone0000aaaa", "held0000aaaa"
PLAIN = {"NO_COLOR": "1"}
KEYS = "[q]uit"  # the end of every line of keys


@pytest.fixture
def queue(store):
    """What resembles something forgotten, a proposal, and something staged: in that order."""
    store.write(
        PROPOSED, "Invoices run per country.", head="status: needs_review\nreview:\n  reason: proposal\n"
    )
    store.write(STAGED, "Parcels over 30 kg go by rail.", head="status: staged\n")
    store.write(FORGOTTEN, "Coffee is free on Fridays.", head="status: forgotten\n")
    held = f"status: needs_review\nreview:\n  reason: resembles\n  of: [{FORGOTTEN}]\n"
    store.write(HELD, "On Fridays nobody pays for tea.", head=held)
    store.commit()
    return store


def git(store, *argv):
    ran = subprocess.run(
        ["git", *argv], cwd=store.root, env=store.environment, capture_output=True, check=True
    )
    return ran.stdout.decode()


def commits(store):
    return int(git(store, "rev-list", "--count", "HEAD"))


def show(within, id_):
    return json.loads(within("show", id_, "--json").out)


def pressed(*keys):
    """Each key once the keys of its card are offered."""
    return [(KEYS, key) for key in keys]


def test_every_decision_is_one_key_and_one_commit(mem, within, queue):
    before = commits(queue)
    ran = mem.at_terminal("review", answers=pressed("a", "a", "r"), env=PLAIN)
    assert ran.code == 0, ran.screen
    heads = [line for line in ran.screen.splitlines() if " of 3 " in line]
    assert [head.split() for head in heads] == [
        ["1", "of", "3", "resembles", "what", "was", "removed", "project:t"],
        ["2", "of", "3", "proposed", "project:t"],
        ["3", "of", "3", "staged", "project:t"],
    ]
    assert '"On Fridays nobody pays for tea."' in ran.screen
    assert f"{FORGOTTEN}  forgotten" in ran.screen
    assert "Coffee is free on Fridays." in ran.screen
    assert "3 decisions, each its own commit." in ran.screen
    assert commits(queue) == before + 3
    found = [show(within, id_) for id_ in (HELD, PROPOSED, STAGED)]
    assert [one["status"] for one in found] == ["active", "active", "archived"]
    assert found[0]["overrides"] == [FORGOTTEN]
    touched = git(queue, "show", "--name-only", "--format=", "HEAD").split()
    assert touched == [f"schemas/project/t/{STAGED}.md"]


def test_what_is_left_waits_on(mem, within, queue):
    before = queue.head()
    ran = mem.at_terminal("review", answers=pressed("n", "q"), env=PLAIN)
    assert ran.code == 0
    assert "Nothing was decided. 3 left for another time." in ran.screen
    assert queue.head() == before
    assert within("review", "list", "--ids").out.split() == [HELD, PROPOSED, STAGED]


def test_other_keys_decide_nothing_and_why_says_more(mem, within, queue):
    before = queue.head()
    ran = mem.at_terminal("review", answers=pressed("xyz1\x1b[A?", "q"), env=PLAIN)
    assert ran.code == 0
    assert "It comes near to what a person took out" in ran.screen
    assert f"schemas/project/t/{HELD}.md" in ran.screen
    assert queue.head() == before


def test_what_was_decided_stays_when_a_person_breaks_off(mem, within, queue):
    before = commits(queue)
    ran = mem.at_terminal("review", answers=pressed("a", "\x03"), env=PLAIN)
    assert ran.code == 130
    assert commits(queue) == before + 1
    assert show(within, HELD)["status"] == "active"
    assert show(within, PROPOSED)["status"] == "needs_review"


def test_forgetting_asks_for_the_id(mem, within, queue):
    refused = [(KEYS, "f"), (f"Type {HELD}", ""), *pressed("q")]
    ran = mem.at_terminal("review", answers=refused, env=PLAIN)
    assert "not typed back" in ran.screen
    assert show(within, HELD)["status"] == "needs_review"
    ran = mem.at_terminal("review", answers=[(KEYS, "f"), (f"Type {HELD}", HELD), *pressed("q")], env=PLAIN)
    assert ran.code == 0, ran.screen
    assert show(within, HELD)["status"] == "forgotten"
    assert "Git's history keeps the text." in ran.screen


def test_superseding_takes_the_place_of_another_one(mem, within, queue):
    before = commits(queue)
    answers = [*pressed("n"), (KEYS, "s"), ("Which memory does it replace?", "refund00"), *pressed("q")]
    ran = mem.at_terminal("review", answers=answers, env=PLAIN)
    assert "in place of refund00aaaa" in ran.screen, ran.screen
    assert commits(queue) == before + 1
    old, new = show(within, "refund00aaaa"), show(within, PROPOSED)
    assert (old["status"], old["superseded_by"]) == ("superseded", PROPOSED)
    assert (new["status"], new["supersedes"]) == ("active", ["refund00aaaa"])
    assert old["validity"]["to"] == new["validity"]["from"]
    assert len(git(queue, "show", "--name-only", "--format=", "HEAD").split()) == 2


def test_what_cannot_be_done_is_said_and_the_card_stays(mem, within, queue):
    answers = [(KEYS, "s"), ("Which memory does it replace?", "nothing00"), *pressed("a", "q")]
    ran = mem.at_terminal("review", answers=answers, env=PLAIN)
    assert "No memory has the id 'nothing00'." in ran.screen
    assert show(within, HELD)["status"] == "active"


def test_editing_accepts_in_other_words(mem, within, queue, tmp_path):
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nprintf 'Tea costs a euro on Fridays.\\n' > \"$1\"\n")
    editor.chmod(0o755)
    before = commits(queue)
    env = {**PLAIN, "MEM_EDITOR": str(editor)}
    ran = mem.at_terminal("review", answers=pressed("e", "q"), env=env)
    assert ran.code == 0, ran.screen
    found = show(within, HELD)
    assert (found["text"], found["status"]) == ("Tea costs a euro on Fridays.", "active")
    assert commits(queue) == before + 1


def test_words_left_as_they_are_decide_nothing(mem, within, queue):
    ran = mem.at_terminal("review", answers=pressed("e", "q"), env={**PLAIN, "MEM_EDITOR": "true"})
    assert "nothing was decided" in ran.screen
    assert show(within, HELD)["status"] == "needs_review"


def test_an_agent_reads_the_queue_and_decides_nothing(mem, within, queue):
    before = queue.head()
    agent = {"MEM_ACTOR": "agent:claude", **PLAIN}
    ran = mem.at_terminal("review", env=agent)
    assert KEYS not in ran.screen
    assert HELD in ran.screen
    for words in (["accept", HELD], ["reject", PROPOSED], ["--edit"]):
        ran = within("review", *words, "--yes", env=agent)
        assert ran.code == 5, words
        assert "agent acts here" in ran.err
    told = json.loads(within("review", "--json", env=agent).out)
    (held,) = [one for one in told["items"] if one["id"] == HELD]
    assert held["of"][0]["text"] is None
    assert "Coffee is free" not in json.dumps(told)
    assert queue.head() == before


def test_without_a_terminal_nothing_is_decided(within, queue):
    before = queue.head()
    ran = within("review")
    assert (ran.code, ran.out.count("\n")) == (0, 3)
    ran = within("review", "accept", HELD)
    assert ran.code == 5
    assert "there is no terminal here" in ran.err
    assert queue.head() == before


def test_a_conflict_that_git_left_is_resolved_in_the_editor(mem, within, store, tmp_path):
    path = store.root / "schemas/project/t/refund00aaaa.md"
    git(store, "switch", "-q", "-c", "side")
    path.write_text(path.read_text().replace("30 days", "14 days"))
    store.commit()
    git(store, "switch", "-q", "main")
    path.write_text(path.read_text().replace("30 days", "60 days"))
    store.commit()
    argv = ["git", "-c", "user.name=ana", "-c", "user.email=a@b.c", "merge", "-q", "side"]
    subprocess.run(argv, cwd=store.root, env=store.environment, capture_output=True, check=False)
    assert "<<<<<<<" in path.read_text()
    (waits,) = json.loads(within("review", "--json").out)["items"]
    assert waits["why"] == "unmerged"
    editor = tmp_path / "editor"
    text = "---\\nid: refund00aaaa\\n---\\n\\nThe refund window is 60 days.\\n"
    editor.write_text(f"#!/bin/sh\nprintf -- '{text}' > \"$1\"\n")
    editor.chmod(0o755)
    ran = mem.at_terminal(
        "review", answers=pressed("e"), env={**PLAIN, "MEM_EDITOR": str(editor)}, columns=200
    )
    assert "then git commit" in ran.screen, ran.screen
    assert "60 days" in within("recall", "refund window").out
    assert within("review", "list").code == 1


@pytest.mark.parametrize("columns", [20, 33])
def test_a_narrow_terminal_shows_the_same(mem, within, queue, columns):
    ran = mem.at_terminal("review", answers=pressed("?", "n", "n", "n"), env=PLAIN, columns=columns)
    assert ran.code == 0, ran.screen
    assert "Invoices run per country." in " ".join(ran.screen.split())


def test_the_last_decision_is_taken_back_by_one_key(mem, within, queue):
    raw = {id_: (queue.root / f"schemas/project/t/{id_}.md").read_bytes() for id_ in (HELD, PROPOSED)}
    before = commits(queue)
    ran = mem.at_terminal("review", answers=pressed("ua", "r", "u", "u", "r", "q"), env=PLAIN)
    assert ran.code == 0, ran.screen
    assert "Taken back: reject of Invoices run per country." in ran.screen
    assert "Taken back: accept of On Fridays nobody pays for tea." in ran.screen
    assert "1 decision, in a commit of its own. 2 left for another time." in ran.screen
    assert commits(queue) == before + 5
    assert (queue.root / f"schemas/project/t/{PROPOSED}.md").read_bytes() == raw[PROPOSED]
    assert show(within, HELD)["status"] == "archived"


def test_undo_is_offered_only_where_something_was_decided(mem, queue):
    ran = mem.at_terminal("review", answers=pressed("a", "q"), env=PLAIN)
    first, second = (line for line in ran.screen.splitlines() if KEYS in line)
    assert "[u]ndo" not in first
    assert "[u]ndo" in second
    assert len(second) <= 80
