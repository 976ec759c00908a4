"""A site moves from SQLite to PostgreSQL and back."""

import json
import sqlite3
from contextlib import closing

import psycopg
import pytest
from django.core.management import CommandError, call_command

from tests.journeys.conftest import MODE_AND_KEY
from tests.support.patience import wait_until
from tests.support.servers import SCALED, new_database
from tests.support.sites import Site, report

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(not SCALED, reason="Wants both databases: the scaled profile's run has them."),
]
FILL = """
from ranking.models import Player
from tests.support.factories import NOW
from tests.support.whole_site import make_whole_site
make_whole_site()
Player.objects.create(key="gone", name="gone", search_name="gone", created_at=NOW).delete()
"""  # the last player's number must not be given again


def on_sqlite(folder, name):
    return Site(folder, f"sqlite:///{folder}/{name}.sqlite3", scaled=False)


@pytest.fixture
def moved(tmp_path):
    """A site on PostgreSQL, whose database is empty."""
    (tmp_path / "moved").mkdir()
    site = Site(tmp_path / "moved", new_database(tmp_path))
    yield site
    site.close()


def test_a_site_with_a_row_of_everything_there_and_back(moved, tmp_path):
    site, back = on_sqlite(tmp_path, "whole"), on_sqlite(tmp_path, "back")
    site.manage("migrate", "-v0")
    site.shell(FILL)
    break_off(site, moved)
    site.manage("move", "--to", moved.database, code=1)  # doctor's: this site has faults, which come along
    break_off(moved, back)
    moved.manage("move", "--to", back.database, code=1)
    before = dump(site)
    assert len(before) > 500
    assert dump(back) == before
    assert sequences(back) == sequences(site)


def break_off(site, moved):
    """Kill a move amid copying."""
    process = site.start("move", "--to", moved.database)
    with closing(connect(moved)) as connection:
        assert wait_until(lambda: tables_copied(connection) > 5)
        process.kill()
        process.wait()
        assert 5 < tables_copied(connection) < 80


def connect(site):
    if site.database.startswith("sqlite"):
        return sqlite3.connect(site.database.removeprefix("sqlite:///"), timeout=20)
    return psycopg.connect(site.database, autocommit=True)


def tables_copied(connection):
    try:
        return connection.execute("SELECT count(*) FROM rungs_move WHERE kind = 'table'").fetchone()[0]
    except (psycopg.errors.UndefinedTable, sqlite3.OperationalError):
        return 0


def dump(site):
    """All rows of a site, in one order, as Django's own dump has them."""
    rows = json.loads(site.manage("dumpdata", "--all"))
    return sorted(rows, key=lambda row: (row["model"], str(row["pk"]), json.dumps(row["fields"], sort_keys=True)))


def sequences(site):
    with closing(sqlite3.connect(site.database.removeprefix("sqlite:///"))) as connection:
        return {table: number for table, number in connection.execute("SELECT * FROM sqlite_sequence") if number}


@pytest.mark.usefixtures("_static_files")
def test_the_old_site_shows_pages_and_takes_no_results(moved, tmp_path):
    site = on_sqlite(tmp_path, "old")
    site.manage("migrate", "-v0")
    site.key = moved.key = site.shell(MODE_AND_KEY)
    site.start()
    try:
        check_refusal(site, "one", moved.database)
        moved.start()
        assert moved.post_result(report("at the new one", "Kestrel", "Wren")) == 201
        check_refusal(moved, "two", f"sqlite:///{tmp_path}/back.sqlite3")
        assert "isn't empty" in moved.manage("move", "--to", site.database, code=1)
    finally:
        site.process.terminate()
        site.process.wait(60)


def check_refusal(site, name, address):
    first, later = report(f"{name} before", "Kestrel", "Wren"), report(f"{name} after", "Wren", "Kestrel")
    assert site.post_result(first) == 201
    assert "All is well." in site.manage("move", "--to", address)
    assert (site.post_result(later), site.get("/boards/duel/")[0]) == (503, 200)
    site.manage("move", "--give-up")
    assert wait_until(lambda: site.post_result(later) == 201)


@pytest.mark.parametrize(
    ("address", "sentence"),
    [("postgress://nowhere", "can't be read"), ("postgres://127.0.0.1/other", "are of one kind")],
)
def test_addresses_that_are_refused(db, address, sentence):
    with pytest.raises(CommandError, match=sentence):
        call_command("move", to=address)
