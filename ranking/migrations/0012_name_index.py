"""The index that finds players by any part of their names."""

from django.db import migrations

from ranking.database.name_index import create_name_index, create_triggers, drop_name_index


def create(apps, schema_editor):
    create_name_index(schema_editor.connection)
    create_triggers(schema_editor.connection)


def drop(apps, schema_editor):
    drop_name_index(schema_editor.connection)


class Migration(migrations.Migration):
    dependencies = [("ranking", "0011_learnt_values")]
    operations = [migrations.RunPython(create, drop)]
