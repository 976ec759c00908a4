"""Notes on players, warnings, canned answers, who looks into an appeal, and who may do and see all that."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from ranking.migrations._roles import grant

VIEWER = ["view_playerwarning", "view_cannedanswer"]
MODERATOR = [
    *VIEWER, "view_playernote", "add_playernote", "add_playerwarning", "add_cannedanswer", "change_cannedanswer",
]
ROLES = {"viewer": VIEWER, "moderator": MODERATOR, "administrator": MODERATOR}
NAMES = {
    "view_playernote": "Can view note on a player",
    "add_playernote": "Can add note on a player",
    "view_playerwarning": "Can view warning",
    "add_playerwarning": "Can add warning",
    "view_cannedanswer": "Can view canned answer",
    "add_cannedanswer": "Can add canned answer",
    "change_cannedanswer": "Can change canned answer",
}


def make_roles(apps, schema_editor):
    grant(apps, "ranking", ROLES, NAMES)


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0016_names_by_language'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='CannedAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('title', models.CharField(help_text='For moderators, who choose by it.', max_length=60, unique=True)),
                ('text', models.CharField(help_text='What the player reads, as it is written here.', max_length=200)),
                ('offered', models.BooleanField(default=True, help_text='Forms offer it.')),
            ],
        ),
        migrations.CreateModel(
            name='PlayerNote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.CharField(max_length=1000)),
                ('written_at', models.DateTimeField()),
                ('withdrawn_at', models.DateTimeField(null=True)),
                ('withdraw_reason', models.CharField(blank=True, default='', max_length=200)),
            ],
            options={
                'verbose_name': 'note on a player',
                'verbose_name_plural': 'notes on players',
            },
        ),
        migrations.CreateModel(
            name='PlayerWarning',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=200)),
                ('note', models.CharField(blank=True, db_default='', default='', max_length=500)),
                ('lifted_at', models.DateTimeField(null=True)),
                ('lift_reason', models.CharField(blank=True, db_default='', default='', max_length=200)),
                ('lift_note', models.CharField(blank=True, db_default='', default='', max_length=500)),
                ('warned_at', models.DateTimeField()),
            ],
            options={
                'verbose_name': 'warning',
            },
        ),
        migrations.AddField(
            model_name='appeal',
            name='assigned_to',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='appeal',
            index=models.Index(condition=models.Q(('decided_at__isnull', True)), fields=['assigned_to', 'made_at', 'id'], name='appeal_open_of'),
        ),
        migrations.AddConstraint(
            model_name='cannedanswer',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('title', ''), _negated=True), models.Q(('text', ''), _negated=True)), name='canned_answer_texts_given'),
        ),
        migrations.AddField(
            model_name='playernote',
            name='by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='playernote',
            name='player',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='notes', to='ranking.player'),
        ),
        migrations.AddField(
            model_name='playernote',
            name='withdrawn_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='playerwarning',
            name='by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='playerwarning',
            name='lifted_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='playerwarning',
            name='player',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='warnings', to='ranking.player'),
        ),
        migrations.AddConstraint(
            model_name='playernote',
            constraint=models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='player_note_text_given'),
        ),
        migrations.AddConstraint(
            model_name='playernote',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('withdraw_reason', ''), ('withdrawn_at__isnull', True)), models.Q(('withdrawn_at__gte', models.F('written_at')), ('withdrawn_at__isnull', False), models.Q(('withdraw_reason', ''), _negated=True)), _connector='OR'), name='player_note_withdrawn_with_a_reason'),
        ),
        migrations.AddIndex(
            model_name='playerwarning',
            index=models.Index(fields=['warned_at'], name='warning_recent'),
        ),
        migrations.AddIndex(
            model_name='playerwarning',
            index=models.Index(condition=models.Q(('lifted_at__isnull', False)), fields=['lifted_at'], name='warning_withdrawn'),
        ),
        migrations.AddConstraint(
            model_name='playerwarning',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='playerwarning_reason_given'),
        ),
        migrations.AddConstraint(
            model_name='playerwarning',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('lift_note', ''), ('lift_reason', ''), ('lifted_at__isnull', True)), models.Q(('lifted_at__isnull', False), models.Q(('lift_reason', ''), _negated=True)), _connector='OR'), name='playerwarning_lifted_with_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='playerwarning',
            constraint=models.CheckConstraint(condition=models.Q(('lifted_at__isnull', True), ('lifted_at__gte', models.F('warned_at')), _connector='OR'), name='playerwarning_lifted_afterwards'),
        ),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
