"""Admin pages of snapshots: boards as they were published."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ranking.admin.base.base import ReadOnlyAdmin
from ranking.admin.base.display import badge, moment_text, rating_text
from ranking.admin.base.filters import ModeFilter
from ranking.models import Snapshot
from ranking.rules.rank_table import RankTable
from ranking.standings.snapshots import table_of

BARS, WIDTH, HEIGHT = 48, 480, 96


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
    bars: Any = table.distribution(BARS, low, high)
    if not bars:
        return "Nobody is listed."
    tallest, step = max(bar.count for bar in bars), WIDTH / len(bars)
    columns = (
        (round(index * step, 1), HEIGHT - height, round(step - 2, 1), height, _bar_title(bar))
        for index, bar in enumerate(bars)
        for height in [round(HEIGHT * bar.count / tallest, 1)]
    )
    shapes = format_html_join("", '<rect x="{}" y="{}" width="{}" height="{}" rx="1"><title>{}</title></rect>', columns)
    return format_html(
        '<svg class="histogram" viewBox="0 0 {} {}" role="img" aria-label="From {} to {}">{}</svg>'
        '<p class="histogram-ends"><span>{}</span><span>{}</span></p>',
        WIDTH, HEIGHT, rating_text(bars[0].low), rating_text(bars[-1].high - 1), shapes,
        rating_text(bars[0].low), rating_text(bars[-1].high - 1),
    )  # fmt: skip


def _bar_title(bar: Any) -> str:
    return f"{rating_text(bar.low)} to {rating_text(bar.high - 1)}: {bar.count:,}"
