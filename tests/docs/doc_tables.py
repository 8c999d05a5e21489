"""The parts of the documentation that are read off the code and the tests.

    python tests/docs/doc_tables.py

rewrites the numbers in docs/format.md, and in docs/reliability.md the last column of the cases and
the table of campaigns; tests compare them with what stands there.
"""

import ast
import re
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
sys.path[:0] = [str(path) for path in (ROOT, TESTS) if str(path) not in sys.path]

import tallies  # noqa: E402 -- beside the tests, whose folder is no package

FORMAT = ROOT / "docs" / "format.md"
RELIABILITY = ROOT / "docs" / "reliability.md"
CAMPAIGNS = ROOT / "docs" / "campaigns"
FIXTURES = ROOT / "fixtures" / "files" / "expected.yaml"
READS_FIXTURES = "store/test_format.py"  # makes a test of each fixture, with its case
NUMBERS = re.compile(
    r"(?<=<!-- numbers: made by tests/docs/doc_tables\.py -->\n).*?(?=<!-- /numbers -->)", re.DOTALL
)
ROW = re.compile(r"^\| (?P<id>P-[A-Z]+-\d\d) \| (?P<what>[^|]+) \|(?P<shown>[^|\n]*)\|", re.MULTILINE)
RAN = re.compile(
    r"(?<=<!-- campaigns: made by tests/docs/doc_tables\.py -->\n).*?(?=<!-- /campaigns -->)", re.DOTALL
)


def numbers():
    """The constants as a table."""
    from memcli.memory.constants import DEFAULTS

    yield "| key | default | what it is | from |"
    yield "|---|---|---|---|"
    for one in DEFAULTS:
        yield f"| `{one.key}` | `{one.value}` | {one.meaning} | {one.provenance} |"


def with_numbers(text):
    """docs/format.md with the numbers of now."""
    return NUMBERS.sub(lambda _: "".join(f"{line}\n" for line in numbers()), text)


@cache
def files_by_case():
    """Case → the test files that have a test marked with it, as the source says."""
    found = defaultdict(set)
    for path in sorted(TESTS.rglob("test_*.py")):
        source = path.read_text("utf-8")
        if "mark.case(" in source:
            for case in _marked(ast.parse(source)):
                found[case].add(path.relative_to(TESTS).as_posix())
    for entry in yaml.safe_load(FIXTURES.read_text("utf-8")):
        if "case" in entry:
            found[entry["case"]].add(READS_FIXTURES)
    return {case: sorted(paths) for case, paths in found.items()}


def _marked(tree):
    """The literal ids of all `pytest.mark.case(...)`."""
    yield from (one.value for one in _arguments(tree) if isinstance(one, ast.Constant))


def _arguments(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.case":
            yield from node.args


def computed():
    """`file:line` of every mark whose id the source does not spell out, so that the page would miss it."""
    for path in sorted(TESTS.rglob("test_*.py")):
        name = path.relative_to(TESTS).as_posix()
        if name != READS_FIXTURES:
            for one in _arguments(ast.parse(path.read_text("utf-8"))):
                if not isinstance(one, ast.Constant):
                    yield f"{name}:{one.lineno}"


def shown(paths):
    """The last column: the test files of a case."""
    return ", ".join(
        f"[{path.removesuffix('.py').replace('/test_', '/')}](../tests/{path})" for path in paths
    )


def campaigns():
    """What each campaign counted when it last ran at full size, as a table."""
    yield "| campaign | ran | counted |"
    yield "|---|---|---|"
    for name, one in tallies.records(CAMPAIGNS).items():
        parts = one["parts"].values()
        days, commits = ({part[key] for part in parts} for key in ("date", "commit"))
        minutes = sum(part["seconds"] for part in parts) / 60
        counted = "; ".join(f"{number:,} {word}" for word, number in tallies.together(one).items())
        ran = f"{', '.join(sorted(days))} at {', '.join(sorted(commits))}, {minutes:,.0f} min"
        yield f"| [{name.replace('_', ' ')}](campaigns/{name}.json) | {ran} | {counted} |"


def with_campaigns(text):
    """docs/reliability.md with the campaigns that are on record."""
    return RAN.sub(lambda _: "".join(f"{line}\n" for line in campaigns()), text)


def with_cases(text):
    """docs/reliability.md with the tests of now."""
    files = files_by_case()
    return ROW.sub(lambda row: f"| {row['id']} | {row['what']} | {shown(files.get(row['id'], ()))} |", text)


def main():
    """Write both."""
    for path, made in ((FORMAT, with_numbers), (RELIABILITY, lambda page: with_campaigns(with_cases(page)))):
        path.write_text(made(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
