"""What a command imports that a resident answers: next to nothing, since importing is what takes time."""

import subprocess
import sys
from pathlib import Path

import pytest
from resident.conftest import housed

SCRIPT = Path(__file__).parents[2] / "memcli/bin/mem"
OURS = {"memcli", "memcli.__main__", "memcli.environment", "memcli.resident", "memcli.resident.client"}
ALLOWED = OURS | {"gc", "_socket"}


@pytest.fixture(scope="module")
def watched(tmp_path_factory):
    """A store with a resident."""
    with housed(tmp_path_factory.mktemp("budget")) as house:
        house.start()
        yield house


def imported(house, *argv, stdin=b""):
    """The modules that an interpreter imports for `argv`."""
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", *argv],
        cwd=house.root,
        env=house.store.environment,
        input=stdin,
        capture_output=True,
        check=True,
    )
    lines = (line for line in ran.stderr.decode().splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip() for line in lines} - {"imported package"}


@pytest.mark.parametrize(
    "words",
    [
        ["recall", "refund window"],
        ["recall", "--json", "refund window"],
        ["show", "refund00aaaa"],
        ["list"],
        ["remember", "The cat is called Miso."],
        ["recall", "-"],
    ],
    ids=" ".join,
)
def test_an_answered_command_imports_next_to_nothing(watched, words):
    answered = watched.tally()[0]
    more = imported(watched, str(SCRIPT), *words, stdin=b"refund") - imported(watched, "-c", "pass")
    assert watched.tally()[0] == answered + 1
    assert more <= ALLOWED
    assert more >= OURS


def test_the_budget_sees_what_a_command_alone_imports(watched):
    more = imported(watched, str(SCRIPT), "--no-daemon", "list") - imported(watched, "-c", "pass")
    assert {"json", "dataclasses", "pathlib", "enum"} <= more
