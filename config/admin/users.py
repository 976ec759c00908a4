"""Admin pages of users: their data and their rights. Only superusers give and take rights."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin as StockAdmin
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Field, Q, QuerySet
from django.http import HttpRequest, HttpResponse

from config.admin.accounts import AccountAdmin, is_superuser
from config.people.permission_fields import PermissionsField, Ticks, permission_lists
from ranking.admin.base.display import badge
from ranking.operations.row_changes import State, change_texts
from ranking.players.search import begins

RIGHTS = ("is_staff", "is_superuser", "groups", "user_permissions")


@admin.register(User)
class UserAdmin(AccountAdmin[User], StockAdmin[User]):
    audit_name = "account"
    audit_hidden = ("username", "password", "email", "first_name", "last_name")
    list_display = ("username", "email", "standing", "date_joined", "last_login")
    list_filter = ("is_staff", "is_superuser", "is_active", "groups")
    ordering = ("-id",)
    search_fields = ("username", "email")
    search_help_text = "How the name begins, or a whole email address."
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined", "permissions")

    def account_of(self, row: User) -> User:
        return row

    def record_states(self, request: HttpRequest, verb: str, row: User, before: State, after: State) -> None:
        """Write a line of its own about rights that were given or taken."""
        given, taken = rights_of(after), rights_of(before)
        changes = change_texts(taken, given)
        if changes:
            self.record_changes(request, "change roles", row, changes)
        rest = [{name: value for name, value in state.items() if name not in RIGHTS} for state in (before, after)]
        super().record_states(request, verb, row, rest[0], rest[1])

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        response: HttpResponse
        if request.method != "POST":
            response = super().user_change_password(request, id, form_url)
            return response
        with transaction.atomic():
            before = self.get_object(request, unquote(id))
            response = super().user_change_password(request, id, form_url)
            row = self.get_object(request, unquote(id))
            if before and row and row.password != before.password:
                self.record_changes(request, "change password", row, {})
        return response

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        if obj is None:
            return self.add_fieldsets
        single = "user_permissions" if is_superuser(request) else "permissions"
        return (
            (None, {"fields": ("username", "password", "email", "first_name", "last_name")}),
            ("Rights", {"fields": ("is_active", "is_staff", "is_superuser", "groups")}),
            ("Permissions beside those of groups", {"fields": (single,), "classes": ("collapse",)}),
            ("When", {"fields": ("date_joined", "last_login")}),
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.readonly_fields if is_superuser(request) else (*self.readonly_fields, *RIGHTS)

    def formfield_for_dbfield(self, db_field: Field[Any, Any], request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "user_permissions":
            return PermissionsField()
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "groups":
            choices, field.widget, field.help_text = field.choices, Ticks("Groups"), ""
            field.widget.choices = choices
        return field

    def search_rows(self, queryset: QuerySet[User], term: str) -> QuerySet[User]:
        owners = list(EmailAddress.objects.filter(email=term.lower()).values_list("user", flat=True))
        return queryset.filter(begins("username", term) | Q(pk__in=owners))

    @admin.display
    def standing(self, user: User) -> str:
        if not user.is_active:
            return badge("Inactive", "warn")
        if user.is_superuser:
            return badge("Superuser", "good")
        return badge("Staff", "good") if user.is_staff else "–"

    @admin.display
    def permissions(self, user: User) -> str:
        return permission_lists(user.user_permissions.all())


def rights_of(state: State) -> dict[str, object]:
    """The part of an account's state that gives rights. A new or deleted account has none."""
    none: dict[str, object] = {"is_staff": False, "is_superuser": False}
    return {**none, **{name: value for name, value in state.items() if name in RIGHTS}}
