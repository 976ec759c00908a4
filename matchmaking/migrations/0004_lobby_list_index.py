from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matchmaking", "0003_endings")]
    operations = [migrations.AddIndex("lobby", models.Index(fields=["formed_at", "key"], name="lobby_latest"))]
