"""Every call that changes the disk fails, once or for good: an act is whole or was never begun, and says so.

The disk is full or over its quota, breaks, or may only be read; a process has no descriptor left; or
writes do half of what they are asked for. The suite takes some calls by chance; `--campaign N`
takes N times as many.
"""

import errno
import shutil

import pytest
from faults import disturbing, kernel
from faults.deeds import ACTS
from faults.wholeness import check_again, check_before_or_after, check_told, check_whole, files

POINTS = 2  # of each act, in the short form
EACH = 4  # one in so many is looked at whole
ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EMFILE)

pytestmark = pytest.mark.skipif(not kernel.POSSIBLE, reason="the kernel does not tell of calls here")


@pytest.mark.case("P-CONC-03")
@pytest.mark.parametrize("name", ACTS)
def test_at_whatever_call_the_disk_fails_an_act_is_whole_or_absent(ground, campaign, dice, tally, name):
    act = ACTS[name]
    begun = ground.begun(act)
    whole = begun.copy(ground.folder / "whole")
    many, code = disturbing.counted(ground.cradle, whole, act, disturbing.Fail(whole, 0))
    assert code == 0
    tally["acts"] += 1
    for number in range(POINTS * campaign):
        victim = begun.copy(ground.folder / str(number))
        head, before = victim.trial.head(), files(victim.trial)
        error, lasting = dice.choice(ERRORS), dice.random() < 0.5
        fail = disturbing.Fail(victim, dice.randint(1, many), error=error, lasting=lasting)
        code, said = disturbing.disturbed(ground.cradle, victim, act, fail)
        why = (fail.at, fail.hit, code, said)
        check_told(victim.trial, act, head, why)
        check_before_or_after(victim.trial, head, before, act=act, why=why)
        check_again(victim, whole, act, why)
        tally[f"failures with {errno.errorcode[error]}"] += bool(fail.hit)
        tally["of them for good"] += bool(fail.hit and lasting)
        tally["acts that succeeded all the same"] += code == 0
        if dice.randrange(EACH) == 0:
            check_whole(victim.trial, why)
            tally["stores looked at whole after one"] += 1
        shutil.rmtree(victim.folder)
    tally["acts neither whole nor absent"] += 0
    tally["repairs by hand"] += 0


@pytest.mark.parametrize("name", ["remember", "save", "consolidate", "purge", "sync"])
def test_an_act_whose_writes_are_cut_short_goes_on_with_the_rest(ground, tally, name):
    act = ACTS[name]
    victim = ground.begun(act)
    head = victim.trial.head()
    short = disturbing.Short(victim, 1)
    code, said = disturbing.disturbed(ground.cradle, victim, act, short)
    assert (code, "Traceback" in said) == (0, False), said
    assert short.met > 1
    assert victim.trial.head() != head
    check_before_or_after(victim.trial, head, files(victim.trial))
    check_whole(victim.trial)
    tally["writes cut short"] += short.met
