import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ranking", "0019_job_runs"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedFilter",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("list", models.CharField(max_length=80)),
                ("place", models.PositiveSmallIntegerField()),
                ("name", models.CharField(max_length=60)),
                ("query", models.CharField(max_length=1000)),
            ],
            options={
                "default_permissions": (),
            },
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["act", "at"], name="audit_of_act"),
        ),
        migrations.AddIndex(
            model_name="auditentry",
            index=models.Index(fields=["who", "at"], name="audit_of_person"),
        ),
        migrations.AddIndex(
            model_name="ban",
            index=models.Index(fields=["starts_at"], name="ban_since"),
        ),
        migrations.AddIndex(
            model_name="ban",
            index=models.Index(fields=["by", "starts_at"], name="ban_of_moderator"),
        ),
        migrations.AddIndex(
            model_name="incident",
            index=models.Index(fields=["mode", "happened_at"], name="incident_of_mode"),
        ),
        migrations.AddIndex(
            model_name="incident",
            index=models.Index(fields=["kind", "happened_at"], name="incident_of_kind"),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                models.F("source"),
                models.OrderBy(models.F("ended_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="match_of_source",
            ),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                models.F("server"),
                models.OrderBy(models.F("ended_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                condition=models.Q(("server", ""), _negated=True),
                name="match_of_server",
            ),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                models.F("variant"),
                models.OrderBy(models.F("ended_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                condition=models.Q(("variant", ""), _negated=True),
                name="match_of_variant",
            ),
        ),
        migrations.AddField(
            model_name="savedfilter",
            name="owner",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddConstraint(
            model_name="savedfilter",
            constraint=models.UniqueConstraint(fields=("owner", "list", "place"), name="saved_filter_place_taken_once"),
        ),
        migrations.AddConstraint(
            model_name="savedfilter",
            constraint=models.UniqueConstraint(fields=("owner", "list", "name"), name="saved_filter_name_taken_once"),
        ),
        migrations.AddConstraint(
            model_name="savedfilter",
            constraint=models.CheckConstraint(
                condition=models.Q(("place__gte", 1), ("place__lte", 20)), name="saved_filter_no_more_than_twenty"
            ),
        ),
        migrations.AddConstraint(
            model_name="savedfilter",
            constraint=models.CheckConstraint(
                condition=models.Q(models.Q(("name", ""), _negated=True), models.Q(("query", ""), _negated=True)),
                name="saved_filter_named_and_filled",
            ),
        ),
    ]
