"""The act that pardons all who left, of some players or of some matches: the page that asks counts the incidents."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from ranking.admin.base.acts.acts import Act
from ranking.admin.base.acts.chosen_rows import MOST_PREVIEWED, as_previewed, keys_text, was_previewed
from ranking.admin.base.acts.confirmation import SHOWN, Question, confirmation_page
from ranking.admin.base.acts.forms import TextsForm, details_of, form_from
from ranking.admin.base.audited import M
from ranking.models import Incident
from ranking.moderation.sanctions import pardon_incidents

PARDON_RIGHT = "ranking.pardon_incident"


@dataclass(frozen=True, kw_only=True)
class PreviewedPardon(Act):
    """Pardons the incidents of players or of matches that the page counted; those that come later stay.

    `of`: the column of incidents that names the rows. `too_many`: what is said of more incidents than one act takes.
    `told`: gives the first rows their `effect`, from the keys of all incidents.
    """

    of: str
    too_many: str
    told: Callable[[list[Any], list[int], dt.datetime], list[Any]]

    def __call__(self, page: ModelAdmin[M], request: HttpRequest, rows: QuerySet[M]) -> HttpResponse | None:
        now, form, chosen = timezone.now(), form_from(request, TextsForm), list(rows)
        counting = as_previewed(request, Incident.objects.counting().filter(**{f"{self.of}__in": chosen}))
        incidents = list(counting.values_list("pk", flat=True)[: MOST_PREVIEWED + 1])
        if len(incidents) > MOST_PREVIEWED:
            sentence = f"More than {MOST_PREVIEWED:,} {self.too_many}. Nothing has changed."
            page.message_user(request, sentence, messages.WARNING)
            return None
        if not form.is_valid() or not was_previewed(request):
            shown, keys = self.told(chosen[:SHOWN], incidents, now), [row.pk for row in chosen]
            question = self.question_about(rows)
            return confirmation_page(page, request, shown, question, form, keys, previewed=keys_text(incidents))
        pardoned = self.do(incidents, **details_of(request, form, now))
        owners = {getattr(incident, f"{self.of}_id") for incident in pardoned}
        return self.report(page, request, [row for row in chosen if row.pk in owners], form, now)


def previewed_pardon(label: str, question: Question, **more: Any) -> PreviewedPardon:
    """Return the act for a list of players or of matches."""
    return PreviewedPardon(
        "pardon", label, PARDON_RIGHT, pardon_incidents, "Pardoned", question, undo=Incident, bulk=True, **more
    )
