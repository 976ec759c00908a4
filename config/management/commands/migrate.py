"""`manage.py migrate`: Django's own, which refuses a database that is too old before it changes anything."""

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections

from config.storage.upgrades import TOO_OLD, is_too_old


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        if is_too_old(connections[options["database"]]):
            raise CommandError(TOO_OLD)
        super().handle(*args, **options)
