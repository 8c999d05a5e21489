"""Lifecycle: an old buffer over a forget, two who say the same at once, and every way a status comes back."""

import json
import subprocess

import pytest
from trial import AGENT, DAY, PERSON

CLAIM = "The refund window is 30 days."
BESIDE = "Deploys to production happen on Tuesdays only."


@pytest.fixture
def pair(trial):
    """A store with the claim and another memory; the claim's id."""
    id_, _ = (one["id"] for one in trial.batch([CLAIM, BESIDE]))
    return trial, id_


def is_out(trial, id_, status="forgotten"):
    """Whether the memory is served by no question, by any index, while its neighbour is."""
    for _ in range(2):
        for mode in ("default", "wide", "history") if status == "forgotten" else ("default", "wide"):
            assert id_ not in trial.found("refund window", "--mode", mode, "--floor", "0")
            assert trial.found(id_, "--mode", mode) == []
        assert id_ not in trial.did("list", "--ids").split()
        assert trial.status(id_) == status
        assert trial.found("deploys to production")
        trial.forgets_the_index()
    return True


@pytest.mark.case("P-LIFE-08")
@pytest.mark.parametrize(
    "then", ["nothing", "plain commit", "another memory", "status and check", "switch and back"]
)
def test_an_old_buffer_saved_over_a_forget_is_not_served(pair, then):
    trial, id_ = pair
    path = trial.path(id_)
    buffer = path.read_bytes()
    trial.forget(id_)
    path.write_bytes(buffer)
    if then == "plain commit":
        trial.commit_by_hand("save all")
    elif then == "another memory":
        trial.remember("Tea is free on Mondays.")
    elif then == "status and check":
        assert str(path.relative_to(trial.root)) in trial.ran("status").out + trial.ran("check").out
    elif then == "switch and back":
        trial.commit_by_hand("save all")
        trial.git("checkout", "-q", "-b", "other")
        trial.ran("recall", "refund")
        trial.git("checkout", "-q", "main")
    assert is_out(trial, id_)
    assert path.read_bytes() == buffer
    assert trial.remember("the refund window is 30 days", code=5, env=AGENT)["decision"] == "skipped"


@pytest.mark.case("P-LIFE-08")
@pytest.mark.parametrize("committed", [True, False])
def test_only_a_persons_word_confirms_what_comes_back(pair, committed):
    trial, id_ = pair
    path = trial.path(id_)
    buffer = path.read_bytes()
    trial.forget(id_)
    path.write_bytes(buffer)
    if committed:
        trial.commit_by_hand("save all")
    for who in ({}, AGENT):
        head = trial.head()
        ran = trial.ran("save", env=who)
        assert ran.code == 5
        assert id_ in ran.out + ran.err
        assert trial.head() == head
        assert is_out(trial, id_)
    assert trial.ran("save", "--yes", env=AGENT).code == 5
    assert is_out(trial, id_)
    trial.did("save", "--yes", env=PERSON)
    assert trial.status(id_) == "active"
    assert id_ in trial.found("refund window")
    entry = trial.told("log", "-n1")["entries"][0]
    assert entry["changes"] == [{"id": id_, "prior_status": "forgotten", "status": "active"}]
    assert trial.git("status", "--porcelain") == ""
    trial.forgets_the_index()
    assert id_ in trial.found("refund window")


@pytest.mark.case("P-LIFE-08")
def test_saving_everything_else_goes_on_beside_what_comes_back(pair):
    trial, id_ = pair
    path = trial.path(id_)
    buffer = path.read_bytes()
    trial.forget(id_)
    path.write_bytes(buffer)
    trial.write("hand0000aaaa", "The warehouse is in Gdansk.")
    ran = trial.ran("save")
    assert ran.code == 5
    assert trial.touched() == ["schemas/project/t/hand0000aaaa.md"]
    assert trial.found("where is the warehouse")[0] == "hand0000aaaa"
    assert is_out(trial, id_)


@pytest.mark.case("P-LIFE-08")
@pytest.mark.parametrize("status", ["superseded", "retracted"])
def test_an_old_buffer_over_another_removal_is_not_served_either(pair, status):
    trial, id_ = pair
    path = trial.path(id_)
    buffer = path.read_bytes()
    if status == "superseded":
        trial.did("supersede", id_, "--with", "The refund window is 14 days.")
    else:
        path.write_bytes(buffer.replace(b"status: active", b"status: retracted"))
        trial.did("save")
    path.write_bytes(buffer)
    assert is_out(trial, id_, status)
    trial.commit_by_hand("save all")
    assert is_out(trial, id_, status)
    assert trial.ran("save").code == 5
    trial.did("save", "--yes")
    assert trial.status(id_) == "active"


@pytest.mark.parametrize("status", ["forgotten", "retracted", "archived"])
def test_towards_withholding_a_hand_counts_at_once(pair, status):
    trial, id_ = pair
    path = trial.path(id_)
    head = f"status: {status}\n" + ("archive_reason: rejected\n" if status == "archived" else "")
    path.write_text(path.read_text().replace("status: active\n", head))
    for _ in range(2):
        assert id_ not in trial.found("refund window", "--floor", "0")
        assert trial.status(id_) == status
        assert trial.found("deploys to production")
        trial.forgets_the_index()
    trial.did("save")
    entry = trial.told("log", "-n1")["entries"][0]
    assert entry["op"] == {"forgotten": "forget", "retracted": "retract", "archived": "archive"}[status]
    assert entry["changes"] == [{"id": id_, "prior_status": "active", "status": status}]


def test_an_agent_cannot_save_a_forget_by_hand(pair):
    trial, id_ = pair
    path = trial.path(id_)
    path.write_text(path.read_text().replace("status: active", "status: forgotten"))
    head = trial.head()
    assert trial.ran("save", env=AGENT).code == 5
    assert trial.head() == head
    assert id_ not in trial.found("refund window", "--floor", "0")


def test_a_stronger_removal_by_hand_over_a_weaker_one_counts_and_comes_back_by_a_person_only(pair):
    trial, id_ = pair
    trial.did("supersede", id_, "--with", "The refund window is 14 days.")
    path = trial.path(id_)
    superseded = path.read_bytes()
    path.write_text(path.read_text().replace("status: superseded", "status: forgotten"))
    assert trial.status(id_) == "forgotten"
    trial.did("save")
    path.write_bytes(superseded)
    assert is_out(trial, id_)
    (act,) = trial.unforget(id_)
    assert (act["prior_status"], trial.status(id_)) == ("forgotten", "superseded")
    assert path.read_bytes() == superseded


def test_undoing_a_forget_is_a_persons_act_and_exact(pair):
    trial, id_ = pair
    raw = trial.path(id_).read_bytes()
    trial.forget(id_)
    assert trial.ran("undo", env=AGENT).code in (3, 5)
    assert trial.ran("undo").code == 5
    assert is_out(trial, id_)
    trial.did("undo", "--yes")
    assert trial.path(id_).read_bytes() == raw
    for _ in range(2):
        assert id_ in trial.found("refund window")
        trial.forgets_the_index()


def test_undoing_a_supersession_brings_the_old_one_back_and_takes_the_new_one_out(pair):
    trial, id_ = pair
    raw = trial.path(id_).read_bytes()
    new = trial.told("supersede", id_, "--with", "The refund window is 14 days.")["new"]
    trial.did("undo", "--yes")
    assert trial.path(id_).read_bytes() == raw
    for _ in range(2):
        assert trial.found("refund window")[0] == id_
        assert trial.ran("show", new).code == 3
        trial.forgets_the_index()
    assert trial.remember("The refund window is 14 days.")["decision"] == "created"


@pytest.mark.case("P-LIFE-07")
def test_two_processes_that_say_the_same_at_once_make_one_memory(trial):
    trial.remember(BESIDE)
    mem = trial.process
    workers = [
        subprocess.Popen(
            [*mem.command, "remember", "--json", CLAIM],
            cwd=trial.root,
            env=mem.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    told = [json.loads(worker.communicate(timeout=120)[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0]
    assert sorted(one["decision"] for one in told) == ["created", "reinforced"]
    assert len({one["id"] for one in told}) == 1
    assert len({one["commit"] for one in told}) == 2
    id_ = told[0]["id"]
    assert len(trial.told("show", id_)["evidence"]) == 2
    trial.moment += DAY
    assert trial.remember(CLAIM)["id"] == id_
    assert len(list(trial.root.glob("schemas/**/*.md"))) == 2
    assert trial.git("status", "--porcelain") == ""


@pytest.mark.case("P-LIFE-07")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Build status: \u2705", "Build status: \u274c"),
        (f"The signing key is {'a' * 120}", f"The signing key is {'b' * 120}"),
        ("The user is called Zo\u00eb.", "The user is called Zo\u00e9."),
        ("The release branch is release/x", "The release branch is release-x"),
    ],
    ids=["pictures", "long words", "accents", "spellings"],
)
def test_what_differs_only_in_what_the_model_does_not_read_is_not_swallowed(trial, one, other):
    first, second = (trial.remember(text) for text in (one, other))
    assert (first["decision"], second["decision"]) == ("created", "created")
    assert other in trial.path(second["id"]).read_text("utf-8")
    assert trial.remember(other)["decision"] == "reinforced"


NOTE = " ".join(
    f"Step {word} of the release is done by hand in the old console."
    for word in (
        "checking",
        "tagging",
        "signing",
        "copying",
        "announcing",
        "archiving",
        "cleaning",
        "reporting",
    )
    * 5
)


@pytest.mark.case("P-LIFE-07")
@pytest.mark.parametrize("end", ["", " Whoever is on call buys the cake."], ids=["added", "exchanged"])
def test_the_end_of_a_long_note_is_not_swallowed_by_another_note_that_begins_alike(trial, end):
    """The model reads the first 256 tokens of a text as a whole, and an added sentence hardly moves it."""
    first = trial.remember(NOTE + end)
    longer = trial.remember(f"{NOTE} The harbour pilot keeps the spare key.")
    assert (first["decision"], longer["decision"]) == ("created", "created")
    shown = trial.told("recall", "who keeps the spare key", "--budget", "4000")["items"]
    assert shown[0]["id"] == longer["id"]
    both = trial.told("recall", "steps of the release done by hand", "--budget", "4000")["items"]
    assert longer["id"] in [one["id"] for one in both]
    assert trial.remember(NOTE + end)["id"] == first["id"]
