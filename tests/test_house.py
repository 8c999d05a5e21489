"""The checks that need no test of their own: style, types, arrows between rooms, our own memories."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


LINT_IMPORTS = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def run(*words):
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )


@pytest.mark.parametrize(
    "words",
    [
        ("-m", "ruff", "check", "--no-cache", "memcli", "tests"),
        ("-m", "ruff", "format", "--no-cache", "--check", "memcli", "tests"),
        ("-m", "mypy", "--no-incremental"),
        ("-c", LINT_IMPORTS, "--no-cache"),
    ],
    ids=["style", "layout", "types", "arrows"],
)
def test_it_finds_nothing(words):
    found = run(*words)
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout


def test_the_projects_own_memories_fit_the_format():
    found = run("-m", "memcli", "--store", str(ROOT), "check")
    assert found.returncode == 0, found.stdout + found.stderr
    assert len(list((ROOT / "schemas").rglob("*.md"))) >= 15
