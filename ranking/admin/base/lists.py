"""Lists that stay quick at any size: a page reads its rows and one more, and nothing is counted."""

from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.core.paginator import InvalidPage, Page, Paginator
from django.http import HttpRequest

LAST_PAGE = 20  # rows behind it are found by search and filters


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
    """The list of an admin page, read by LookAheadPaginator."""

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
