"""The scope wall: fifty scopes with a canary each, and no way to see a foreign one."""

import json

import pytest
from trial import AGENT, PERSON

from memcli.engine import reading
from memcli.engine.opened import open_store
from memcli.engine.recalling import recall
from memcli.memory.visibility import Mode

SCOPES = [f"{kind}:s{n:02d}" for n, kind in enumerate(["project", "team"] * 25)]


def canary(scope):
    """A word that stands in the memories of one scope alone."""
    return f"zk{scope.partition(':')[2]}kestrel"


@pytest.fixture(scope="module")
def aviary(empty, tmp_path_factory):
    """In every scope: one active memory, one superseded, one that waits, one forgotten, two in conflict."""
    made = empty.copy(tmp_path_factory.mktemp("aviary"))
    for nth, scope in enumerate(SCOPES):
        folder, bird = scope.replace(":", "/"), canary(scope)
        about = (
            f"concept: nest\nevidence:\n  - event: ev{nth:02d}KIND\n    quote: {bird} told\ntags: [nest]\n"
        )
        heads = {
            "active": about,
            "rival": about,
            "old": f"status: superseded\nsuperseded_by: {nth:02d}active\nvalidity:\n  to: 2026-01-01\n"
            + about,
            "waiting": "status: needs_review\nreview:\n  reason: proposal\n" + about,
            "lost": "status: forgotten\n" + about,
        }
        says = {
            "rival": "The {} has its nest in an old barn.",
            "lost": "Nobody may feed the {} at the old tower.",
        }
        for kind, head in heads.items():
            claim = says.get(kind, "The {} nests in the old tower.").format(bird)
            made.write(f"{nth:02d}{kind}", claim, head.replace("KIND", kind), folder=folder)
        page = made.root / "procedures" / folder / "watch-birds" / "SKILL.md"
        page.parent.mkdir(parents=True)
        page.write_text(f"---\nname: watch-birds\ndescription: Watch the {bird} nest.\n---\n\n1. {bird}\n")
    made.write("everyone", "The tower belongs to the city.", folder="global")
    made.commit_by_hand()
    made.ran("recall", "tower")
    return made


def opened(store, scope):
    """The store as a command in that scope opens it."""
    from memcli import surroundings

    environment = {**store.environment, **PERSON}
    home = surroundings.home_of(environment)
    stands = surroundings.Surroundings(
        environment,
        store.root,
        store.moment,
        80,
        (False,) * 3,
        False,
        home,
        surroundings.own_of(environment, home),
    )
    return open_store(stands, named=str(store.root), scope=scope)


def foreign(text, scope):
    """The canaries of other scopes in a text."""
    return [canary(other) for other in SCOPES if other != scope and canary(other) in text]


ALWAYS = [
    {"mode": Mode.WIDE, "floor": 0.0, "k": 99, "budget": 10**6, "evidence": "full"},
    {"mode": Mode.HISTORY, "floor": 0.0, "k": 99, "budget": 10**6, "evidence": "full"},
]
IN_TURN = [
    {},
    {"as_of": 1_750_000_000, "tags": ("nest",)},
    {"types": ("task",)},
    {"floor": 1.0},
    {"budget": 1},
]


@pytest.mark.case("P-LIFE-05")
def test_no_question_in_one_of_fifty_scopes_is_answered_from_another(aviary):
    for nth, scope in enumerate(SCOPES):
        other = SCOPES[(nth + 1) % len(SCOPES)]
        stands = opened(aviary, scope)
        for how in (*ALWAYS, IN_TURN[nth % len(IN_TURN)]):
            answer = recall.run(stands, recall.Request("where does it nest, the old tower", scope, **how))
            assert foreign(repr(answer), scope) == []
            assert {str(item.schema.scope) for item in answer.items} <= {scope, "global"}
        theirs = recall.run(stands, recall.Request(f"{canary(other)} {other[-3:]}", scope, floor=0.0))
        assert foreign(repr(theirs).replace(theirs.query, ""), scope) == []
        assert theirs.withheld.by["status"] + theirs.withheld.by["validity"] <= 2
        named = recall.run(stands, recall.Request(f"{(nth + 1) % 50:02d}active", scope, floor=0.0, k=2))
        assert foreign(repr(named), scope) == []
        ours = recall.run(stands, recall.Request(f"where does the {canary(scope)} nest", scope))
        assert f"{nth:02d}active" in [item.schema.id for item in ours.items]
        listed = list(
            reading.list_(
                stands, reading.ListRequest(None, statuses=("active", "superseded", "needs_review"))
            )
        )
        assert foreign(repr(listed), scope) == []
        assert {one.id for one in listed} >= {f"{nth:02d}active", f"{nth:02d}old", f"{nth:02d}waiting"}


def test_other_scopes_change_no_byte_of_an_answer(aviary, empty, tmp_path):
    alone = empty.copy(tmp_path)
    for scope in (SCOPES[7], "global"):
        folder = f"schemas/{scope.replace(':', '/')}"
        for path in (aviary.root / folder).glob("*.md"):
            (alone.root / folder).mkdir(parents=True, exist_ok=True)
            (alone.root / folder / path.name).write_bytes(path.read_bytes())
    alone.commit_by_hand()
    for query in ("where does it nest", "old tower of the city", canary(SCOPES[7]), canary(SCOPES[8])):
        for mode in ("default", "wide", "history"):
            asked = (query, "--scope", SCOPES[7], "--mode", mode, "--as-of", "2026-11-01", "--floor", "0.1")
            here, there = aviary.recall(*asked), alone.recall(*asked)
            assert {**here, "known_at": None} == {**there, "known_at": None}


READING = [
    ("recall", "old tower nest", "--floor", "0", "--mode", "wide"),
    ("recall", "old tower nest", "--prompt", "--mode", "history"),
    ("recall", "old tower nest", "-l"),
    ("recall", "old tower nest", "--format", "{id} {path} {text} {concept} {tags} {scope}"),
    ("recall", "old tower nest", "--json", "--evidence", "full", "--floor", "0"),
    ("recall", "old tower nest", "--floor", "1"),
    ("recall", "old tower nest", "--budget", "1"),
    ("list",),
    ("list", "--status", "superseded", "--json"),
    ("list", "--format", "{path} {text}"),
    ("list", "--concept", "nest"),
    ("log",),
    ("log", "--json"),
    ("log", "--op", "edit"),
    ("history", "{nth}active"),
    ("timeline",),
    ("timeline", "--json"),
    ("timeline", "--events", "only"),
    ("timeline", "old tower"),
    ("timeline", "--concept", "nest", "--json"),
    ("timeline", "--active"),
    ("timeline", "--active", "--concept", "nest", "--json"),
    ("diff", "HEAD~1"),
    ("diff", "HEAD~1", "HEAD", "--json"),
    ("blame", "{nth}active"),
    ("blame", "{nth}active", "--json"),
    ("show", "{nth}active"),
    ("show", "{nth}active", "--json"),
    ("status",),
    ("status", "--json"),
    ("index", "status"),
    ("skills", "list"),
    ("skills", "match", "watch the old tower nest"),
    ("skills", "show", "watch-birds"),
    ("export",),
    ("review", "list"),
    ("review", "list", "--json"),
    ("stage", "list"),
    ("stage", "sweep", "--dry-run", "--as-of", "2099-01-01"),
    ("stats",),
    ("stats", "--json"),
    ("gate", "where in the old tower does the kestrel nest"),
    ("gate", "--json", "old tower nest"),
    ("recall", "old tower nest", "--gate", "auto"),
    ("eval", "regret"),
    ("eval", "regret", "--suggest", "--json"),
]


def test_no_reading_command_shows_a_foreign_canary(aviary):
    for nth in (3, 30):
        scope = SCOPES[nth]
        for words in READING:
            argv = [word.format(nth=f"{nth:02d}") if "{nth}" in word else word for word in words]
            ran = aviary.ran(*argv, "--scope", scope)
            assert ran.code in (0, 1), (argv, ran.err)
            assert foreign(ran.out + ran.err, scope) == [], argv
            speaks = words[0] in ("recall", "list", "show", "history", "skills", "export") and not {
                "--floor",
                "--budget",
            } & set(words[1:])
            shown = "path" in words or "-l" in words or canary(scope) in ran.out
            assert not speaks or f"{nth:02d}active" in ran.out or shown, argv


def test_no_error_names_what_another_scope_holds(trial):
    trial.batch([
        {"text": "The kestrel nests in the tower.", "scope": "project:a", "concept": "kestrel"},
        {"text": "The plover nests on the beach.", "scope": "project:b", "concept": "plover"},
    ])  # fmt: skip
    trial.write("same0000aaaa", "The heron sleeps.", folder="project/b").rename(
        trial.root / "schemas/project/b/heron.md"
    )
    trial.write("same0000bbbb", "The kestrel sleeps.", folder="project/a")
    for argv in (
        ["show", "same"],
        ["forget", "same", "--yes"],
        ["history", "same"],
        ["supersede", "same", "--with", "x"],
    ):
        ran = trial.ran(*argv, "--scope", "project:a")
        assert ran.code == 3
        assert "same0000bbbb" in ran.err
        assert "heron" not in ran.err


def test_the_log_tells_every_act_and_of_this_scope_what_it_was_about(trial):
    here = trial.remember("The kestrel nests in the tower.")["id"]
    there = trial.remember("The plover nests on the beach.", "--scope", "project:other")["id"]
    ran = trial.ran("log")
    assert (here in ran.out, there in ran.out) == (True, True)
    assert ("kestrel" in ran.out, "plover" in ran.out, "project:other" in ran.out) == (True, False, True)
    ran = trial.ran("log", "--scope", "*")
    assert ("kestrel" in ran.out, "plover" in ran.out) == (True, True)


def test_an_agent_reads_nowhere_what_was_forgotten(trial):
    lost = trial.remember("The kestrel nests in the tower.")["id"]
    kept = trial.remember("The plover nests on the beach.")["id"]
    trial.forget(lost, "--reason", "kestrel was wrong")
    asked = ["recall", "kestrel tower", "--floor", "0", "--mode", "history"]
    by_id = (["log", lost], ["show", lost], ["history", lost], ["show", kept, lost])
    for argv in (["log"], ["log", "--json"], *by_id, ["list"], asked, ["status"]):
        ran = trial.ran(*argv, env=AGENT)
        assert "kestrel" not in ran.out + ran.err.replace("kestrel tower", ""), argv
        assert lost in trial.did("log", env=AGENT)
    assert "plover" in trial.did("show", kept, env=AGENT)
    assert "plover" in trial.did("log", env=AGENT)
    assert "kestrel" in trial.did("show", lost)
    assert "kestrel" in trial.did("log")


@pytest.mark.case("P-IDX-08")
def test_a_thousand_close_memories_of_one_scope_starve_nobody(empty, tmp_path):
    trial = empty.copy(tmp_path)
    for n in range(1000):
        trial.write(f"a{n:04d}", f"Refund {n} is paid.", folder="project/a")
    for n in range(3):
        trial.write(
            f"b{n:04d}", f"Chapter {n} tells how a refund is paid out at the counter.", folder="project/b"
        )
    trial.commit_by_hand()
    assert len(trial.found("refund is paid", "--scope", "project:b", "-k", "3")) == 3
    found = trial.found("refund is paid", "--scope", "project:a", "-k", "3")
    assert [id_[0] for id_ in found] == ["a", "a", "a"]


@pytest.mark.parametrize(
    "scope",
    ["x' OR '1'='1", "project:x' OR '1'='1", "'; DROP", ") OR (1=1", "project:a%", "project:_", "*' --"],
)
@pytest.mark.case("P-SEC-02")
def test_a_scope_that_looks_like_a_filter_is_a_scope_or_refused(trial, scope):
    trial.batch(
        [
            {"text": "The kestrel nests in the tower.", "scope": one}
            for one in ("project:a", "project:aa", "project:t")
        ]
    )
    for argv in (["recall", "kestrel"], ["list"], ["recall", "kestrel", "--mode", "history", "--floor", "0"]):
        ran = trial.ran(*argv, "--scope", scope)
        assert ran.code in (1, 2), ran.out
        assert "kestrel" not in ran.out
    assert trial.found("kestrel", "--scope", "project:aa")


@pytest.mark.case("P-SEC-03")
def test_quotes_in_a_scope_are_a_name(trial):
    scope = 'project:O\'Brien & "Sons"'
    id_ = trial.remember("The kestrel nests in the tower.", "--scope", scope)["id"]
    assert trial.found("kestrel", "--scope", scope) == [id_]
    assert trial.found("kestrel") == []
    trial.forgets_the_index()
    assert trial.found("kestrel", "--scope", scope) == [id_]


def test_real_processes_keep_the_wall_too(trial):
    trial.batch(
        [{"text": f"The {canary(scope)} nests in the tower.", "scope": scope} for scope in SCOPES[:3]]
    )
    mem = trial.process
    for scope in SCOPES[:3]:
        ran = mem("recall", "nests in the tower", "--json", "--scope", scope)
        assert ran.code == 0
        assert foreign(ran.out + ran.err, scope) == []
        assert canary(scope) in json.loads(ran.out)["items"][0]["text"]


def test_a_memory_never_leaves_its_scope_whatever_stage_it_says(trial):
    for nth, stage in enumerate(("scoped", "portable", "contextual", "global")):
        trial.write(
            f"stage{nth}aaaaaa",
            f"The kestrel of stage {nth} nests in the tower.",
            f"stage: {stage}\n",
            folder="project/a",
        )
    trial.commit_by_hand()
    found = [trial.found("kestrel nests in the tower", "--scope", "project:b", "--mode", mode, "--floor", "0")
             for mode in ("default", "wide", "history")]  # fmt: skip
    assert "stage0aaaaaa" not in {id_ for ids in found for id_ in ids}
    assert len(trial.found("kestrel nests in the tower", "--scope", "project:a")) == 4
