"""`/players/{id}/seasons/`: where a player ended a mode's archived seasons, newest first."""

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.api.standings import StandingSerializer
from leaderboards.boards.rows import published_value
from leaderboards.seasons.past import SeasonResult, load_past_seasons
from ranking.api.answers import rating_text
from ranking.api.base import ApiView, read_access_of
from ranking.api.pagination import QuerySerializer, address_with, page_of, page_response, read_query
from ranking.api.schema import documented
from ranking.api.views.players import get_player
from ranking.models import Mode
from ranking.modes.unknown_modes import unknown_mode
from ranking.validation.fields import KeyField


class PlayerSeasonsQuery(QuerySerializer):
    mode = KeyField(max_length=50, help_text="Slug of the mode.")
    before = serializers.IntegerField(
        min_value=1, max_value=2**31 - 1, required=False, help_text="Only seasons with a lower number; from `next`."
    )


class PlayerSeasonSerializer(StandingSerializer[SeasonResult]):
    """Where a player ended a season that they played; the standing is null if they weren't on its final board."""

    first = ("number", "name", "starts_at", "ends_at")

    number = serializers.IntegerField(source="board.season.number")
    name = serializers.CharField(source="board.season.name")
    starts_at = serializers.DateTimeField(source="board.season.starts_at")
    ends_at = serializers.DateTimeField(source="board.season.ends_at")
    listed = serializers.IntegerField(
        source="standing.listed", allow_null=True, help_text="Players on the final board."
    )
    struck = serializers.BooleanField(help_text="Struck from the season by a moderator: no medal, no reward.")
    matches = serializers.IntegerField(source="rating.matches")
    wins = serializers.IntegerField(source="rating.wins")
    draws = serializers.IntegerField(source="rating.draws")
    losses = serializers.IntegerField(source="rating.losses")
    leaves = serializers.IntegerField(source="rating.leaves")
    podiums = serializers.IntegerField(
        source="rating.podiums", help_text="Completed matches among the first three, from six teams on."
    )
    top_halves = serializers.IntegerField(
        source="rating.top_halves", help_text="Completed matches in the better half of the places."
    )
    place_sum = serializers.IntegerField(
        source="rating.place_sum", help_text="The places of all completed matches, added up."
    )

    @staticmethod
    def fill_rating(result: SeasonResult) -> str | None:
        if result.standing is None or not result.board.mode.shows_rating:
            return None
        return rating_text(published_value(result.rating), result.board.decimals)


class PlayerSeasonsView(ApiView):
    @documented(
        "A player's archived seasons in a mode, newest first",
        operation_id="list_player_seasons",
        description="The seasons that they played, as they ended; the running one is with the player. 404 for a player"
        " who is hidden, unless the caller is that player or sees everything.",
        answers={200: page_of("PlayerSeasonPage", PlayerSeasonSerializer(many=True))},
        problems=[400, 404],
        query=PlayerSeasonsQuery,
    )
    def get(self, request: Request, id: str) -> Response:
        asked = read_query(request, PlayerSeasonsQuery)
        player, access = get_player(id), read_access_of(request, asked["mode"])
        if player.hidden_at is not None and not access.everything and access.player_id != player.pk:
            raise NotFound(f"{id!r} is hidden.")
        mode = Mode.objects.filter(slug=asked["mode"]).first()
        if mode is None:
            raise NotFound(unknown_mode(asked["mode"]))
        past = load_past_seasons(player, mode, access, before=asked.get("before"))
        response = page_response(request, PlayerSeasonSerializer.fill_many(past.lines), None)
        response.data["next"] = address_with(request, "before", str(past.before or ""))
        return response
