from django.db import migrations

from ranking.migrations._roles import grant


def let_moderators_rename(apps, schema_editor):
    grant(apps, "ranking", {role: ["rename_player"] for role in ("moderator", "administrator")})


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0035_renamings'),
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [migrations.RunPython(let_moderators_rename, migrations.RunPython.noop)]
