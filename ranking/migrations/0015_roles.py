"""Roles as groups, and the names of those who acted before the audit log kept names."""

from django.db import migrations
from django.db.models import OuterRef, Subquery

VIEWER = [
    *(f"view_{model}" for model in (
        "appeal", "auditentry", "ban", "change", "event", "finding", "incident", "leaver", "match", "merge", "mode",
        "parameterversion", "player", "rating", "rerating", "season", "snapshot",
    )),
]
MODERATOR = [
    *VIEWER, "pardon_incident", "add_ban", "extend_ban", "lift_ban", "hide_player", "add_void", "decide_appeal",
    "change_finding",
]
ADMINISTRATOR = [
    *MODERATOR, "change_player", "add_mode", "change_mode", "view_key", "add_key", "change_key", "view_source",
    "add_source", "change_source", "view_outboxentry", "change_outboxentry",
]
ROLES = {"viewer": VIEWER, "moderator": MODERATOR, "administrator": ADMINISTRATOR}
NAMES = {
    "pardon_incident": ("incident", "Can pardon incidents"),
    "extend_ban": ("ban", "Can extend bans"),
    "lift_ban": ("ban", "Can lift bans"),
    "hide_player": ("player", "Can hide players from boards"),
    "decide_appeal": ("appeal", "Can decide appeals"),
}
VERBOSE = {
    "auditentry": "audit entry", "outboxentry": "outbox entry", "parameterversion": "parameter version",
}


def make_roles(apps, schema_editor):
    """Permissions are made after migrations; those of roles are made here, as they will be found then."""
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    ContentType = apps.get_model("contenttypes", "ContentType")
    for role, codenames in ROLES.items():
        group, _ = Group.objects.get_or_create(name=role)
        for codename in codenames:
            verb, _, model = codename.partition("_")
            model, name = NAMES.get(codename, (model, f"Can {verb} {VERBOSE.get(model, model)}"))
            kind, _ = ContentType.objects.get_or_create(app_label="ranking", model=model)
            permission, _ = Permission.objects.get_or_create(
                content_type=kind, codename=codename, defaults={"name": name}
            )
            group.permissions.add(permission)


def keep_names(apps, schema_editor):
    AuditEntry, User = apps.get_model("ranking", "AuditEntry"), apps.get_model("auth", "User")
    name = User.objects.filter(pk=OuterRef("by")).values("username")
    AuditEntry.objects.filter(who="", by__isnull=False).update(who=Subquery(name[:1]))


class Migration(migrations.Migration):

    dependencies = [
        ('ranking', '0014_appeals'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        migrations.RunPython(make_roles, migrations.RunPython.noop, elidable=False),
        migrations.RunPython(keep_names, migrations.RunPython.noop, elidable=True),
    ]
