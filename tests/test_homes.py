"""One home for each shared thing: the source is parsed, and a second home fails. No exceptions are listed."""

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "memcli"


@dataclass(frozen=True)
class Rule:
    """What may be done in `homes` alone (modules, or rooms ending in /), and code that does it elsewhere."""

    name: str
    homes: frozenset[str]
    planted: str

    def __str__(self):
        return self.name


def imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""


def dotted(node):
    """`a.b.c` of an expression of names and attributes, else nothing."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (head := dotted(node.value)):
        return f"{head}.{node.attr}"
    return ""


def mentioned(tree):
    return {dotted(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute | ast.Name)}


def called(tree):
    return {dotted(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}


def constants(tree):
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}


def names_of(tree, packages):
    return any(name.partition(".")[0] in packages for name in imports(tree))


CHECKS = {
    "the clock is read at the edge": lambda tree: bool(
        called(tree) & {"time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "date.today"}
    ),
    "the environment is read at the edge": lambda tree: bool(
        mentioned(tree) & {"os.environ", "os.getenv", "os.environb"}
    ),
    "nothing prints": lambda tree: "print" in called(tree),
    "processes are started": lambda tree: names_of(tree, {"subprocess"}),
    "lancedb": lambda tree: names_of(tree, {"lancedb", "lance"}),
    "onnxruntime": lambda tree: names_of(tree, {"onnxruntime"}),
    "tokenizers": lambda tree: names_of(tree, {"tokenizers"}),
    "the stemmer": lambda tree: names_of(tree, {"Stemmer"}),
    "frontmatter": lambda tree: names_of(tree, {"frontmatter"}),
    "rich": lambda tree: names_of(tree, {"rich"}),
    "typer": lambda tree: names_of(tree, {"typer", "click"}),
    "quotes are doubled, for SQL and for YAML": lambda tree: (
        "''" in constants(tree) and "'" in constants(tree)
    ),
}
RULES = (
    Rule(
        "the clock is read at the edge",
        frozenset({"surroundings.py", "cli/complaint.py"}),
        "import time\nnow = time.time()",
    ),
    Rule(
        "the environment is read at the edge",
        frozenset({"surroundings.py", "__main__.py", "index/runtime.py", "index/native.py"}),
        "import os\nhome = os.environ['HOME']",
    ),
    Rule("nothing prints", frozenset(), "print('x')"),
    Rule(
        "processes are started",
        frozenset({"journal/process.py", "cli/editor.py", "resident/starting.py"}),
        "import subprocess",
    ),
    Rule("lancedb", frozenset({"index/public.py"}), "import lancedb"),
    Rule("onnxruntime", frozenset({"index/runtime.py"}), "def f():\n    import onnxruntime"),
    Rule("tokenizers", frozenset({"index/tokenizer.py"}), "from tokenizers import Tokenizer"),
    Rule("the stemmer", frozenset({"memory/tokens.py"}), "import Stemmer"),
    Rule("frontmatter", frozenset({"store/format.py"}), "import frontmatter"),
    Rule("rich", frozenset({"cli/render/"}), "from rich.table import Table"),
    Rule("typer", frozenset({"cli/typer_app.py"}), "import typer"),
    Rule(
        "quotes are doubled, for SQL and for YAML",
        frozenset({"index/filter.py", "store/plain.py"}),
        'q = s.replace("\'", "\'\'")',
    ),
)


def offenders(rule):
    """Modules that do it outside its homes."""
    found = set()
    for path in ROOT.rglob("*.py"):
        name = path.relative_to(ROOT).as_posix()
        if CHECKS[rule.name](ast.parse(path.read_text())):
            found.add(name)
    return {
        name
        for name in found
        if not any(name == home or (home.endswith("/") and name.startswith(home)) for home in rule.homes)
    }


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_it_is_done_at_home_alone(rule):
    assert offenders(rule) == set()


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_the_check_finds_a_planted_offender(rule):
    assert CHECKS[rule.name](ast.parse(rule.planted))


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_every_home_is_lived_in(rule):
    for home in rule.homes:
        inside = (
            [home]
            if home.endswith(".py")
            else [p.relative_to(ROOT).as_posix() for p in (ROOT / home).rglob("*.py")]
        )
        assert any(CHECKS[rule.name](ast.parse((ROOT / name).read_text())) for name in inside), home


def definitions(name):
    """Modules that define a function of this name at the top."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name == name
    }


@pytest.mark.parametrize(
    ("name", "home"),
    [
        ("verdict", "memory/visibility.py"),
        ("quote", "index/filter.py"),
        ("stems", "memory/tokens.py"),
        ("estimate_tokens", "memory/tokens.py"),
        ("veto", "memory/claim.py"),
        ("judge", "memory/guard.py"),
        ("decide", "memory/admission.py"),
        ("cosines", "memory/pool.py"),
        ("split", "store/fences.py"),
        ("actor_of", "surroundings.py"),
        ("person_allowed", "surroundings.py"),
    ],
)
def test_a_shared_rule_is_one_function(name, home):
    assert definitions(name) == {home}


def looped_sets(tree):
    """Lines of loops through a set of the module's own: their order is another one in each process."""
    named = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and _is_set(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    loops = [node for node in ast.walk(tree) if isinstance(node, ast.For)]
    return [
        node.lineno
        for node in loops
        if _is_set(node.iter) or (isinstance(node.iter, ast.Name) and node.iter.id in named)
    ]


def _is_set(node):
    return isinstance(node, ast.Set) or (
        isinstance(node, ast.Call) and dotted(node.func) in {"set", "frozenset"}
    )


def test_no_loop_goes_through_a_set_in_whatever_order_that_has():
    planted = 'HOLDS: Final = frozenset({"a", "b"})\nfor one in HOLDS:\n    pass\nfor one in sorted(HOLDS):\n    pass\n'
    assert looped_sets(ast.parse(planted)) == [2]
    found = {path: looped_sets(ast.parse(path.read_text("utf-8"))) for path in ROOT.rglob("*.py")}
    assert {path: lines for path, lines in found.items() if lines} == {}
