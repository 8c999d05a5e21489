"""Rich is at home in render, typer in one module, and the words of one call are read once."""

import ast
from pathlib import Path

import pytest

CLI = Path(__file__).parents[2] / "memcli" / "cli"


def imported(source):
    """The packages that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def importers(package):
    return {
        path.relative_to(CLI).as_posix()
        for path in CLI.rglob("*.py")
        if package in imported(path.read_text())
    }


def test_only_render_imports_rich():
    assert importers("rich")
    assert {path.partition("/")[0] for path in importers("rich")} == {"render"}


def test_only_one_module_imports_typer():
    assert importers("typer") == {"typer_app.py"}
    assert importers("click") == set()


@pytest.mark.parametrize("source", ["import rich.table", "def f():\n    from rich import box"])
def test_an_import_anywhere_is_found(source):
    assert "rich" in imported(source)


def test_nothing_below_reads_the_process():
    readers = {
        path.relative_to(CLI).as_posix()
        for path in CLI.rglob("*.py")
        for word in ("os.environ", "os.getcwd", "time.time(", "sys.argv", "isatty")
        if word in path.read_text()
    }
    assert readers == set()
