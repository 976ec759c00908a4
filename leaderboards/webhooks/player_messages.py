"""What webhooks tell of players: a promotion to a higher tier, as it was when it was published; another name."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.urls import reverse
from rest_framework import serializers

from leaderboards.display.numbers import ordinal
from leaderboards.notifications.news import Promotion, label_of
from leaderboards.webhooks.discord import MOST_TITLE, Embed, link_to, plain
from leaderboards.webhooks.events import PLAYER_PROMOTED, PLAYER_RENAMED
from leaderboards.webhooks.payloads import NamedModeSerializer, Payload
from ranking.api.match_answers import PersonSerializer
from ranking.api.output import OutputSerializer
from ranking.models import Player, Season


class PromotedPlayer(NamedTuple):
    season: Season
    player: Player
    promotion: Promotion


class PromotionSerializer(OutputSerializer[PromotedPlayer]):
    """A player reached a higher tier than before in the season."""

    mode = NamedModeSerializer(source="season.mode")
    season = serializers.IntegerField(source="season.number", help_text="Its number.")
    player = PersonSerializer()
    tier = serializers.CharField(help_text="With its division, as people read it.")
    rank = serializers.IntegerField(source="promotion.rank")
    listed = serializers.IntegerField(source="promotion.listed", help_text="The number of listed players.")

    @staticmethod
    def fill_tier(promoted: PromotedPlayer) -> str:
        return label_of(promoted.promotion.tier, promoted.season.mode)


class RenamingSerializer(OutputSerializer[Player]):
    """A moderator gave a player a name, gave one back, or unlocked the name. The name before isn't told."""

    player = PersonSerializer(source="*", help_text="With the name as it is now.")
    locked = serializers.BooleanField(
        source="locked_name", help_text="True: other names that results send aren't taken over until a later message."
    )

    @staticmethod
    def fill_locked(player: Player) -> bool:
        return bool(player.locked_name)


def _renaming_embed(data: dict[str, Any]) -> Embed:
    name = plain(data["player"]["name"])
    words = f"A moderator gave a player the name {name}" if data["locked"] else f"{name} may change their name again"
    return {"title": words[:MOST_TITLE], **link_to(reverse("leaderboards:player", args=[data["player"]["id"]]))}


def _promotion_embed(data: dict[str, Any]) -> Embed:
    name, tier, mode = (plain(each) for each in (data["player"]["name"], data["tier"], data["mode"]["name"]))
    return {
        "title": f"{name} reached {tier} in {mode}"[:MOST_TITLE],
        "description": f"{ordinal(data['rank'])} of {data['listed']:,}.",
        **link_to(reverse("leaderboards:player", args=[data["player"]["id"]])),
    }


PAYLOADS = {
    PLAYER_PROMOTED: Payload(PromotionSerializer, _promotion_embed),
    PLAYER_RENAMED: Payload(RenamingSerializer, _renaming_embed),
}
