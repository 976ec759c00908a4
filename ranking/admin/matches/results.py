"""Admin pages on which people type results: one adds a match, the other corrects one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from ranking.admin.base.acts.confirmation import ONCE
from ranking.admin.base.acts.effects import correction_sentence
from ranking.admin.base.acts.forms import details_of
from ranking.admin.base.audited import person
from ranking.admin.base.base import ReadOnlyAdmin
from ranking.admin.matches.result_forms import ModeChoiceForm, ResultForms
from ranking.matches.records import load_records, with_voids
from ranking.models import Match, Mode
from ranking.moderation.corrections import CorrectionRefused, correct_match, find_objection
from ranking.moderation.typed_results import BadTyping, record_typed
from ranking.rules.report import BadReport

TEMPLATE = "admin/ranking/match/result.html"
Act = Callable[[ResultForms], Match]


class ResultPages(ReadOnlyAdmin[Match]):
    """Adds the two pages. Whoever may void may correct. Results are added by who has the permission to add matches, and
    by who may make keys, with which anybody can send results.
    """

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.correct_view)
        return [path("<int:match_id>/correct/", view, name="ranking_match_correct"), *super().get_urls()]

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return request.user.has_perm("ranking.add_match") or request.user.has_perm("ranking.add_key")

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, object] | None = None
    ) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        mode = _mode_of(request)
        forms = None if mode is None else ResultForms(request, mode, timezone.now())
        if forms is not None and (match := _done(request, forms, self._add(request))) is not None:
            self.log_addition(request, match, f"Added a result: {match.external_id}")
            self.message_user(request, f"Recorded as match {match.pk}.", messages.SUCCESS)
            return HttpResponseRedirect(reverse("admin:ranking_match_change", args=[match.pk]))
        choice = ModeChoiceForm(initial={"mode": mode})
        return self._page(request, "Add a result", forms, choice=choice, verb="Add the result")

    def correct_view(self, request: HttpRequest, match_id: int) -> HttpResponse:
        if not request.user.has_perms(["ranking.view_match", "ranking.add_void"]):
            raise PermissionDenied
        match = get_object_or_404(with_voids(Match.objects.select_related("mode", "source")), pk=match_id)
        forms = ResultForms(request, match.mode, timezone.now(), load_records([match])[match.pk])
        if (new := _done(request, forms, self._correct(request, match))) is not None:
            self.log_change(request, match, f"Corrected by match {new.pk}: {forms.act and forms.act['reason'].value()}")
            self.message_user(
                request, f"Corrected: match {new.pk} has the place of match {match.pk}.", messages.SUCCESS
            )
            return HttpResponseRedirect(reverse("admin:ranking_match_change", args=[new.pk]))
        objection = find_objection(match)
        sentence = "" if objection else correction_sentence(match)
        title = f"Correct match {match.pk}"
        more = {"original": match, "objection": objection, "sentence": sentence, "verb": "Correct the match"}
        return self._page(request, title, None if objection else forms, **more)

    def _add(self, request: HttpRequest) -> Act:
        return lambda forms: record_typed(forms.read(), by=person(request), now=timezone.now())

    def _correct(self, request: HttpRequest, match: Match) -> Act:
        def correct(forms: ResultForms) -> Match:
            assert forms.act is not None  # noqa: S101 - a correction asks why
            return correct_match(match, forms.read(), **details_of(request, forms.act, timezone.now()))

        return correct

    def _page(self, request: HttpRequest, title: str, forms: ResultForms | None, **more: Any) -> TemplateResponse:
        context = {**self.admin_site.each_context(request), "title": title, "opts": self.opts, "forms": forms, **more}
        return TemplateResponse(request, TEMPLATE, {**context, "once_field": ONCE})


def _mode_of(request: HttpRequest) -> Mode | None:
    """The mode that the address names, or the only one; None if it has to be chosen."""
    modes = list(Mode.objects.all()[:2])
    if len(modes) == 1:
        return modes[0]
    choice = ModeChoiceForm(request.GET or None)
    return choice.cleaned_data["mode"] if choice.is_valid() else None


def _done(request: HttpRequest, forms: ResultForms, act: Act) -> Match | None:
    """Do the act if its forms were sent and are in order; None if they have to be shown, with what is wrong."""
    if request.method != "POST" or not forms.is_valid():
        return None
    try:
        return act(forms)
    except BadTyping as error:
        forms.add_faults(error.faults)
    except BadReport as error:
        forms.add_faults([(error.path, error.sentence)])
    except CorrectionRefused as refused:
        forms.add_faults([("", str(refused))])
    return None
