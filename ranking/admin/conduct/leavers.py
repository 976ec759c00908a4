"""Admin pages of leavers: the players who leave most, each with their whole conduct record.

Moderators pardon, ban, hide, and void matches from here.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from ranking.admin.base.acts.acts import Act, at_any_time, on_keys, within_limits
from ranking.admin.base.acts.confirmation import Question
from ranking.admin.base.acts.effects import with_boards, with_pardon
from ranking.admin.base.acts.forms import BanForm
from ranking.admin.base.base import UneditedAdmin
from ranking.admin.base.display import badge, link_to, moment_text, public_page
from ranking.admin.base.lists import BoundedChangeList
from ranking.admin.conduct.ban_proposals import PROPOSE_ACT, OwnersAct
from ranking.admin.conduct.cheaters import VoidSincePage
from ranking.admin.conduct.leaver_list import FILTERS, SORTED, LeaverList
from ranking.admin.conduct.notes import NOTE_ACT, WARN_ACT, NotesOnPage
from ranking.admin.conduct.pardons import PARDON_RIGHT, previewed_pardon
from ranking.admin.conduct.record import load_record
from ranking.models import Ban, Leaver, Player
from ranking.moderation.ban_limits import BAN_RIGHT, EXTEND_RIGHT, LIFT_RIGHT
from ranking.moderation.leavers import summarise
from ranking.moderation.sanctions import ban_players, hide_players, show_players
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
HIDE_RIGHT = "ranking.hide_player"


def ban(leavers: QuerySet[Leaver], **details: Any) -> list[Player]:
    """Ban players, and return those who are banned now."""
    return [ban.player for ban in ban_players(list(leavers), **details)]


def _banned(form: BanForm) -> str:
    return f"Banned {length_words(form.span())}"


PARDON_ACT = previewed_pardon(
    "Pardon…", PARDON, of="player", too_many="incidents count against them: choose fewer players", told=with_pardon
)
BAN_ACT = OwnersAct("ban", "Ban…", BAN_RIGHT, within_limits(ban), _banned, BAN, BanForm, undo=Ban, bulk=True)
HIDING: dict[str, Any] = {"effects": at_any_time(with_boards), "undo": Player, "bulk": True}
HIDE_ACT = Act(
    "hide",
    "Hide from boards…",
    HIDE_RIGHT,
    on_keys(hide_players),
    "Hidden from boards",
    HIDE,
    **HIDING,
    fits=lambda player: player.hidden_at is None,
)
SHOW_ACT = Act(
    "show",
    "Show on boards again…",
    HIDE_RIGHT,
    on_keys(show_players),
    "Shown on boards again",
    SHOW,
    **HIDING,
    fits=lambda player: player.hidden_at is not None,
)
REPORTS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("banproposal", "Proposed bans", {"state": "all"}),
    ("complaintcase", "Players' reports", {"state": "all"}),
    ("finding", "Abuse reports", {}),
)


@admin.register(Leaver)
class LeaverAdmin(VoidSincePage, NotesOnPage, UneditedAdmin[Leaver]):
    list_display = ("name", "locked_out", "banned", "points", "leaves", "rate")
    list_filter = FILTERS
    sortable_by = SORTED
    search_fields = ("search_name", "key")
    search_help_text = "A part of the name, or the game's whole key."
    fields = ("player", "points", "leaves", "rate", "locked_out", "banned", "boards")
    change_form_template = "admin/ranking/leaver/change_form.html"
    actions = (PARDON_ACT, WARN_ACT, NOTE_ACT, BAN_ACT, PROPOSE_ACT, HIDE_ACT, SHOW_ACT)

    def get_changelist(self, request: HttpRequest, **kwargs: object) -> type[BoundedChangeList]:
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

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        leaver = context["original"]
        context["record"] = load_record(leaver, timezone.now())
        for name, right in (("pardon", PARDON_RIGHT), ("lift", LIFT_RIGHT), ("extend", EXTEND_RIGHT)):
            context[f"may_{name}"] = request.user.has_perm(right)
        links = context["object_links"] = {}
        if request.user.has_perm("ranking.add_void"):
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
        scopes = {ban.scope for ban in leaver.summary.bans}
        if not scopes:
            return "–"
        scope = scopes.pop() if len(scopes) == 1 else Ban.BOTH
        return badge(f"From {dict(Ban.SCOPES)[scope]}", "warn")

    @admin.display(description="On boards")
    def boards(self, leaver: Leaver) -> str:
        return badge("Hidden", "warn") if leaver.hidden_at else "Yes"
