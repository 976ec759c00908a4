"""Strikes of players from archived seasons, and who may make and see them."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from ranking.migrations._roles import grant

VIEWER = ["view_strike"]
MODERATOR = [*VIEWER, "strike_rating"]
ROLES = {"viewer": VIEWER, "moderator": MODERATOR, "administrator": MODERATOR}


def make_roles(apps, schema_editor):
    grant(apps, "ranking", ROLES, {"strike_rating": "Can strike players from archived seasons"})


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0007_scoreboards'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='rating',
            options={'permissions': [('strike_rating', 'Can strike players from archived seasons')]},
        ),
        migrations.CreateModel(
            name='Strike',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=200)),
                ('note', models.CharField(blank=True, db_default='', default='', max_length=500)),
                ('lifted_at', models.DateTimeField(null=True)),
                ('lift_reason', models.CharField(blank=True, db_default='', default='', max_length=200)),
                ('lift_note', models.CharField(blank=True, db_default='', default='', max_length=500)),
                ('struck_at', models.DateTimeField()),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('lifted_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('rating', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='strikes', to='ranking.rating')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='strike_reason_given'),
                    models.CheckConstraint(condition=models.Q(models.Q(('lift_note', ''), ('lift_reason', ''), ('lifted_at__isnull', True)), models.Q(('lifted_at__isnull', False), models.Q(('lift_reason', ''), _negated=True)), _connector='OR'), name='strike_lifted_with_a_reason'),
                    models.UniqueConstraint(condition=models.Q(('lifted_at__isnull', True)), fields=('rating',), name='strike_once_at_a_time'),
                    models.CheckConstraint(condition=models.Q(('lifted_at__isnull', True), ('lifted_at__gte', models.F('struck_at')), _connector='OR'), name='strike_lifted_afterwards'),
                ],
            },
        ),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
