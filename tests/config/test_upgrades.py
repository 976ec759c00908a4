"""A database of a version before the one that the initial migrations go on from is refused, and nothing is changed."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations import AddField, CreateModel
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from config.upgrades import TOO_OLD, is_too_old

APPS = ("ranking", "leaderboards", "matchmaking")
LAST = {"ranking": "0016_names_in_order", "leaderboards": "0004_login_names", "matchmaking": "0002_roles"}
RELEASED = {"ranking": "0016_names_by_language", "leaderboards": "0007_avatars", "matchmaking": "0003_endings"}

pytestmark = pytest.mark.django_db


def forget(**conditions):
    MigrationRecorder.Migration.objects.filter(**conditions).delete()


@pytest.mark.parametrize("app", APPS)
def test_an_older_database_is_refused_before_anything_is_changed(app, client, capsys):
    forget(app=app, name__in=["0001_initial", LAST[app]])
    applied = MigrationRecorder(connection).applied_migrations().keys()
    tables = connection.introspection.table_names()
    with pytest.raises(CommandError, match="commit 5a6d945") as refused:
        call_command("migrate")
    assert str(refused.value) == TOO_OLD
    assert MigrationRecorder(connection).applied_migrations().keys() == applied
    assert connection.introspection.table_names() == tables
    assert client.get("/health/ready").json()["checks"]["migrations"] == TOO_OLD
    with pytest.raises(SystemExit):
        call_command("doctor")
    assert f"database.version: {TOO_OLD}\n" in capsys.readouterr().out


def test_a_database_that_had_them_all_goes_on_with_nothing_to_apply(capsys):
    forget(app__in=APPS, name="0001_initial")
    call_command("migrate")
    assert "No migrations to apply." in capsys.readouterr().out


def test_a_new_database_is_not_too_old():
    forget(app__in=APPS)
    assert not is_too_old(connection)


@pytest.mark.parametrize("app", APPS)
def test_processes_of_the_old_version_can_write_rows_that_lack_the_new_columns(app):
    migrations = MigrationLoader(None).disk_migrations
    names = [name for of, name in sorted(migrations) if of == app and name > RELEASED[app]]
    steps = [step for name in names for step in migrations[app, name].operations]
    new = {step.name.lower() for step in steps if isinstance(step, CreateModel)}
    added = [step for step in steps if isinstance(step, AddField) and step.model_name not in new]
    assert [
        f"{step.model_name}.{step.name}" for step in added if not (step.field.null or step.field.has_db_default())
    ] == []
