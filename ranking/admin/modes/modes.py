"""Admin pages of modes: what is played, what is shown, and the rating system with its parameters."""

from __future__ import annotations

from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Model, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponseRedirect
from django.utils import timezone

from ranking.admin.base.audited import person
from ranking.admin.base.base import LedgerAdmin
from ranking.admin.base.display import badge, public_page
from ranking.admin.base.name_fields import field_names
from ranking.admin.base.parameter_fields import field_names as parameter_names
from ranking.admin.modes.conduct_fields import FIELD_NAMES
from ranking.admin.modes.forms import ModeForm
from ranking.admin.modes.history import ParametersInline, SeasonInline, parameters_text
from ranking.admin.modes.rating_imports import RatingImportPages
from ranking.database.retries import run_retried
from ranking.models import Mode, ParameterVersion
from ranking.modes.administration import configure_parameters
from ranking.modes.changes import SETTINGS, change_settings, has_matches, has_ratings
from ranking.modes.parameters import create_mode, current_parameters
from ranking.operations.audit import UNASKED
from ranking.systems.base import Refused
from ranking.systems.registry import system_choices

# Conduct and names by language have fields of their own.
EDITED = ("slug", *(name for name in SETTINGS if name not in ("conduct", "names")))
SECTIONS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    (
        "What is played",
        (
            "name",
            "slug",
            "description",
            "team_count",
            "team_count_min",
            "team_size_min",
            "team_size_max",
            "time_zone",
        ),
    ),
    (
        "What counts",
        ("least_is_best", "equal_teams", "least_seconds", "least_rounds", "withdraw_seconds"),
    ),
    ("What is shown", ("ranked", "shows_rating", "shows_percentile", "shows_tier")),
    ("Placement and activity", ("placement_matches", "activity_matches", "activity_days")),
    ("Seasons", ("schedule", "late_results", "placement_after_reset")),
    ("Tiers", ("tier_scheme", "named_tiers", "tier_least_listed")),
    ("Page of a match", ("scoreboard", "best_by", "link_hosts")),
    ("Who may queue for it", ("entry_days", "entry_matches", "entry_mode")),
)


@admin.register(Mode)
class ModeAdmin(RatingImportPages, LedgerAdmin[Mode]):
    form = ModeForm
    list_display = ("name", "slug", "system", "teams", "placement_matches", "activity", "shown")
    search_fields = ("slug", "name")
    ordering = ("name",)
    inlines = (ParametersInline, SeasonInline)

    class Media:
        js = ("js/admin-mode.js",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Mode]:
        newest = ParameterVersion.objects.in_force().filter(mode=OuterRef("pk"))
        return super().get_queryset(request).annotate(system_key=Subquery(newest.values("system")[:1]))

    def search_rows(self, queryset: QuerySet[Mode], term: str) -> QuerySet[Mode]:
        return queryset.filter(name__icontains=term)  # without an index: a game has a handful of modes

    def get_form(self, request: HttpRequest, obj: Mode | None = None, change: bool = False, **kwargs: Any) -> Any:
        if self._is_read_only(request, obj):
            return super().get_form(request, obj, change, form=forms.ModelForm, **kwargs)
        return super().get_form(request, obj, change, **{**kwargs, "fields": EDITED})

    def _is_read_only(self, request: HttpRequest, obj: Mode | None) -> bool:
        return obj is not None and not self.has_change_permission(request, obj)

    def get_fieldsets(self, request: HttpRequest, obj: Mode | None = None) -> Any:
        sections: list[Any] = [(title, {"fields": fields}) for title, fields in SECTIONS]
        read_only = obj is not None and self._is_read_only(request, obj)
        names = ("names",) if read_only else field_names("name")
        sections.insert(1, ("Its name in the languages of the site", {"fields": names, "classes": ("collapse",)}))
        conduct = ("conduct",) if read_only else FIELD_NAMES
        sections.append(("Conduct", {"fields": ("reconnect_grace", "leave_after_abandon", *conduct)}))
        if read_only:
            return [*sections, ("Rating", {"fields": ("system", "parameters")})]
        sections.append(("Rating", {"fields": ("system",)}))
        fixed = current_parameters(obj).system if obj is not None and has_ratings(obj) else None
        return sections + [
            (f"Parameters of {title}", {"fields": parameter_names(key), "classes": (f"system-{key}",)})
            for key, title in system_choices()
            if fixed in (None, key)
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Mode | None = None) -> Any:
        if obj is None:
            return ()
        if self._is_read_only(request, obj):
            return ("system", "parameters")
        return ("slug", "team_count") if obj.team_count == 2 and has_matches(obj) else ("slug",)

    def get_prepopulated_fields(self, request: HttpRequest, obj: Mode | None = None) -> Any:
        return {} if obj else {"slug": ("name",)}

    def get_inlines(self, request: HttpRequest, obj: Mode | None) -> Any:
        return self.inlines if obj else ()

    def audit_subject(self, row: Mode) -> str:
        return f"mode {row.slug}"

    def audit_fields(self, request: HttpRequest, row: Mode) -> tuple[str, ...]:
        return ("slug", *SETTINGS)

    def save_model(self, request: HttpRequest, obj: Mode, form: Any, change: bool) -> None:
        now = timezone.now()
        if change:
            change_settings(obj, now=now, **form.settings)
            how: Any = {"system": form.rated_by, "by": person(request), "reason": UNASKED, "now": now}
            configure_parameters(obj, form.params, **how)
            return
        slug, rules = form.cleaned_data["slug"], {"system": form.rated_by, "params": form.params}
        obj.pk = create_mode(slug=slug, now=now, **rules, **form.settings).pk

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Save a mode in one transaction, which is tried again after a deadlock."""
        try:
            return run_retried(partial(super().changeform_view, request, *args, **kwargs))
        except (Refused, ValidationError) as refused:  # the mode changed after the form was checked
            sentences = refused.messages if isinstance(refused, ValidationError) else [str(refused)]
            self.message_user(request, " ".join(sentences), messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())

    def view_on_site(self, obj: Model) -> str | None:
        return public_page("board", obj.slug) if isinstance(obj, Mode) and obj.ranked else None

    @admin.display(description="Rating system")
    def system(self, mode: Any) -> str:
        return str(dict(system_choices()).get(mode.system_key, mode.system_key))

    @admin.display
    def parameters(self, mode: Mode) -> str:
        return parameters_text(current_parameters(mode))

    @admin.display
    def teams(self, mode: Mode) -> str:
        smallest, largest = mode.team_size_min, mode.team_size_max
        return f"{mode.team_count} of {smallest}" + (f"–{largest}" if largest > smallest else "")

    @admin.display
    def activity(self, mode: Mode) -> str:
        if mode.activity_days is None:
            return "For good"
        return f"{mode.activity_matches} in {mode.activity_days} d"

    @admin.display(description="Shown")
    def shown(self, mode: Mode) -> str:
        return badge("Ranked", "good") if mode.ranked else badge("For fun")
