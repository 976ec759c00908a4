"""Admin pages whose forms and deletions write the audit log: a line each, in the transaction of the change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from ranking.models import Player
from ranking.operations.audit import UNASKED, record_changes
from ranking.operations.row_changes import State, change_texts, changed_fields, state_of

M = TypeVar("M", bound=Model)


class AuditedAdmin(admin.ModelAdmin[M]):
    """Writes what a form added or changed, and what was deleted. Actions write their own lines, in what they call.

    `audit_name`: what the log calls such a row, in "add …", "change …" and "delete …". `audit_hidden`: fields whose
    values the log doesn't tell, because they are secrets or somebody's personal data.
    """

    audit_name: ClassVar[str] = ""
    audit_hidden: ClassVar[tuple[str, ...]] = ()

    def audit_subject(self, row: Any) -> str:
        """Return the row as the log names it. Players' logins and addresses aren't in it: the log is kept for good."""
        return f"{self._audit_name} {row.pk}"

    def audit_fields(self, request: HttpRequest, row: Any) -> Sequence[str]:
        """Return the fields that the log compares: those that a form of this row may set."""
        own = {field.name for field in (*self.opts.concrete_fields, *self.opts.many_to_many)}
        fixed = self.get_readonly_fields(request, row)
        names = flatten_fieldsets(self.get_fieldsets(request, row))
        return [name for name in names if name in own and name not in fixed]

    def audit_state(self, request: HttpRequest, row: Any, added: bool) -> dict[str, object]:
        """Return what the log compares. `added`: the form of new rows is meant, not that of this row."""
        return state_of(row, self.audit_fields(request, None if added else row))

    def save_form(self, request: HttpRequest, form: Any, change: bool) -> Any:
        stored = self.model._default_manager.filter(pk=form.instance.pk).first() if change else None
        form.state_before = self.audit_state(request, stored or self.model(), not change)
        return super().save_form(request, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        row = self.model._default_manager.get(pk=form.instance.pk)
        state = self.audit_state(request, row, not change)
        self.record_states(request, "change" if change else "add", row, form.state_before, state)

    def delete_model(self, request: HttpRequest, obj: M) -> None:
        with transaction.atomic():
            self._record_deletion(request, obj)
            super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> None:
        with transaction.atomic():
            for row in queryset:
                self._record_deletion(request, row)
            super().delete_queryset(request, queryset)

    def record_states(self, request: HttpRequest, verb: str, row: M, before: State, after: State) -> None:
        """Write what a form or a deletion did to a row; nothing if a form changed nothing."""
        changes = change_texts(before, after, self.audit_hidden)
        if verb != "change":
            changes = {name: text for name, text in changes.items() if name not in self.audit_hidden}
        if changes or verb != "change":
            self.record_changes(request, f"{verb} {self._audit_name}", row, changes)

    def record_changes(self, request: HttpRequest, act: str, row: M, changes: dict[str, str]) -> None:
        """Write an act on a row, and the changes that it made, in the transaction of the act."""
        subject = self.audit_subject(row)
        if act.startswith("change ") and changes:
            subject = changed_fields(subject, changes)
        details: dict[str, Any] = {"by": person(request), "reason": UNASKED, "now": timezone.now()}
        record_changes(act, subject, changes, player=row if isinstance(row, Player) else None, **details)

    def _record_deletion(self, request: HttpRequest, row: M) -> None:
        self.record_states(request, "delete", row, self.audit_state(request, row, False), {})

    @property
    def _audit_name(self) -> str:
        return self.audit_name or str(self.opts.verbose_name)


def person(request: HttpRequest) -> User:
    """Return the account that acts."""
    assert isinstance(request.user, User)  # noqa: S101 - narrows a type: the admin lets nobody else in
    return request.user
