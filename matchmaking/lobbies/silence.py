"""Servers that fall silent during a match, or come back without it; and whose team was behind if no result ever comes.

From the conduct rules: a loser who crashes servers again and again is seen by these facts. They punish nobody.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from matchmaking import lifecycle
from matchmaking.models import Lobby, Server, UnreportedLoss
from matchmaking.refusals import Refusal
from matchmaking.servers import is_gone
from ranking.models import Mode
from ranking.rules.unreported import UnreportedMatch


def note_scores(server: Server, scores: Mapping[str, Sequence[float]]) -> None:
    """Note the teams' scores in matches that the server hosts, by the lobby's key, in the order of the lobby's teams.

    Lobbies that aren't live on this server any more are passed over. Lobbies that are live here and not named, but were
    named before, or whose server had fallen silent, are missing: the server has lost them, because it was started
    again. They are closed as lost soon, unless it names them again. Raises Refusal for another number of teams.
    """
    live = server.lobbies.filter(state=lifecycle.LIVE)
    lobbies = list(live.filter(pk__in=scores).only("pk", "teams"))
    for lobby in lobbies:
        if len(scores[lobby.pk]) != len(lobby.teams):
            raise Refusal("scores", lobby=lobby.pk, teams=len(lobby.teams))
    for lobby in lobbies:
        live.filter(pk=lobby.pk).update(scores=list(scores[lobby.pk]), silent_at=None, missing_at=None)
    known = Q(scores__isnull=False) | Q(silent_at__isnull=False)
    missing = live.exclude(pk__in=scores).filter(known, missing_at=None)
    missing.update(missing_at=server.heard_at, silent_at=Coalesce("silent_at", server.heard_at))


def note_silence(now: dt.datetime) -> int:
    """Note for each live lobby whose server is gone when it was last heard of. Returns for how many."""
    heard_at = Server.objects.filter(pk=OuterRef("server")).values("heard_at")
    live = Lobby.objects.filter(is_gone(now, "server__"), state=lifecycle.LIVE, server__isnull=False, silent_at=None)
    return Lobby.objects.filter(pk__in=live.values("pk")).update(silent_at=Subquery(heard_at))


def record_unreported(lobby: Lobby) -> None:
    """Record who was behind in a match that was just closed as lost or called off, if its server fell silent."""
    if lobby.silent_at is None or lobby.closed_at is None or lobby.server is None or not lobby.scores:
        return
    best = max(lobby.scores)
    UnreportedLoss.objects.bulk_create(
        [
            UnreportedLoss(
                lobby_key=lobby.pk, mode_id=lobby.queue.mode_id, player_id=player, server=str(lobby.server)[:200],
                score=score, best=best, silent_at=lobby.silent_at, closed_at=lobby.closed_at,
            )
            for team, score in zip(lobby.teams, lobby.scores, strict=True) if score < best
            for player in team
        ],
        ignore_conflicts=True,
    )  # fmt: skip


def forget_unreported(lobbies: Sequence[str]) -> None:
    """Delete the facts about these lobbies (keys): their results have come after all."""
    UnreportedLoss.objects.filter(lobby_key__in=lobbies).delete()


def find_unreported(mode: Mode, since: dt.datetime) -> list[UnreportedMatch]:
    """The matches of a mode that were never reported, by player who was behind; see settings.UNREPORTED_MATCHES."""
    rows = UnreportedLoss.objects.filter(mode=mode, silent_at__gte=since).order_by("silent_at", "pk")
    fields = ("player", "lobby_key", "server", "score", "best", "silent_at")
    return [UnreportedMatch(*row) for row in rows.values_list(*fields)]


def count_losses() -> Subquery:
    """For a query of unreported losses: in how many matches of the mode the player was behind like this."""
    own = UnreportedLoss.objects.filter(player=OuterRef("player"), mode=OuterRef("mode")).order_by()
    return Subquery(own.values("player").annotate(count=Count("pk")).values("count"))
