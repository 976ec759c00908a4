"""Forfeits, voided and restored from the incidents that they are."""

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
from ranking.admin.base.reasons import ReasonForm, form_from, moderator
from ranking.models import Forfeit, Incident
from ranking.moderation.voids import restore_forfeits, void_forfeits

_AFTER = "What came after it in its mode is rated anew; the site goes on meanwhile, and it can be undone."
VOID = Question("Void forfeits", f"It costs no rating, no points and no lockout any more. {_AFTER}", "Void")
RESTORE = Question("Restore forfeits", f"It costs what it did, in its old place. {_AFTER}", "Restore")


class ForfeitActions(ConductActionsAdmin):
    """The acts on incidents that are about the forfeit of each; others are passed over."""

    @admin.action(description="Void the forfeit…", permissions=["void"])
    def void(self, request: HttpRequest, incidents: QuerySet[Incident]) -> HttpResponse | None:
        return self._judge(request, incidents, VOID, void_forfeits)

    @admin.action(description="Restore the forfeit…", permissions=["void"])
    def restore(self, request: HttpRequest, incidents: QuerySet[Incident]) -> HttpResponse | None:
        return self._judge(request, incidents, RESTORE, restore_forfeits)

    def _judge(
        self,
        request: HttpRequest,
        incidents: QuerySet[Incident],
        question: Question,
        act: Callable[..., list[Forfeit]],
    ) -> HttpResponse | None:
        form, rows = form_from(request, ReasonForm), incidents.filter(forfeit__isnull=False)
        of_forfeit: dict[Any, Any] = {row.forfeit_id: row for row in rows.select_related("player")}
        if of_forfeit and not form.is_valid():
            return confirmation_page(self, request, with_forfeits(of_forfeit.values()), question, form=form)
        if not of_forfeit:
            return report_done(self, request, [], question.verb)
        said = {"by": moderator(request), "reason": form.cleaned_data["reason"], "now": timezone.now()}
        done = [of_forfeit[forfeit.pk] for forfeit in act(of_forfeit, **said)]
        return report_done(self, request, done, question.title)
