"""Roles see queues; moderators take people out of them and close lobbies; administrators set them up."""

from django.db import migrations

LOOK = {model: ("view",) for model in ("queue", "ticket", "lobby", "server", "party", "formed")}
ROLES = {
    "viewer": LOOK,
    "moderator": {**LOOK, "ticket": ("view", "change"), "lobby": ("view", "change"), "server": ("view", "change")},
    "administrator": {
        **LOOK, "queue": ("view", "add", "change", "delete"), "ticket": ("view", "change"),
        "lobby": ("view", "change"), "server": ("view", "change"),
    },
}  # fmt: skip


def extend_roles(apps, schema_editor):
    """Permissions are made after migrations; those of roles are made here, as they will be found then."""
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    ContentType = apps.get_model("contenttypes", "ContentType")
    for role, models in ROLES.items():
        group, _ = Group.objects.get_or_create(name=role)
        for model, verbs in models.items():
            kind, _ = ContentType.objects.get_or_create(app_label="matchmaking", model=model)
            for verb in verbs:
                permission, _ = Permission.objects.get_or_create(
                    content_type=kind, codename=f"{verb}_{model}", defaults={"name": f"Can {verb} {model}"}
                )
                group.permissions.add(permission)


class Migration(migrations.Migration):

    dependencies = [
        ('matchmaking', '0001_queues'),
        ('ranking', '0015_roles'),
    ]

    operations = [migrations.RunPython(extend_roles, migrations.RunPython.noop, elidable=False)]
