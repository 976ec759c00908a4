"""`/players/me/following/`: whom the player of a token follows."""

from django.utils import timezone
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboards.api.people import LATEST, Conflict, KnownSerializer, PeopleView, get_caller, known_data
from leaderboards.models import Following
from leaderboards.people.following import NotOneself, NotPossible, follow_player, followings_of, unfollow_player
from ranking.api.pagination import PageQuery, find_page, page_of, page_response, read_query
from ranking.api.schema import documented
from ranking.api.views.players import get_player


class FollowingsView(PeopleView):
    @documented(
        "Whom I follow, latest first",
        operation_id="list_following",
        description="Those whom the player of the token sees on friends boards, as far as they don't hide from them.",
        answers={200: page_of("FollowingPage", KnownSerializer(many=True))},
        problems=[400, 403],
        parameters=[PageQuery],
    )
    def get(self, request: Request) -> Response:
        page, after = find_page(followings_of(get_caller(request)), LATEST, read_query(request, PageQuery))
        return page_response(request, (known_data(row.followed, row.since) for row in page), after)


class FollowingView(PeopleView):
    @documented(
        "Do I follow them?",
        operation_id="get_following",
        description="404 where there is no such player, or they aren't followed.",
        answers={200: KnownSerializer},
        problems=[400, 403, 404],
    )
    def get(self, request: Request, id: str) -> Response:
        read_query(request)
        player = get_player(id)
        row = Following.objects.filter(follower=get_caller(request), followed=player).first()
        if row is None:
            raise NotFound(f"You don't follow {id!r}.")
        return Response(known_data(player, row.since))

    @documented(
        "Follow",
        operation_id="follow_player",
        description="Followed already, nothing changes. 409 at a thousand, and for who was blocked by them.",
        request=None,
        answers={200: KnownSerializer},
        problems=[400, 403, 404, 409],
    )
    def put(self, request: Request, id: str) -> Response:
        read_query(request)
        player = get_player(id)
        try:
            row = follow_player(get_caller(request), player, now=timezone.now())
        except NotOneself as error:
            raise ValidationError([str(error)]) from error
        except NotPossible as error:
            raise Conflict(str(error)) from error
        return Response(known_data(player, row.since))

    @documented(
        "Follow no longer",
        operation_id="unfollow_player",
        description="Nothing happens where they weren't followed.",
        answers={204: None},
        problems=[400, 403, 404],
    )
    def delete(self, request: Request, id: str) -> Response:
        read_query(request)
        unfollow_player(get_caller(request), get_player(id))
        return Response(status=204)
