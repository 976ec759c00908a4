"""Admin actions on drop-outs: void or restore the forfeit that belongs to an incident."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from ranking.admin.base.actions import ConductActionsAdmin
from ranking.admin.base.confirmation import Question, confirmation_page, report_done
from ranking.admin.base.consequences import with_forfeits
from ranking.admin.base.reasons import TextsForm, details_of, form_from
from ranking.models import Forfeit, Incident
from ranking.moderation.voids import restore, void

_AFTER = "What came after it in its mode is rated anew; the site goes on meanwhile, and it can be undone."
VOID = Question("Void forfeits", f"It costs no rating, no points and no lockout any more. {_AFTER}", "Void")
RESTORE = Question("Restore forfeits", f"It costs what it did, in its old place. {_AFTER}", "Restore")


class ForfeitActions(ConductActionsAdmin):
    """Adds the actions on forfeits to the admin pages of incidents; incidents without a forfeit are skipped."""

    @admin.action(description="Void the forfeit…", permissions=["void"])
    def void(self, request: HttpRequest, incidents: QuerySet[Incident]) -> HttpResponse | None:
        return self._judge(request, incidents, VOID, void)

    @admin.action(description="Restore the forfeit…", permissions=["void"])
    def restore(self, request: HttpRequest, incidents: QuerySet[Incident]) -> HttpResponse | None:
        return self._judge(request, incidents, RESTORE, restore)

    def _judge(
        self,
        request: HttpRequest,
        incidents: QuerySet[Incident],
        question: Question,
        act: Callable[..., list[Forfeit]],
    ) -> HttpResponse | None:
        form, rows = form_from(request, TextsForm), incidents.filter(forfeit__isnull=False)
        by_forfeit: dict[Any, Any] = {row.forfeit_id: row for row in rows.select_related("player", "forfeit")}
        if by_forfeit and not form.is_valid():
            return confirmation_page(self, request, with_forfeits(by_forfeit.values()), question, form=form)
        if not by_forfeit:
            return report_done(self, request, [], question.verb)
        details = details_of(request, form, timezone.now())
        changed = [by_forfeit[f.pk] for f in act([row.forfeit for row in by_forfeit.values()], **details)]
        return report_done(self, request, changed, question.title)
