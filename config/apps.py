"""The Django apps of the site itself and of its admin."""

from django.apps import AppConfig
from django.conf import settings
from django.contrib.admin import apps as admin

from config.observability.tracebacks import print_uncaught


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Site"
    default = True

    def ready(self) -> None:
        from config import celery, checks  # noqa: F401  - shared tasks bind to celery.app; checks register

        print_uncaught(settings.REDACT)


class AdminConfig(admin.AdminConfig):
    default = False
    default_site = "config.people.admin_site.AdminSite"
