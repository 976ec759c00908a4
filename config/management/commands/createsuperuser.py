"""`manage.py createsuperuser`: Django's, and the audit log notes that somebody may do everything now."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from ranking.operations.audit import COMMAND, NOBODY, UNASKED, acting_through, record_changes
from ranking.operations.row_changes import change_texts


class Command(createsuperuser.Command):
    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> str | None:
        known = set(User.objects.filter(is_superuser=True).values_list("pk", flat=True))
        output = super().handle(*args, **options)
        changes = change_texts({"is_superuser": False}, {"is_superuser": True})
        with acting_through(NOBODY[COMMAND]):
            for account in User.objects.filter(is_superuser=True).exclude(pk__in=known):
                details: dict[str, Any] = {"by": None, "reason": UNASKED, "now": timezone.now()}
                record_changes("change roles", f"account {account.pk}: is_superuser", changes, **details)
        return output
