"""Texts of acts: one that the player reads, one that only moderators read; and what takes each act back."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F

VOIDED, RESTORED, MERGED = "A moderator took it out.", "A moderator put it back.", "They are one person's accounts."
HIDDEN = "A moderator hid you from the boards."


def part_texts(apps, schema_editor):
    """Make notes for moderators of the reasons that no player has been shown so far: those of voids and merges."""
    Void, Merge = apps.get_model("ranking", "Void"), apps.get_model("ranking", "Merge")
    Void.objects.update(note=F("reason"), reason=VOIDED)
    Void.objects.filter(lifted_at__isnull=False).update(lift_note=F("lift_reason"), lift_reason=RESTORED)
    Merge.objects.update(note=F("reason"), reason=MERGED)


def note_hidden(apps, schema_editor):
    """Write down who is hidden from boards by a moderator; the reasons are in the audit log."""
    Player, Hiding = apps.get_model("ranking", "Player"), apps.get_model("ranking", "Hiding")
    hidden = Player.objects.filter(hidden_at__isnull=False, anonymised_at=None, merged_into=None)
    rows = hidden.order_by("pk").values_list("pk", "hidden_at")
    Hiding.objects.bulk_create([Hiding(player_id=pk, hidden_at=at, reason=HIDDEN) for pk, at in rows.iterator()])


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='BanAct',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('act', models.CharField(choices=[('extend', 'extended'), ('shorten', 'shortened'), ('lift', 'lifted'), ('resume', 'put in force again')], max_length=7)),
                ('at', models.DateTimeField()),
                ('reason', models.CharField(max_length=200)),
                ('note', models.CharField(blank=True, default='', max_length=500)),
                ('ended_at', models.DateTimeField(null=True)),
                ('ends_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Hiding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=200)),
                ('note', models.CharField(blank=True, db_default='', default='', max_length=500)),
                ('lifted_at', models.DateTimeField(null=True)),
                ('lift_reason', models.CharField(blank=True, db_default='', default='', max_length=200)),
                ('lift_note', models.CharField(blank=True, db_default='', default='', max_length=500)),
                ('hidden_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Reopening',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('decision', models.CharField(choices=[('granted', 'granted'), ('confirmed', 'confirmed'), ('withdrawn', 'withdrawn')], max_length=9)),
                ('decided_at', models.DateTimeField()),
                ('answer', models.CharField(max_length=200)),
                ('decision_note', models.CharField(blank=True, default='', max_length=500)),
                ('reopened_at', models.DateTimeField()),
                ('reason', models.CharField(max_length=200)),
                ('note', models.CharField(blank=True, default='', max_length=500)),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='merge',
            name='merge_once_a_player',
        ),
        migrations.RemoveConstraint(
            model_name='void',
            name='void_lifted_with_a_reason',
        ),
        migrations.AddField(
            model_name='appeal',
            name='note',
            field=models.CharField(blank=True, db_default='', default='', max_length=500),
        ),
        migrations.AddField(
            model_name='auditentry',
            name='note',
            field=models.CharField(blank=True, db_default='', default='', max_length=500),
        ),
        migrations.AddField(
            model_name='ban',
            name='lift_note',
            field=models.CharField(blank=True, db_default='', default='', max_length=500),
        ),
        migrations.AddField(
            model_name='ban',
            name='note',
            field=models.CharField(blank=True, db_default='', default='', max_length=500),
        ),
        migrations.AddField(
            model_name='merge',
            name='lift_note',
            field=models.CharField(blank=True, db_default='', default='', max_length=500),
        ),
        migrations.AddField(
            model_name='merge',
            name='lift_reason',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='merge',
            name='lifted_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='merge',
            name='lifted_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='merge',
            name='note',
            field=models.CharField(blank=True, db_default='', default='', max_length=500),
        ),
        migrations.AddField(
            model_name='merge',
            name='taken',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='pardon',
            name='lift_note',
            field=models.CharField(blank=True, db_default='', default='', max_length=500),
        ),
        migrations.AddField(
            model_name='pardon',
            name='lift_reason',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddField(
            model_name='pardon',
            name='lifted_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='pardon',
            name='lifted_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='pardon',
            name='note',
            field=models.CharField(blank=True, db_default='', default='', max_length=500),
        ),
        migrations.AddField(
            model_name='void',
            name='lift_note',
            field=models.CharField(blank=True, db_default='', default='', max_length=500),
        ),
        migrations.AddField(
            model_name='void',
            name='note',
            field=models.CharField(blank=True, db_default='', default='', max_length=500),
        ),
        migrations.AlterField(
            model_name='pardon',
            name='incident',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='pardons', to='ranking.incident'),
        ),
        migrations.AlterField(
            model_name='void',
            name='lift_reason',
            field=models.CharField(blank=True, db_default='', default='', max_length=200),
        ),
        migrations.AddConstraint(
            model_name='merge',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('lift_note', ''), ('lift_reason', ''), ('lifted_at__isnull', True)), models.Q(('lifted_at__isnull', False), models.Q(('lift_reason', ''), _negated=True)), _connector='OR'), name='merge_lifted_with_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='merge',
            constraint=models.UniqueConstraint(condition=models.Q(('lifted_at__isnull', True)), fields=('merged',), name='merge_once_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='merge',
            constraint=models.CheckConstraint(condition=models.Q(('lifted_at__isnull', True), ('lifted_at__gte', models.F('merged_at')), _connector='OR'), name='merge_lifted_afterwards'),
        ),
        migrations.AddConstraint(
            model_name='pardon',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('lift_note', ''), ('lift_reason', ''), ('lifted_at__isnull', True)), models.Q(('lifted_at__isnull', False), models.Q(('lift_reason', ''), _negated=True)), _connector='OR'), name='pardon_lifted_with_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='pardon',
            constraint=models.UniqueConstraint(condition=models.Q(('lifted_at__isnull', True)), fields=('incident',), name='pardon_once_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='pardon',
            constraint=models.CheckConstraint(condition=models.Q(('lifted_at__isnull', True), ('lifted_at__gte', models.F('pardoned_at')), _connector='OR'), name='pardon_lifted_afterwards'),
        ),
        migrations.AddConstraint(
            model_name='void',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('lift_note', ''), ('lift_reason', ''), ('lifted_at__isnull', True)), models.Q(('lifted_at__isnull', False), models.Q(('lift_reason', ''), _negated=True)), _connector='OR'), name='void_lifted_with_a_reason'),
        ),
        migrations.AddField(
            model_name='banact',
            name='ban',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='acts', to='ranking.ban'),
        ),
        migrations.AddField(
            model_name='banact',
            name='by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='hiding',
            name='by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='hiding',
            name='lifted_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='hiding',
            name='player',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hidings', to='ranking.player'),
        ),
        migrations.AddField(
            model_name='reopening',
            name='appeal',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reopenings', to='ranking.appeal'),
        ),
        migrations.AddField(
            model_name='reopening',
            name='by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='reopening',
            name='decided_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddIndex(
            model_name='banact',
            index=models.Index(fields=['at'], name='ban_act_recent'),
        ),
        migrations.AddConstraint(
            model_name='banact',
            constraint=models.CheckConstraint(condition=models.Q(('act__in', ['extend', 'shorten', 'lift', 'resume'])), name='ban_act_known'),
        ),
        migrations.AddConstraint(
            model_name='banact',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='ban_act_reason_given'),
        ),
        migrations.AddConstraint(
            model_name='hiding',
            constraint=models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='hiding_reason_given'),
        ),
        migrations.AddConstraint(
            model_name='hiding',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('lift_note', ''), ('lift_reason', ''), ('lifted_at__isnull', True)), models.Q(('lifted_at__isnull', False), models.Q(('lift_reason', ''), _negated=True)), _connector='OR'), name='hiding_lifted_with_a_reason'),
        ),
        migrations.AddConstraint(
            model_name='hiding',
            constraint=models.UniqueConstraint(condition=models.Q(('lifted_at__isnull', True)), fields=('player',), name='hiding_once_at_a_time'),
        ),
        migrations.AddConstraint(
            model_name='hiding',
            constraint=models.CheckConstraint(condition=models.Q(('lifted_at__isnull', True), ('lifted_at__gte', models.F('hidden_at')), _connector='OR'), name='hiding_lifted_afterwards'),
        ),
        migrations.AddIndex(
            model_name='reopening',
            index=models.Index(fields=['reopened_at'], name='reopening_recent'),
        ),
        migrations.AddConstraint(
            model_name='reopening',
            constraint=models.CheckConstraint(condition=models.Q(('decision__in', ['granted', 'confirmed'])), name='reopening_of_a_decision'),
        ),
        migrations.AddConstraint(
            model_name='reopening',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('reason', ''), _negated=True), models.Q(('answer', ''), _negated=True)), name='reopening_reason_given'),
        ),
        migrations.AddConstraint(
            model_name='reopening',
            constraint=models.CheckConstraint(condition=models.Q(('reopened_at__gte', models.F('decided_at'))), name='reopening_afterwards'),
        ),
        migrations.RunPython(part_texts, migrations.RunPython.noop),
        migrations.RunPython(note_hidden, migrations.RunPython.noop),
    ]
