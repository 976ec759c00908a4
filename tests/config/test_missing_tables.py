"""A command in a folder without a site says what to run, and shows no traceback."""

import os
import subprocess
import sys

import pytest
from django.db import DatabaseError, connection

from config.storage.upgrades import lacks_tables, wants_migrate
from tests.support.paths import ROOT


@pytest.mark.parametrize(
    "command", [["create_key", "game", "--scope", "results"], ["end_season", "duel"], ["clearsessions"]]
)
def test_a_command_without_a_site(command, tmp_path):
    given = {name: value for name, value in os.environ.items() if not name.startswith("RUNGS_")}
    given |= {"RUNGS_DATA_DIR": str(tmp_path)}
    said = subprocess.run(
        [sys.executable, "manage.py", *command], cwd=ROOT, env=given, capture_output=True, text=True, check=False
    )
    assert (said.returncode, said.stdout, said.stderr) == (
        1,
        "",
        f"The database {tmp_path}/rungs.sqlite3 lacks tables of this program. Run manage.py migrate first; or if the"
        " site's database is another one, name it by RUNGS_DATA_DIR or RUNGS_DATABASE_URL.\n",
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("statement", "lacks"),
    [
        ("SELECT * FROM not_there", True),
        ("SELECT not_there FROM ranking_mode", True),
        ("SELECT * FROM", False),
        ("SELECT 1/0 FROM (SELECT 1) AS one WHERE CAST('x' AS integer) = 1", False),
    ],
)
def test_what_is_missing_is_told_from_other_errors(statement, lacks):
    found = False
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
    except DatabaseError as error:
        found = lacks_tables(error)
    assert found is lacks


@pytest.mark.django_db
def test_a_wrong_statement_on_tables_that_are_up_to_date_is_no_want_of_migrations():
    error = DatabaseError()
    error.__cause__ = Exception("no such table: not_there")
    assert lacks_tables(error)
    assert not wants_migrate(error, connection)
