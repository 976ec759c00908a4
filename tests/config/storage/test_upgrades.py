"""Upgrades: what an older database is told, what one of the last version has to apply, and what a new one costs."""

import re

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations import AddField, CreateModel
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.storage.upgrades import FIRST, TOO_OLD, is_too_old

MIGRATIONS = MigrationLoader(None).disk_migrations
LAST = {app: MIGRATIONS[app, first].replaces[-1][1] for app, first in FIRST.items()}  # of the version before
# "app.name" since the last release, which the next one squashes.
REBUILDING = {
    "ranking.0024_part_time_play", "ranking.0025_matches_once", "ranking.0027_former_names",
    "ranking.0029_hides_playing", "ranking.0030_match_links", "ranking.0031_withdrawn_results",
    "ranking.0032_strong_newcomers", "ranking.0035_renamings",
    "matchmaking.0005_fill_after", "matchmaking.0006_called_off", "matchmaking.0007_failed_starts",
}  # fmt: skip
REBUILDS = {"sqlite": r'CREATE TABLE "new__', "postgresql": r"ALTER TABLE \S+ (ALTER|DROP) "}

TAKEN_BY_A_RESULT = ["mode", "match", "rating", "participation"]  # in this order

pytestmark = pytest.mark.django_db


def forget(**conditions):
    MigrationRecorder.Migration.objects.filter(**conditions).delete()


def remember(app, *names):
    MigrationRecorder.Migration.objects.bulk_create(MigrationRecorder.Migration(app=app, name=name) for name in names)


def forget_the_last(app):
    forget(app=app, name__in=[FIRST[app], LAST[app]])


def forget_all_but_older(app):
    forget(app=app)
    remember(app, "0001_of_an_older_version", "0002_of_an_older_version")


@pytest.mark.parametrize("app", FIRST)
@pytest.mark.parametrize("make_older", [forget_the_last, forget_all_but_older])
def test_an_older_database_is_refused_before_anything_is_changed(app, make_older, client, capsys):
    make_older(app)
    applied = MigrationRecorder(connection).applied_migrations().keys()
    tables = connection.introspection.table_names()
    with pytest.raises(CommandError, match="commit 316a237c") as refused:
        call_command("migrate")
    assert str(refused.value) == TOO_OLD
    assert MigrationRecorder(connection).applied_migrations().keys() == applied
    assert connection.introspection.table_names() == tables
    assert client.get("/health/ready").json()["checks"]["migrations"] == TOO_OLD
    with pytest.raises(SystemExit):
        call_command("doctor")
    assert f"database.version: {TOO_OLD}\n" in capsys.readouterr().out


def test_a_database_that_had_them_all_goes_on_with_nothing_to_apply(capsys):
    """Those of older versions may be recorded beside them."""
    for app, first in FIRST.items():
        forget(app=app, name=first)
        remember(app, "0001_of_an_older_version")
    call_command("migrate")
    assert "No migrations to apply." in capsys.readouterr().out
    assert {*FIRST.items()} <= MigrationRecorder(connection).applied_migrations().keys()


def test_a_new_database_is_not_too_old():
    forget(app__in=FIRST)
    assert not is_too_old(connection)


def test_later_migrations_have_numbers_that_no_older_database_has_recorded():
    numbers = {(app, int(name[:4])) for app, name in MIGRATIONS if app in FIRST and name != FIRST[app]}
    assert {(app, number) for app, number in numbers if number <= int(LAST[app][:4])} == set()


@pytest.fixture
def executor():
    """Of a connection of its own: SQLite's editor of schemas works outside a transaction only."""
    other = connection.copy()
    yield MigrationExecutor(other)
    other.close()


def test_migrating_an_empty_database_rebuilds_no_table(executor):
    targets = [key for key in executor.loader.graph.leaf_nodes() if key[0] in FIRST]
    plan = [step for step in executor.migration_plan(targets, clean_start=True) if step[0].app_label in FIRST]
    statements = {str(step[0]): executor.loader.collect_sql([step]) for step in plan}
    assert sum(statement.startswith("CREATE TABLE ") for made in statements.values() for statement in made) > 60
    rebuilds = re.compile(REBUILDS[connection.vendor])
    assert {name for name, made in statements.items() if any(map(rebuilds.match, made))} - REBUILDING == set()


@pytest.mark.parametrize("app", FIRST)
def test_tables_are_made_and_recorded_in_one_transaction(executor, app):
    """Django records a migration after its transaction if statements are left for the end."""
    state = executor.loader.project_state((app, FIRST[app]), at_end=False)
    with executor.connection.schema_editor(collect_sql=True) as editor:
        MIGRATIONS[app, FIRST[app]].apply(state, editor, collect_sql=True)
        assert editor.deferred_sql == []


@pytest.mark.parametrize("app", FIRST)
def test_processes_of_the_old_version_can_write_rows_that_lack_the_new_columns(app):
    names = [name for of, name in sorted(MIGRATIONS) if of == app and name != FIRST[app]]
    steps = [step for name in names for step in MIGRATIONS[app, name].operations]
    new = {step.name.lower() for step in steps if isinstance(step, CreateModel)}
    added = [step for step in steps if isinstance(step, AddField) and step.model_name not in new]
    assert [
        f"{step.model_name}.{step.name}" for step in added if not (step.field.null or step.field.has_db_default())
    ] == []


def test_tables_are_taken_in_the_order_in_which_a_result_takes_them():
    """A migration that has matches and wants modes would wait for a result that has its mode and wants matches."""
    taken = {
        key: [*dict.fromkeys(name for step in migration.operations if (name := getattr(step, "model_name", None)))]
        for key, migration in MIGRATIONS.items() if key[0] == "ranking"
    }  # fmt: skip
    taken = {key: [name for name in names if name in TAKEN_BY_A_RESULT] for key, names in taken.items()}
    assert len([names for names in taken.values() if len(names) > 1]) > 1
    assert {key for key, names in taken.items() if names != sorted(names, key=TAKEN_BY_A_RESULT.index)} == set()
