"""Seasons with ends, resets and states; when they end by themselves; ratings that were carried over."""

import django.core.validators
import django.db.models.deletion
import ranking.models.mode
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0005_unreported_losses'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='mode',
            name='late_results',
            field=models.PositiveIntegerField(db_default=300, default=300, validators=[django.core.validators.MaxValueValidator(86400)]),
        ),
        migrations.AddField(
            model_name='mode',
            name='placement_after_reset',
            field=models.PositiveSmallIntegerField(db_default=3, default=3),
        ),
        migrations.AddField(
            model_name='mode',
            name='schedule',
            field=models.CharField(blank=True, db_default='', default='', max_length=500, validators=[ranking.models.mode.check_schedule]),
        ),
        migrations.AddField(
            model_name='nextrating',
            name='carried',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='rating',
            name='carried',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='rerating',
            name='kind',
            field=models.CharField(choices=[('rerating', 'rerating'), ('season_end', 'season_end')], db_default='rerating', default='rerating', max_length=10),
        ),
        migrations.AddField(
            model_name='season',
            name='checksum',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name='season',
            name='event',
            field=models.OneToOneField(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='ended_season', to='ranking.event'),
        ),
        migrations.AddField(
            model_name='season',
            name='late_until',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='season',
            name='next_name',
            field=models.CharField(blank=True, db_default='', default='', max_length=64),
        ),
        migrations.AddField(
            model_name='season',
            name='reset',
            field=models.CharField(choices=[('soft', 'soft'), ('keep', 'keep'), ('hard', 'hard')], db_default='soft', default='soft', max_length=4),
        ),
        migrations.AddField(
            model_name='season',
            name='reset_factor',
            field=models.FloatField(db_default=0.5, default=0.5, validators=[django.core.validators.MinValueValidator(0.0), django.core.validators.MaxValueValidator(1.0)]),
        ),
        migrations.AddField(
            model_name='season',
            name='shown',
            field=models.JSONField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='season',
            name='state',
            field=models.CharField(choices=[('running', 'running'), ('closing', 'closing'), ('archived', 'archived')], db_default='running', default='running', max_length=8),
        ),
        migrations.AddConstraint(
            model_name='mode',
            constraint=models.CheckConstraint(condition=models.Q(('late_results__lte', 86400)), name='mode_late_results_within_a_day'),
        ),
        migrations.AddConstraint(
            model_name='rerating',
            constraint=models.CheckConstraint(condition=models.Q(('kind', 'rerating'), models.Q(('kind', 'season_end'), ('state__in', ['running', 'done'])), _connector='OR'), name='rerating_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='season',
            constraint=models.CheckConstraint(condition=models.Q(('name', ''), _negated=True), name='season_name_given'),
        ),
        migrations.AddConstraint(
            model_name='season',
            constraint=models.CheckConstraint(condition=models.Q(('reset__in', ('soft', 'keep', 'hard'))), name='season_reset_known'),
        ),
        migrations.AddConstraint(
            model_name='season',
            constraint=models.CheckConstraint(condition=models.Q(('reset_factor__gte', 0), ('reset_factor__lte', 1)), name='season_reset_factor_is_a_share'),
        ),
        migrations.AddConstraint(
            model_name='season',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('late_until__isnull', True), ('state', 'running')), models.Q(('ends_at__isnull', False), ('late_until__gte', models.F('ends_at')), ('late_until__isnull', False), ('state__in', ['closing', 'archived'])), _connector='OR'), name='season_closes_at_its_end'),
        ),
        migrations.AddConstraint(
            model_name='season',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('current', False), ('event__isnull', False), ('shown__isnull', False), ('state', 'archived')), models.Q(('current', True), ('event__isnull', True), ('state__in', ['running', 'closing'])), _connector='OR'), name='season_archived_by_its_end'),
        ),
    ]
