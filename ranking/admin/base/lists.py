"""Lists that stay quick at any size: a page and one row more are read, nothing is ever counted."""

from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import InvalidPage, Page, Paginator
from django.http import HttpRequest

LAST_PAGE = 20  # what lies behind is found by search and filters


class LookAheadPaginator(Paginator[Any]):
    """Knows of as many rows as it has seen: those up to the page asked for, and whether one follows."""

    seen = 0
    more = False  # rows beyond the last page that is shown

    @property
    def count(self) -> int:
        return self.seen

    def validate_number(self, number: float | str) -> int:
        wanted = int(number)
        if not 1 <= wanted <= LAST_PAGE:
            raise InvalidPage(f"There are at most {LAST_PAGE} pages.")
        return wanted

    def page(self, number: int | str) -> Page[Any]:
        wanted = self.validate_number(number)
        start = (wanted - 1) * self.per_page
        rows = list(self.object_list[start : start + self.per_page + 1])
        if not rows and wanted > 1:
            raise InvalidPage("This page is empty.")
        self.more = len(rows) > self.per_page and wanted == LAST_PAGE
        self.seen = start + min(len(rows), self.per_page) if self.more else start + len(rows)
        return Page(rows[: self.per_page], wanted, self)


class BoundedChangeList(ChangeList):
    """Shows pages by looking ahead; actions reach what is ticked, not all that a filter matches."""

    paginator: LookAheadPaginator

    def get_results(self, request: HttpRequest) -> None:
        paginator = self.model_admin.get_paginator(request, self.queryset, self.list_per_page)
        assert isinstance(paginator, LookAheadPaginator)  # noqa: S101 - narrows a type
        try:
            page = paginator.page(self.page_num)
        except InvalidPage as error:
            raise IncorrectLookupParameters from error
        self.paginator = paginator
        self.result_list = page.object_list
        self.result_count = len(page.object_list)
        self.full_result_count = None
        self.show_full_result_count = False
        self.show_admin_actions = bool(page.object_list)
        self.can_show_all = False
        self.multi_page = page.has_other_pages()

    @property
    def first_row(self) -> int:
        return (self.page_num - 1) * self.list_per_page + 1

    @property
    def last_row(self) -> int:
        return self.first_row + self.result_count - 1

    @property
    def goes_on(self) -> bool:
        return self.paginator.more or self.paginator.seen > self.last_row
