"""Admin pages of matchmaking: set up queues; look at tickets, lobbies, parties and servers; end tickets and lobbies."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from matchmaking import lifecycle
from matchmaking.lobbies.silence import count_losses
from matchmaking.models import Formed, Lobby, Party, PartyMember, Queue, Server, Ticket, TicketMember, UnreportedLoss
from matchmaking.operations.closing import close_lobby, end_ticket
from matchmaking.servers import SILENCE, recount
from ranking.admin.base.base import LedgerAdmin, ReadOnlyAdmin, UneditedAdmin
from ranking.admin.base.confirmation import Question, confirmation_page, report_done
from ranking.admin.base.display import badge, link_to, moment_text
from ranking.admin.base.reasons import ReasonForm, form_from, moderator

CLOSE = Question(
    "Close lobbies",
    "Players of lobbies that haven't begun go back to the queue; matches that run are closed as lost. Nobody's rating"
    " changes.",
    "Close",
)
END = Question("Take tickets out", "Their players leave the queue and may queue again at once.", "Take out")


@admin.register(Queue)
class QueueAdmin(LedgerAdmin[Queue]):
    list_display = ("mode", "state", "strategy", "accept_seconds", "ticked_at")
    list_select_related = ("mode",)
    ordering = ("mode__name",)
    fieldsets = (
        (None, {"fields": ("mode", "open")}),
        ("Who plays whom", {"fields": ("strategy", "skill_above", "default_width", "widen_every", "max_rating_spread",
                                       "rematch_after", "rematches", "rematch_memory")}),
        ("Teams", {"fields": ("team_size", "largest_party", "max_party_difference", "split", "favourite",
                              "favourite_end", "favourite_over")}),
        ("Accepting", {"fields": ("accepting", "accept_seconds")}),
        ("Servers", {"fields": ("servers", "server_memory")}),
        ("Regions and maps", {"fields": ("regions", "ping_limit", "variants")}),
        ("Times", {"fields": ("start_seconds", "longest_match", "longest_wait")}),
    )  # fmt: skip

    def search_rows(self, queryset: QuerySet[Queue], term: str) -> QuerySet[Queue]:
        return queryset.filter(mode__name__icontains=term)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("mode",) if obj else ()

    @admin.display
    def state(self, queue: Queue) -> str:
        return badge("Open", "good") if queue.open else badge("Closed", "warn")


class StateFilter(admin.SimpleListFilter):
    """Filters by the states that go on. There is no filter for ended ones: they are very many, in the order of time."""

    title = "state"
    parameter_name = "state"
    machine: ClassVar[lifecycle.StateMachine]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state, state.capitalize()) for state in self.machine.going_on]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(state=self.value()) if self.value() in self.machine.going_on else queryset


class TicketStateFilter(StateFilter):
    machine = lifecycle.TICKET


class LobbyStateFilter(StateFilter):
    machine = lifecycle.LOBBY


def _state_badge(machine: lifecycle.StateMachine, state: str) -> str:
    return badge(state.capitalize(), "good" if state in machine.going_on else "plain")


class MemberInline(admin.TabularInline[TicketMember, Ticket]):
    model = TicketMember
    fields = readonly_fields = ("player", "percentile", "width", "strict", "seen_at", "accepted_at")
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class _OneActionAdmin(UneditedAdmin[Any]):
    """Rows with one action, `act`, which each row's own page offers too."""

    act = ""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        actions = {self.act: getattr(self, self.act).short_description} if self.has_change_permission(request) else {}
        kwargs["extra_context"] = {"object_actions": actions}
        return super().change_view(request, object_id, *args, **kwargs)


@admin.register(Ticket)
class TicketAdmin(_OneActionAdmin):
    act = "end"
    actions = (act,)
    list_display = ("id", "queue", "shown_state", "size", "queued_at", "ending")
    list_select_related = ("queue__mode",)
    list_filter = (TicketStateFilter,)
    fields = ("queue", "shown_state", "size", "queued_at", "waiting_since", "waited", "pings", "lobby", "team",
              "matched_at", "ended_at", "ending")  # fmt: skip
    inlines = (MemberInline,)

    @admin.display(description="State")
    def shown_state(self, ticket: Ticket) -> str:
        return _state_badge(lifecycle.TICKET, ticket.state)

    @admin.action(description="Take out of the queue…", permissions=["change"])
    def end(self, request: HttpRequest, tickets: QuerySet[Ticket]) -> HttpResponse | None:
        form = form_from(request, ReasonForm)
        if not form.is_valid():
            return confirmation_page(self, request, tickets, END, form=form)
        values = {"by": moderator(request), "reason": form.cleaned_data["reason"], "now": timezone.now()}
        return report_done(self, request, [ticket for ticket in tickets if end_ticket(ticket, **values)], "Taken out")


@admin.register(Lobby)
class LobbyAdmin(_OneActionAdmin):
    act = "close"
    actions = (act,)
    ordering = ("-formed_at",)
    list_display = ("key", "queue", "shown_state", "region", "server", "formed_at", "ending")
    list_select_related = ("queue__mode", "server__source")
    list_filter = (LobbyStateFilter,)
    search_fields = ("key",)
    search_help_text = "The whole key of a lobby."
    fields = ("key", "queue", "shown_state", "region", "variant", "players", "difference", "server", "of_match",
              "formed_at", "accept_until", "ready_at", "started_at", "scores", "silent_at", "closed_at",
              "ending")  # fmt: skip

    def search_rows(self, queryset: QuerySet[Lobby], term: str) -> QuerySet[Lobby]:
        return queryset.filter(pk=term)

    @admin.display(description="State")
    def shown_state(self, lobby: Lobby) -> str:
        return _state_badge(lifecycle.LOBBY, lobby.state)

    @admin.display
    def players(self, lobby: Lobby) -> str:
        names = {member.player_id: member.player.name for ticket in lobby.tickets.prefetch_related("members__player")
                 for member in ticket.members.all()}  # fmt: skip
        return " — ".join(", ".join(names.get(player, f"player {player}") for player in team) for team in lobby.teams)

    @admin.display(description="Match")
    def of_match(self, lobby: Lobby) -> str:
        return link_to(lobby.match)

    @admin.action(description="Close…", permissions=["change"])
    def close(self, request: HttpRequest, lobbies: QuerySet[Lobby]) -> HttpResponse | None:
        form = form_from(request, ReasonForm)
        if not form.is_valid():
            return confirmation_page(self, request, lobbies, CLOSE, form=form)
        values = {"by": moderator(request), "reason": form.cleaned_data["reason"], "now": timezone.now()}
        return report_done(self, request, [lobby for lobby in lobbies if close_lobby(lobby, **values)], "Closed")


@admin.register(Server)
class ServerAdmin(_OneActionAdmin):
    act = "count"
    actions = (act,)
    ordering = ("-heard_at",)
    list_display = ("__str__", "region", "address", "places", "there", "state")
    list_select_related = ("source",)
    fields = ("source", "name", "region", "address", "places", "hosts", "state", "registered_at", "last_heard")

    @admin.display(description="Matches")
    def places(self, server: Server) -> str:
        return f"{server.busy} of {server.capacity}"

    @admin.display(description="Heard from")
    def there(self, server: Server) -> str:
        if server.signed_off_at is not None:
            return badge(f"Signed off {moment_text(server.signed_off_at)}", "plain")
        online = server.heard_at >= timezone.now() - SILENCE
        return badge("There", "good") if online else badge(f"Gone since {moment_text(server.heard_at)}", "warn")

    @admin.display(description="Heard from")
    def last_heard(self, server: Server) -> str:
        return moment_text(server.heard_at)

    @admin.display(description="Modes")
    def hosts(self, server: Server) -> str:
        return ", ".join(mode.name for mode in server.modes.all())

    @admin.action(description="Count its matches again", permissions=["change"])
    def count(self, request: HttpRequest, servers: QuerySet[Server]) -> None:
        for server in servers:
            self.message_user(request, f"{server} has {recount(server)} matches.", messages.SUCCESS)


class PartyMemberInline(admin.TabularInline[PartyMember, Party]):
    model = PartyMember
    fields = readonly_fields = ("player", "leads", "joined_at")
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Party)
class PartyAdmin(ReadOnlyAdmin[Party]):
    list_display = ("id", "created_at")
    fields = ("id", "created_at")
    inlines = (PartyMemberInline,)


@admin.register(Formed)
class FormedAdmin(ReadOnlyAdmin[Formed]):
    """The history of matches formed, which names nobody."""

    list_display = ("formed_at", "queue", "region", "difference", "spread", "longest_wait")
    list_select_related = ("queue__mode",)
    fields = ("formed_at", "queue", "region", "difference", "spread", "longest_wait", "waits")


@admin.register(UnreportedLoss)
class UnreportedLossAdmin(ReadOnlyAdmin[UnreportedLoss]):
    """Players who were behind when a server fell silent for good; those to whom it happened most often stand first."""

    list_display = ("player_name", "times", "mode", "standing", "server", "silent_at", "lobby_key")
    list_select_related = ("player", "mode")
    fields = ("player_name", "mode", "standing", "server", "silent_at", "closed_at", "lobby_key")
    search_help_text = "The key or name of a player."
    search_fields = ("player__key",)

    def get_ordering(self, request: HttpRequest) -> Any:
        return ("-times", "player", "-closed_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[UnreportedLoss]:
        return UnreportedLoss.objects.annotate(times=count_losses())

    def search_rows(self, queryset: QuerySet[UnreportedLoss], term: str) -> QuerySet[UnreportedLoss]:
        return queryset.filter(Q(player__key=term) | Q(player__search_name=term.casefold()))

    @admin.display(description="Player")
    def player_name(self, loss: UnreportedLoss) -> str:
        return link_to(loss.player)

    @admin.display(description="Times")
    def times(self, loss: Any) -> int:
        return int(loss.times)

    @admin.display(description="Score")
    def standing(self, loss: UnreportedLoss) -> str:
        return f"{loss.score:g} to {loss.best:g}"
