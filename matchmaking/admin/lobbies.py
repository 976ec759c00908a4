"""Admin pages of lobbies, which moderators abort, and of losses that were never reported."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from matchmaking import lifecycle
from matchmaking.admin.base import StateFilter, state_badge
from matchmaking.lobbies.silence import count_losses
from matchmaking.models import Lobby, UnreportedLoss
from matchmaking.operations.closing import close_lobby
from ranking.admin.base.acts.acts import Act, on_each
from ranking.admin.base.acts.confirmation import Question
from ranking.admin.base.base import OfPlayerAdmin, ReadOnlyAdmin, UneditedAdmin
from ranking.admin.base.display import link_to

ABORT = Question(
    "Abort lobbies",
    "Players of lobbies that haven't begun go back to the queue; after a match that ran, whoever queues again within 15"
    " minutes keeps the time that they had waited. Nobody's rating changes, and results that come later are void.",
    "Abort",
)


class LobbyStateFilter(StateFilter):
    machine = lifecycle.LOBBY


@admin.register(Lobby)
class LobbyAdmin(UneditedAdmin[Lobby]):
    actions = (Act("abort", "Abort…", "change", on_each(close_lobby), "Aborted", ABORT),)
    ordering = ("-formed_at",)
    list_display = ("key", "queue", "shown_state", "region", "server", "formed_at", "ending")
    list_select_related = ("queue__mode", "server__source")
    list_filter = (LobbyStateFilter,)
    sortable_by = ("formed_at",)
    search_fields = ("key",)
    search_help_text = "The whole key of a lobby."
    fields = ("key", "queue", "shown_state", "region", "variant", "players", "difference", "server", "of_match",
              "formed_at", "accept_until", "failed_server", "failed_at", "ready_at", "started_at", "scores",
              "silent_at", "missing_at", "closed_at", "ending")  # fmt: skip

    def search_rows(self, queryset: QuerySet[Lobby], term: str) -> QuerySet[Lobby]:
        return queryset.filter(pk=term)

    @admin.display(description="State")
    def shown_state(self, lobby: Lobby) -> str:
        return state_badge(lifecycle.LOBBY, lobby.state)

    @admin.display
    def players(self, lobby: Lobby) -> str:
        names = {member.player_id: member.player.name for ticket in lobby.tickets.prefetch_related("members__player")
                 for member in ticket.members.all()}  # fmt: skip
        return " — ".join(", ".join(names.get(player, f"player {player}") for player in team) for team in lobby.teams)

    @admin.display(description="Match")
    def of_match(self, lobby: Lobby) -> str:
        return link_to(lobby.match)


@admin.register(UnreportedLoss)
class UnreportedLossAdmin(OfPlayerAdmin[UnreportedLoss], ReadOnlyAdmin[UnreportedLoss]):
    """Players who were behind when a server fell silent for good; those to whom it happened most often stand first."""

    list_display = ("player_name", "times", "mode", "standing", "server", "silent_at", "closed_at", "lobby_key")
    sortable_by = ("closed_at",)
    list_select_related = ("player", "mode")
    fields = ("player_name", "mode", "standing", "server", "silent_at", "closed_at", "lobby_key")

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return ("-times", "player", "-closed_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[UnreportedLoss]:
        return UnreportedLoss.objects.annotate(times=count_losses())

    @admin.display(description="Player")
    def player_name(self, loss: UnreportedLoss) -> str:
        return link_to(loss.player)

    @admin.display(description="Times")
    def times(self, loss: Any) -> int:
        return int(loss.times)

    @admin.display(description="Score")
    def standing(self, loss: UnreportedLoss) -> str:
        return f"{loss.score:g} to {loss.best:g}"
