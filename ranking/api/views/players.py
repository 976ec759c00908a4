"""`/players/`: players by name."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from ranking.api.base import ApiView
from ranking.api.match_answers import PersonSerializer
from ranking.api.pagination import PageQuery, find_page, page_of, page_response, read_query
from ranking.api.schema import documented
from ranking.models import Key, Player
from ranking.players.former_names import find_by_former_name
from ranking.players.players import find_player
from ranking.players.reach import check_key_reaches
from ranking.players.search import PLAYERS, find_players, name_begins
from ranking.rules.names import LONGEST, fold
from ranking.validation.fields import TextField

_Page = tuple[list[Player], str | None]


class PlayersQuery(PageQuery):
    q = TextField(max_length=LONGEST, required=False, help_text="How the name begins, whatever the case.")


class FoundPlayer(NamedTuple):
    key: str
    name: str
    former: str


class FoundPlayerSerializer(PersonSerializer):
    former = serializers.CharField(
        allow_blank=True, help_text="The name that they gave up and that begins with `q`; empty: their name does."
    )


class PlayersView(ApiView):
    @documented(
        "Players by name",
        operation_id="list_players",
        description=(
            "All people, or those whose names begin with `q`. If it has three letters or more, so may a name that they"
            " gave up."
        ),
        answers={200: page_of("PlayerPage", FoundPlayerSerializer(many=True))},
        problems=[400],
        query=PlayersQuery,
    )
    def get(self, request: Request) -> Response:
        query = read_query(request, PlayersQuery)
        text = query.get("q", "")
        page, after = find_page(find_players(text), PLAYERS, query)
        if former := find_by_former_name(text):
            others = find_players().filter(pk__in=former).exclude(name_begins(text))
            page, after = _merge((page, after), find_page(others, PLAYERS, query), query["limit"])
        begins = fold(text)
        return page_response(request, FoundPlayerSerializer.fill_many(_found(page, former, begins)), after)


def _merge(one: _Page, other: _Page, limit: int) -> _Page:
    """The first page of two lists in the order of PLAYERS, from the first page of each."""
    rows = sorted([*one[0], *other[0]], key=lambda player: (player.search_name, player.pk))
    is_last = one[1] is None and other[1] is None and len(rows) <= limit
    return rows[:limit], None if is_last else PLAYERS.cursor_of(rows[limit - 1])


def _found(players: Iterable[Player], former: Mapping[int, str], text: str) -> Iterator[FoundPlayer]:
    for player in players:
        name = "" if player.search_name.startswith(text) else former.get(player.pk, "")
        yield FoundPlayer(player.key, player.name, name)


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
