"""Following and blocking. A player follows at most a thousand others, and nobody who blocks them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet, Value
from django.utils.translation import gettext_lazy as _

from leaderboards.models import Blocking, Following
from leaderboards.models.friends import MOST_FOLLOWED
from ranking.models import Player
from ranking.wording.translation import number_text

_SENTENCES = {
    "own-board": _("You are on your own boards already; follow somebody else."),
    "blocked": _("%(player)s doesn’t want you to follow them."),
    "bot": _("%(player)s is a bot; follow people."),
    "too-many": _("You follow %(most)s people already, and more aren’t possible. Unfollow somebody first."),
    "oneself": _("You can't block yourself."),
}


class NotPossible(Exception):
    """The act is not allowed. `str` words its code for the person who tried, in their language."""

    def __init__(self, code: str, **values: str) -> None:
        super().__init__(code, values)
        self.code, self.values = code, values

    def __str__(self) -> str:
        return str(_SENTENCES[self.code] % self.values)


class NotOneself(NotPossible):
    """Players can't follow or block themselves."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What a player is to the viewer: followed by them, blocked by them."""

    follows: bool = False
    blocks: bool = False


@transaction.atomic
def follow_player(follower: Player, followed: Player, *, now: dt.datetime) -> Following:
    """Follow a player, who needn't consent; do nothing if they are followed already. Raise NotPossible."""
    if follower.pk == followed.pk:
        raise NotOneself("own-board")
    if followed.is_bot:
        raise NotPossible("bot", player=followed.name)
    _hold_followings_of(follower)
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
    _hold_followings_of(blocked)
    Following.objects.filter(follower=blocked, followed=blocker).delete()
    return Blocking.objects.get_or_create(blocker=blocker, blocked=blocked, defaults={"since": now})[0]


def unblock_player(blocker: Player, blocked: Player) -> None:
    """Let a player follow again; do nothing if they aren't blocked."""
    Blocking.objects.filter(blocker=blocker, blocked=blocked).delete()


def _hold_followings_of(player: Player) -> None:
    """Lock the list of players whom a player follows: so the limit holds, and no follow slips past a block."""
    list(Player.objects.select_for_update(no_key=True).filter(pk=player.pk).values_list("pk"))


def followings_of(follower: Player) -> QuerySet[Following]:
    """The followings of a player, latest first, each with the player followed; bots are left out."""
    return (
        Following.objects.filter(follower=follower, followed__is_bot=False).select_related("followed").order_by("-id")
    )


def blockings_of(blocker: Player) -> QuerySet[Blocking]:
    """The blockings by a player, latest first, each with the player blocked."""
    return Blocking.objects.filter(blocker=blocker).select_related("blocked").order_by("-id")


def relations_of(viewer: Player | None, players: Iterable[int]) -> dict[int, Relation]:
    """Return what players are to the viewer, by id: one query; empty for strangers."""
    others = [] if viewer is None else [player for player in players if player != viewer.pk]
    if not others:
        return {}
    follows = Following.objects.filter(follower=viewer, followed__in=others).values_list("followed", Value(1))
    blocks = Blocking.objects.filter(blocker=viewer, blocked__in=others).values_list("blocked", Value(2))
    rows = set(follows.union(blocks))
    return {player: Relation((player, 1) in rows, (player, 2) in rows) for player in others}
