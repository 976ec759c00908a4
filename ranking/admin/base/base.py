"""Base classes of the ledger's admin pages."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect, RelatedFieldWidgetWrapper
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from ranking.admin.base.acts.pages import ActsAdmin
from ranking.admin.base.audited import AuditedAdmin
from ranking.admin.base.filters import WaitingFilter
from ranking.admin.base.lists import BadListAddress, BoundedChangeList, LookAheadPaginator, number_in
from ranking.admin.base.saved_filters import change_filters, saved_filters
from ranking.players.search import MOST_FOUND, find_named

M = TypeVar("M", bound=Model)
LONGEST_SEARCH = 128


class NumberSelect(AutocompleteSelect):
    """Can draw a form again with a value that is no row's number. Django's would look it up, which raises."""

    def optgroups(self, name: str, value: Any, attr: dict[str, object] | None = None) -> Any:
        return super().optgroups(name, [each for each in value if number_in(str(each))], attr)


class RowsField(forms.ModelMultipleChoiceField[M]):
    """Refuses values that are no row's number. Django's would look them up, which raises if a number is too large."""

    def clean(self, value: Any) -> Any:
        for each in value if isinstance(value, list) else ():
            if not number_in(each):
                raise ValidationError(self.error_messages["invalid_pk_value"], params={"pk": each})
        return super().clean(value)


class LedgerAdmin(ActsAdmin[M], AuditedAdmin[M]):
    """Lists that stay quick at any size; nobody may delete. Forms write the audit log.

    Subclasses say in `search_rows` what a search finds.
    """

    paginator = LookAheadPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    list_max_show_all = 0
    ordering: ClassVar[tuple[str, ...]] = ("-id",)
    sortable_by: ClassVar[tuple[str, ...]] = ()  # columns whose order an index answers
    finds_players = 0  # players whose rows a search by name finds, at most; 0: the search finds all
    save_as = False

    def get_changelist(self, request: HttpRequest, **kwargs: object) -> type[BoundedChangeList]:
        return BoundedChangeList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:
        """Answer with the list, or with a sentence that says what is wrong with the address."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        try:
            return self._list_response(request, extra_context or {})
        except BadListAddress as error:
            return self._say_what_is_wrong(request, error)

    def _list_response(self, request: HttpRequest, context: dict[str, object]) -> HttpResponse:
        if (changed := change_filters(self, request)) is not None:
            return changed
        if not self.choose_rows(request):
            return HttpResponseRedirect(request.get_full_path())
        title = str(self.opts.verbose_name_plural).capitalize()
        context = {"title": title, **self.acts_context(request), **saved_filters(self, request), **context}
        return super().changelist_view(request, context)

    def _say_what_is_wrong(self, request: HttpRequest, error: BadListAddress) -> HttpResponse:
        kept = {name: value for name, value in request.GET.items() if name not in error.names}
        context = {
            **self.admin_site.each_context(request),
            "title": "This list can’t be shown",
            "sentence": str(error),
            "opts": self.opts,
            "whole": reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"),
            "rest": f"?{urlencode(kept)}" if kept and error.names else "",
        }
        return TemplateResponse(request, "admin/bad_list.html", context, status=400)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        if context["original"] is not None:
            context |= {"title": self.title_of(context["original"]), "subtitle": None}
        return super().render_change_form(request, context, *args, **kwargs)

    def title_of(self, row: M) -> str:
        """Return the heading of a row's page."""
        return str(row)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs.setdefault("widget", NumberSelect(db_field, self.admin_site))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        return super().formfield_for_manytomany(db_field, request, **{"form_class": RowsField, **kwargs})

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and isinstance(field.widget, RelatedFieldWidgetWrapper):
            widget = field.widget
            widget.can_change_related = widget.can_delete_related = widget.can_view_related = False
        return field

    def has_delete_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False

    def search_rows(self, queryset: QuerySet[M], term: str) -> QuerySet[M]:
        """Return the rows that a search finds, by an index; `term` isn't empty. Default: the row with that number."""
        return queryset.filter(pk=number_in(term))

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[M], search_term: str
    ) -> tuple[QuerySet[M], bool]:
        term = search_term.replace("\0", "").strip()[:LONGEST_SEARCH]
        return (self.search_rows(queryset, term) if term else queryset), False


class UneditedAdmin(LedgerAdmin[M]):
    """Pages of rows that nobody adds, and whose fields nobody edits; acts may still change the rows."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: M | None = None) -> Any:
        return self.fields or () if obj else ()

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        if context["original"] is not None:
            context |= dict.fromkeys(("show_save", "show_save_and_continue", "show_save_and_add_another"), False)
            context["show_close"] = True
        return super().render_change_form(request, context, *args, **kwargs)

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "GET":
            raise PermissionDenied
        return super().change_view(request, object_id, *args, **kwargs)


class OfPlayerAdmin(LedgerAdmin[M]):
    """Lists of rows of players: a search finds those of the players whom it names."""

    search_fields = ("player__search_name", "player__key")
    search_help_text = f"A part of a player's name (at most {MOST_FOUND} players), or the whole key."

    def search_rows(self, queryset: QuerySet[M], term: str) -> QuerySet[M]:
        return queryset.filter(player__in=find_named(term))


class InboxAdmin(OfPlayerAdmin[M]):
    """Lists of what moderators decide: by default those that wait are shown, the oldest first."""

    state_filter: ClassVar[type[WaitingFilter]]
    waits_since: ClassVar[str]  # the column that says since when a row waits
    decision_fields: ClassVar[tuple[str, ...]]  # fields that the page of a decided row adds

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [name for name in self.fields or () if obj.decided_at or name not in self.decision_fields]

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        state = request.GET.get(self.state_filter.parameter_name)
        if state == "all":
            return ("-id",)
        return ("-decided_at", "-id") if state in self.state_filter.others else (self.waits_since, "id")


class FactsInline(admin.TabularInline[M, Any]):
    """Shows rows of another model below the form of a page; nobody adds, changes or deletes them there."""

    can_delete = False
    extra = 0

    def has_add_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False


class ReadOnlyAdmin(LedgerAdmin[M]):
    """Pages that only show rows: facts, and what is derived from facts."""

    actions: Any = None

    def has_add_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: M | None = None) -> bool:
        return False


def find_only(rows: QuerySet[M]) -> M | None:
    """Return the row that an action on one row is meant for; None if there are others, or none."""
    first = list(rows[:2])
    return first[0] if len(first) == 1 else None
