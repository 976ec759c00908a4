"""Counts how many players have each achievement, for all modes at once."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Count

from leaderboards.models import Achievement, AchievementCount, Progress


@transaction.atomic
def count_achievements() -> None:
    """Count the holders of each achievement and the players of each mode anew: four statements.

    One pass over all achievements: a second for some millions of them.
    """
    played = dict(Progress.objects.order_by().values_list("mode").annotate(players=Count("pk")))
    held = Achievement.objects.order_by().values_list("mode", "feat").annotate(holders=Count("player", distinct=True))
    counts = [
        AchievementCount(mode_id=mode, feat=feat, holders=holders, players=max(holders, played.get(mode, 0)))
        for mode, feat, holders in held
    ]
    AchievementCount.objects.all().delete()
    AchievementCount.objects.bulk_create(counts)
