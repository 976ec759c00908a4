"""What players choose to be told about: topics that they can turn off."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from django.db import transaction

from leaderboards.models import MutedTopic
from leaderboards.notifications.wording import TOPICS
from ranking.models import Player
from ranking.wording.translation import gettext


@dataclass(frozen=True, slots=True)
class Topic:
    """What a player may turn off; `on`: they are told about it."""

    key: str
    name: str
    on: bool


def topics_of(player: Player) -> list[Topic]:
    """Return all topics, and whether the player is told about each: one query."""
    muted = set(MutedTopic.objects.filter(player=player).values_list("topic", flat=True))
    return [Topic(key, gettext(name), key not in muted) for key, (name, _) in TOPICS.items()]


@transaction.atomic
def choose_topics(player: Player, chosen: Collection[str]) -> None:
    """Tell a player about these topics from now on, and about no other ones. Unknown ones are ignored."""
    MutedTopic.objects.filter(player=player).delete()
    MutedTopic.objects.bulk_create(
        [MutedTopic(player=player, topic=key) for key in TOPICS if key not in chosen], ignore_conflicts=True
    )
