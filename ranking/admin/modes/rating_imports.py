"""The admin page that brings ratings along into a mode's season: a file, its preview, and the act."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from ranking.admin.base.acts.forms import RecordedReasonForm
from ranking.admin.modes.taking_back import TakeBackPage
from ranking.models import Mode
from ranking.seeds.planning import Plan, plan_seeds
from ranking.seeds.seeding import seed_players
from ranking.seeds.withdrawing import withdraw_seeds
from ranking.systems.base import Refused
from ranking.systems.foreign_scales import DISPLAY, MEAN, UNSAID, ForeignScale, LibraryScale, choose_scale
from ranking.systems.libraries import LIBRARIES
from ranking.validation.rating_files import RatingLine, read_ratings

MOST_LINES = 5_000  # that a page takes; the command takes more
LARGEST = 500_000  # bytes of a file
SHOWN = 20  # lines, and faults, of the preview


class RatingImportForm(RecordedReasonForm):
    """Asks for a file, or holds the text of the one that was previewed."""

    file = forms.FileField(
        required=False, label="File",
        help_text="CSV: player id, name, rating, and optionally deviation, matches and volatility."
        f" At most {MOST_LINES:,} lines; manage.py import_ratings takes more.",
    )  # fmt: skip
    lines = forms.CharField(required=False, strip=False, widget=forms.HiddenInput)
    library = forms.ChoiceField(
        required=False, label="Library", choices=[("", "None"), *((name, name) for name in LIBRARIES)],
        help_text="The file’s numbers are those that this library keeps. A newcomer there is a newcomer here.",
    )  # fmt: skip
    newcomer = forms.CharField(
        required=False, max_length=60, label="Newcomer there",
        help_text="What a newcomer has there, if that isn’t the library’s default: 1200, or 1500,500 for mu and sigma.",
    )  # fmt: skip
    scale = forms.ChoiceField(
        required=False, label="Scale",
        choices=[(UNSAID, "Not said"), (MEAN, "Mean (mu)"), (DISPLAY, "Display (mu − 3·sigma)")],
        help_text="For TrueSkill and Weng–Lin, and without a library: what the ratings of a file with deviations are.",
    )  # fmt: skip
    map = forms.CharField(
        required=False, max_length=60, label="Map",
        help_text="Empty: this mode's ratings. linear:A,B: a rating x stands for A·x + B. rank: only the order counts.",
    )  # fmt: skip
    placed = forms.BooleanField(
        required=False, label="Placed", help_text="They are on the board at once, without placement matches."
    )

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        file, text = cleaned.get("file"), cleaned.get("lines", "")
        if file is not None and file.size <= LARGEST:
            text = file.read().decode("utf-8", "replace")
        if not text or (file is not None and file.size > LARGEST) or text.count("\n") > MOST_LINES:
            self.add_error("file", f"Choose a file with at most {MOST_LINES:,} lines and {LARGEST // 1000} kB.")
        given = {name: cleaned.get(name, "").strip() for name in ("library", "newcomer", "map", "scale")}
        try:
            scale = choose_scale(
                library=given["library"], newcomer=given["newcomer"], linear=given["map"], meaning=given["scale"]
            )
        except Refused as refused:
            self.add_error(refused.path, str(refused))
            return cleaned
        return {**cleaned, "lines": text, "scale": scale}


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What a file will do: rows of line, player, name, rating and matches; `more` rows aren't shown.

    `note`: what those who come from its library should know.
    """

    plan: Plan
    rows: Sequence[tuple[int, str, str, str, int]]
    note: str

    @property
    def more(self) -> int:
        return len(self.plan.seeds) - len(self.rows)

    @property
    def faults(self) -> list[str]:
        return [f"Line {fault.number}: {fault.sentence}" for fault in self.plan.faults[:SHOWN]]

    @property
    def new(self) -> int:
        return len(self.plan.seeds) - self.plan.known


class RatingImportPages(TakeBackPage):
    """Adds the page that brings ratings along into a mode."""

    def get_urls(self) -> list[URLPattern]:
        view: Callable[..., HttpResponse] = self.admin_site.admin_view(self.import_ratings_view)
        return [path("<int:mode_id>/import-ratings/", view, name="ranking_mode_import_ratings"), *super().get_urls()]

    def links_of(self, request: HttpRequest, mode_id: str) -> dict[str, str]:
        links = super().links_of(request, mode_id)
        if self.has_change_permission(request):
            links[reverse("admin:ranking_mode_import_ratings", args=[mode_id])] = "Bring ratings along…"
        return links

    def import_ratings_view(self, request: HttpRequest, mode_id: int) -> HttpResponse:
        """Show the preview of a file; a second POST writes it, or takes back what its players brought along."""
        mode = self._mode(request, mode_id, change=True)
        form = RatingImportForm(request.POST or None, request.FILES or None)
        if not form.is_valid():
            return self._import_page(request, mode, form, None)
        if not isinstance(request.user, User):
            raise PermissionDenied
        given = form.cleaned_data
        lines, faults = read_ratings(given["lines"].encode().splitlines(keepends=True))
        try:
            if "undo" in request.POST:
                return self._withdrawn(request, mode, lines, given["reason"])
            plan = plan_seeds(mode, lines, faults, given["scale"], placed=given["placed"])
            if plan.faults or "write" not in request.POST:
                return self._import_page(request, mode, form, _preview(plan, given["scale"]))
            outcomes = list(seed_players(plan, by=request.user, reason=given["reason"], now=timezone.now()))
        except Refused as refused:
            form.add_error(None, str(refused))
            return self._import_page(request, mode, form, None)
        written = sum(outcome.written for outcome in outcomes)
        self.log_change(request, mode, f"Brought {written:,} ratings along: {given['reason']}")
        self.message_user(request, f"{written:,} ratings brought along.", messages.SUCCESS)
        for fault in [fault for outcome in outcomes for fault in outcome.faults][:SHOWN]:
            self.message_user(request, f"Left out, line {fault.number}: {fault.sentence}", messages.WARNING)
        return HttpResponseRedirect(reverse("admin:ranking_mode_change", args=[mode.pk]))

    def _withdrawn(self, request: HttpRequest, mode: Mode, lines: Sequence[RatingLine], reason: str) -> HttpResponse:
        """Take back what these players brought along; raises Refused."""
        by = request.user if isinstance(request.user, User) else None
        keys = [line.key for line in lines]
        count = sum(withdraw_seeds(mode, keys, by=by, reason=reason, now=timezone.now()))
        self.log_change(request, mode, f"Took back {count:,} ratings: {reason}")
        self.message_user(request, f"{count:,} ratings taken back.", messages.SUCCESS)
        return HttpResponseRedirect(reverse("admin:ranking_mode_change", args=[mode.pk]))

    def _import_page(
        self, request: HttpRequest, mode: Mode, form: RatingImportForm, preview: ImportPreview | None
    ) -> TemplateResponse:
        if preview is not None:
            data = request.POST.copy()
            data["lines"] = form.cleaned_data["lines"]
            form.data = data
        context = {
            **self.admin_site.each_context(request),
            "title": f"Bring ratings along into {mode.name}",
            "opts": self.opts,
            "mode": mode,
            "form": form,
            "preview": preview,
        }
        return TemplateResponse(request, "admin/ranking/mode/import_ratings.html", context)


def _preview(plan: Plan, scale: ForeignScale) -> ImportPreview:
    rows = [(seed.line, seed.key, seed.name, seed.rating, seed.matches) for seed in plan.seeds[:SHOWN]]
    return ImportPreview(plan, rows, scale.library.note if isinstance(scale, LibraryScale) else "")
