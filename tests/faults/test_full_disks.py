"""A disk that is really full: a small one of its own, with so many bytes left, and an act that needs more.

Here the kernel itself decides which write is cut short and which one fails. Only root may mount such a
disk; elsewhere the same is met call by call in test_failing_calls.py.
"""

import os
import shutil
import subprocess

import pytest
from faults.deeds import ACTS
from faults.wholeness import check_before_or_after, check_told, check_whole, files

DISKS = 1  # of each act, in the short form
DISK_BYTES = 64 << 20
LEAST, MOST = 0, 300_000  # bytes left

pytestmark = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("mount") is None,
    reason="only root mounts a disk",
)


@pytest.fixture
def disk(tmp_path):
    """A disk of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def filled(disk, left):
    """Fill the disk but for so many bytes; the file that does it."""
    found = os.statvfs(disk)
    filler = disk / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(1, found.f_bavail * found.f_frsize - left))
    return filler


@pytest.mark.case("P-FILE-04")
@pytest.mark.parametrize("name", ["remember", "supersede", "batch", "save", "consolidate", "observe"])
def test_on_a_disk_that_is_full_an_act_is_whole_or_absent(ground, disk, campaign, dice, tally, name):  # noqa: PLR0913, PLR0917 - fixtures
    act = ACTS[name]
    begun = ground.begun(act)
    for number in range(DISKS * campaign):
        victim = begun.copy(disk / str(number))
        head, before = victim.trial.head(), files(victim.trial)
        left = dice.randint(LEAST, MOST)
        filler = filled(disk, left)
        child = ground.cradle.child(victim.trial, act.words(victim.ids), stdin=act.stdin)
        code, said = child.ended(), child.told[1]
        filler.unlink()
        why = (left, code, said)
        check_told(victim.trial, act, head, why)
        check_before_or_after(victim.trial, head, before, act=act, why=why)
        check_whole(victim.trial, why)
        tally["disks that were full"] += 1
        tally["acts that were refused"] += code != 0
        shutil.rmtree(victim.folder)
    tally["acts neither whole nor absent"] += 0
