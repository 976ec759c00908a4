"""What tools.matrix says of environments: only one whose tests all passed is good, and what was lacking is named."""

import pytest

from tools.matrix import ENVIRONMENTS, SERVERS, SQLITE, Row, outcome_of, report

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
        ("Traceback\n", 1, ["manage.py", "makemigrations"], "failed: manage.py makemigrations, exit status 1"),
    ],
)
def test_the_outcome_is_what_pytest_counts_or_the_command_that_failed(output, status, command, outcome):
    assert outcome_of(output, status, command) == outcome


@pytest.mark.parametrize(
    ("outcome", "status", "sentence"),
    [
        ("12 passed, 1 skipped", 0, "1 of 1 environments were tested."),
        ("not tested: Python 3.14", 0, "NOT TESTED: any. This machine lacks Python 3.14."),
        ("1 failed, 12 passed", 1, "Failed: any; its output is in var/matrix/any.log."),
        ("", 1, "Failed: any; its output is in var/matrix/any.log."),
    ],
)
def test_only_an_environment_whose_tests_passed_is_good(capsys, outcome, status, sentence):
    assert (report([Row("any", outcome)]), sentence in capsys.readouterr().out) == (status, True)


def test_each_server_is_tested():
    assert {database for _, _, database in ENVIRONMENTS} == {*SERVERS, SQLITE}
