"""`/players/`: players by name."""

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.base import ApiView
from ranking.api.match_answers import PersonSerializer
from ranking.api.pagination import PageQuery, find_page, page_of, page_response, read_query
from ranking.api.schema import documented
from ranking.models import Key, Player
from ranking.players.players import find_player
from ranking.players.reach import check_key_reaches
from ranking.players.search import PLAYERS, find_players
from ranking.rules.names import LONGEST
from ranking.validation.fields import TextField


class PlayersQuery(PageQuery):
    q = TextField(max_length=LONGEST, required=False, help_text="How the name begins, whatever the case.")


class PlayersView(ApiView):
    @documented(
        "Players by name",
        operation_id="list_players",
        description="All players, or those whose names begin with `q`.",
        answers={200: page_of("PlayerPage", PersonSerializer(many=True))},
        problems=[400],
        parameters=[PlayersQuery],
    )
    def get(self, request: Request) -> Response:
        query = read_query(request, PlayersQuery)
        page, after = find_page(find_players(query.get("q", "")), PLAYERS, query)
        return page_response(request, ({"id": player.key, "name": player.name} for player in page), after)


def get_player(key: str) -> Player:
    """The player with this key. Raises NotFound."""
    player = find_player(key)
    if player is None:
        raise NotFound(f"There is no player {key!r}.")
    return player


def get_reached_player(request: Request, key: str) -> Player:
    """The player with this key. Raises NotFound, and OutOfReach if the caller's own key is for other modes."""
    player = get_player(key)
    if isinstance(request.auth, Key):
        check_key_reaches(request.auth, [player.pk])
    return player
