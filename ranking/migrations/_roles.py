"""Grants permissions to groups in migrations, which run before Django itself makes the permissions."""

from django.apps import apps as installed
from django.contrib.auth.management import create_permissions


def grant(apps, app_label, roles):
    """Give each group in `roles` its permissions of one app, by codename ("view_player").

    Groups that are missing are made, and so are the permissions of the app's models in this state.
    """
    create_permissions(installed.get_app_config(app_label), verbosity=0, apps=apps)
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    for role, codenames in roles.items():
        group, _ = Group.objects.get_or_create(name=role)
        group.permissions.add(*Permission.objects.filter(content_type__app_label=app_label, codename__in=codenames))
