"""A stage that an edit by hand raises: from when on it counts, and whose act that is."""

import pytest
from trial import AGENT

from memcli.engine import reconcile
from memcli.engine.view import View

CLAIM = "The orchard is pruned in March."
ASK = "when is the orchard pruned"
FARM = ("--scope", "project:farm")


@pytest.fixture
def orchard(trial):
    trial.write("prune000", CLAIM)
    trial.commit_by_hand()
    assert trial.found(ASK, *FARM) == []
    trial.write("prune000", CLAIM, "stage: portable\n")
    return trial


def test_an_edit_widens_reach_once_a_person_saves_it_and_not_before(orchard, monkeypatch):
    assert orchard.found(ASK, *FARM) == []
    assert orchard.found(ASK) == ["prune000"]
    with monkeypatch.context() as patch:
        patch.setattr(reconcile, "freshen", lambda stands: View(None, {}, reconcile._confirmed_now(stands)))
        assert orchard.found(ASK, *FARM) == []
    orchard.did("save")
    assert orchard.found(ASK, *FARM) == ["prune000"]


def test_a_commit_made_with_git_alone_widens_it_too(orchard):
    assert orchard.found(ASK, *FARM) == []
    orchard.commit_by_hand()
    assert orchard.found(ASK, *FARM) == ["prune000"]
    assert orchard.found(ASK, "--scope", "team:ops") == []


def test_an_edit_narrows_reach_at_once(orchard):
    orchard.did("save")
    orchard.write("prune000", CLAIM)
    assert orchard.found(ASK, *FARM) == []


def test_an_agent_saves_no_wider_reach_but_everything_else(orchard):
    orchard.write("water000", "The orchard is watered in May.")
    ran = orchard.ran("save", env=AGENT)
    assert ran.code == 5
    assert "portable" in ran.out + ran.err
    assert orchard.found(ASK, *FARM) == []
    orchard.write("prune000", CLAIM + " By the night crew.")
    orchard.did("save", env=AGENT)
    orchard.write("new00000", "The orchard is sprayed in June.", "stage: global\n")
    assert orchard.ran("save", env=AGENT).code == 5


def test_a_new_file_reaches_no_further_than_its_scope_until_a_person_saves_it(orchard):
    orchard.git("checkout", "-q", "--", ".")
    orchard.write("graft000", "The orchard is grafted in April.", "stage: global\n")
    asked = "when is the orchard grafted"
    assert orchard.found(asked)[0] == "graft000"
    assert "graft000" not in orchard.found(asked, *FARM)
    assert orchard.ran("save", env=AGENT).code == 5
    assert "graft000" not in orchard.found(asked, *FARM)
    orchard.did("save")
    assert orchard.found(asked, *FARM) == ["graft000"]


def test_a_file_that_could_not_be_understood_before_reaches_no_further_either(orchard):
    orchard.write("prune000", CLAIM, "stage: [\n")
    orchard.commit_by_hand()
    orchard.write("prune000", CLAIM, "stage: portable\n")
    assert orchard.found(ASK) == ["prune000"]
    assert orchard.found(ASK, *FARM) == []
    orchard.did("save")
    assert orchard.found(ASK, *FARM) == ["prune000"]
