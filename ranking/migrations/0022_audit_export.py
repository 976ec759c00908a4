"""Who may export the audit log."""

from django.db import migrations

from ranking.migrations._roles import grant

MODERATOR = ["export_auditentry"]
ROLES = {"moderator": MODERATOR, "administrator": MODERATOR}


def make_roles(apps, schema_editor):
    grant(apps, "ranking", ROLES, {"export_auditentry": "Can export the audit log"})


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0021_complaints'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='auditentry',
            options={'permissions': [('export_auditentry', 'Can export the audit log')], 'verbose_name_plural': 'audit log'},
        ),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
