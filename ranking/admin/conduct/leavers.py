"""Admin pages of leavers: the players who leave most, each with their whole conduct record.

Moderators pardon, ban, hide, and void matches from here.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from ranking.admin.base.actions import ConductActionsAdmin
from ranking.admin.base.base import UneditedAdmin
from ranking.admin.base.confirmation import Question, confirmation_page, report_done
from ranking.admin.base.consequences import with_boards, with_pardon, with_standing
from ranking.admin.base.display import badge, link_to, moment_text, public_page
from ranking.admin.base.lists import BoundedChangeList
from ranking.admin.base.reasons import BanForm, TextsForm, details_of, form_from
from ranking.admin.conduct.cheaters import VoidSincePage
from ranking.admin.conduct.record import load_record
from ranking.models import Incident, Leaver, Player
from ranking.moderation.leavers import find_frequent, find_leavers, summarise
from ranking.moderation.sanctions import ban_players, hide_players, pardon_incidents, show_players
from ranking.players.search import name_holds

PARDON = Question(
    "Pardon",
    "Everything that counts against them is taken as though it had never happened: points, lockouts. Ratings stay.",
    "Pardon",
)
BAN = Question(
    "Ban",
    "From queues at once; from boards with the next publication, within a minute or so. Bans that run go on running.",
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


class OrderFilter(admin.SimpleListFilter):
    """Chooses the order of the list; by default, players with the most points come first."""

    title = "order"
    parameter_name = "order"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("often", "Leaves in 30 days")]

    def choices(self, changelist: Any) -> Any:
        first, *others = super().choices(changelist)
        yield {**first, "display": "Points now"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: QuerySet[Leaver]) -> QuerySet[Leaver]:
        return queryset


class LeaverList(BoundedChangeList):
    """Lists the worst leavers first. Ids come from incidents alone, then the players of the page are read.

    A search finds all players, leavers or not.
    """

    def get_results(self, request: HttpRequest) -> None:
        now = timezone.now()
        if not self.query:
            self.queryset = (find_frequent if self.params.get("order") == "often" else find_leavers)(now)
        super().get_results(request)
        if not self.query:
            players: Any = Leaver.objects.in_bulk(self.result_list)
            self.result_list = [players[pk] for pk in self.result_list]
        summaries = summarise([row.pk for row in self.result_list], now)
        for row in self.result_list:
            row.summary = summaries[row.pk]


@admin.register(Leaver)
class LeaverAdmin(VoidSincePage, ConductActionsAdmin, UneditedAdmin[Leaver]):
    list_display = ("name", "points", "leaves", "rate", "locked_out", "banned")
    list_filter = (OrderFilter,)
    search_fields = ("search_name", "key")
    search_help_text = "A part of the name, or the game's whole key."
    fields = ("player", "points", "leaves", "rate", "locked_out", "banned", "boards")
    change_form_template = "admin/ranking/leaver/change_form.html"
    actions = page_actions = ("pardon", "ban", "hide", "show")

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
        return ("pardon", "ban", "show" if row.hidden_at else "hide")

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        leaver = context["original"]
        context["record"] = load_record(leaver, timezone.now())
        context["may_pardon"], context["may_lift"], context["may_extend"] = (
            allowed(request)
            for allowed in (self.has_pardon_permission, self.has_lift_permission, self.has_extend_permission)
        )
        if self.has_void_permission(request):
            address = reverse("admin:ranking_leaver_void_since", args=[leaver.pk])
            context["object_links"] = {address: "Void their matches since…"}
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display
    def player(self, leaver: Leaver) -> str:
        return link_to(Player(pk=leaver.pk, name=leaver.name))

    @admin.display(description="Points now")
    def points(self, leaver: Any) -> str:
        return f"{leaver.summary.points:.1f}"

    @admin.display(description="Leaves in 30 days")
    def leaves(self, leaver: Any) -> str:
        return f"{leaver.summary.leaves:,}"

    @admin.display(description="Leave rate")
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
        counting = Incident.objects.counting().filter(player__in=list(leavers)).values_list("pk", flat=True)
        if not form.is_valid():
            return confirmation_page(self, request, with_pardon(leavers, set(counting), now), PARDON, form=form)
        pardoned = pardon_incidents(list(counting), **details_of(request, form, now))
        players = {incident.player_id for incident in pardoned}
        return report_done(self, request, [leaver for leaver in leavers if leaver.pk in players], "Pardoned")

    @admin.action(description="Ban…", permissions=["ban"])
    def ban(self, request: HttpRequest, leavers: QuerySet[Leaver]) -> HttpResponse | None:
        now, form = timezone.now(), form_from(request, BanForm)
        if not form.is_valid():
            return confirmation_page(self, request, with_standing(leavers, now), BAN, form=form)
        banned, details = list(leavers), details_of(request, form, now)
        ban_players(banned, scope=form.cleaned_data["scope"], ends_at=form.ends_at(now), **details)
        return report_done(self, request, banned, "Banned")

    @admin.action(description="Hide from boards…", permissions=["hide"])
    def hide(self, request: HttpRequest, leavers: QuerySet[Leaver]) -> HttpResponse | None:
        form = form_from(request, TextsForm)
        if not form.is_valid():
            return confirmation_page(self, request, with_boards(leavers), HIDE, form=form)
        details = details_of(request, form, timezone.now())
        return report_done(self, request, hide_players([row.pk for row in leavers], **details), "Hidden from boards")

    @admin.action(description="Show on boards again…", permissions=["hide"])
    def show(self, request: HttpRequest, leavers: QuerySet[Leaver]) -> HttpResponse | None:
        form = form_from(request, TextsForm)
        if not form.is_valid():
            return confirmation_page(self, request, leavers, SHOW, form=form)
        details = details_of(request, form, timezone.now())
        return report_done(self, request, show_players([row.pk for row in leavers], **details), "Shown on boards again")
