"""Gives the rows that this app keeps of a merged player to the player who is kept; see MERGERS in ranking/hooks.py."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, Model, OuterRef, Q

from leaderboards.models import Achievement, Blocking, Following, Notice, Progress, Watch
from leaderboards.models.friends import MOST_FOLLOWED
from ranking.models import Player

# Model, its column that refers to the player, and the columns that are unique for each player.
_ROWS: tuple[tuple[type[Model], str, tuple[str, ...]], ...] = (
    (Following, "follower", ("followed",)),
    (Following, "followed", ("follower",)),
    (Blocking, "blocker", ("blocked",)),
    (Blocking, "blocked", ("blocker",)),
    (Achievement, "player", ("mode", "feat", "occasion")),
    (Notice, "player", ("kind", "occasion")),
    (Progress, "player", ("mode",)),
)


def merge_players(kept: Player, merged: Player) -> None:
    """Give the merged player's rows to `kept`. A row that both have is kept once."""
    two = (kept, merged)
    Following.objects.filter(follower__in=two, followed__in=two).delete()
    Blocking.objects.filter(blocker__in=two, blocked__in=two).delete()
    # Achievements follow from the history, so the joint history is read from its beginning.
    Progress.objects.filter(player=kept, mode__in=Progress.objects.filter(player=merged).values("mode")).update(upto=0)
    for model, column, once in _ROWS:
        _merge_rows(model, column, once, kept, merged)
    Watch.objects.filter(rating__player=merged).delete()
    _delete_forbidden_followings(kept)


def _merge_rows(model: type[Model], column: str, once: tuple[str, ...], kept: Player, merged: Player) -> None:
    """Give a model's rows of the merged player to `kept`, and delete those that `kept` has, too."""
    rows: Any = model._default_manager
    same = rows.filter(**{column: kept}, **{name: OuterRef(name) for name in once})
    rows.filter(Exists(same), **{column: merged}).delete()
    rows.filter(**{column: merged}).update(**{column: kept})


def _delete_forbidden_followings(kept: Player) -> None:
    """Delete followings that a block of either of the two players forbids, and those above the limit."""
    blocked = Blocking.objects.filter(blocker=OuterRef("followed"), blocked=OuterRef("follower"))
    Following.objects.filter(Exists(blocked), Q(follower=kept) | Q(followed=kept)).delete()
    own = Following.objects.filter(follower=kept).order_by("id").values_list("pk", flat=True)
    Following.objects.filter(pk__in=list(own[MOST_FOLLOWED:])).delete()
