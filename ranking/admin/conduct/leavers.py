"""Admin pages of leavers: the players who leave most, each with their whole conduct record.

Moderators pardon, ban, hide, and void matches from here.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from ranking.admin.base.base import UneditedAdmin
from ranking.admin.base.confirmation import SHOWN, Question, confirmation_page, keys_of, report_done
from ranking.admin.base.consequences import with_boards, with_pardon, with_standing
from ranking.admin.base.display import badge, link_to, moment_text, public_page
from ranking.admin.base.lists import BoundedChangeList
from ranking.admin.base.previews import MOST_PREVIEWED, as_previewed, keys_text, was_previewed
from ranking.admin.base.reasons import BanForm, TextsForm, details_of, form_from
from ranking.admin.conduct.cheaters import VoidSincePage
from ranking.admin.conduct.leaver_list import FILTERS, SORTED, LeaverList
from ranking.admin.conduct.notes import NoteActions
from ranking.admin.conduct.record import load_record
from ranking.models import Ban, Incident, Leaver, Player
from ranking.moderation.leavers import summarise
from ranking.moderation.sanctions import ban_players, hide_players, owners_of, pardon_incidents, show_players
from ranking.players.search import name_holds
from ranking.rules.ban_lengths import length_words

PARDON = Question(
    "Pardon",
    "Points and lockouts go, as though it had never happened. Ratings stay.",
    "Pardon",
)
BAN = Question(
    "Ban",
    "From queues at once; from boards with the next publication, within a minute or so. Their other bans stay as they"
    " are.",
    "Ban",
)
HIDE = Question(
    "Hide from boards",
    "They leave every board with the next publication, within a minute or so. Their matches go on being rated.",
    "Hide",
)
SHOW = Question(
    "Show on boards again", "They return to the boards they qualify for with the next publication.", "Show again"
)
REPORTS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("complaintcase", "Players' reports", {"state": "all"}),
    ("finding", "Abuse reports", {}),
)


@admin.register(Leaver)
class LeaverAdmin(VoidSincePage, NoteActions, UneditedAdmin[Leaver]):
    list_display = ("name", "locked_out", "banned", "points", "leaves", "rate")
    list_filter = FILTERS
    sortable_by = SORTED
    bulk_actions = ("pardon", "ban", "hide", "show")
    search_fields = ("search_name", "key")
    search_help_text = "A part of the name, or the game's whole key."
    fields = ("player", "points", "leaves", "rate", "locked_out", "banned", "boards")
    change_form_template = "admin/ranking/leaver/change_form.html"
    actions = page_actions = ("pardon", "warn", "note", "ban", "hide", "show")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[BoundedChangeList]:
        return LeaverList

    def search_rows(self, queryset: QuerySet[Leaver], term: str) -> QuerySet[Leaver]:
        exact = queryset.filter(key=term)
        return exact if exact.exists() else queryset.filter(name_holds(term))

    def view_on_site(self, obj: Leaver) -> str | None:
        return public_page("player", obj.key)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Leaver | None:
        leaver: Any = super().get_object(request, object_id, from_field)
        if leaver is not None:
            leaver.summary = summarise([leaver.pk], timezone.now())[leaver.pk]
        return leaver  # type: ignore[no-any-return]

    def actions_for(self, request: HttpRequest, row: Leaver) -> tuple[str, ...]:
        return ("pardon", "warn", "ban", "show" if row.hidden_at else "hide")

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        leaver = context["original"]
        context["record"] = load_record(leaver, timezone.now())
        context["may_pardon"], context["may_lift"], context["may_extend"] = (
            allowed(request)
            for allowed in (self.has_pardon_permission, self.has_lift_permission, self.has_extend_permission)
        )
        links = context["object_links"] = {}
        if self.has_void_permission(request):
            links[reverse("admin:ranking_leaver_void_since", args=[leaver.pk])] = "Void their matches since…"
        for model, label, filters in REPORTS:
            if request.user.has_perm(f"ranking.view_{model}"):
                links[reverse(f"admin:ranking_{model}_changelist", query={"player": leaver.pk, **filters})] = label
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display
    def player(self, leaver: Leaver) -> str:
        return link_to(Player(pk=leaver.pk, name=leaver.name))

    @admin.display(description="Points now", ordering="points")
    def points(self, leaver: Any) -> str:
        return f"{leaver.summary.points:.1f}"

    @admin.display(description="Leaves in 30 days", ordering="leaves")
    def leaves(self, leaver: Any) -> str:
        return f"{leaver.summary.leaves:,}"

    @admin.display(description="Leave rate this season")
    def rate(self, leaver: Any) -> str:
        rate = leaver.summary.rate
        return "–" if rate is None else f"{100 * rate:.1f} %"

    @admin.display(description="Locked out until")
    def locked_out(self, leaver: Any) -> str:
        until = leaver.summary.locked_until
        return "–" if until is None else badge(moment_text(until), "warn")

    @admin.display
    def banned(self, leaver: Any) -> str:
        scopes = {ban.get_scope_display() for ban in leaver.summary.bans}
        return badge("From " + ", ".join(sorted(scopes)), "warn") if scopes else "–"

    @admin.display(description="On boards")
    def boards(self, leaver: Leaver) -> str:
        return badge("Hidden", "warn") if leaver.hidden_at else "Yes"

    @admin.action(description="Pardon…", permissions=["pardon"])
    def pardon(self, request: HttpRequest, leavers: QuerySet[Leaver]) -> HttpResponse | None:
        now, form = timezone.now(), form_from(request, TextsForm)
        players = list(leavers)
        counting = as_previewed(request, Incident.objects.counting().filter(player__in=players))
        incidents = list(counting.values_list("pk", flat=True)[: MOST_PREVIEWED + 1])
        if len(incidents) > MOST_PREVIEWED:
            sentence = f"More than {MOST_PREVIEWED:,} incidents count against them: choose fewer players."
            self.message_user(request, f"{sentence} Nothing has changed.", messages.WARNING)
            return None
        if not form.is_valid() or not was_previewed(request):
            rows, counted = with_pardon(players[:SHOWN], set(incidents), now), keys_text(incidents)
            return confirmation_page(self, request, rows, PARDON, form, keys_of(players), previewed=counted)
        pardoned = pardon_incidents(incidents, **details_of(request, form, now))
        named = {incident.player_id for incident in pardoned}
        done = [leaver for leaver in players if leaver.pk in named]
        return report_done(self, request, done, "Pardoned", undo=(Incident, now))

    @admin.action(description="Ban…", permissions=["ban"])
    def ban(self, request: HttpRequest, leavers: QuerySet[Leaver]) -> HttpResponse | None:
        now, form = timezone.now(), form_from(request, BanForm)
        if not form.is_valid():
            players = owners_of(leavers.filter(anonymised_at=None))
            return confirmation_page(self, request, with_standing(players[:SHOWN], now), BAN, form, keys_of(players))
        details = details_of(request, form, now)
        bans = ban_players(list(leavers), scope=form.cleaned_data["scope"], ends_at=form.ends_at(now), **details)
        act = f"Banned {length_words(form.length())}"
        return report_done(self, request, [ban.player for ban in bans], act, undo=(Ban, now))

    @admin.action(description="Hide from boards…", permissions=["hide"])
    def hide(self, request: HttpRequest, leavers: QuerySet[Leaver]) -> HttpResponse | None:
        return self._hide_or_show(request, leavers, HIDE, "Hidden from boards", hide_players)

    @admin.action(description="Show on boards again…", permissions=["hide"])
    def show(self, request: HttpRequest, leavers: QuerySet[Leaver]) -> HttpResponse | None:
        return self._hide_or_show(request, leavers, SHOW, "Shown on boards again", show_players)

    def _hide_or_show(
        self, request: HttpRequest, leavers: QuerySet[Leaver], question: Question, outcome: str, act: Any
    ) -> HttpResponse | None:
        now, form, players = timezone.now(), form_from(request, TextsForm), list(leavers)
        if not form.is_valid():
            return confirmation_page(self, request, with_boards(players[:SHOWN]), question, form, keys_of(players))
        changed = act([row.pk for row in players], **details_of(request, form, now))
        return report_done(self, request, changed, outcome, undo=(Player, now))
