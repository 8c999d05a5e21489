"""Small mistakes that somebody could make in a module, one at a time, as values.

A test suite that stays green with one of them in place does not hold what that line does. What
no test should hold is left out: docstrings, annotations, decorators, and the words of an error.
Pure: source in, mutations out, and the source with one of them made.
"""

import ast
from copy import copy
from dataclasses import dataclass

SWAPPED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
SHORT = 60  # characters of code that a mutation is told with


@dataclass(frozen=True)
class Mutation:
    """One change: its kind, the lines it stands in, what stood there and what stands there now.

    `at` is the node's number in the order of `nodes`, `variant` the number of the change made to it.
    """

    at: int
    variant: int
    kind: str
    first: int
    last: int
    before: str
    after: str

    @property
    def told(self):
        """The change in one line, the same however the lines above it move."""
        return f"{self.before} → {self.after}"


def mutations(source):
    """Every mutation of a module's source, in the order of its lines."""
    tree = ast.parse(source)
    told = [
        Mutation(at, variant, kind, node.lineno, node.end_lineno, _short(node), _short(changed))
        for at, node in enumerate(nodes(tree))
        for variant, (kind, changed) in enumerate(_variants(node))
    ]
    return sorted(told, key=lambda one: (one.first, one.at, one.variant))


def mutated(source, mutation):
    """The source with that mutation made; comments and layout are lost."""
    tree = ast.parse(source)
    target = nodes(tree)[mutation.at]
    changed = list(_variants(target))[mutation.variant][1]
    return ast.unparse(ast.fix_missing_locations(_Swap(target, changed).visit(tree)))


def nodes(tree):
    """The nodes that may be changed, in a fixed order."""
    found, waiting = [], [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.expr, ast.stmt)):
            found.append(node)
        waiting.extend(reversed(list(_children(node))))
    return found


def within_functions(source):
    """The numbers of the lines that run when a function is called, not at import."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.update(range(node.body[0].lineno, node.end_lineno + 1))
    return found


def _children(node):
    """What lies below a node and is on trial."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, ast.AST) and not _beside_the_point(node, one):
                yield one


def _beside_the_point(parent, node):
    """Docstrings, lists of public names, the words of errors, types given a name."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        return True
    if isinstance(parent, ast.Raise):
        return True
    return isinstance(node, ast.Call) and ast.unparse(node.func) in {"TypeVar", "NewType", "cast"}


def _variants(node):
    """(kind, changed node) for each small mistake that can be made at this node."""
    yield from _in_a_value(node) if isinstance(node, ast.expr) else _in_a_statement(node)


def _in_a_value(node):
    match node:
        case ast.Compare(ops=ops):
            for place, op in enumerate(ops):
                yield "comparison", _with(node, ops=[*ops[:place], SWAPPED[type(op)](), *ops[place + 1 :]])
        case ast.BoolOp() | ast.BinOp() if type(node.op) in SWAPPED:
            yield "operator", _with(node, op=SWAPPED[type(node.op)]())
        case ast.UnaryOp(op=ast.Not()):
            yield "negation", node.operand
        case ast.Constant(value=value):
            yield from _constants(node, value)
        case ast.IfExp() if _opaque(node.test):
            yield "condition", _with(node, test=ast.UnaryOp(ast.Not(), node.test))


def _in_a_statement(node):
    match node:
        case ast.AugAssign() if type(node.op) in SWAPPED:
            yield "operator", _with(node, op=SWAPPED[type(node.op)]())
        case ast.If() | ast.While() if _opaque(node.test):
            yield "condition", _with(node, test=ast.UnaryOp(ast.Not(), node.test))
        case ast.Return(value=value) if value is not None and not _is_none(value):
            yield "answer", _with(node, value=ast.Constant(None))
        case ast.Expr(value=ast.Call()) | ast.Raise():
            yield "left out", ast.copy_location(ast.Pass(), node)
        case ast.Break():
            yield "loop", ast.copy_location(ast.Continue(), node)
        case ast.Continue():
            yield "loop", ast.copy_location(ast.Break(), node)


def _constants(node, value):
    if isinstance(value, bool):
        yield "truth", _with(node, value=not value)
    elif isinstance(value, int):
        yield "number", _with(node, value=value + 1)
    elif isinstance(value, (str, bytes)):
        empty, other = ("", "?") if isinstance(value, str) else (b"", b"?")
        yield "text", _with(node, value=empty if value else other)


def _opaque(test):
    """Whether a condition has no part that is changed by itself already."""
    return not isinstance(test, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Constant))


def _is_none(value):
    return isinstance(value, ast.Constant) and value.value is None


def _with(node, **fields):
    changed = copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _short(node):
    """The first line of a node as code; of a compound statement its head."""
    line = ast.unparse(node).partition("\n")[0]
    return line if len(line) <= SHORT else line[: SHORT - 1] + "…"


class _Swap(ast.NodeTransformer):
    """Puts one node in the place of another."""

    def __init__(self, target, changed):
        self.target, self.changed = target, changed

    def visit(self, node):
        return self.changed if node is self.target else super().visit(node)
