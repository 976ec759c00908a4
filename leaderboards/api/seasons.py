"""`/modes/{mode}/seasons/`: a mode's seasons, newest first, with their champions."""

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.api.standings import PlainRatingField
from leaderboards.boards.past_seasons import Champion, SeasonLine, load_seasons
from ranking.api.base import ApiView
from ranking.api.output import OutputSerializer
from ranking.api.pagination import QuerySerializer, address_with, page_of, page_response, read_query
from ranking.api.schema import documented
from ranking.models import Mode, Season
from ranking.modes.unknown_modes import unknown_mode


class SeasonsQuery(QuerySerializer):
    before = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, required=False, help_text="Only seasons with a lower number; from `next`."
    )


class ChampionSerializer(OutputSerializer[Champion]):
    """One of the three best. `player` is null if they are hidden or have left for good."""

    rank = serializers.IntegerField()
    player = serializers.CharField(allow_null=True)
    name = serializers.CharField(allow_null=True)
    rating = PlainRatingField(allow_null=True, help_text="Null where the mode shows no ratings.")
    struck = serializers.BooleanField(help_text="Struck from the season by a moderator: no medal, no reward.")

    @staticmethod
    def fill_player(champion: Champion) -> str | None:
        return champion.key if champion.name else None

    @staticmethod
    def fill_name(champion: Champion) -> str | None:
        return champion.name or None


class SeasonLineSerializer(OutputSerializer[SeasonLine]):
    """A season: [starts_at, ends_at). An archived one never changes."""

    number = serializers.IntegerField(source="season.number")
    name = serializers.CharField(source="season.name")
    state = serializers.ChoiceField(Season.STATES, source="season.state")
    starts_at = serializers.DateTimeField(source="season.starts_at")
    ends_at = serializers.DateTimeField(source="season.ends_at", allow_null=True, help_text="Null if no end is set.")
    listed = serializers.IntegerField(help_text="Players on the board.")
    matches = serializers.IntegerField()
    champions = ChampionSerializer(many=True, help_text="Of an archived season, in the order of its board.")


class SeasonsView(ApiView):
    @documented(
        "A mode's seasons, newest first",
        operation_id="list_seasons",
        description="The one that runs, and those that are archived. `boards/{mode}/?season=` has the board of each.",
        answers={200: page_of("SeasonPage", SeasonLineSerializer(many=True))},
        problems=[400, 404],
        query=SeasonsQuery,
    )
    def get(self, request: Request, mode: str) -> Response:
        asked = read_query(request, SeasonsQuery)
        found = Mode.objects.filter(slug=mode).first()
        if found is None:
            raise NotFound(unknown_mode(mode))
        if not found.ranked:
            raise NotFound(f"{mode} is unranked: it has no board.")
        page = load_seasons(found, before=asked.get("before"))
        response = page_response(request, SeasonLineSerializer.fill_many(page.lines), None)
        response.data["next"] = address_with(request, "before", str(page.before or ""))
        return response
