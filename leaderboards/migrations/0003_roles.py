"""Administrators look after webhooks, too."""

from django.db import migrations

PERMISSIONS = {"webhook": ("view", "add", "change"), "delivery": ("view", "change")}


def extend_role(apps, schema_editor):
    """Permissions are made after migrations; those of the role are made here, as they will be found then."""
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    ContentType = apps.get_model("contenttypes", "ContentType")
    group, _ = Group.objects.get_or_create(name="administrator")
    for model, verbs in PERMISSIONS.items():
        kind, _ = ContentType.objects.get_or_create(app_label="leaderboards", model=model)
        for verb in verbs:
            permission, _ = Permission.objects.get_or_create(
                content_type=kind, codename=f"{verb}_{model}", defaults={"name": f"Can {verb} {model}"}
            )
            group.permissions.add(permission)


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboards', '0002_notices'),
        ('ranking', '0015_roles'),
    ]

    operations = [migrations.RunPython(extend_role, migrations.RunPython.noop, elidable=False)]
