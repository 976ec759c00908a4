"""Mutations differ from the code in one statement, come again by their seed, and are found in another version."""

import ast
import textwrap

from tests.support.paths import ROOT
from tools.mutations import draw, find_mutations

SOURCE = textwrap.dedent('''
    """A module, with a − of two bytes more."""
    LIMIT: int = 10


    def place(values: list[float], limit: float = 0.5) -> str | None:
        """Place values."""
        if not values or limit < 0: sort(values); raise BadLimit(f"{limit + 1} < 0")
        total = "−" + name(values) if True else sum(value * 2 for value in values if value is not None)
        while total in values:
            values.sort()
            break
        return total
''')  # fmt: skip


def test_each_kind_of_fault_and_what_is_left_alone():
    faults = [(mutation.line, mutation.before, mutation.after) for mutation in find_mutations("a.py", SOURCE)]
    assert faults == [
        (3, "10", "(11)"),
        (8, "not values", "(values)"),
        (8, "not values or limit < 0", "(not (not values or limit < 0))"),
        (8, "not values or limit < 0", "(not values and limit < 0)"),
        (8, "limit < 0", "(limit <= 0)"),
        (8, "0", "(1)"),
        (8, "sort(values)", "pass"),
        (8, 'raise BadLimit(f"{limit + 1} < 0")', "pass"),
        (9, "True", "(False)"),
        (9, "True", "(not True)"),
        (9, "value * 2", "(value / 2)"),
        (9, "2", "(3)"),
        (9, "value is not None", "(value is None)"),
        (10, "total in values", "(total not in values)"),
        (11, "values.sort()", "pass"),
        (12, "break", "pass"),
        (13, "return total", "return None"),
    ]


def test_the_file_differs_in_one_statement():
    for path in ("ranking/matches/recording.py", "leaderboards/display/numbers.py", "matchmaking/tick/_claiming.py"):
        source = (ROOT / path).read_text()
        mutations = find_mutations(path, source)
        assert len({mutation.key for mutation in mutations}) == len(mutations) > 10
        for mutation in mutations:
            mutated = mutation.apply(source)
            start = len(source.encode()[: mutation.start].decode())
            rest = source[start:].removeprefix(mutation.before)
            assert mutated == source[:start] + mutation.after + rest, mutation
            assert ast.dump(ast.parse(mutated)) != ast.dump(ast.parse(source)), mutation


def test_a_seed_draws_the_same_mutations_from_executed_lines():
    mutations = find_mutations("a.py", SOURCE)
    executed = {"a.py": {8, 9, 12, 14}, "b.py": {3}}
    drawn = draw(mutations, executed, number=2, seed=1)
    assert draw(mutations, executed, number=2, seed=1) == drawn
    assert {mutation.line for seed in range(20) for mutation in draw(mutations, executed, 1, seed)} == {8, 9, 12}
    assert sorted(mutation.line for mutation in draw(mutations, executed, number=40, seed=1)) == [8, 9, 12]


def test_another_version_has_the_mutation_by_its_key():
    repeated = "def double(one, two):\n    one = one + one\n    one = one + one\n    return one\n"
    moved = f"import ast\n\n\n{repeated}".replace("return one", "return two")
    later = {mutation.key: mutation for mutation in find_mutations("a.py", moved)}
    matches = [(mutation.line, later.get(mutation.key)) for mutation in find_mutations("a.py", repeated)]
    assert [(line, other and other.line) for line, other in matches] == [(2, 5), (3, 6), (4, None)]
