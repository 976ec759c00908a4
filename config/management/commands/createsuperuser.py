"""`manage.py createsuperuser`: Django's, and the audit log notes that somebody may do everything now."""

from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.contrib.auth.models import User, UserManager
from django.db import transaction
from django.utils import timezone

from ranking.operations.audit import COMMAND, NOBODY, UNASKED, acting_through, record_changes
from ranking.operations.row_changes import change_texts


class _AuditedManager(UserManager[User]):
    """Makes a superuser and writes the audit log's line in one transaction."""

    def create_superuser(self, *args: Any, **fields: Any) -> User:
        changes = change_texts({"is_superuser": False}, {"is_superuser": True})
        details: dict[str, Any] = {"by": None, "reason": UNASKED, "now": timezone.now()}
        with transaction.atomic(), acting_through(NOBODY[COMMAND]):
            account = super().create_superuser(*args, **fields)
            record_changes("change roles", f"account {account.pk}: is_superuser", changes, **details)
        return account


class _AuditedUser:
    """The class User, as Django's command uses it, with an audited manager."""

    _default_manager = _AuditedManager()
    _default_manager.model = User

    def __getattr__(self, name: str) -> object:
        return getattr(User, name)

    def __call__(self, **fields: object) -> User:
        return User(**fields)


class Command(createsuperuser.Command):
    """While it waits for somebody to type, no transaction is open: SQLite's would let nobody else write."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.UserModel = _AuditedUser()  # type: ignore[assignment] # it stands in for the class
