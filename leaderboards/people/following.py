"""Following, blocking, avoiding. A player follows at most a thousand others, and nobody who blocks them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q, QuerySet, Value
from django.utils.translation import gettext_lazy as _

from leaderboards.models import Avoidance, Blocking, Following
from leaderboards.models.friends import AVOIDED_DAYS, MOST_AVOIDED, MOST_FOLLOWED
from ranking.models import Player
from ranking.wording.refusals import WordedRefusal
from ranking.wording.translation import number_text

_SENTENCES = {
    "own-board": _("You are on your own boards already; follow somebody else."),
    "blocked": _("%(player)s doesn’t want you to follow them."),
    "blocks": _("You block %(player)s. Unblock them first, then you can follow each other."),
    "bot": _("%(player)s is a bot; follow people."),
    "too-many": _("You follow %(most)s people already, and more aren’t possible. Unfollow somebody first."),
    "oneself": _("You can't block yourself."),
    "avoid-oneself": _("You can’t avoid yourself."),
    "avoid-bot": _("%(player)s is a bot; avoid people."),
    "avoid-too-many": _("You avoid %(most)s people already, and more aren’t possible. Stop avoiding somebody first."),
}


class NotPossible(WordedRefusal):
    """The act is not allowed. `str` words its code for the person who tried, in their language."""

    sentences = _SENTENCES


class NotOneself(NotPossible):
    """Players can't follow, block or avoid themselves."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What a player is to the viewer: followed, blocked, avoided by them."""

    follows: bool = False
    blocks: bool = False
    avoids: bool = False


@transaction.atomic
def follow_player(follower: Player, followed: Player, *, now: dt.datetime) -> Following:
    """Follow a player, who needn't consent; do nothing if they are followed already. Raise NotPossible."""
    if follower.pk == followed.pk:
        raise NotOneself("own-board")
    if followed.is_bot:
        raise NotPossible("bot", player=followed.name)
    hold_lists_of(follower)
    following = Following.objects.filter(follower=follower, followed=followed).first()
    if following is not None:
        return following
    if Blocking.objects.filter(blocker=followed, blocked=follower).exists():
        raise NotPossible("blocked", player=followed.name)
    if followings_of(follower).count() >= MOST_FOLLOWED:
        raise NotPossible("too-many", most=number_text(MOST_FOLLOWED))
    return Following.objects.create(follower=follower, followed=followed, since=now)


def unfollow_player(follower: Player, followed: Player) -> None:
    """Stop following a player; do nothing if they aren't followed."""
    Following.objects.filter(follower=follower, followed=followed).delete()


@transaction.atomic
def block_player(blocker: Player, blocked: Player, *, now: dt.datetime) -> Blocking:
    """Keep a player from following, from now on; do nothing if they are blocked already. Raise NotOneself."""
    if blocker.pk == blocked.pk:
        raise NotOneself("oneself")
    hold_lists_of(blocked)
    Following.objects.filter(follower=blocked, followed=blocker).delete()
    return Blocking.objects.get_or_create(blocker=blocker, blocked=blocked, defaults={"since": now})[0]


def unblock_player(blocker: Player, blocked: Player) -> None:
    """Let a player follow again; do nothing if they aren't blocked."""
    Blocking.objects.filter(blocker=blocker, blocked=blocked).delete()


@transaction.atomic
def avoid_player(avoider: Player, avoided: Player, *, now: dt.datetime) -> Avoidance:
    """Keep a player off one's own team for AVOIDED_DAYS, counted anew if it is done again. Raise NotPossible."""
    if avoider.pk == avoided.pk:
        raise NotOneself("avoid-oneself")
    if avoided.is_bot:
        raise NotPossible("avoid-bot", player=avoided.name)
    hold_lists_of(avoider)
    own = Avoidance.objects.filter(avoider=avoider)
    own.filter(Q(until__lte=now) | Q(avoided=avoided)).delete()  # a new row comes first in lists
    if own.count() >= MOST_AVOIDED:
        raise NotPossible("avoid-too-many", most=number_text(MOST_AVOIDED))
    until = now + dt.timedelta(days=AVOIDED_DAYS)
    return Avoidance.objects.create(avoider=avoider, avoided=avoided, since=now, until=until)


def stop_avoiding(avoider: Player, avoided: Player) -> None:
    """Let the matcher put a player on one's own team again; do nothing if they aren't avoided."""
    Avoidance.objects.filter(avoider=avoider, avoided=avoided).delete()


def hold_lists_of(*players: Player) -> None:
    """Lock the lists of players whom these players follow and avoid: so limits hold, and no follow slips past a block.

    A transaction that locks the lists of two players locks them with one call, so that two of them can't deadlock.
    """
    rows = Player.objects.filter(pk__in=[player.pk for player in players]).order_by("pk")
    list(rows.select_for_update(no_key=True).values_list("pk"))


def followings_of(follower: Player) -> QuerySet[Following]:
    """The followings of a player, latest first, each with the player followed; bots are left out."""
    return (
        Following.objects.filter(follower=follower, followed__is_bot=False).select_related("followed").order_by("-id")
    )


def blockings_of(blocker: Player) -> QuerySet[Blocking]:
    """The blockings by a player, latest first, each with the player blocked."""
    return Blocking.objects.filter(blocker=blocker).select_related("blocked").order_by("-id")


def avoidances_of(avoider: Player, now: dt.datetime) -> QuerySet[Avoidance]:
    """The avoidances by a player that last, latest first, each with the player avoided."""
    lasting = Avoidance.objects.filter(avoider=avoider, until__gt=now)
    return lasting.select_related("avoided").order_by("-id")


def relations_of(viewer: Player | None, players: Iterable[int], now: dt.datetime) -> dict[int, Relation]:
    """Return what players are to the viewer, by id: one query; empty for strangers."""
    if viewer is None or not (others := [player for player in players if player != viewer.pk]):
        return {}
    follows = Following.objects.filter(follower=viewer, followed__in=others).values_list("followed", Value(1))
    blocks = Blocking.objects.filter(blocker=viewer, blocked__in=others).values_list("blocked", Value(2))
    avoids = avoidances_of(viewer, now).filter(avoided__in=others).order_by().values_list("avoided", Value(3))
    rows = set(follows.union(blocks, avoids))
    return {player: Relation(*((player, number) in rows for number in (1, 2, 3))) for player in others}
