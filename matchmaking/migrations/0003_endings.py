"""Endings as codes with values; rows from before keep their sentences."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('matchmaking', '0002_blind_accepting'),
    ]

    operations = [
        migrations.AlterField(
            model_name='lobby',
            name='ending',
            field=models.CharField(blank=True, db_column='ending', max_length=200),
        ),
        migrations.RenameField(model_name='lobby', old_name='ending', new_name='ending_code'),
        migrations.AddField(
            model_name='lobby',
            name='ending_values',
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
        migrations.AlterField(
            model_name='ticket',
            name='ending',
            field=models.CharField(blank=True, db_column='ending', max_length=200),
        ),
        migrations.RenameField(model_name='ticket', old_name='ending', new_name='ending_code'),
        migrations.AddField(
            model_name='ticket',
            name='ending_values',
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
    ]
