"""Lists that stay quick at any size: a page reads its rows and one more, and nothing is counted.

An address that a list can't answer raises BadListAddress, with a sentence for its reader.
"""

from __future__ import annotations

from typing import Any

from django.contrib.admin import SimpleListFilter
from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR, ChangeList
from django.core.paginator import InvalidPage, Page, Paginator
from django.http import HttpRequest

from ranking.players.search import find_best

LAST_PAGE = 20  # rows behind it are found by search and filters


class BadListAddress(Exception):
    """A list can't be shown as its address asks. The text is a sentence; `names`: the parameters that are wrong."""

    def __init__(self, sentence: str, *names: str) -> None:
        super().__init__(sentence)
        self.names = names


class LookAheadPaginator(Paginator[Any]):
    """A paginator that counts only the rows up to the requested page, and one more if there is one."""

    seen = 0
    more = False  # rows beyond the last page that is shown

    @property
    def count(self) -> int:
        return self.seen

    def validate_number(self, number: float | str) -> int:
        page = int(number)
        if not 1 <= page <= LAST_PAGE:
            raise InvalidPage(f"There are at most {LAST_PAGE} pages.")
        return page

    def page(self, number: int | str) -> Page[Any]:
        page = self.validate_number(number)
        start = (page - 1) * self.per_page
        rows = list(self.object_list[start : start + self.per_page + 1])
        if not rows and page > 1:
            raise InvalidPage("This page is empty.")
        self.more = len(rows) > self.per_page and page == LAST_PAGE
        self.seen = start + min(len(rows), self.per_page) if self.more else start + len(rows)
        return Page(rows[: self.per_page], page, self)


class BoundedChangeList(ChangeList):
    """The list of an admin page, read by LookAheadPaginator. It is sorted by one column at a time."""

    paginator: LookAheadPaginator

    def get_results(self, request: HttpRequest) -> None:
        paginator = self.model_admin.get_paginator(request, self.queryset, self.list_per_page)
        assert isinstance(paginator, LookAheadPaginator)  # noqa: S101 - narrows a type
        wanted = request.GET.get(PAGE_VAR, "1")
        try:
            page = paginator.page(wanted if wanted.isascii() and wanted.isdigit() and len(wanted) < 10 else 0)
        except InvalidPage as error:
            sentence = f"This list has no page “{wanted[:32]}”. A list shows up to {LAST_PAGE} pages; search or filter"
            raise BadListAddress(f"{sentence} to see what lies behind them.", PAGE_VAR) from error
        self.paginator = paginator
        self.result_list = page.object_list
        self.result_count = len(page.object_list)
        self.full_result_count = None
        self.show_full_result_count = False
        self.show_admin_actions = bool(page.object_list)
        self.can_show_all = False
        self.multi_page = page.has_other_pages()

    def first_keys(self, most: int) -> list[object]:
        """Return the primary keys of the first rows that search and filters match."""
        return list(self.queryset.values_list("pk", flat=True)[:most])

    @property
    def is_cut(self) -> bool:
        """True if the search is for a name of as many players as it finds rows of, so that it may miss some."""
        return bool(self.query and self._most_players) and len(find_best(self.query, bots=True)) >= self._most_players

    @property
    def cut_text(self) -> str:
        most = f"{self._most_players:,} players at most"
        return f"The search finds {most}, and there may be more of that name. Search more closely."

    @property
    def _most_players(self) -> int:
        return getattr(self.model_admin, "finds_players", 0)

    @property
    def narrowed(self) -> bool:
        """True if a search or a filter chooses among the rows."""
        return bool(self.query) or self.filtered

    @property
    def filtered(self) -> bool:
        """True if a filter chooses among the rows. A blank doesn't, and of several values the last counts."""
        return any(str(value).strip() for value in self.get_filters_params(self.params).values())

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> Any:
        try:
            return super().get_queryset(request, exclude_parameters)
        except IncorrectLookupParameters as error:
            raise self._impossible() from error

    def get_filters(self, request: HttpRequest) -> Any:
        """Read the filters from the address. Every value is one that its filter offers: none is passed over."""
        try:
            found = super().get_filters(request)
        except (IncorrectLookupParameters, DisallowedModelAdminLookup) as error:
            raise self._impossible() from error
        specs, _, unknown, *_ = found
        if unknown:
            names = [str(name) for name in unknown]
            raise BadListAddress(f"This list has no filter “{'”, “'.join(names)[:200]}”.", *names)
        offered = {spec.parameter_name: spec for spec in specs if isinstance(spec, SimpleListFilter)}
        for kind in self.list_filter:
            if isinstance(kind, type) and issubclass(kind, SimpleListFilter):
                self._check_choice(kind, offered.get(kind.parameter_name))
        return found

    def _impossible(self) -> BadListAddress:
        names = list(self.get_filters_params())
        return BadListAddress("A filter in this address has a value that it can’t have.", *names)

    def _check_choice(self, kind: type[SimpleListFilter], spec: SimpleListFilter | None) -> None:
        """Raise BadListAddress if the address names a choice that the filter doesn't have; then `spec` is None, too."""
        name, value = str(kind.parameter_name), self.params.get(str(kind.parameter_name), "")
        choices = [str(choice) for choice, _ in spec.lookup_choices] if spec else []
        if value and value not in choices:
            known = f" It has: {', '.join(choices[:30])}." if choices else " Nothing in this list has that."
            raise BadListAddress(f"The filter “{kind.title}” ({name}) has no “{value[:64]}”.{known}", name)

    def get_ordering(self, request: HttpRequest, queryset: Any) -> list[Any]:
        if order := self.params.get(ORDER_VAR):
            self._check_order(order)
        return super().get_ordering(request, queryset)

    def _check_order(self, order: str) -> None:
        column = order.removeprefix("-")
        number = int(column) if column.isascii() and column.isdigit() and len(column) < 4 else len(self.list_display)
        sortable = self.sortable_by or ()
        if number >= len(self.list_display) or self.list_display[number] not in sortable:
            raise BadListAddress(f"This list can’t be sorted by “{order[:32]}”: choose one of its headings.", ORDER_VAR)

    def _get_deterministic_ordering(self, ordering: object) -> list[object]:
        """Break ties by the primary key in the direction of the order, so that an index answers the whole order."""
        found: list[Any] = super()._get_deterministic_ordering(ordering)  # type: ignore[misc]
        rising = len(found) > 1 and isinstance(found[-2], str) and not found[-2].startswith("-")
        return [*found[:-1], "pk"] if rising and found[-1] == "-pk" else found

    def get_query_string(self, new_params: Any = None, remove: Any = None) -> str:
        if new_params and "." in str(new_params.get(ORDER_VAR, "")):  # headings add to the columns that sort
            new_params = {**new_params, ORDER_VAR: new_params[ORDER_VAR].partition(".")[0]}
        return super().get_query_string(new_params, remove)

    @property
    def first_row(self) -> int:
        return (self.page_num - 1) * self.list_per_page + 1

    @property
    def last_row(self) -> int:
        return self.first_row + self.result_count - 1

    @property
    def goes_on(self) -> bool:
        return self.paginator.more or self.paginator.seen > self.last_row


def number_in(term: str) -> int:
    """Return the row number that a search term holds; 0, which no row has, if the term is no number."""
    return int(term) if term.isascii() and term.isdigit() and len(term) <= 18 else 0
