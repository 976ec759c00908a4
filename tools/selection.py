"""Which test files a change reaches, nearest first.

A file depends on the files that it imports or names; a test depends on the module that it mirrors, too
(tests/ranking/matches/test_ledger.py on ranking/matches/_ledger.py), and on the conftest.py of its folders. From each
changed file the search goes to the files that depend on it, then to those that depend on these. All paths are relative
to the checkout.
"""

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

APPS = ("config", "leaderboards", "matchmaking", "ranking")
SUITE = "tests/conftest.py"
SETTINGS = (
    "Makefile",
    "config/settings.py",
    "manage.py",
    "pyproject.toml",
    "requirements.lock",
    "requirements-dev.lock",
    SUITE,
)
_LOADED_FROM = ("", "templates/", "static/")  # the folders in which Django and the tests look for a name
_OWNERS = {  # whose tests show templates that bear no app's name, or that the admin of an app shows
    "templates/4": "config/serving/test_errors.py",
    "templates/account/": "config/people/",
    "templates/admin/leaderboards/": "leaderboards/admin/",
    "templates/admin/ranking/": "ranking/admin/",
    "templates/api/": "ranking/api/",
    "templates/mfa/": "config/people/",
    "templates/socialaccount/": "config/people/",
}
_NAMES = re.compile(r"""["']([\w./-]+)["']""")
_OTHER_RUNS = {"browser": "make test-browser", "faults": "make test-faults", "long": "make test-long"}


@dataclass(frozen=True, slots=True)
class Reached:
    """A test file, and the way to it: a changed file, then the files that depend on the one before."""

    test: str
    way: tuple[str, ...]

    def __str__(self) -> str:
        return " → ".join(self.way)


def is_test(path: str) -> bool:
    return path.startswith("tests/") and PurePosixPath(path).match("test_*.py")


def asks_for_all(changed: Iterable[str], dependents: Mapping[str, Collection[str]]) -> str | None:
    """Return the changed file for which all tests run: settings, a lock, or what the suite's conftest.py imports."""
    files = (path for path in changed if path in SETTINGS or SUITE in dependents.get(path, ()))
    return next(files, None)


def reach(changed: Collection[str], dependents: Mapping[str, Collection[str]]) -> list[Reached]:
    """Return the test files that depend on the changed ones; at the same distance those in like folders come first."""
    ways: dict[str, tuple[str, ...]] = {path: (path,) for path in changed}
    waiting = deque(sorted(ways))
    while waiting:
        path = waiting.popleft()
        for dependent in sorted(set(dependents.get(path, ())) - {SUITE}):
            if dependent not in ways:
                ways[dependent] = (*ways[path], dependent)
                waiting.append(dependent)
    tests = [Reached(path, way) for path, way in ways.items() if is_test(path)]
    return sorted(tests, key=lambda reached: (len(reached.way), -_likeness(*reached.way), reached.test))


def find_app_tests(path: str, tests: Iterable[str]) -> list[str]:
    """Return the tests of the app or folder to which a file belongs that is no module, such as a template."""
    parts = PurePosixPath(path).parts
    app = next((part for part in parts if part in APPS), parts[0])
    folder = next((folder for start, folder in _OWNERS.items() if path.startswith(start)), f"{app}/")
    return sorted(test for test in tests if test.startswith(f"tests/{folder}"))


def other_run(test: str, text: str) -> str | None:
    """Return the command that runs this test file, if the ordinary run leaves it out by its marker."""
    marker = "browser" if test.startswith("tests/browser/") else None
    if match := re.search(r"^pytestmark = .*?mark\.(browser|faults|long)\b", text, re.MULTILINE):
        marker = match[1]
    return _OTHER_RUNS[marker] if marker else None


def dependents_of(
    imports: Iterable[tuple[str, str]], texts: Mapping[str, str], files: Collection[str]
) -> dict[str, set[str]]:
    """Return the files that depend on each file.

    `imports` are pairs of importer and imported; `texts` those of files that may name others: code and templates.
    """
    dependents: dict[str, set[str]] = {}
    for dependent, path in (*imports, *_names(texts, files), *_mirrors(files), *_fixtures(files)):
        dependents.setdefault(path, set()).add(dependent)
    return dependents


def _names(texts: Mapping[str, str], files: Collection[str]) -> Iterator[tuple[str, str]]:
    """A view that names its template, a template that includes another, a test that reads a page of docs/."""
    paths: dict[str, list[str]] = {}  # by name alone
    for path in files:
        if PurePosixPath(path).suffix not in ("", ".py"):
            paths.setdefault(PurePosixPath(path).name, []).append(path)
    alone = {name: path for name, (path, *others) in paths.items() if not others}
    for text_path, text in texts.items():
        for name in set(_NAMES.findall(text)):
            found = [folder + name for folder in _LOADED_FROM if folder + name in files] or [alone.get(name, text_path)]
            yield from ((text_path, path) for path in found if path != text_path and not path.endswith(".py"))


def _mirrors(files: Collection[str]) -> Iterator[tuple[str, str]]:
    """The tests that bear a module's name; if there are none, those of its package, or of the package around that."""
    tests: dict[str, list[str]] = {}  # by the module or package that they mirror
    for path in filter(is_test, files):
        folder = path.removeprefix("tests/").rpartition("/")[0]
        name = PurePosixPath(path).stem.removeprefix("test_")
        tests.setdefault(folder, []).append(path)
        tests.setdefault(f"{folder}/{name}", []).append(path)
    for path in files:
        if path.endswith(".py") and not path.startswith("tests/"):
            module = path.removesuffix(".py").removesuffix("/__init__").replace("/_", "/")
            while module and module not in tests:
                module = module.rpartition("/")[0]
            yield from ((test, path) for test in tests.get(module, ()))


def _fixtures(files: Collection[str]) -> Iterator[tuple[str, str]]:
    """The conftest.py of a folder, for each test in it."""
    for path in files:
        if PurePosixPath(path).name == "conftest.py" and path != SUITE:
            folder = path.removesuffix("conftest.py")
            yield from ((test, path) for test in files if is_test(test) and test.startswith(folder))


def _likeness(first: str, *others: str) -> int:
    """How many folders a changed file and the test at the end of its way have in common."""
    folders = PurePosixPath(first).parts
    own, tested = folders[folders[0] == "tests" :], PurePosixPath((first, *others)[-1]).parts[1:]
    pairs = zip(own, tested, strict=False)
    return next((number for number, (mine, other) in enumerate(pairs) if mine != other), min(len(own), len(tested)))
