"""What players report about each other after a match, and who may see and review it."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

from ranking.migrations._roles import grant

VIEWER = ["view_complaintcase", "view_complaint"]
MODERATOR = [*VIEWER, "change_complaintcase"]
ROLES = {"viewer": VIEWER, "moderator": MODERATOR, "administrator": MODERATOR}
NAMES = {
    "view_complaintcase": "Can view reported player",
    "change_complaintcase": "Can change reported player",
    "view_complaint": "Can view player's report",
}


def make_roles(apps, schema_editor):
    grant(apps, "ranking", ROLES, NAMES)


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0020_lists_and_saved_filters'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ComplaintCase',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('complaints_count', models.PositiveIntegerField(default=0)),
                ('newest_at', models.DateTimeField()),
                ('verdict', models.CharField(choices=[('open', 'not reviewed'), ('upheld', 'upheld'), ('dismissed', 'dismissed')], default='open', max_length=9)),
                ('reviewed_at', models.DateTimeField(null=True)),
                ('reason', models.CharField(blank=True, default='', max_length=200)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='complaint_cases', to='ranking.player')),
                ('reviewed_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'reported player',
            },
        ),
        migrations.CreateModel(
            name='Complaint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(choices=[('cheating', 'cheating'), ('leaving', 'leaving or idling on purpose'), ('sabotage', 'losing on purpose, or against their own team'), ('words', 'abusive words'), ('name', 'an offensive name'), ('other', 'something else')], max_length=8)),
                ('text', models.CharField(blank=True, default='', max_length=500)),
                ('made_at', models.DateTimeField()),
                ('match', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='complaints', to='ranking.match')),
                ('reported', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='complaints_about', to='ranking.player')),
                ('reporter', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='complaints_made', to='ranking.player')),
                ('case', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='complaints', to='ranking.complaintcase')),
            ],
            options={
                'verbose_name': "player's report",
                'verbose_name_plural': "players' reports",
            },
        ),
        migrations.AddIndex(
            model_name='complaintcase',
            index=models.Index(models.OrderBy(models.F('complaints_count'), descending=True), models.OrderBy(models.F('newest_at'), descending=True), models.OrderBy(models.F('id'), descending=True), condition=models.Q(('verdict', 'open')), name='complaint_case_open'),
        ),
        migrations.AddIndex(
            model_name='complaintcase',
            index=models.Index(condition=models.Q(('reviewed_at__isnull', False)), fields=['reviewed_at'], name='complaint_case_reviewed'),
        ),
        migrations.AddConstraint(
            model_name='complaintcase',
            constraint=models.UniqueConstraint(condition=models.Q(('verdict', 'open')), fields=('player',), name='complaint_case_one_open'),
        ),
        migrations.AddConstraint(
            model_name='complaintcase',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), ('reviewed_at__isnull', True), ('verdict', 'open')), models.Q(('reviewed_at__isnull', False), ('verdict__in', ['upheld', 'dismissed']), models.Q(('reason', ''), _negated=True)), _connector='OR'), name='complaint_case_reviewed_with_a_reason'),
        ),
        migrations.AddIndex(
            model_name='complaint',
            index=models.Index(fields=['reporter', 'made_at'], name='complaint_of_reporter'),
        ),
        migrations.AddConstraint(
            model_name='complaint',
            constraint=models.UniqueConstraint(fields=('match', 'reporter', 'reported'), name='complaint_once_a_pair_and_match'),
        ),
        migrations.AddConstraint(
            model_name='complaint',
            constraint=models.CheckConstraint(condition=models.Q(('reporter', models.F('reported')), _negated=True), name='complaint_of_two'),
        ),
        migrations.AddConstraint(
            model_name='complaint',
            constraint=models.CheckConstraint(condition=models.Q(('reason__in', ['cheating', 'leaving', 'sabotage', 'words', 'name', 'other'])), name='complaint_reason_known'),
        ),
        migrations.RunPython(make_roles, migrations.RunPython.noop),
    ]
