"""`/players/`: everybody, by name."""

from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.documents import documented
from ranking.api.pages import PageQuery, find_page, page_of, page_response, read_query
from ranking.api.views import ApiView
from ranking.fields import TextField
from ranking.lookups import PLAYERS, find_players
from ranking.matchanswers import PersonSerializer
from ranking.models import Player
from ranking.names import LONGEST
from ranking.players import find_player


class PlayersQuery(PageQuery):
    q = TextField(max_length=LONGEST, required=False, help_text="How the name begins, whatever the case.")


class PlayersView(ApiView):
    @documented(
        "Players by name",
        operation_id="list_players",
        description="Everybody, or those whose name begins so.",
        answers={200: page_of("PlayerPage", PersonSerializer(many=True))},
        problems=[400],
        parameters=[PlayersQuery],
    )
    def get(self, request: Request) -> Response:
        query = read_query(request, PlayersQuery)
        page, after = find_page(find_players(query.get("q", "")), PLAYERS, query)
        return page_response(request, ({"id": player.key, "name": player.name} for player in page), after)


def get_player(key: str) -> Player:
    """The player with this key; raises NotFound."""
    player = find_player(key)
    if player is None:
        raise NotFound(f"There is no player {key!r}.")
    return player
