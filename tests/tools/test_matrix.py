"""What tools.matrix says of environments: only one whose tests all passed is good, and what was lacking is named."""

import re
import tomllib

import pytest

from tests.support.paths import ROOT
from tools.matrix import ENVIRONMENTS, SERVERS, SQLITE, Row, main, outcome_of, report

OPERATING = (ROOT / "docs/operating.md").read_text()

PYTEST = ["-m", "pytest", "-q"]


@pytest.mark.parametrize(
    ("output", "status", "command", "outcome"),
    [
        ("....\n12 passed in 3.21s\n", 0, PYTEST, "12 passed"),
        (
            "=== 2 failed, 10 passed, 1 skipped in 62.00s (0:01:02) ===\nLOG: shut down\n",
            1,
            PYTEST,
            "2 failed, 10 passed, 1 skipped",
        ),
        ("1 error in 0.50s\n", 1, PYTEST, "1 error"),
        ("10 passed, 2 warnings, 1 error in 0.50s\n", 1, PYTEST, "10 passed, 1 error"),
        ("10 passed, 3 deselected in 0.50s\n", 0, PYTEST, "10 passed"),
        ("INTERNALERROR\n10 passed in 0.50s\n", 3, PYTEST, "failed: -m pytest, exit status 3 (10 passed)"),
        ("Traceback\n", 1, ["manage.py", "makemigrations"], "failed: manage.py makemigrations, exit status 1"),
    ],
)
def test_the_outcome_is_what_pytest_counts_or_the_command_that_failed(output, status, command, outcome):
    assert outcome_of(output, status, command) == outcome


@pytest.mark.parametrize(
    ("outcome", "status", "sentence"),
    [
        ("12 passed, 1 skipped", 0, "1 of 1 environments were tested."),
        ("not tested: Python 3.14", 1, "NOT TESTED: any. This machine lacks Python 3.14."),
        ("1 failed, 12 passed", 1, "Failed: any; its output is in var/matrix/any.log."),
        ("", 1, "Failed: any; its output is in var/matrix/any.log."),
    ],
)
def test_only_an_environment_whose_tests_passed_is_good(capsys, outcome, status, sentence):
    assert (report([Row("any", outcome)]), sentence in capsys.readouterr().out) == (status, True)


def test_what_is_lacking_is_no_failure_beside_what_was_tested(capsys):
    assert report([Row("one", "12 passed"), Row("other", "not tested: npm")]) == 0
    assert "1 of 2 environments were tested." in capsys.readouterr().out


def test_a_name_that_no_environment_has_is_refused(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["--only", "6.9"])
    sentence = "No environment's name has '6.9'. They are: Python 3.11, Django 5.2, PostgreSQL 18; "
    assert sentence in capsys.readouterr().err


def test_each_server_is_tested():
    assert {database for _, _, database in ENVIRONMENTS} == {*SERVERS, SQLITE}


def test_the_page_of_versions_names_what_is_tried():
    """A Python that comes next may be tried before the page has it."""
    rows = re.findall(r"^\| (Python|Django|PostgreSQL) \| ([\d., ]+) \|", OPERATING, flags=re.MULTILINE)
    pythons, djangos, servers = ({*versions.split(", ")} for _, versions in rows)
    assert (djangos, servers) == ({django for _, django, _ in ENVIRONMENTS}, {*SERVERS})
    assert pythons <= {python for python, _, _ in ENVIRONMENTS}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == f">={min(pythons, key=_parts)}"
    newest = _parts(max(djangos, key=_parts))
    assert f"django>={min(djangos, key=_parts)},<{newest[0]}.{newest[1] + 1}" in project["dependencies"]


def _parts(version):
    return tuple(map(int, version.split(".")))
