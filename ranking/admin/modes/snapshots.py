"""Admin pages of snapshots: boards as they were published."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from ranking.admin.base.base import ReadOnlyAdmin
from ranking.admin.base.display import badge, moment_text, rating_text
from ranking.admin.base.filters import ModeFilter
from ranking.models import Snapshot
from ranking.rules.rank_table import RankTable
from ranking.standings.snapshots import table_of
from ranking.svg import columns

BARS = 48


@admin.register(Snapshot)
class SnapshotAdmin(ReadOnlyAdmin[Snapshot]):
    list_display = ("taken_at", "mode", "season", "region", "listed", "kind")
    list_filter = (ModeFilter,)
    fields = ("mode", "season", "region", "taken_at", "listed", "kind", "distribution")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Snapshot]:
        return super().get_queryset(request).defer("table").select_related("mode", "season__mode")

    def title_of(self, row: Snapshot) -> str:
        return f"{row.mode}, {moment_text(row.taken_at)}"

    @admin.display
    def kind(self, snapshot: Snapshot) -> str:
        return badge("Final", "good") if snapshot.final else badge("Running season")

    @admin.display
    def distribution(self, snapshot: Snapshot) -> str:
        return histogram(table_of(snapshot))


def histogram(table: RankTable, low: int | None = None, high: int | None = None) -> SafeString | str:
    """Draw the distribution of ratings as SVG, from `low` to `high`; a style sheet gives the colours."""
    bars = table.distribution(BARS, low, high)
    if not bars:
        return "Nobody is listed."
    first, last = rating_text(bars[0].low), rating_text(bars[-1].high - 1)
    titled = [(bar.count, f"{rating_text(bar.low)} to {rating_text(bar.high - 1)}: {bar.count:,}") for bar in bars]
    drawing = mark_safe(columns(titled, f"From {first} to {last}"))  # noqa: S308 - the chart escapes its texts
    return format_html('{}<p class="histogram-ends"><span>{}</span><span>{}</span></p>', drawing, first, last)
