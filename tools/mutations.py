"""Mutations of code: small faults, each in one statement, that the tests of its line should catch.

Left alone are words (text of strings), annotations, headers of functions and classes, and expressions in f-strings.
"""

import ast
import copy
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Pow: ast.Mult,
}  # fmt: skip
_DELETED = (ast.AugAssign, ast.Break, ast.Continue, ast.Delete, ast.Raise)
_COMPOUND = (ast.If, ast.While, ast.For, ast.With, ast.Match, ast.Try)
_HEADERS = ("test", "iter", "items", "subject")  # what a compound statement has beside its body


@dataclass(frozen=True, slots=True)
class Mutation:
    """A part of a statement, and the code in its place. Another version of the file has the same one by `key`."""

    path: str
    line: int
    kind: str
    statement: str  # as it stands in the file; of a compound one its header
    before: str
    after: str
    start: int  # bytes from the start of the file
    within: int  # bytes from the start of the statement
    number: int = 0  # among the same mutations of the same statement in this file

    @property
    def key(self) -> tuple[str, str, int, str, int]:
        return self.path, self.statement, self.within, self.after, self.number

    def apply(self, source: str) -> str:
        """Return the file's text with the fault."""
        text = source.encode()
        return (text[: self.start] + self.after.encode() + text[self.start + len(self.before.encode()) :]).decode()


def find_mutations(path: str, source: str) -> list[Mutation]:
    """Return all mutations of a file, by place."""
    encoded = source.encode()
    starts = [0]  # of the lines
    for line in encoded.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def start_of(node: ast.stmt | ast.expr) -> int:
        return starts[node.lineno - 1] + node.col_offset

    def end_of(node: ast.stmt | ast.expr) -> int:
        return starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    mutations: dict[tuple[str, str, int, str, int], Mutation] = {}
    for statement in _statements(ast.parse(source)):
        expressions = list(_expressions(statement))
        first = start_of(statement)
        last = max(map(end_of, expressions), default=first) if isinstance(statement, _COMPOUND) else end_of(statement)
        for kind, node, after in (*_of_statement(statement), *_of_expressions(statement, expressions)):
            start = start_of(node)
            before = encoded[start : end_of(node)].decode()
            place = (path, node.lineno, kind, encoded[first:last].decode(), before, after, start, start - first)
            number = 0
            while (mutation := Mutation(*place, number)).key in mutations:
                number += 1
            mutations[mutation.key] = mutation
    return sorted(mutations.values(), key=lambda mutation: (mutation.start, mutation.before, mutation.after))


def draw(mutations: Iterable[Mutation], executed: Mapping[str, set[int]], number: int, seed: int) -> list[Mutation]:
    """Draw lines that tests execute, each as likely as another, and one mutation of each."""
    by_line: dict[tuple[str, int], list[Mutation]] = {}
    for mutation in mutations:
        if mutation.line in executed.get(mutation.path, ()):
            by_line.setdefault((mutation.path, mutation.line), []).append(mutation)
    chance = random.Random(seed)
    lines = chance.sample(sorted(by_line), min(number, len(by_line)))
    return [chance.choice(by_line[line]) for line in lines]


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.stmt))


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expressions of a statement, without those of the statements in its body."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    waiting = [
        child
        for name, value in ast.iter_fields(statement)
        if name != "annotation" and (not isinstance(statement, _COMPOUND) or name in _HEADERS)
        for child in (value if isinstance(value, list) else [value])
        if isinstance(child, ast.AST)
    ]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.expr):
            yield node
        if not isinstance(node, ast.JoinedStr):
            waiting += ast.iter_child_nodes(node)


def _of_statement(statement: ast.stmt) -> Iterator[tuple[str, ast.stmt | ast.expr, str]]:
    called = isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Constant)
    if called or isinstance(statement, _DELETED):
        yield "statement left out", statement, "pass"
    if isinstance(statement, ast.Return) and statement.value and not _is_none(statement.value):
        yield "nothing returned", statement, "return None"
    if isinstance(statement, (ast.If, ast.While)):
        yield from _negated(statement.test)


def _of_expressions(
    statement: ast.stmt, expressions: Iterable[ast.expr]
) -> Iterator[tuple[str, ast.stmt | ast.expr, str]]:
    for node in expressions:
        if isinstance(node, ast.IfExp):
            yield from _negated(node.test)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            for test in (test for generator in node.generators for test in generator.ifs):
                yield from _negated(test)
        if changed := _changed(node):
            kind, other = changed
            yield kind, node, f"({ast.unparse(other)})"


def _negated(test: ast.expr) -> Iterator[tuple[str, ast.stmt | ast.expr, str]]:
    """A condition turned round, unless another fault does just that, as `!=` for `==` does."""
    match test:
        case ast.UnaryOp(op=ast.Not()) | ast.Compare(ops=[ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot()]):
            return
        case ast.Compare(ops=[ast.In() | ast.NotIn()]):
            return
    yield "condition negated", test, f"({ast.unparse(ast.UnaryOp(ast.Not(), test))})"


def _changed(node: ast.expr) -> tuple[str, ast.expr] | None:
    """The kind of fault, and the expression that stands in place of `node`; None if it has no mutation of its own."""
    other = copy.copy(node)
    match other:
        case ast.Compare(ops=[operation]) if type(operation) in _COMPARISONS:
            other.ops = [_COMPARISONS[type(operation)]()]
            return "comparison", other
        case ast.BoolOp(op=joined):
            other.op = ast.Or() if isinstance(joined, ast.And) else ast.And()
            return "and, or", other
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return "not left out", operand
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return "sign left out", operand
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            if _is_text(left) or _is_text(right):
                return None
            other.op = _OPERATORS[type(operator)]()
            return "arithmetic", other
        case ast.Constant(value=bool() as value):
            other.value = not value
            return "constant", other
        case ast.Constant(value=int() | float() as value):
            other.value = value + 1
            return "constant", other
    return None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))
