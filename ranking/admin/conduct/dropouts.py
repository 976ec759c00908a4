"""Forfeits, voided and restored from the incidents that they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from ranking.admin.base.acting import Acting
from ranking.admin.base.confirming import Question, ask, tell
from ranking.admin.base.consequences import with_forfeits
from ranking.admin.base.reasons import ReasonForm, moderator, read_form
from ranking.models import Forfeit, Incident
from ranking.moderation.voids import restore, void

_AFTER = "What came after it in its mode is rated anew; the site goes on meanwhile, and it can be undone."
VOID = Question("Void forfeits", f"It costs no rating, no points and no lockout any more. {_AFTER}", "Void")
RESTORE = Question("Restore forfeits", f"It costs what it did, in its old place. {_AFTER}", "Restore")


class OfDropouts(Acting):
    """The acts on incidents that are about the forfeit of each; others are passed over."""

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
        form, rows = read_form(request, ReasonForm), incidents.filter(forfeit__isnull=False)
        of_forfeit: dict[Any, Any] = {row.forfeit_id: row for row in rows.select_related("player", "forfeit")}
        if of_forfeit and not form.is_valid():
            return ask(self, request, with_forfeits(of_forfeit.values()), question, form=form)
        if not of_forfeit:
            return tell(self, request, [], question.verb)
        said = {"by": moderator(request), "reason": form.cleaned_data["reason"], "now": timezone.now()}
        done = [of_forfeit[forfeit.pk] for forfeit in act([row.forfeit for row in of_forfeit.values()], **said)]
        return tell(self, request, done, question.title)
