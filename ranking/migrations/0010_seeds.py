"""Ratings that players brought along into a season, as facts of a mode's history; and kinds of steps that name them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0009_reset_tables'),
    ]

    operations = [
        migrations.CreateModel(
            name='Seed',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('display_hundredths', models.BigIntegerField()),
                ('mu', models.FloatField(null=True)),
                ('sigma', models.FloatField(null=True)),
                ('volatility', models.FloatField(null=True)),
                ('matches', models.PositiveIntegerField(default=0)),
                ('placed', models.BooleanField(default=False)),
                ('event', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='seed', to='ranking.event')),
                ('mode', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='seeds', to='ranking.mode')),
                ('parameters', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ranking.parameterversion')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='seeds', to='ranking.player')),
                ('season', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='seeds', to='ranking.season')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('season', 'player'), name='seed_once_a_season')],
            },
        ),
        migrations.RemoveConstraint(
            model_name='change',
            name='change_of_a_match_names_it',
        ),
        migrations.RemoveConstraint(
            model_name='event',
            name='event_kind_known',
        ),
        migrations.AddField(
            model_name='rating',
            name='placed_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='rating',
            name='seeded_matches',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AlterField(
            model_name='change',
            name='kind',
            field=models.CharField(choices=[('match', 'match'), ('forfeit', 'forfeit'), ('reset', 'reset'), ('seed', 'seed')], max_length=8),
        ),
        migrations.AlterField(
            model_name='event',
            name='kind',
            field=models.CharField(choices=[('match', 'match'), ('forfeit', 'forfeit'), ('reset', 'reset'), ('parameters', 'parameters'), ('season_end', 'season_end'), ('seed', 'seed')], max_length=10),
        ),
        migrations.AddConstraint(
            model_name='change',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'match'), ('match__isnull', False), ('outcome__in', ['win', 'draw', 'loss', 'left'])), models.Q(('kind__in', ['forfeit', 'reset', 'seed']), ('match__isnull', True), ('outcome', '')), _connector='OR'), name='change_of_a_match_names_it'),
        ),
        migrations.AddConstraint(
            model_name='event',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['match', 'forfeit', 'reset', 'parameters', 'season_end', 'seed'])), name='event_kind_known'),
        ),
    ]
