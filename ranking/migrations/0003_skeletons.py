"""What existing names look like. Nobody is flagged: only a new name looks like one that was there."""

from django.db import migrations

from ranking.rules.names import skeleton

BATCH = 2_000


def fill(apps, schema_editor):
    Player = apps.get_model("ranking", "Player")
    last = 0
    while rows := list(Player.objects.filter(pk__gt=last).order_by("pk").only("name")[:BATCH]):
        for row in rows:
            row.skeleton = skeleton(row.name)
        Player.objects.bulk_update(rows, ["skeleton"])
        last = rows[-1].pk


class Migration(migrations.Migration):
    dependencies = [("ranking", "0002_accounts")]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
