"""Erases what this app keeps about a player who leaves for good; see ERASERS in ranking/hooks.py."""

from __future__ import annotations

from django.db.models import Q

from leaderboards.models import Avatar, Avoidance, Blocking, Delivery, Following, MutedTopic, Notice, ReadMark, Watch
from leaderboards.webhooks.events import LOBBY_ABORTED, PLAYER_PROMOTED, PLAYER_RENAMED, SEASON_CORRECTED
from ranking.models import Player


def erase_player(player: Player) -> None:
    """Delete the player's followings, blocks and avoidances in both directions, notices, picture, what they chose
    not to be told, read marks, and messages with their name. Reasons why a lobby of theirs was aborted are blanked.

    Achievements stay: they follow from the ledger, and name nobody.
    """
    Following.objects.filter(Q(follower=player) | Q(followed=player)).delete()
    Blocking.objects.filter(Q(blocker=player) | Q(blocked=player)).delete()
    Avoidance.objects.filter(Q(avoider=player) | Q(avoided=player)).delete()
    Notice.objects.filter(player=player).delete()
    ReadMark.objects.filter(player=player).delete()
    MutedTopic.objects.filter(player=player).delete()
    Avatar.objects.filter(player=player).delete()
    # The job that follows a publication locks watches and waits for the player. Waiting for its rows would be a
    # deadlock, so watches that it has locked stay.
    free = Watch.objects.filter(rating__player=player).select_for_update(of=("self",), skip_locked=True)
    Watch.objects.filter(pk__in=[watch.pk for watch in free]).delete()
    # These occasions are season-player-… and name-player-…. Other messages are written only when they are sent, so they
    # have no name yet.
    named = (PLAYER_PROMOTED, PLAYER_RENAMED, SEASON_CORRECTED)
    Delivery.objects.filter(type__in=named, occasion__contains=f"-{player.pk}-").delete()
    known_as = {player.pk, *player.aliases.values_list("pk", flat=True)}
    for delivery in Delivery.objects.filter(type=LOBBY_ABORTED).order_by("pk").iterator():
        if delivery.data and known_as & set(delivery.data["players"]):
            Delivery.objects.filter(pk=delivery.pk).update(data={**delivery.data, "reason": ""})
