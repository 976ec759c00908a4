"""Puts faults into lines that tests execute, and tells which faults the tests of the line don't catch.

    .venv/bin/python -m pytest -n auto --cov --cov-context=test --cov-report=
    .venv/bin/python -m tools.mutate .coverage --seed 1 --number 40 --json before.json

Runs in a copy of the checkout's HEAD. The second suite meets the same faults by --replay before.json, with the coverage
data of its own run: each fault goes to the tests of that suite which execute its line. A fault is caught if a test
fails that succeeds without it.
"""

import argparse
import ast
import json
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from coverage import CoverageData

from tools.mutations import Mutation, draw, find_mutations
from tools.selection import APPS

STUCK = 300  # seconds that one test may take
NO_FAILURE, FAILURE, INTERRUPTED = 0, 1, 2  # pytest's exit codes
TOOL_ERRORS = (3, 4, 5)  # of pytest: an internal error, wrong words, no test


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutation: caught (and by which test), survived, stuck, or unknown to this checkout."""

    mutation: Mutation
    outcome: str
    tests: int = 0
    seconds: int = 0
    test: str = ""

    def __str__(self) -> str:
        place = f"{self.mutation.path}:{self.mutation.line}"
        fault = " ".join(f"{self.mutation.before}  ⇒  {self.mutation.after}".split())
        return f"{self.outcome:8} {place}  {fault}  ({self.tests} tests, {self.seconds} s) {self.test}".rstrip()


class Suite:
    """The tests of a checkout, by the lines that they execute."""

    def __init__(self, file: Path, checkout: Path) -> None:
        self.data = CoverageData(str(file))
        self.data.read()
        paths = {path: path.removeprefix(f"{checkout}/") for path in self.data.measured_files()}
        self.files = {
            path: name for name, path in paths.items() if path.startswith(APPS) and "/migrations/" not in path
        }
        table = "arc" if self.data.has_arcs() else "line_bits"
        query = f"SELECT context, count(*) FROM {table} JOIN context ON context.id = context_id GROUP BY context_id"
        self.sizes = Counter[str]()
        with sqlite3.connect(file) as database:
            for context, size in database.execute(query):
                self.sizes[_test(context)] += size

    def executed(self) -> dict[str, set[int]]:
        """Return the lines that tests execute, by file; not those that only an import executes."""
        self.data.set_query_contexts([".+"])
        lines = {path: set(self.data.lines(name) or ()) for path, name in self.files.items()}
        self.data.set_query_contexts(None)
        return lines

    def tests_of(self, mutation: Mutation) -> list[str]:
        """Return the tests that execute the line of a mutation, first those that execute the least."""
        if mutation.path not in self.files:
            return []
        contexts = self.data.contexts_by_lineno(self.files[mutation.path]).get(mutation.line, [])
        return sorted({_test(context) for context in contexts} - {""}, key=lambda test: (self.sizes[test], test))


@contextmanager
def scratch(checkout: Path) -> Iterator[Path]:
    """A copy of a checkout's HEAD, with the packages that are installed in it."""
    with tempfile.TemporaryDirectory(prefix="mutations-") as folder:
        copy = Path(folder) / "checkout"
        subprocess.run(["git", "clone", "--quiet", "--shared", str(checkout), str(copy)], check=True)
        (copy / "var").mkdir(exist_ok=True)
        for shared in (".venv", "../shared"):  # the latter may be absent: tests/support/paths.py
            if (checkout / shared).exists():
                (copy / shared).symlink_to((checkout / shared).resolve())
        yield copy


def run_tests(copy: Path, tests: Iterable[str], workers: int) -> tuple[int, str]:
    """Run tests until the first failure; return pytest's exit code and the test that failed."""
    names = copy.parent / "tests"
    names.write_text("".join(f"{test}\n" for test in tests))
    spread = ["-n", str(workers), "--dist", "loadfile", "--no-loadscope-reorder"] if workers else []
    stuck = ["-o", f"faulthandler_timeout={STUCK}", "-o", "faulthandler_exit_on_timeout=true"]
    words = ["-m", "", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", *spread, *stuck, f"@{names}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words], cwd=copy, capture_output=True, text=True, check=False
    )
    if done.returncode in TOOL_ERRORS:
        raise SystemExit(f"pytest could not run the tests: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return done.returncode, failed[1] if failed else ""


def judge(mutation: Mutation, suite: Suite, copy: Path, workers: int) -> Verdict:
    """Run the tests of a mutation's line with the fault; the one that fails must succeed without it."""
    tests = suite.tests_of(mutation)
    file = copy / mutation.path
    source = file.read_text()
    mutated = mutation.apply(source)
    ast.parse(mutated)
    started = time.monotonic()
    while True:
        file.write_text(mutated)
        try:
            code, failed = run_tests(copy, tests, workers) if tests else (NO_FAILURE, "")
        finally:
            file.write_text(source)
        if code == FAILURE and run_tests(copy, [failed], 0)[0] != NO_FAILURE:
            tests = [test for test in tests if test != failed]  # fails with no fault, too
            continue
        outcome = {NO_FAILURE: "survived", FAILURE: "caught", INTERRUPTED: "caught"}.get(code, "stuck")
        return Verdict(mutation, outcome, len(tests), round(time.monotonic() - started), failed)


def find_again(saved: Iterable[dict[str, object]], checkout: Path) -> Iterator[tuple[Mutation, bool]]:
    """Yield the mutations of another run as this checkout has them, and whether it has them."""
    for fields in saved:
        mutation = Mutation(**fields)  # type: ignore[arg-type] # from our own file
        file = checkout / mutation.path
        here = {other.key: other for other in find_mutations(mutation.path, file.read_text())} if file.exists() else {}
        yield here.get(mutation.key, mutation), mutation.key in here


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.mutate", description=__doc__, allow_abbrev=False)
    parser.add_argument("coverage", type=Path, help="coverage data with contexts, of the checkout's suite")
    parser.add_argument("--checkout", type=Path, default=Path.cwd(), help="the default is the current folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, default=40, help="how many faults")
    parser.add_argument("--replay", type=Path, help="the faults of another run's --json")
    parser.add_argument("--only-survivors", action="store_true", help="of --replay")
    parser.add_argument("--workers", type=int, default=0, help="processes of pytest-xdist")
    parser.add_argument("--json", type=Path, help="where to write the verdicts")
    words = parser.parse_args()
    checkout = words.checkout.resolve()
    suite = Suite(words.coverage, checkout)
    verdicts: list[Verdict] = []

    def note(verdict: Verdict) -> None:
        verdicts.append(verdict)
        print(f"{len(verdicts):3} {verdict}", flush=True)
        if words.json:
            words.json.write_text(json.dumps([asdict(verdict) for verdict in verdicts], indent=1, ensure_ascii=False))

    with scratch(checkout) as copy:
        for mutation, known in _faults(words, suite, copy):
            note(judge(mutation, suite, copy, words.workers) if known else Verdict(mutation, "unknown"))
    print(", ".join(f"{number} {outcome}" for outcome, number in Counter(item.outcome for item in verdicts).items()))


def _faults(words: argparse.Namespace, suite: Suite, copy: Path) -> Iterable[tuple[Mutation, bool]]:
    if words.replay:
        saved = json.loads(words.replay.read_text())
        wanted = [fields for fields in saved if not words.only_survivors or fields["outcome"] == "survived"]
        return find_again((fields["mutation"] for fields in wanted), copy)
    files = (path for path in sorted(suite.files) if (copy / path).exists())
    mutations = [mutation for path in files for mutation in find_mutations(path, (copy / path).read_text())]
    return ((mutation, True) for mutation in draw(mutations, suite.executed(), words.number, words.seed))


def _test(context: str) -> str:
    """The test of a context such as tests/ranking/test_hooks.py::test_order|setup; nothing of what runs at import."""
    return context.rpartition("|")[0]


if __name__ == "__main__":
    main()
