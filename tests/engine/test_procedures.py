"""Procedures: listed by their headings, found by what they are for, kept with what went wrong (A18)."""

import json

import pytest
from trial import AGENT, MINUTE

from memcli import surroundings
from memcli.engine import procedures
from memcli.engine.opened import open_store
from memcli.errors import BadFile, Refused
from memcli.memory.constants import DEFAULTS
from memcli.memory.procedure import Tally, lift, with_warnings
from memcli.memory.reporting import Effect
from memcli.store import event

NOTES = "Write the release notes of a version from the merged changes."
TEA = "Make tea for everybody in the kitchen."
DEPLOY = "Deploy the shop to production, step by step."
QUERY = "how do I write release notes for the new version"
BODY = "1. List what was merged.\n2. Group it by who reads it.\n"


def page(name, description, body=BODY):
    return f"---\nname: {name}\ndescription: {description}\n---\n\n{body}"


def put(trial, name, description, body=BODY, folder="project/t"):
    """A procedure written by hand; its folder."""
    where = trial.root / "procedures" / folder / name
    where.mkdir(parents=True, exist_ok=True)
    (where / "SKILL.md").write_text(page(name, description, body))
    return where


@pytest.fixture
def two(trial):
    put(trial, "release-notes", NOTES)
    put(trial, "make-tea", TEA, "1. Push the button.\n")
    return trial


@pytest.fixture
def capture(trial, monkeypatch):
    """Capture in the store, as a person."""

    def captured(text, **how):
        stands = surroundings.made(trial.environment, trial.root, (False, False, False), 80, terminal=False)
        return procedures.capture(open_store(stands), "s1", text, **how)

    return captured


def test_a_list_reads_headings_and_no_body(two):
    """A18."""
    broken = put(two, "broken-body", "Has a body that is not even text.") / "SKILL.md"
    broken.write_bytes(broken.read_bytes() + b"\xff\xfe" * 3000)
    out = two.did("skills", "list")
    assert out.splitlines() == [
        "broken-body\tproject:t\tHas a body that is not even text.",
        f"make-tea\tproject:t\t{TEA}",
        f"release-notes\tproject:t\t{NOTES}",
    ]
    listed = two.told("skills", "list")
    assert listed["format"] == "mem.skills/1"
    assert "merged.\n2" not in json.dumps(listed)
    assert {"name", "description", "scope", "path"} == set(listed["items"][0])


def test_a_match_loads_the_body_and_what_does_not_match_loads_none(two):
    """A18."""
    (found,) = two.told("skills", "match", QUERY)["items"]
    assert found["name"] == "release-notes"
    assert found["text"] == page("release-notes", NOTES)
    assert "Push the button" not in json.dumps(found)
    nothing = two.told("skills", "match", "which lawyer files the tax appeal", code=1)
    assert nothing["items"] == []
    assert two.ran("skills", "match", "which lawyer files the tax appeal", "--ok-if-empty").code == 0


def test_at_most_two_bodies_are_loaded(trial):
    for name in ("release-notes", "release-letter", "release-mail"):
        put(trial, name, NOTES)
    assert len(trial.told("skills", "match", QUERY)["items"]) == 2


def test_a_file_of_its_folder_is_read_only_when_named_and_never_outside(two, tmp_path):
    """A18."""
    folder = two.root / "procedures/project/t/release-notes"
    (folder / "references").mkdir()
    (folder / "references/form.md").write_text("the form\n")
    (tmp_path / "secret").write_text("canary")
    (folder / "link.md").symlink_to(tmp_path / "secret")
    (folder / "away").symlink_to(tmp_path)
    assert "the form" not in two.did("skills", "show", "release-notes")
    assert two.did("skills", "show", "release-notes", "--file", "references/form.md") == "the form\n"
    assert two.did("skills", "show", "release-notes", "--file", "./references/form.md") == "the form\n"
    for name in ("../make-tea/SKILL.md", str(tmp_path / "secret"), "link.md", "away/secret", "a\0b", ".."):
        ran = two.ran("skills", "show", "release-notes", "--file", name)
        assert ran.code == 2 if "\0" in name else ran.code in (4, 5, 6, 8), name
        assert "canary" not in ran.out + ran.err
        assert "button" not in ran.out


def test_another_scope_is_not_seen_and_the_whole_ones_are(two):
    put(two, "canary", "Write the release notes of another project.", folder="project/other")
    put(two, "water", "Water the plants.", folder="user")
    put(two, "make-tea", "Make tea anywhere.", folder="global")
    out = two.did("skills", "list")
    assert "canary" not in out
    assert [line.split("\t")[:2] for line in out.splitlines()] == [
        ["make-tea", "project:t"],
        ["release-notes", "project:t"],
        ["water", "user"],
    ]
    assert "canary" not in two.did("skills", "match", QUERY)
    assert two.ran("skills", "show", "canary").code == 3
    assert "canary" in two.did("skills", "list", "--scope", "project:other")
    assert "canary" in two.did("skills", "list", "--scope", "*")
    assert two.ran("skills", "list", "--scope", "*", env=AGENT).code == 5


def feedback(trial, name, effect, *, covered=True, **data):
    """A report, and the line that takes it in."""
    trial.moment += MINUTE
    reports = [("feedback", {"procedures": [{"name": name, "effect": effect}], **data})]
    ids = [event.new_id(trial.moment * 1000, b"0123456789", nth) for nth in range(2)]
    reports += [("consolidated", {"through": ids[0], "logic": "1"})] if covered else []
    path = trial.root / f"events/2026/11/{trial.moment}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    common = {"at": "2026-11-30T00:00:00Z", "scope": "project:t", "actor": "agent:claude", "logic": "1"}
    lines = [
        common | {"id": id_, "session": str(trial.moment), "kind": kind, "data": said}
        for id_, (kind, said) in zip(ids, reports, strict=False)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return ids[0]


def order(trial):
    return [line.split("\t")[0] for line in trial.did("skills", "match", QUERY).splitlines()]


def test_what_harmed_stands_behind_what_helped_and_a_harm_weighs_double(trial):
    put(trial, "first-way", NOTES)
    put(trial, "other-way", NOTES)
    before = order(trial)
    feedback(trial, before[0], "harmed")
    assert order(trial) == before[::-1]
    feedback(trial, before[0], "helped")
    assert order(trial) == before[::-1]
    feedback(trial, before[0], "helped")
    feedback(trial, before[0], "helped")
    assert order(trial) == before


def test_only_reports_that_were_taken_in_count_and_no_shadow_or_refined_one(trial):
    put(trial, "first-way", NOTES)
    put(trial, "other-way", NOTES)
    before = order(trial)
    feedback(trial, before[0], "harmed", covered=False)
    feedback(trial, before[0], "harmed", shadow=True)
    feedback(trial, before[0], "unknown")
    feedback(trial, before[0], "no-effect")
    assert order(trial) == before
    wrong = feedback(trial, before[0], "harmed")
    assert order(trial) == before[::-1]
    feedback(trial, before[0], "no-effect", refines=wrong)
    assert order(trial) == before


def test_reports_never_let_in_what_does_not_match(two):
    for _ in range(9):
        feedback(two, "make-tea", "helped")
    assert order(two) == ["release-notes"]


def test_the_lift_is_bounded_and_harm_counts_twice():
    assert lift(Tally(2, 1)) == 0
    assert lift(Tally(1)) == DEFAULTS.procedure_step
    assert lift(Tally(0, 1)) == -2 * DEFAULTS.procedure_step
    assert abs(lift(Tally(0, 99))) == lift(Tally(99)) == DEFAULTS.procedure_most
    assert Tally().told(Effect.UNKNOWN) == Tally()


def test_capturing_is_one_commit_with_its_event_and_twice_is_once(trial, capture):
    before = trial.commits()
    text = page("release-notes", NOTES)
    done = capture(text)
    assert (done.decision, done.commit) == ("created", trial.head())
    path = "procedures/project/t/release-notes/SKILL.md"
    assert trial.touched(below=".") == sorted([path, *trial.touched(below="events")])
    assert (trial.root / path).read_text() == text
    assert capture(text).decision == "unchanged"
    assert trial.commits() == before + 1
    assert trial.git("status", "--porcelain") == ""
    assert order(trial) == ["release-notes"]
    assert trial.found("release notes", "--floor", "0", "--mode", "wide") == []
    assert '"op": "capture"' in trial.did("log", "--json")


def test_failed_attempts_stay_as_warnings_whatever_replaces_the_page(trial, capture):
    capture(page("deploy", DEPLOY, "1. Push.\n"))
    done = capture(page("deploy", DEPLOY, "# How\n\n1. Push on a Friday.\n"), failed=True)
    assert done.decision == "warned"
    text = (trial.root / done.procedure.path).read_text()
    assert "1. Push.\n" in text
    assert "## Failed attempt, " in text
    capture(page("deploy", DEPLOY, "1. Push twice.\n"))
    text = (trial.root / done.procedure.path).read_text()
    assert "1. Push twice." in text
    assert "1. Push.\n" not in text
    assert "1. Push on a Friday." in text
    assert text.count("Failed attempt") == 1


def test_warnings_that_stand_in_the_new_page_are_not_doubled():
    before = "1. a\n\n## Warnings\n\n- hot\n- wet\n"
    assert (
        with_warnings(before, "1. b\n\n## Warnings\n\n- hot\n- wet\n")
        == "1. b\n\n## Warnings\n\n- hot\n- wet\n"
    )
    kept = with_warnings(before, "1. b\n\n## Caveats\n\n- hot\n")
    assert kept.count("- hot") == 1
    assert "- wet" in kept


def test_an_edit_by_hand_is_committed_before_it_is_replaced(trial, capture):
    path = capture(page("deploy", DEPLOY, "1. Push.\n")).procedure.path
    (trial.root / path).write_text(page("deploy", DEPLOY, "1. By hand.\n"))
    before = trial.commits()
    capture(page("deploy", DEPLOY, "1. Push twice.\n"))
    assert trial.commits() == before + 2
    assert "1. By hand." in trial.git("show", f"HEAD~1:{path}")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("just words", BadFile),
        (page("Deploy It", DEPLOY), BadFile),
        (page("../../etc", DEPLOY), BadFile),
        (page("deploy", ""), BadFile),
        (page("deploy", "x" * 1025), BadFile),
        (page("deploy", DEPLOY, "AKIA" + "IOSFODNN7EXAMPLQ"), Refused),
    ],
)
def test_what_is_no_skill_or_holds_a_secret_is_refused(trial, capture, text, error):
    head = trial.head()
    with pytest.raises(error):
        capture(text)
    assert trial.head() == head
    assert not (trial.root / "procedures").exists()
    assert capture(page("deploy", DEPLOY)).decision == "created"


def test_check_names_what_is_wrong_and_the_others_are_unaffected(two):
    put(two, "renamed", NOTES).rename(two.root / "procedures/project/t/other-name")
    ran = two.ran("check")
    assert ran.code == 4
    assert "procedures/project/t/other-name/SKILL.md:1: name: 'renamed' differs" in ran.out
    ran = two.ran("skills", "list")
    assert [line.split("\t")[0] for line in ran.out.splitlines()] == ["make-tea", "release-notes"]
    assert "set aside" in ran.err


def test_links_and_hidden_folders_are_not_entered(two, tmp_path):
    (tmp_path / "canary").mkdir()
    (tmp_path / "canary/SKILL.md").write_text(page("canary", NOTES))
    folder = two.root / "procedures/project/t"
    (folder / "canary").symlink_to(tmp_path / "canary")
    put(two, ".hidden", NOTES)
    assert two.did("skills", "list").count("\n") == 2


def test_what_is_written_by_hand_is_seen_and_saved(two):
    paths = [f"procedures/project/t/{name}/SKILL.md" for name in ("make-tea", "release-notes")]
    assert two.told("status")["uncommitted"] == paths
    before = two.commits()
    two.did("save")
    assert two.touched(below=".") == paths
    assert two.commits() == before + 1
    assert two.told("status")["uncommitted"] == []
    assert two.told("log")["entries"][0]["op"] == "capture"
    (two.root / paths[0]).write_text(page("make-tea", TEA, "The key is " + "AKIA" + "IOSFODNN7EXAMPLQ\n"))
    (two.root / paths[1]).unlink()
    assert two.ran("save").code in (4, 5)
    assert two.told("status")["uncommitted"] == paths[:1]
    assert "EXAMPLQ" not in two.git("log", "-p")


def test_capturing_is_taken_back_by_undo(trial, capture):
    path = trial.root / capture(page("deploy", DEPLOY, "1. Push.\n")).procedure.path
    capture(page("deploy", DEPLOY, "1. Push twice.\n"))
    trial.did("undo")
    assert path.read_text() == page("deploy", DEPLOY, "1. Push.\n")
    trial.did("undo")
    assert not path.exists()
    assert trial.git("status", "--porcelain") == ""


def test_a_task_leaves_a_procedure_and_the_next_one_says_what_it_did(trial, tmp_path):
    """A18 and the task cycle: captured at commit, laid out at activation, put in order by feedback."""
    file = tmp_path / "SKILL.md"
    file.write_text(page("release-notes", NOTES))
    other = tmp_path / "OTHER.md"
    other.write_text(page("release-letter", NOTES))
    for one in (file, other):
        trial.told("activate", "--task", "Something new", env=AGENT)
        trial.did("commit", "--outcome", "done", "--procedure", str(one), env=AGENT)
    assert trial.git("status", "--porcelain") == ""
    laid_out = trial.told("activate", "--task", QUERY, env=AGENT)
    assert {one["name"] for one in laid_out["procedures"]} == {"release-notes", "release-letter"}
    first = order(trial)[0]
    told = ("--procedure", f"{first}:harmed", "--coverage", "partial")
    trial.did("feedback", laid_out["receipt"], *told, env=AGENT)
    assert order(trial)[0] == first
    trial.did("commit", "--outcome", "failed", "--procedure", str(file), env=AGENT)
    found = trial.told("skills", "match", QUERY)["items"]
    assert found[1]["name"] == first
    assert (found[0]["harmed"], found[1]["harmed"]) == (0, 1)
    text = trial.did("skills", "show", "release-notes")
    assert "## Failed attempt, " in text
