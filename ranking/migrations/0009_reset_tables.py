"""Rank tables by which matchmaking compares players while a season is young."""


import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0008_strikes'),
    ]

    operations = [
        migrations.CreateModel(
            name='ResetTable',
            fields=[
                ('season', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='reset_table', serialize=False, to='ranking.season')),
                ('listed', models.PositiveIntegerField()),
                ('table', models.BinaryField(null=True)),
            ],
        ),
    ]
