"""What a skill rests on, and what modes learn from matches: columns, states, and an index of what is to be learnt."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0010_seeds'),
    ]

    operations = [
        migrations.AddField(
            model_name='change',
            name='skill_matches_after',
            field=models.IntegerField(null=True),
        ),
        migrations.AddField(
            model_name='change',
            name='skill_matches_before',
            field=models.IntegerField(null=True),
        ),
        migrations.AddField(
            model_name='match',
            name='lesson_information',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='match',
            name='lesson_noise',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='match',
            name='lesson_slope',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='match',
            name='lesson_spread',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='match',
            name='lesson_squares',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='match',
            name='to_learn',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name='nextrating',
            name='skill_matches',
            field=models.IntegerField(null=True),
        ),
        migrations.AddField(
            model_name='seed',
            name='skill_matches',
            field=models.IntegerField(null=True),
        ),
        migrations.AddField(
            model_name='rating',
            name='skill_matches',
            field=models.IntegerField(null=True),
        ),
        migrations.CreateModel(
            name='ModeState',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('generation', models.PositiveIntegerField()),
                ('number', models.PositiveIntegerField()),
                ('since', models.BigIntegerField(default=0)),
                ('values', models.JSONField()),
                ('taken', models.JSONField(default=list)),
                ('parameters', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='mode_states', to='ranking.parameterversion')),
            ],
        ),
        migrations.AddField(
            model_name='forfeit',
            name='mode_state',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ranking.modestate'),
        ),
        migrations.AddField(
            model_name='match',
            name='mode_state',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='ranking.modestate'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('to_learn', True)), fields=['mode', 'event'], name='match_to_learn'),
        ),
        migrations.AddConstraint(
            model_name='modestate',
            constraint=models.UniqueConstraint(fields=('parameters', 'generation', 'number'), name='mode_state_once_a_number'),
        ),
    ]
