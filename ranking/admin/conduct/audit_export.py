"""The audit log as a CSV file: the lines that the list shows with its filters, streamed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from django.contrib.admin.views.main import ERROR_FLAG, ORDER_VAR, PAGE_VAR, SEARCH_VAR
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from ranking.admin.base.base import LedgerAdmin
from ranking.admin.base.lists import BadListAddress, BoundedChangeList
from ranking.models import AuditEntry
from ranking.rules.spreadsheets import csv_text

COLUMNS = ("at", "by", "key", "act", "subject", "player", "name", "reason", "note")
MOST = 200_000  # lines of a file
MORE = "More follows: filter by time for the rest."
_PIECE = 1_000  # lines in memory at once


class AuditExportPage(LedgerAdmin[AuditEntry]):
    """Adds the file to the admin pages of the audit log, for those who may export it."""

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.export_view)
        return [path("export.csv", view, name="ranking_auditentry_export"), *super().get_urls()]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, object] | None = None) -> HttpResponse:
        links = {}
        if request.user.has_perm("ranking.export_auditentry"):
            query = request.GET.copy()
            for name in (PAGE_VAR, ERROR_FLAG, ORDER_VAR):  # the file has no pages, and an order of its own
                query.pop(name, None)
            links = {reverse("admin:ranking_auditentry_export", query=query): "Export as CSV"}
        return super().changelist_view(request, {"list_links": links, **(extra_context or {})})

    def export_view(self, request: HttpRequest) -> HttpResponseBase:
        if not request.user.has_perms(["ranking.view_auditentry", "ranking.export_auditentry"]):
            raise PermissionDenied
        try:
            rows = self.get_changelist_instance(request)
            assert isinstance(rows, BoundedChangeList)  # noqa: S101 - narrows a type
            if rows.is_cut:
                raise BadListAddress(rows.cut_text, SEARCH_VAR)
            entries = rows.queryset
        except BadListAddress as error:
            return self._say_what_is_wrong(request, error)
        response = StreamingHttpResponse(export_entries(entries), content_type="text/csv; charset=utf-8")
        name = f"audit-log-{timezone.now():%Y-%m-%d}.csv"
        response["Content-Disposition"] = f'attachment; filename="{name}"'
        return response


def export_entries(entries: QuerySet[AuditEntry], *, most: int = MOST) -> Iterator[str]:
    """Yield these lines of the log as CSV, the newest first, in pieces; memory doesn't grow with their number.

    After `most` lines comes one that says that there are more.
    """
    yield csv_text([COLUMNS])
    newest, before, left = entries.select_related("player").order_by("-at", "-id"), Q(), most
    while piece := list(newest.filter(before)[: min(_PIECE, left + 1)]):
        yield csv_text(map(_line, piece[:left]))
        left -= len(piece)
        if left < 0:
            yield csv_text([[MORE]])
            return
        last = piece[-1]
        # The bound on the time is what the index answers: without it, each piece would read all before it again.
        before = Q(at__lte=last.at) & (Q(at__lt=last.at) | Q(pk__lt=last.pk))


def _line(entry: AuditEntry) -> tuple[str, ...]:
    player = entry.player
    at = entry.at.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    who = (player.key, player.name) if player else ("", "")
    return at, entry.who, entry.via, entry.act, entry.subject, *who, entry.reason, entry.note
