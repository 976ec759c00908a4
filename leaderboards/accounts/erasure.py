"""A player who has left for good: what the window keeps about the person goes; see settings.ERASERS."""

from __future__ import annotations

from django.db.models import Q

from leaderboards.models import Blocking, Delivery, Following, Notice, Watch
from leaderboards.models.webhook import PLAYER_PROMOTED
from ranking.models import Player


def forget_player(player: Player) -> None:
    """Delete whom they follow and block and by whom they are, what they were told, and messages with their name.

    Achievements stay: they are read from the ledger, and name nobody.
    """
    Following.objects.filter(Q(follower=player) | Q(followed=player)).delete()
    Blocking.objects.filter(Q(blocker=player) | Q(blocked=player)).delete()
    Notice.objects.filter(player=player).delete()
    # Whoever tells of a publication holds watches and waits for the player; not to wait for each other, these stay.
    free = Watch.objects.filter(rating__player=player).select_for_update(of=("self",), skip_locked=True)
    Watch.objects.filter(pk__in=[watch.pk for watch in free]).delete()
    # An occasion is season-player-tier. What a match's message says is read when it is sent.
    Delivery.objects.filter(type=PLAYER_PROMOTED, occasion__contains=f"-{player.pk}-").delete()
