"""mem stats: the figures of a scope add up, at a terminal, in a pipe and as JSON."""

from memcli.cli.render.figures import sparkline
from memcli.memory.constants import DEFAULTS


def test_the_figures_add_up(trial):
    trial.remember("Parcels go by rail.")
    trial.remember("The port is 80.", "--concept", "port", "--type", "decision")
    old = trial.remember("Invoices run per country.")["id"]
    trial.forget(old)
    trial.write("stag0000aaaa", "Lunch is at noon.", "status: staged\n")
    trial.write("dupe0000aaaa", "Parcels go by rail!", "")
    trial.write("gone0000aaaa", "The shop is shut.", "status: archived\narchive_reason: rejected\n")
    trial.commit_by_hand()
    told = trial.told("stats")
    assert told["memories"] == sum(told["by_status"].values()) == 6
    assert told["by_status"] == {"active": 3, "archived": 1, "forgotten": 1, "staged": 1}
    assert told["by_type"] == {"fact": 2, "decision": 1}
    assert told["waiting"] == {"staged": 1}
    assert told["reasons"] == {"archived rejected": 1}
    assert [sorted(pair) for pair in told["twice"]] == [
        sorted(["dupe0000aaaa", trial.found("parcels by rail")[0]])
    ]
    assert told["events"] == {"claim": 3}
    assert told["weeks"][-1] == 3
    assert told["scopes"] == {}
    assert trial.told("stats", "--scope", "*")["scopes"] == {"project:t": 6}


def test_a_pipe_gets_names_and_values(trial):
    trial.remember("Parcels go by rail.")
    rows = dict(line.split("\t") for line in trial.did("stats").splitlines())
    assert (rows["memories"], rows["status.active"], rows["twice"]) == ("1", "1", "0")
    assert rows["regret.discard"] == "0/0"


def test_an_empty_store_has_figures_too(trial):
    told = trial.told("stats")
    assert (told["memories"], told["twice"], sum(told["weeks"])) == (0, [], 0)


def test_every_number_is_listed_with_where_it_comes_from(trial):
    """ENGINE: `mem stats --constants` prints value and provenance of each."""
    (trial.root / "mem.toml").write_text("[recall]\nk = 5\n")
    listed = {one["key"]: one for one in trial.told("stats", "--constants")["constants"]}
    assert set(listed) == {one.key for one in DEFAULTS}
    assert (listed["recall.k"]["value"], listed["recall.k"]["default"]) == (5, 8)
    assert all(
        one["provenance"] == "asserted" or one["provenance"].startswith("measured:")
        for one in listed.values()
    )
    row = next(
        line for line in trial.did("stats", "--constants").splitlines() if line.startswith("recall.k\t")
    )
    assert row.split("\t")[:3] == ["recall.k", "5", "8"]


def test_a_sparkline_is_as_high_as_its_counts():
    assert sparkline([0, 1, 4, 8]) == " ▁▄█"
    assert sparkline([5]) == "█"
    assert sparkline([0, 0]) == ""
    assert sparkline([]) == ""
