"""Pictures that players show, and who may see the list of them."""

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models

from ranking.migrations._roles import grant

VIEWER = ["view_avatar"]
ROLES = {"viewer": VIEWER, "moderator": VIEWER, "administrator": VIEWER}


def make_roles(apps, schema_editor):
    grant(apps, "leaderboards", ROLES)


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboards', '0006_preferences'),
        ('ranking', '0015_avatars'),
    ]

    operations = [
        migrations.CreateModel(
            name='Avatar',
            fields=[
                ('player', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='ranking.player')),
                ('image', models.BinaryField(null=True)),
                ('due_at', models.DateTimeField(null=True)),
                ('removed_at', models.DateTimeField(null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['due_at'], name='avatar_due')],
                'constraints': [models.CheckConstraint(condition=models.Q(('image__isnull', True), django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('image'), 8192), _connector='OR'), name='avatar_small'), models.CheckConstraint(condition=models.Q(models.Q(('due_at__isnull', False), ('removed_at__isnull', True)), models.Q(('due_at__isnull', True), ('image__isnull', True), ('removed_at__isnull', False)), _connector='OR'), name='avatar_due_or_removed')],
            },
        ),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
