"""The Django apps of the site itself and of its admin."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.contrib.admin import apps as admin
from django.contrib.admin import autodiscover
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core.checks import CheckMessage, Tags, register
from django.core.checks.model_checks import check_all_models
from django.core.checks.registry import registry
from django.core.signals import request_started
from django.db.backends.signals import connection_created
from django.db.models.signals import pre_delete

from config.django_versions import keep_conditions
from config.observability.tracebacks import print_uncaught
from config.storage.read_only import obey, obey_again


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Site"
    default = True

    def ready(self) -> None:
        from allauth.mfa.signals import authenticator_removed
        from allauth.socialaccount.models import SocialAccount

        from config import celery, checks  # noqa: F401  - shared tasks bind to celery.app; checks register

        registry.registered_checks.discard(check_all_models)
        register(_check_models, Tags.models)
        print_uncaught(settings.REDACT)
        keep_conditions()
        connection_created.connect(obey)
        request_started.connect(obey_again)
        pre_delete.connect(_take_roles, SocialAccount)
        authenticator_removed.connect(_note_removed_factor)


def _check_models(app_configs: Sequence[AppConfig] | None, **_: object) -> list[CheckMessage]:
    """Check the models without a database: processes start while it is down. Django 6.1 would ask it each time."""
    return check_all_models(app_configs, databases=[])


def _take_roles(instance: Any, **_: Any) -> None:
    """Roles go with the connection to the provider that gave them: no later log-in would take them."""
    from config.people.oidc import take_roles

    take_roles(instance)


def _note_removed_factor(user: Any, authenticator: Any, **_: Any) -> None:
    """People who remove a second factor of their own are in the audit log, like staff who remove somebody's."""
    from config.people.accounts import note_removed_factor

    note_removed_factor(user, authenticator)


class AdminConfig(admin.SimpleAdminConfig):
    """Its pages are loaded with the site's URLs, not by every command."""

    default = False
    default_site = "config.people.admin_site.AdminSite"

    def ready(self) -> None:
        register(check_dependencies, Tags.admin)
        register(_check_pages, Tags.admin)


def _check_pages(app_configs: Sequence[AppConfig] | None, **options: object) -> list[CheckMessage]:
    autodiscover()
    return check_admin_app(app_configs)
