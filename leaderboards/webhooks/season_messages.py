"""What webhooks tell of seasons: the end with the final standings, the next season's beginning, and corrections."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from django.urls import reverse
from rest_framework import serializers

from leaderboards.display.numbers import ordinal
from leaderboards.models import Delivery
from leaderboards.webhooks.discord import MOST_TITLE, Embed, link_to, plain
from leaderboards.webhooks.events import (
    REOPENED,
    RESTORED,
    SEASON_CORRECTED,
    SEASON_ENDED,
    SEASON_STARTED,
    STRUCK,
)
from leaderboards.webhooks.payloads import NamedModeSerializer, Payload
from ranking.api.match_answers import PersonSerializer
from ranking.api.output import OutputSerializer
from ranking.api.tier_answers import TierSerializer
from ranking.models import Player, Season
from ranking.players.visibility import Shown, shown
from ranking.seasons.final_standings import FinalRow, FinalStandings, TierCount, load_standings

TOP = 100  # of the final standings
_CHAMPIONS = 3
_SEASONS = {
    SEASON_ENDED: "{season} of {mode} is over",
    SEASON_STARTED: "{season} of {mode} has begun",
    STRUCK: "{player} was struck from {season} of {mode}",
    RESTORED: "{player} is back in {season} of {mode}",
    REOPENED: "{season} of {mode} goes on: its end was taken back",
}


@dataclass(frozen=True, slots=True)
class EndedSeason:
    """The end of a season as everybody may see it: nothing that the mode hid."""

    standings: FinalStandings

    @property
    def shown(self) -> Shown:
        return shown(self.standings.mode)

    @property
    def listed(self) -> int:
        return len(self.standings) if self.shown.rank else 0

    @property
    def tiers(self) -> list[TierCount]:
        return self.standings.count_tiers() if self.shown.tier else []

    @property
    def top(self) -> list[FinalPlace]:
        return [self._place_of(row) for row in self.standings.rows(TOP)] if self.shown.rank else []

    def _place_of(self, row: FinalRow) -> FinalPlace:
        rating = self.standings.rating_text(row.hundredths) if self.shown.rating else None
        return FinalPlace(row, rating, row.percentile if self.shown.percentile else None)


class FinalPlace(NamedTuple):
    """A row of the final standings; None is what the mode doesn't show."""

    row: FinalRow
    rating: str | None
    percentile: int | None

    @property
    def player(self) -> FinalRow | None:
        """Who has the place; None if the player is hidden, or has left for good."""
        return self.row if self.row.key else None


class CorrectedSeason(NamedTuple):
    """A correction of an archived season: its kind, and the player whom it is about."""

    season: Season
    correction: str
    player: Player | None


class NamedSeasonSerializer(OutputSerializer[Season]):
    number = serializers.IntegerField()
    name = serializers.CharField()


class DatedSeasonSerializer(NamedSeasonSerializer):
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField(allow_null=True)


class StartedSeasonSerializer(OutputSerializer[Season]):
    mode = NamedModeSerializer()
    season = DatedSeasonSerializer(source="*")


class TierCountSerializer(OutputSerializer[TierCount]):
    tier = TierSerializer()
    players = serializers.IntegerField()


class FinalPlaceSerializer(OutputSerializer[FinalPlace]):
    """A row of the final standings; null is what the mode doesn't show."""

    rank = serializers.IntegerField(source="row.rank")
    player = PersonSerializer(allow_null=True, help_text="null: hidden, or the player has left for good.")
    rating = serializers.CharField(allow_null=True)
    percentile = serializers.IntegerField(allow_null=True)
    tier = TierSerializer(source="row.tier", allow_null=True)
    matches = serializers.IntegerField(source="row.matches")
    struck = serializers.BooleanField(source="row.struck", help_text="A moderator struck the player: no reward.")


class EndedSeasonSerializer(OutputSerializer[EndedSeason]):
    mode = NamedModeSerializer(source="standings.season.mode")
    season = DatedSeasonSerializer(source="standings.season")
    listed = serializers.IntegerField()
    tiers = TierCountSerializer(many=True)
    top = FinalPlaceSerializer(many=True, help_text="The first hundred.")


class CorrectionSerializer(OutputSerializer[CorrectedSeason]):
    mode = NamedModeSerializer(source="season.mode")
    season = NamedSeasonSerializer()
    correction = serializers.ChoiceField([STRUCK, RESTORED, REOPENED])
    player = PersonSerializer(allow_null=True, help_text="null if the end was taken back.")


def occasion_of(season: Season) -> str:
    """The occasion of a season's end and of the next one's beginning.

    It is another one if the end is taken back and the season ends again.
    """
    assert season.ends_at is not None  # noqa: S101 - it ended
    return f"{season.pk}-{int(season.ends_at.timestamp())}"


def read_seasons(deliveries: Iterable[Delivery]) -> None:
    """Set the data of messages about ends and beginnings of seasons; None if the end was taken back.

    The standings are those of this moment. A few queries for each season, however many messages there are.
    """
    told = [delivery for delivery in deliveries if delivery.type in (SEASON_ENDED, SEASON_STARTED)]
    ids = {int(delivery.occasion.partition("-")[0]) for delivery in told}
    archived = Season.objects.filter(pk__in=ids, state=Season.ARCHIVED).select_related("mode") if ids else ()
    contents: dict[tuple[str, str], dict[str, object]] = {}
    for season in archived:
        following = Season.objects.select_related("mode").get(mode=season.mode_id, number=season.number + 1)
        contents[SEASON_ENDED, occasion_of(season)] = EndedSeasonSerializer.fill(EndedSeason(load_standings(season)))
        contents[SEASON_STARTED, occasion_of(season)] = StartedSeasonSerializer.fill(following)
    for delivery in told:
        delivery.data = contents.get((delivery.type, delivery.occasion))


def _season_embed(kind: str, data: dict[str, Any]) -> Embed:
    player = data.get("player") or {"name": ""}
    names = {"mode": data["mode"]["name"], "season": data["season"]["name"], "player": player["name"]}
    sentence = _SEASONS[data.get("correction", kind)]
    path = reverse("leaderboards:board", args=[data["mode"]["id"]])
    return {
        "title": sentence.format(**{name: plain(text) for name, text in names.items()})[:MOST_TITLE],
        "description": "\n".join(_champion_line(row) for row in data.get("top", ())[:_CHAMPIONS]),
        **link_to(f"{path}?season={data['season']['number']}"),
    }


def _champion_line(row: dict[str, Any]) -> str:
    name = plain(row["player"]["name"]) if row["player"] else "Somebody who has left"
    return f"**{ordinal(row['rank'])}** {name}" + (f" {row['rating']}" if row["rating"] else "")


PAYLOADS = {
    SEASON_ENDED: Payload(EndedSeasonSerializer, partial(_season_embed, SEASON_ENDED)),
    SEASON_STARTED: Payload(StartedSeasonSerializer, partial(_season_embed, SEASON_STARTED)),
    SEASON_CORRECTED: Payload(CorrectionSerializer, partial(_season_embed, SEASON_CORRECTED)),
}
