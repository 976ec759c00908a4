"""Adds the table that counts what changed on pages; the apps add its triggers after each migration."""

from typing import Any

from django.db import migrations

from ranking.database.shown_changes import create_table, drop_table


def _create(apps: Any, schema_editor: Any) -> None:
    create_table(schema_editor.connection)


def _drop(apps: Any, schema_editor: Any) -> None:
    drop_table(schema_editor.connection)


class Migration(migrations.Migration):
    dependencies = [("ranking", "0033_lessons_of_luck")]

    operations = [migrations.RunPython(_create, _drop)]
