"""The tests that a change reaches, in a small checkout."""

from tests.support.paths import ROOT
from tools.selection import Reached, asks_for_all, dependents_of, find_app_tests, other_run, reach

TEXTS = {
    "ranking/views.py": 'render(request, "ranking/board.html")',
    "templates/ranking/board.html": '{% include "ranking/row.html" %}',
    "tests/docs/test_limits.py": 'DOCS / "limits.md"',
    "tests/config/test_deployment.py": 'ROOT / "Dockerfile"',
}
FILES = {
    "Dockerfile",
    "Makefile",
    "docs/limits.md",
    "config/settings.py",
    "ranking/__init__.py",
    "ranking/models.py",
    "ranking/views.py",
    "ranking/admin/__init__.py",
    "ranking/admin/modes/forms.py",
    "ranking/matches/__init__.py",
    "ranking/matches/_ledger.py",
    "templates/ranking/board.html",
    "templates/ranking/row.html",
    "tests/conftest.py",
    "tests/config/test_deployment.py",
    "tests/docs/test_limits.py",
    "tests/support/caches.py",
    "tests/support/factories.py",
    "tests/ranking/admin/conftest.py",
    "tests/ranking/admin/test_desk.py",
    "tests/ranking/matches/test_ledger.py",
    "tests/ranking/test_views.py",
}
IMPORTS = [
    ("ranking/matches/_ledger.py", "ranking/models.py"),
    ("ranking/views.py", "ranking/matches/_ledger.py"),
    ("tests/conftest.py", "tests/support/caches.py"),
    ("tests/ranking/admin/conftest.py", "tests/support/factories.py"),
    ("tests/support/caches.py", "ranking/models.py"),
    ("tests/support/factories.py", "ranking/models.py"),
]
DEPENDENTS = dependents_of(IMPORTS, TEXTS, FILES)
LEDGER = "tests/ranking/matches/test_ledger.py"
VIEWS = "tests/ranking/test_views.py"
DESK = "tests/ranking/admin/test_desk.py"


def test_what_a_change_reaches_nearest_first():
    rows = {
        "a changed test": ("tests/ranking/test_views.py", [VIEWS]),
        "its mirror, and what imports it": ("ranking/matches/_ledger.py", [LEDGER, VIEWS]),
        "what a fixture's module imports": ("ranking/models.py", [VIEWS, LEDGER, DESK]),
        "a fixture of its folder": ("tests/support/factories.py", [DESK]),
        "the tests of its package": ("ranking/matches/__init__.py", [LEDGER]),
        "the tests of the package around": ("ranking/admin/modes/forms.py", [DESK]),
        "the views of a template": ("templates/ranking/board.html", [VIEWS]),
        "the pages of a part": ("templates/ranking/row.html", [VIEWS]),
        "the tests of a page": ("docs/limits.md", ["tests/docs/test_limits.py"]),
        "the tests of a file without a suffix": ("Dockerfile", ["tests/config/test_deployment.py"]),
    }
    results = {row: [reached.test for reached in reach([path], DEPENDENTS)] for row, (path, _) in rows.items()}
    assert results == {row: tests for row, (_, tests) in rows.items()}


def test_the_way_to_a_test():
    reached = reach(["tests/support/factories.py"], DEPENDENTS)
    assert [str(test) for test in reached] == [
        "tests/support/factories.py → tests/ranking/admin/conftest.py → tests/ranking/admin/test_desk.py"
    ]


def test_the_nearest_of_several_changes_counts():
    changed = ["ranking/models.py", "ranking/matches/_ledger.py"]
    assert reach(changed, DEPENDENTS)[0] == Reached(LEDGER, ("ranking/matches/_ledger.py", LEDGER))


def test_what_asks_for_all_tests():
    files = ["Makefile", "config/settings.py", "tests/conftest.py", "tests/support/caches.py"]
    assert [file for file in sorted(FILES) if asks_for_all([file], DEPENDENTS)] == files
    assert asks_for_all(["docs/limits.md", "requirements.lock"], DEPENDENTS) == "requirements.lock"


def test_the_tests_of_a_files_app():
    tests = sorted(file for file in FILES if "/test_" in file)
    rows = {
        "templates/ranking/board.html": [DESK, LEDGER, VIEWS],
        "templates/admin/ranking/mode/fit.html": [DESK],
        "docs/pictures/board.png": ["tests/docs/test_limits.py"],
        "LICENSE": [],
    }
    assert {path: find_app_tests(path, tests) for path in rows} == rows


def test_which_command_runs_a_file_that_the_ordinary_run_leaves_out():
    rows = {
        ("tests/browser/test_board.py", ""): "make test-browser",
        ("tests/journeys/test_kills.py", "pytestmark = pytest.mark.faults\n"): "make test-faults",
        ("tests/journeys/test_far.py", "pytestmark = [pytest.mark.long, pytest.mark.faults]\n"): "make test-long",
        (LEDGER, "pytestmark = pytest.mark.django_db\n\n\n@pytest.mark.long\ndef test_many(): ...\n"): None,
    }
    assert {row: other_run(*row) for row in rows} == rows


def test_tests_that_kill_processes_lie_where_make_looks_for_them():
    """Beside tests/journeys only the long suite has some: it looks everywhere."""
    others = [path for path in (ROOT / "tests").rglob("test_*.py") if {"journeys", "tools"}.isdisjoint(path.parts)]
    marked = [line for path in others for line in path.read_text().splitlines() if "mark.faults" in line]
    assert [line for line in marked if "mark.long" not in line] == []
