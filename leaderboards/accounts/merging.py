"""What the window keeps of two players who are merged becomes that of the one who is kept, nothing of it twice."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, Model, OuterRef, Q

from leaderboards.models import Achievement, Blocking, Following, Notice, Progress, Watch
from leaderboards.models.friends import MOST_FOLLOWED
from ranking.models import Player

# Whose rows they are, and what of them may be there but once.
_ROWS: tuple[tuple[type[Model], str, tuple[str, ...]], ...] = (
    (Following, "follower", ("followed",)),
    (Following, "followed", ("follower",)),
    (Blocking, "blocker", ("blocked",)),
    (Blocking, "blocked", ("blocker",)),
    (Achievement, "player", ("mode", "feat", "occasion")),
    (Notice, "player", ("kind", "occasion")),
    (Progress, "player", ("mode",)),
)


def hand_over(kept: Player, merged: Player) -> None:
    """See settings.MERGERS."""
    two = (kept, merged)
    Following.objects.filter(follower__in=two, followed__in=two).delete()
    Blocking.objects.filter(blocker__in=two, blocked__in=two).delete()
    # Histories that were read are read again as one: achievements follow from them.
    Progress.objects.filter(player=kept, mode__in=Progress.objects.filter(player=merged).values("mode")).update(upto=0)
    for model, column, once in _ROWS:
        _hand_over(model, column, once, kept, merged)
    Watch.objects.filter(rating__player=merged).delete()
    _heed_blocks(kept)


def _hand_over(model: type[Model], column: str, once: tuple[str, ...], kept: Player, merged: Player) -> None:
    """A model's rows of the merged player, but for those that the other has, too."""
    rows: Any = model._default_manager
    same = rows.filter(**{column: kept}, **{name: OuterRef(name) for name in once})
    rows.filter(Exists(same), **{column: merged}).delete()
    rows.filter(**{column: merged}).update(**{column: kept})


def _heed_blocks(kept: Player) -> None:
    """Nobody follows who is blocked, by either of the two that were, nor more people than anybody may."""
    blocked = Blocking.objects.filter(blocker=OuterRef("followed"), blocked=OuterRef("follower"))
    Following.objects.filter(Exists(blocked), Q(follower=kept) | Q(followed=kept)).delete()
    own = Following.objects.filter(follower=kept).order_by("id").values_list("pk", flat=True)
    Following.objects.filter(pk__in=list(own[MOST_FOLLOWED:])).delete()
