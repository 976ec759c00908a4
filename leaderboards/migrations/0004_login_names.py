"""Whoever logs in is looked up by name in capitals or not: on PostgreSQL by an index, not among all accounts."""

from django.conf import settings
from django.db import migrations


def make_index(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("CREATE INDEX auth_user_username_upper ON auth_user (upper(username))")


def drop_index(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP INDEX auth_user_username_upper")


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboards', '0003_roles'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [migrations.RunPython(make_index, drop_index, elidable=False)]
