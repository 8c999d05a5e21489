"""The short form of the benchmark beside other programs: what is asked, how answers are read, what is counted."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from contenders import QUESTION, WORDS, Agentlore, AgentMemoryGit, Ripgrep, Way
from corpora import Corpus, Sought, conversations
from ours import Mem
from rivals_summary import Found, silence
from served import EACH, searches
from spoken import Spoken

DATA = Path(__file__).parents[3] / "shared" / "eval" / "data"
HARBOUR = Corpus(
    "harbour",
    {
        "D1-1": ("2024-03-02", "Lena: The ferry to the island leaves at six."),
        "D1-2": ("2024-03-02", "Piet: The ferry is painted green."),
        "D1-3": ("2024-03-03", "Lena: Who waters the tomatoes?"),
    },
    {"D1-1": "D1:1", "D1-2": "D1:2", "D1-3": "D1:3"},
)
CORPORA = {"harbour": HARBOUR}
FERRY = Sought("q1", "When does the ferry to the island leave?", "harbour", frozenset({"D1:1"}))
SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))
    said = asked["params"].get("arguments", {})
    wrong = said.get("wrong", False)
    text = "no such project" if wrong else json.dumps({"results": [said]})
    result = {"content": [{"type": "text", "text": text}], "isError": wrong}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


@pytest.fixture
def printing(tmp_path):
    """Make a contender whose command prints a text whatever it is asked, and end its process later."""
    made = []

    def make(kind, text):
        (tmp_path / "python").symlink_to(sys.executable)
        (tmp_path / "harbour").mkdir()
        (tmp_path / "command").write_text(f"import sys\nprint({text!r})\nsys.exit(0)\n")
        contender = kind(tmp_path, "a rival", (), CORPORA, tmp_path / "command")
        contender.opened()
        made.append(contender)
        return contender

    yield make
    for contender in made:
        contender.closed()


def test_content_words_are_what_one_would_type():
    assert FERRY.words == ["ferry", "island", "leave"]
    assert Sought("q", "Who is it?", "harbour").words == ["Who", "is", "it"]
    assert Way("row").said(FERRY) == FERRY.text
    assert Way("row", WORDS).said(FERRY) == "ferry island leave"


def test_a_search_for_each_word_is_as_many_searches_as_one_call_may_hold():
    assert [one["query"] for one in searches(Way("row", WORDS, EACH), FERRY)] == ["ferry", "island", "leave"]
    assert [one["query"] for one in searches(Way("row", WORDS), FERRY)] == ["ferry island leave"]
    many = Sought("q", " ".join(f"word{at}" for at in range(30)), "harbour")
    assert len(searches(Way("row", WORDS, EACH), many)) == 10


@pytest.mark.skipif(not shutil.which("rg"), reason="ripgrep is not there")
def test_ripgrep_puts_the_file_with_most_words_first_and_says_nothing_where_none_is(tmp_path):
    contender = Ripgrep.at(tmp_path, CORPORA, None)
    contender.take_in(HARBOUR)
    assert contender.ask(contender.ways[0], FERRY) == (["D1-1", "D1-2"], 2 / 3)
    assert contender.ask(contender.ways[0], Sought("q", "Which violin?", "harbour")) == ([], 0.0)


def test_answers_of_agentlore_are_read_by_the_numbers_of_its_entries(printing):
    told = "REPO MEMORY -- 2 of 3\n\n[DEC-2026-01-01-0002] decision/accepted\n[DEC-2026-01-01-0000] decision"
    contender = printing(Agentlore, told)
    assert contender.ask(Way("row"), FERRY) == (["D1-3", "D1-1"], None)
    assert contender.ask(Way("row"), FERRY) == (["D1-3", "D1-1"], None)


def test_answers_of_agent_memory_git_are_read_by_the_names_of_its_files(printing):
    told = "- [project] Lena: the ferry → 2026/11/20261130-d1-2-9saw.md\n    Lena: - [x] → no.md"
    contender = printing(AgentMemoryGit, told)
    assert contender.ask(Way("row", WORDS), FERRY) == (["D1-2"], None)
    contender.command.write_text("print('no matches (try --all for other locations)')")
    assert contender.ask(Way("row", WORDS), FERRY) == ([], None)


def test_a_rival_that_fails_is_not_taken_for_one_that_found_nothing(printing):
    contender = printing(Agentlore, "")
    contender.command.write_text("import sys\nsys.exit(3)\n")
    with pytest.raises(RuntimeError, match="ended with 3"):
        contender.ask(Way("row"), FERRY)


class Told:
    """A store that gives one answer."""

    def __init__(self, answer):
        self.answer = answer

    def recall(self, _query, *_options):
        """That answer."""
        return self.answer


def test_a_memory_that_says_two_documents_counts_as_both(tmp_path):
    answer = {"items": [{"id": "m1", "match": 0.4}], "withheld": {"top_score": 0.1}}
    contender = Mem.__new__(Mem)
    contender.folder, contender.corpora, contender.program = tmp_path, CORPORA, Told(answer)
    (tmp_path / "harbour.json").write_text(json.dumps(["m1", "m1", "m2"]))
    assert contender.ask(Way("row", QUESTION, "0"), FERRY) == (["D1-1 D1-2"], 0.4)


def test_a_server_is_asked_between_what_it_says_on_its_own(tmp_path):
    (tmp_path / "server.py").write_text(SERVER)
    server = Spoken([sys.executable, tmp_path / "server.py"], tmp_path, None)
    try:
        assert server.call("search", {"query": "ferry"}) == {"results": [{"query": "ferry"}]}
        with pytest.raises(RuntimeError, match="no such project"):
            server.call("search", {"wrong": True})
    finally:
        server.close()
    assert server.process.returncode == 0


def test_silence_is_counted_apart_where_an_answer_is_and_where_none_is():
    elsewhere = Sought("q1", FERRY.text, "garden")
    given = {
        ("q1", "harbour"): Found("q1", "harbour", [["D1:1"]], 0.9, 1.0),
        ("q1", "garden"): Found("q1", "garden", [], 0.1, 1.0),
    }
    found = silence(given, [FERRY], [elsewhere])
    assert (found["answerable"]["count"], found["unanswerable"]["count"]) == (0, 1)
    assert found["auroc"] == 1.0
    given["q1", "garden"] = Found("q1", "garden", [], None, 1.0)
    assert "auroc" not in silence(given, [FERRY], [elsewhere])


@pytest.mark.skipif(not DATA.is_dir(), reason="the evaluation sets are not here")
def test_a_seed_draws_the_same_questions_again_and_each_is_asked_where_nothing_answers():
    told, asked = conversations(DATA, 2, 5, 6)
    again = conversations(DATA, 2, 5, 6)[1]
    assert asked == again
    assert asked != conversations(DATA, 2, 5, 7)[1]
    own = [one for one in asked if one.evidence]
    assert len(own) == 10
    assert [one.id for one in asked if not one.evidence] == [one.id for one in own]
    assert {one.corpus for one in asked} == {one.name for one in told}
