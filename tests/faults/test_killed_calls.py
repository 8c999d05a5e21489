"""Every act is killed at every call that changes the disk: it is whole or was never begun.

There the caller dies, or the command while git goes on, or all of them at once; or half of a write is
made, and then all die. The suite takes some calls by chance; `--campaign N` takes N times
as many, at most all of them.
"""

import shutil
import signal

import pytest
from faults import disturbing, kernel
from faults.deeds import ACTS
from faults.wholeness import check_again, check_before_or_after, check_whole, files

POINTS = 2  # of each act, in the short form
EACH = 4  # one in so many is looked at whole
WAYS = ("caller", "command", "all", "half")
# As documented: done, not done, and what failed because git was killed under it.
CODES = (0, 6, 8, -signal.SIGKILL)

pytestmark = pytest.mark.skipif(not kernel.POSSIBLE, reason="the kernel does not tell of calls here")


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("name", ACTS)
def test_killed_at_any_changing_call_an_act_is_whole_or_absent(ground, campaign, dice, tally, name):
    act = ACTS[name]
    begun = ground.begun(act)
    whole = begun.copy(ground.folder / "whole")
    many, code = disturbing.counted(ground.cradle, whole, act, disturbing.Kill(whole, 0))
    assert code == 0
    assert (whole.trial.head() != begun.trial.head()) == act.commits
    tally["acts"] += 1
    tally["calls of these acts that change the disk"] += many
    for number in sorted(dice.sample(range(1, many + 1), min(many, POINTS * campaign))):
        victim = begun.copy(ground.folder / str(number))
        head, before = victim.trial.head(), files(victim.trial)
        kill = disturbing.Kill(victim, number, way=dice.choice(WAYS))
        code, said = disturbing.disturbed(ground.cradle, victim, act, kill)
        why = (number, kill.hit, code, said)
        assert "Traceback" not in said, why
        assert code in CODES, why
        assert kill.hit or code == 0, why
        if code == 0 and act.commits:
            assert victim.trial.head() != head, why
        check_before_or_after(victim.trial, head, before, act=act, why=why)
        check_again(victim, whole, act, why)
        tally["kills"] += bool(kill.hit)
        if dice.randrange(EACH) == 0:
            check_whole(victim.trial, why)
            tally["stores looked at whole after one"] += 1
        shutil.rmtree(victim.folder)
    tally["acts neither whole nor absent"] += 0
    tally["repairs by hand"] += 0


class HalfALine(disturbing.Kill):
    """SIGKILL after half of a write to a file that only grows."""

    def counts(self, call):
        grows = call.name in disturbing.WRITES and call.where().endswith(".jsonl")
        return grows and super().counts(call)


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("name", ["supersede", "import"])
def test_half_a_line_of_an_act_is_taken_back(ground, name):
    act = ACTS[name]
    victim = ground.begun(act)
    head, before = victim.trial.head(), files(victim.trial)
    kill = HalfALine(victim, 1, way="half")
    code, said = disturbing.disturbed(ground.cradle, victim, act, kill)
    assert (code, bool(kill.hit)) == (-signal.SIGKILL, True), (kill.hit, said)
    assert files(victim.trial) != before  # there was something to take back
    check_before_or_after(victim.trial, head, before, act=act, why=kill.hit)
    check_whole(victim.trial, kill.hit)
