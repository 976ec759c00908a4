"""Grants permissions to groups in migrations, which run before Django itself makes the permissions."""


def grant(apps, app_label, roles, names=None):
    """Give each group in `roles` its permissions of one app, by codename ("view_player").

    Missing groups and permissions are made. Django finds the permissions after the migrations and keeps them.
    `names`: what admins read, by codename, if it isn't "Can view player".
    """
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    ContentType = apps.get_model("contenttypes", "ContentType")
    codenames = {codename for granted in roles.values() for codename in granted}
    kinds = {
        model: ContentType.objects.get_or_create(app_label=app_label, model=model)[0]
        for model in sorted({codename.partition("_")[2] for codename in codenames})
    }
    Permission.objects.bulk_create(
        [
            Permission(
                content_type=kinds[codename.partition("_")[2]],
                codename=codename,
                name=(names or {}).get(codename, f"Can {codename.replace('_', ' ')}"),
            )
            for codename in sorted(codenames)
        ],
        ignore_conflicts=True,
    )
    for role, granted in roles.items():
        group, _ = Group.objects.get_or_create(name=role)
        group.permissions.add(*Permission.objects.filter(content_type__in=kinds.values(), codename__in=granted))
