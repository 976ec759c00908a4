"""Indexes by which log-in and sign-up find an account by name, in capitals or not, and by address.

The tables are Django's own, which has no such indexes. PostgreSQL has the index of names since 0001.
"""

from django.db import migrations


def make_indexes(apps, schema_editor):
    schema_editor.execute("CREATE INDEX auth_user_email ON auth_user (email)")
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("CREATE INDEX auth_user_username_nocase ON auth_user (username COLLATE NOCASE)")


def drop_indexes(apps, schema_editor):
    schema_editor.execute("DROP INDEX auth_user_email")
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP INDEX auth_user_username_nocase")


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboards", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [migrations.RunPython(make_indexes, drop_indexes)]
