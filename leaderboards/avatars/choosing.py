"""What players and moderators decide about pictures."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from leaderboards.models import Avatar
from ranking.models import Player
from ranking.operations.audit import check_reason, record_acts


def find_sources(user: User) -> list[SocialAccount]:
    """The account's connections to sites that may have a picture, the first one connected first."""
    known = SocialAccount.objects.filter(user=user, provider__in=settings.SOCIALACCOUNT_PROVIDERS)
    return list(known.order_by("date_joined", "id"))


def find_image(key: str) -> bytes | None:
    """The picture that the player with this key shows; None if they show none, or are hidden."""
    shown = Avatar.objects.filter(player__key=key, player__hidden_at=None).exclude(player__avatar="")
    image = shown.values_list("image", flat=True).first()
    return None if image is None else bytes(image)


@transaction.atomic
def show_avatar(player: Player, *, now: dt.datetime) -> None:
    """Show the picture of the player's account at another site; a job fetches it. Not if a moderator removed it."""
    Avatar.objects.get_or_create(player=player, defaults={"due_at": now})


@transaction.atomic
def drop_avatar(player: Player) -> None:
    """Delete the player's picture: pages draw the crest again. That a moderator removed it is kept."""
    Avatar.objects.filter(player=player, removed_at=None).delete()
    Player.objects.filter(pk=player.pk).update(avatar="")


def drop_avatar_of(user: int) -> None:
    """Delete the picture of the account's player, if there is one."""
    for player in Player.objects.filter(user=user):
        drop_avatar(player)


@transaction.atomic
def remove_avatars(
    players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Avatar]:
    """Delete pictures of players, who can't show another until `allow_avatars`. Raises ValueError without a reason."""
    check_reason(reason)
    shown = _locked(Avatar.objects.filter(player__in=players, removed_at=None))
    ids = [avatar.pk for avatar in shown]
    Avatar.objects.filter(pk__in=ids).update(image=None, due_at=None, removed_at=now)
    Player.objects.filter(pk__in=ids).update(avatar="")
    record_acts("remove picture", [(f"player {pk}", pk) for pk in ids], by=by, reason=reason, note=note, now=now)
    return shown


@transaction.atomic
def allow_avatars(
    players: Iterable[int], *, by: User | None, reason: str, now: dt.datetime, note: str = ""
) -> list[Avatar]:
    """Let players show a picture again. Raises ValueError without a reason."""
    check_reason(reason)
    removed = _locked(Avatar.objects.filter(player__in=players, removed_at__isnull=False))
    ids = [avatar.pk for avatar in removed]
    Avatar.objects.filter(pk__in=ids).delete()
    record_acts("allow picture", [(f"player {pk}", pk) for pk in ids], by=by, reason=reason, note=note, now=now)
    return removed


def _locked(avatars: QuerySet[Avatar]) -> list[Avatar]:
    """Lock rows in the order of players, as each transaction does."""
    return list(avatars.order_by("pk").select_related("player").select_for_update(of=("self",)))
