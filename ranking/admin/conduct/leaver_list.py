"""The list of leavers: its filters, and its rows, which come from incidents alone before the players are read."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from django import forms
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.contrib.admin.views.main import ORDER_VAR
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from ranking.admin.base.audited import M
from ranking.admin.base.filters import ModeFilter
from ranking.admin.base.form_filters import FormFilter
from ranking.admin.base.lists import BoundedChangeList, number_in
from ranking.models import Leaver
from ranking.moderation.leavers import Wanted, find_leavers, summarise

SORTED = ("points", "leaves")  # columns


class _YesNoFilter(admin.SimpleListFilter):
    """A choice that the list itself answers."""

    words: ClassVar[tuple[str, str]]

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin[M]) -> list[tuple[str, str]]:
        return list(zip(("yes", "no"), self.words, strict=True))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Leaver]) -> QuerySet[Leaver]:
        return queryset


class LockedFilter(_YesNoFilter):
    title, parameter_name, words = "lockout", "locked", ("Locked out now", "Not locked out")


class BannedFilter(_YesNoFilter):
    title, parameter_name, words = "ban", "banned", ("Banned now", "Not banned")


class LeaverModeFilter(ModeFilter):
    """Filters by a mode that the player left in within 60 days. The list itself answers it."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[M]) -> QuerySet[M]:
        return queryset


class PointsFilter(FormFilter):
    """Filters by points now, at least so many. The list itself answers it."""

    title, parameter_name = "points", "points"

    def make_fields(self) -> dict[str, forms.Field]:
        return {"points": forms.FloatField(label="At least", required=False, min_value=0, max_value=1_000_000)}

    def condition(self, values: dict[str, Any]) -> Q:
        return Q()


FILTERS = (LockedFilter, BannedFilter, LeaverModeFilter, PointsFilter)


class LeaverList(BoundedChangeList):
    """Lists the worst leavers first. Ids come from incidents alone, then the players of the page are read.

    A search alone finds all players, leavers or not. Filters and sorting choose among those who left.
    """

    def get_ordering(self, request: HttpRequest, queryset: Any) -> list[Any]:
        super().get_ordering(request, queryset)  # checks the address
        return ["-pk"]

    def get_ordering_field(self, field_name: Any) -> Any:
        return None  # no column of the table: the list sorts by itself

    def get_ordering_field_columns(self) -> dict[int, Literal["desc", "asc"]]:
        if self.ranked and not self.params.get(ORDER_VAR):
            return {self.list_display.index("points"): "desc"}
        return super().get_ordering_field_columns()

    @property
    def ranked(self) -> bool:
        """True if the rows come from incidents, in order; False for a mere search among all players."""
        return bool(not self.query or self.filtered or self.params.get(ORDER_VAR))

    def first_keys(self, most: int) -> list[Any]:
        return list(self.queryset[:most]) if self.ranked else super().first_keys(most)

    def get_results(self, request: HttpRequest) -> None:
        now = timezone.now()
        if self.ranked:
            self.queryset = find_leavers(now, self._wanted())
        super().get_results(request)
        if self.ranked:
            players: Any = Leaver.objects.in_bulk(self.result_list)
            self.result_list = [players[pk] for pk in self.result_list]
        summaries = summarise([row.pk for row in self.result_list], now)
        for row in self.result_list:
            row.summary = summaries[row.pk]

    def _wanted(self) -> Wanted:
        yes_or_no = {"yes": True, "no": False}
        points = next(spec for spec in self.filter_specs if isinstance(spec, PointsFilter))
        order = self.params.get(ORDER_VAR) or ""
        return Wanted(
            mode=number_in(self.params.get("mode", "")) or None,
            least=points.values.get("points"),
            locked=yes_or_no.get(self.params.get("locked", "")),
            banned=yes_or_no.get(self.params.get("banned", "")),
            among=self.queryset.order_by().values("pk") if self.query else None,
            by=str(self.list_display[int(order.removeprefix("-"))]) if order else "points",
            falling=not order or order.startswith("-"),
        )
