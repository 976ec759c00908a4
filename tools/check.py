"""`make check`: lint, and the tests that a change reaches, in about a minute.

The change is what differs from where this branch left main, with what isn't committed. BASE=… compares with another
branch or commit; FILES=… is how many test files run at most.
"""

import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import grimp

from tools.selection import APPS, Reached, asks_for_all, dependents_of, find_app_tests, is_test, other_run, reach

ROOT = Path(__file__).resolve().parents[1]
MAINS = ("upstream/main", "origin/main", "main")
FILES = 40  # test files at most: about a minute on two cores
SHOWN = 20  # changed files


def git(*words: str) -> list[str]:
    """Return the lines of Git's answer."""
    command = ["git", "-c", "core.quotePath=false", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(
            f"`make check` asks Git what has changed; `git {' '.join(words)}` failed: {done.stderr.strip()}"
        )
    return done.stdout.splitlines()


def find_base(asked: str) -> tuple[str, str]:
    """Return the name of what HEAD is compared with, and the commit at which HEAD left it."""
    refs = ("refs/heads/main", "refs/remotes/origin/main", "refs/remotes/upstream/main")
    known = git("for-each-ref", "--format=%(refname:short)", *refs)
    name = asked or next((main for main in MAINS if main in known), "HEAD")
    return name, git("merge-base", name, "HEAD")[0]


def find_changed(base: str) -> list[str]:
    """Return the files that differ from a commit: committed, uncommitted, untracked or deleted."""
    untracked = git("ls-files", "--others", "--exclude-standard")
    return sorted({*git("diff", "--name-only", "--no-renames", base), *untracked})


def find_dependents(files: set[str], changed: list[str]) -> dict[str, set[str]]:
    """Return the files that depend on each file of the checkout."""
    graph = grimp.build_graph(*APPS, "bench", "tests", "tools", cache_dir=str(ROOT / ".import_linter_cache"))

    def path(module: str) -> str:
        file = module.replace(".", "/")
        return f"{file}.py" if f"{file}.py" in files else f"{file}/__init__.py"

    imports = [
        (path(importer), path(imported))
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
    ]
    texts = {file: (ROOT / file).read_text() for file in files if file.endswith((".html", ".py"))}
    return dependents_of(imports, texts, files | set(changed))  # a deleted module has a mirror, too


def select(changed: list[str], files: set[str], dependents: dict[str, set[str]]) -> list[Reached]:
    """Return the tests that a change reaches; last the tests of the app of each changed file that is no module."""
    reached = reach(changed, dependents)
    others = [file for file in changed if not file.endswith(".py")]
    of_app = {test: (file, test) for file in others for test in find_app_tests(file, filter(is_test, files))}
    known = {test.test for test in reached}
    reached += [Reached(test, way) for test, way in sorted(of_app.items()) if test not in known]
    return [test for test in reached if test.test in files]


def run_tests(changed: list[str], most: int) -> int:
    """Run what the change reaches, say why, and say what is left out; return pytest's exit code."""
    files = {file for file in git("ls-files", "--cached", "--others", "--exclude-standard") if (ROOT / file).is_file()}
    dependents = find_dependents(files, changed)
    if file := asks_for_all(changed, dependents):
        print(f"\nAll tests run, because {file} changed: make test", flush=True)
        return subprocess.call(["make", "--no-print-directory", "test"], cwd=ROOT)
    reached = select(changed, files, dependents)
    commands = {test.test: other_run(test.test, (ROOT / test.test).read_text()) for test in reached}
    here = [test for test in reached if not commands[test.test]]
    chosen, farther = here[:most], here[most:]
    if chosen:
        print(f"\n{_count(len(chosen), 'test file')} of {len(here)} that the change reaches, the nearest first:")
        print(*(f"  {test}" for test in chosen), sep="\n", flush=True)
    else:
        print("\nNo test depends on these files.", flush=True)
    code = _pytest([test.test for test in chosen]) if chosen else 0
    if farther:
        print(f"Left out: {_count(len(farther), 'test file')} farther away; `make test` runs them.")
    for command, number in Counter(filter(None, commands.values())).items():
        print(f"Left out: {_count(number, 'test file')} that only `{command}` runs.")
    return code


def main() -> int:
    started = time.monotonic()
    name, base = find_base(os.environ.get("BASE", ""))
    changed = find_changed(base)
    if not changed:
        print(f"Nothing differs from {name} ({base[:8]}). `make check BASE=HEAD~1` checks the last commit.")
        return 0
    print(f"{_count(len(changed), 'file')} changed since {name} ({base[:8]}):")
    print(*(f"  {file}" for file in changed[:SHOWN]), sep="\n")
    if len(changed) > SHOWN:
        print(f"  and {len(changed) - SHOWN} more")
    lint = subprocess.Popen(
        ["make", "--no-print-directory", "lint"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    code = run_tests(changed, int(os.environ.get("FILES") or FILES))
    output, _ = lint.communicate()
    print(f"{output}\n`make lint` found faults." if lint.returncode else "`make lint` found no fault.")
    print(f"{time.monotonic() - started:.0f} s in all")
    return 1 if code or lint.returncode else 0


def _pytest(tests: Iterable[str]) -> int:
    """Run test files in this order, each on one core."""
    spread = ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"]
    code = subprocess.call([sys.executable, "-m", "pytest", "--quiet", *spread, *tests], cwd=ROOT)
    return 0 if code == _NOTHING_COLLECTED else code


_NOTHING_COLLECTED = 5  # every test of the files has a marker of another run


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number != 1 else ''}"


if __name__ == "__main__":
    sys.exit(main())
