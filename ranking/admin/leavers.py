"""Leavers: who leaves most, and what there is against each of them. Pardoning and banning, single and in bulk."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from ranking.admin.base import UneditedAdmin
from ranking.admin.confirming import Question, ask, tell
from ranking.admin.lists import BoundedChangeList
from ranking.admin.reasons import BanForm, ReasonForm, moderator, read_form
from ranking.admin.showing import badge, link_to, moment_text
from ranking.leavers import Summary, find_leavers, summarise
from ranking.models import Incident, Leaver, Player
from ranking.moderation import ban_player, pardon_incidents
from ranking.players import name_begins

SHOWN = 100  # incidents of a page
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


class LeaverList(BoundedChangeList):
    """The worst first; a search finds others, too."""

    def get_results(self, request: HttpRequest) -> None:
        now = timezone.now()
        if not self.query:
            self.queryset = find_leavers(now)
        super().get_results(request)
        summaries = summarise([row.pk for row in self.result_list], now)
        for row in self.result_list:
            row.summary = summaries[row.pk]


@admin.register(Leaver)
class LeaverAdmin(UneditedAdmin[Leaver]):
    list_display = ("name", "points", "leaves", "rate", "locked_out", "banned")
    search_fields = ("search_name", "key")
    search_help_text = "How the name begins, or the game's whole key."
    fields = ("player", "points", "leaves", "rate", "locked_out", "banned")
    change_form_template = "admin/ranking/leaver/change_form.html"
    actions = ("pardon", "ban")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[BoundedChangeList]:
        return LeaverList

    def found(self, queryset: QuerySet[Leaver], term: str) -> QuerySet[Leaver]:
        exact = queryset.filter(key=term)
        return exact if exact.exists() else queryset.filter(name_begins(term))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Leaver | None:
        leaver: Any = super().get_object(request, object_id, from_field)
        if leaver is not None:
            leaver.summary = summarise([leaver.pk], timezone.now())[leaver.pk]
        return leaver  # type: ignore[no-any-return]

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        names = ("pardon", "ban")
        kwargs["extra_context"] = {"object_actions": {name: getattr(self, name).short_description for name in names}}
        return super().change_view(request, object_id, *args, **kwargs)

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        leaver = context["original"]
        incidents = Incident.objects.filter(player=leaver).select_related("mode", "match", "pardon__by")
        context["incidents"] = incidents.order_by("-happened_at", "-pk")[:SHOWN]
        context["bans"] = leaver.bans.select_related("by", "lifted_by").order_by("-pk")[:SHOWN]
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

    @admin.action(description="Pardon…", permissions=["change"])
    def pardon(self, request: HttpRequest, leavers: QuerySet[Leaver]) -> HttpResponse | None:
        now, form = timezone.now(), read_form(request, ReasonForm)
        if not form.is_valid():
            return ask(self, request, _with_notes(leavers), PARDON, form=form)
        counting = Incident.objects.counting().filter(player__in=list(leavers)).values_list("pk", flat=True)
        reason = form.cleaned_data["reason"]
        pardoned = pardon_incidents(list(counting), by=moderator(request), reason=reason, now=now)
        whose = {incident.player_id for incident in pardoned}
        return tell(self, request, [leaver for leaver in leavers if leaver.pk in whose], "Pardoned")

    @admin.action(description="Ban…", permissions=["change"])
    def ban(self, request: HttpRequest, leavers: QuerySet[Leaver]) -> HttpResponse | None:
        now, form = timezone.now(), read_form(request, BanForm)
        if not form.is_valid():
            return ask(self, request, _with_notes(leavers), BAN, form=form)
        scope, reason, ends_at = form.cleaned_data["scope"], form.cleaned_data["reason"], form.ends_at(now)
        banned = list(leavers)
        for leaver in banned:
            ban_player(leaver, scope=scope, by=moderator(request), reason=reason, now=now, ends_at=ends_at)
        return tell(self, request, banned, "Banned")


def _with_notes(leavers: QuerySet[Leaver]) -> list[Leaver]:
    """The rows of a question, each with what is against them now."""
    rows: list[Any] = list(leavers)
    summaries = summarise([row.pk for row in rows], timezone.now())
    for row in rows:
        row.note = _note(summaries[row.pk])
    return rows


def _note(summary: Summary) -> str:
    parts = [f"{summary.points:.1f} points", f"{summary.counting:,} that count"]
    if summary.locked_until is not None:
        parts.append(f"locked out until {moment_text(summary.locked_until)}")
    return " · ".join([*parts, *(f"banned from {ban.get_scope_display()}" for ban in summary.bans)])
