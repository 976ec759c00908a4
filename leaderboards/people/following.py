"""Following and blocking: one way, at most a thousand, never against the other's wish."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet, Value

from leaderboards.models import Blocking, Following
from leaderboards.models.friends import MOST_FOLLOWED
from ranking.models import Player


class NotPossible(Exception):
    """Why somebody can't be followed: a sentence for who tried."""


class NotOneself(NotPossible):
    """Following or blocking is for others."""


@dataclass(frozen=True, slots=True)
class Relation:
    """What somebody is to the viewer."""

    follows: bool = False
    blocks: bool = False


@transaction.atomic
def follow_player(follower: Player, followed: Player, *, now: dt.datetime) -> Following:
    """Follow somebody, who needn't consent; followed already, nothing changes. Raises NotPossible."""
    if follower.pk == followed.pk:
        raise NotOneself("You are on your own boards already; follow somebody else.")
    _hold_followings_of(follower)
    known = Following.objects.filter(follower=follower, followed=followed).first()
    if known is not None:
        return known
    if Blocking.objects.filter(blocker=followed, blocked=follower).exists():
        raise NotPossible(f"{followed.name} doesn't wish to be followed by you.")
    if Following.objects.filter(follower=follower).count() >= MOST_FOLLOWED:
        raise NotPossible(f"You follow {MOST_FOLLOWED:,} people, the most there may be; unfollow somebody first.")
    return Following.objects.create(follower=follower, followed=followed, since=now)


def unfollow_player(follower: Player, followed: Player) -> None:
    """Follow somebody no longer; nothing happens where they weren't followed."""
    Following.objects.filter(follower=follower, followed=followed).delete()


@transaction.atomic
def block_player(blocker: Player, blocked: Player, *, now: dt.datetime) -> Blocking:
    """Keep somebody from following, from now on; blocked already, nothing changes. Raises NotOneself."""
    if blocker.pk == blocked.pk:
        raise NotOneself("You can't block yourself.")
    _hold_followings_of(blocked)
    Following.objects.filter(follower=blocked, followed=blocker).delete()
    return Blocking.objects.get_or_create(blocker=blocker, blocked=blocked, defaults={"since": now})[0]


def unblock_player(blocker: Player, blocked: Player) -> None:
    """Let somebody follow again; nothing happens where they weren't blocked."""
    Blocking.objects.filter(blocker=blocker, blocked=blocked).delete()


def _hold_followings_of(player: Player) -> None:
    """Whom a player follows changes under this lock: the limit holds, and no follow slips past a block."""
    list(Player.objects.select_for_update(no_key=True).filter(pk=player.pk).values_list("pk"))


def followings_of(follower: Player) -> QuerySet[Following]:
    """Whom a player follows, latest first, each with the player."""
    return Following.objects.filter(follower=follower).select_related("followed").order_by("-id")


def blockings_of(blocker: Player) -> QuerySet[Blocking]:
    """Whom a player blocks, latest first, each with the player."""
    return Blocking.objects.filter(blocker=blocker).select_related("blocked").order_by("-id")


def relations_of(viewer: Player | None, players: Iterable[int]) -> dict[int, Relation]:
    """What these players, by id, are to the viewer: one query; none for strangers."""
    wanted = [] if viewer is None else [player for player in players if player != viewer.pk]
    if not wanted:
        return {}
    follows = Following.objects.filter(follower=viewer, followed__in=wanted).values_list("followed", Value(1))
    blocks = Blocking.objects.filter(blocker=viewer, blocked__in=wanted).values_list("blocked", Value(2))
    found = set(follows.union(blocks))
    return {player: Relation((player, 1) in found, (player, 2) in found) for player in wanted}
