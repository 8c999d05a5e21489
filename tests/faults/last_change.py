"""One command in a process that ends as by SIGKILL before the n-th change it makes to the disk itself.

It counts Python's own changes; those of git and of the index are met in test_killed_calls.py.
"""

import subprocess
import sys

from trial import PERSON

POINTS = 4  # of each act, in the short form

# Runs one command, and ends as by SIGKILL just before the n-th change of a file or folder.
KILLED = """
import os, sys
CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.link", "os.rmdir", "os.truncate"}
WRITES = os.O_WRONLY | os.O_RDWR
left = [int(sys.argv[1])]
def look(event, args):
    writes = event == "open" and isinstance(args[2], int) and args[2] & WRITES and args[0] != os.devnull
    if event in CHANGES or writes:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), 9)
from memcli import __main__ as process
sys.addaudithook(look)
code = process.main(sys.argv[2:])
print(int(sys.argv[1]) - left[0], file=sys.stderr)
sys.exit(code)
"""


def killed(trial, number, argv):
    """Run a command that dies at its n-th change; its exit code, and how many it made if it lived."""
    ran = subprocess.run(
        [sys.executable, "-c", KILLED, str(number), *argv],
        cwd=trial.root,
        env={**trial.process.environment, **PERSON},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    told = ran.stderr.strip().rpartition("\n")[2]
    return ran.returncode, int(told) if told.isdigit() else 0
