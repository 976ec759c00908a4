"""Base classes of the ledger's admin pages."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from django.contrib import admin
from django.contrib.admin.helpers import ActionForm
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse

from ranking.admin.base.lists import BoundedChangeList, LookAheadPaginator

M = TypeVar("M", bound=Model)
LONGEST_SEARCH = 128


class TickedRowsForm(ActionForm):
    """The form of a list's actions. Actions apply to the ticked rows only, never to all rows that a filter matches."""

    def clean_select_across(self) -> bool:
        return False


class LedgerAdmin(admin.ModelAdmin[M]):
    """Lists that stay quick at any size; nobody may delete. Subclasses say in `search_rows` what a search finds."""

    paginator = LookAheadPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    list_max_show_all = 0
    ordering: ClassVar[tuple[str, ...]] = ("-id",)
    sortable_by = ()
    action_form = TickedRowsForm
    save_as = False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[BoundedChangeList]:
        return BoundedChangeList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        title = str(self.opts.verbose_name_plural).capitalize()
        return super().changelist_view(request, {"title": title, **(extra_context or {})})

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        if context["original"] is not None:
            context |= {"title": self.title_of(context["original"]), "subtitle": None}
        return super().render_change_form(request, context, *args, **kwargs)

    def title_of(self, row: M) -> str:
        """Return the heading of a row's page."""
        return str(row)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and isinstance(field.widget, RelatedFieldWidgetWrapper):
            widget = field.widget
            widget.can_change_related = widget.can_delete_related = widget.can_view_related = False
        return field

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
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
    """Pages of rows whose fields nobody edits; actions may still change the rows."""

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
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


class ReadOnlyAdmin(LedgerAdmin[M]):
    """Pages that only show rows: facts, and what is derived from facts."""

    actions: Any = None

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def number_in(term: str) -> int:
    """Return the row number that a search term holds; 0, which no row has, if the term is no number."""
    return int(term) if term.isascii() and term.isdigit() and len(term) <= 18 else 0
