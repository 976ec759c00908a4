"""Former names are found by their beginning: the folded name, and an index of it."""

from django.db import migrations, models

from ranking.rules.names import fold

CHUNK = 2_000  # names in memory at once


def fold_names(apps, schema_editor):
    names, last = apps.get_model("ranking", "PlayerName").objects, 0
    while rows := list(names.filter(pk__gt=last).only("name").order_by("pk")[:CHUNK]):
        for row in rows:
            row.search_name = fold(row.name)
        names.bulk_update(rows, ["search_name"], batch_size=500)
        last = rows[-1].pk


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0026_doubled_matches'),
    ]

    operations = [
        migrations.AddField(
            model_name='playername',
            name='search_name',
            field=models.CharField(blank=True, db_default='', default='', max_length=128),
        ),
        migrations.AddIndex(
            model_name='playername',
            index=models.Index(fields=['search_name', 'id'], name='former_name', opclasses=['varchar_pattern_ops', 'int8_ops']),
        ),
        migrations.RunPython(fold_names, migrations.RunPython.noop),
    ]
