from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("ranking", "0013_fits")]
    operations = [
        migrations.AddIndex(
            "match", models.Index(fields=["mode", "id"], condition=Q(event__isnull=True), name="match_to_rate")
        ),
        migrations.AddIndex(
            "rating",
            models.Index(
                fields=["mode", "season", "active_until"], condition=Q(listed=False), name="rating_becoming_active"
            ),
        ),
    ]
