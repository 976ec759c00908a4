"""Gives the rows that this app keeps of a merged player to the player who is kept, and gives them back at a split.

See MERGERS and SPLITTERS in ranking/hooks.py.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, Max, Model, OuterRef, Q

from leaderboards.avatars.choosing import drop_avatar
from leaderboards.models import (
    Achievement,
    Avoidance,
    Blocking,
    Following,
    MutedTopic,
    Notice,
    Progress,
    ReadMark,
    Watch,
)
from leaderboards.models.friends import MOST_AVOIDED, MOST_FOLLOWED
from leaderboards.notifications.wording import ACHIEVEMENT
from ranking.models import Player, Rating
from ranking.players.row_records import give_back, insert_again, read_rows, recorded

# Model, its column that refers to the player, and the columns that are unique for each player.
_ROWS: tuple[tuple[type[Model], str, tuple[str, ...]], ...] = (
    (Following, "follower", ("followed",)),
    (Following, "followed", ("follower",)),
    (Blocking, "blocker", ("blocked",)),
    (Blocking, "blocked", ("blocker",)),
    (Avoidance, "avoider", ("avoided",)),
    (Avoidance, "avoided", ("avoider",)),
    (Achievement, "player", ("mode", "feat", "occasion")),
    (Notice, "player", ("kind", "occasion")),
    (ReadMark, "player", ("announcement",)),
    (MutedTopic, "player", ("topic",)),
    (Progress, "player", ("mode",)),
)


def merge_players(kept: Player, merged: Player) -> dict[str, Any]:
    """Give the merged player's rows to `kept`. A row that both have is kept once. Return what a split needs."""
    two = (kept, merged)
    taken: dict[str, Any] = {
        "last_notice": Notice.objects.aggregate(last=Max("pk"))["last"] or 0,
        "achievements": list(read_rows(Achievement.objects.filter(player__in=two)).values()),
    }
    with recorded(
        Following.objects.filter(Q(follower__in=two) | Q(followed__in=two)),
        Blocking.objects.filter(Q(blocker__in=two) | Q(blocked__in=two)),
        Avoidance.objects.filter(Q(avoider__in=two) | Q(avoided__in=two)),
        Notice.objects.filter(player=merged),
        ReadMark.objects.filter(player=merged),
        MutedTopic.objects.filter(player=merged),
        Watch.objects.filter(rating__player=merged),
    ) as taken["rows"]:
        _merge(kept, merged)
    return taken


def split_players(kept: Player, merged: Player, taken: dict[str, Any]) -> None:
    """Undo `merge_players`. Achievements are those that each had; the next reading of their history is a whole one."""
    two = (kept, merged)
    held, handed_over = Achievement.objects.filter(player__in=two), [row["id"] for row in taken["achievements"]]
    ended = Rating.objects.filter(player=kept, mode=OuterRef("mode"), season=OuterRef("season"), listed=True)
    # What `kept` earned by a season that ended after the merge stays.
    held.filter(Q(season=None) | Q(pk__in=handed_over) | ~Exists(ended)).delete()
    insert_again(Achievement, taken["achievements"])
    Progress.objects.filter(player__in=two).update(upto=0)
    give_back(taken["rows"])
    _delete_joint_news(kept, taken["last_notice"])
    for player in two:
        _delete_forbidden_followings(player)


def _delete_joint_news(kept: Player, last: int) -> None:
    """Delete notices, since the notice `last`, of achievements that only the joint history earned."""
    held = {
        ":".join(filter(None, (str(mode), feat, occasion)))
        for mode, feat, occasion in Achievement.objects.filter(player=kept).values_list("mode", "feat", "occasion")
    }
    Notice.objects.filter(player=kept, kind=ACHIEVEMENT, pk__gt=last).exclude(occasion__in=held).delete()


def _merge(kept: Player, merged: Player) -> None:
    two = (kept, merged)
    Following.objects.filter(follower__in=two, followed__in=two).delete()
    Blocking.objects.filter(blocker__in=two, blocked__in=two).delete()
    Avoidance.objects.filter(avoider__in=two, avoided__in=two).delete()
    # Achievements follow from the history, so the joint history is read from its beginning.
    Progress.objects.filter(player=kept, mode__in=Progress.objects.filter(player=merged).values("mode")).update(upto=0)
    for model, column, once in _ROWS:
        _merge_rows(model, column, once, kept, merged)
    Watch.objects.filter(rating__player=merged).delete()
    drop_avatar(merged)  # whoever is kept may choose it anew
    _delete_forbidden_followings(kept)
    newest = Avoidance.objects.filter(avoider=kept).order_by("-until", "-id").values_list("pk", flat=True)
    Avoidance.objects.filter(pk__in=list(newest[MOST_AVOIDED:])).delete()


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
